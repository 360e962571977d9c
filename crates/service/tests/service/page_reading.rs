//! Extraction from a page after its transform.

use std::sync::Arc;
use std::time::Duration;

use gleaner_runtime::{Extract, ExtractTask, Extracted, PageRead, PageTask};
use gleaner_service::{JobService, ServiceConfig, SubmitContext};
use gleaner_types::plan::{JsonFormat, ScrapePlan, Target};
use gleaner_types::request::ScrapeOptions;
use gleaner_types::{BoxFuture, Document, ErrorCode, JobKind, PageError};
use serde_json::{Value, json};

use crate::support::*;

/// Reads a page as its path says, and counts the pages of its job.
#[derive(Debug)]
struct Reader;

impl Extract for Reader {
    fn extract(&self, _: ExtractTask) -> BoxFuture<'_, Result<Extracted, PageError>> {
        Box::pin(async move {
            Err(PageError { code: ErrorCode::UnknownError, message: "this port only reads pages".to_owned() })
        })
    }

    fn read_page<'a>(&'a self, page: PageTask<'a>) -> BoxFuture<'a, PageRead> {
        Box::pin(async move {
            let path = page.url.path();
            if path.contains("hang") {
                std::future::pending::<()>().await;
            }
            assert!(!path.contains("unreadable"), "a reader that panics");
            let before = page.kept.get_or_init(std::sync::atomic::AtomicU64::default).unwrap();
            let before = before.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let mut read = PageRead::default();
            read.json = page.json.map(|_| json!({ "markdown": page.text.markdown, "before": before }));
            read.notes = vec!["read".to_owned()];
            read
        })
    }
}

fn reading_service() -> (Arc<JobService>, Arc<FakeWeb>) {
    service(ServiceConfig { extract: Some(Arc::new(Reader)), ..ServiceConfig::default() })
}

fn json_format() -> JsonFormat {
    JsonFormat { prompt: Some("what it says".to_owned()), ..JsonFormat::default() }
}

async fn scrape(service: &Arc<JobService>, path: &str, with_json: bool) -> Document {
    let mut options = ScrapeOptions::default().check().unwrap();
    options.formats.json = with_json.then(json_format);
    options.timeout = Duration::from_secs(10);
    let target = Target::parse(&format!("https://a.example/{path}")).unwrap();
    let plan = ScrapePlan { target, options, zero_data_retention: false };
    service.scrape(&team("a"), plan, SubmitContext::default()).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_page_is_read_before_it_is_stored_and_only_if_requested() {
    let (service, _) = reading_service();
    let page = scrape(&service, "x", true).await;
    assert_eq!(page.json, Some(json!({ "markdown": "/x", "before": 0 })));
    assert_eq!((page.warning.as_deref(), page.metadata.credits_used), (Some("read"), Some(5)));
    let page = scrape(&service, "x", false).await;
    assert_eq!((page.json, page.warning, page.metadata.credits_used), (None, None, Some(1)));
}

#[tokio::test(start_paused = true)]
async fn each_job_has_its_own_session() {
    let (service, _) = reading_service();
    for _ in 0..2 {
        let mut plan = plan(&["x", "y", "z"]);
        plan.options.formats.json = Some(json_format());
        let id = service.batch(&team("a"), plan, SubmitContext::default()).await.unwrap().id;
        let mut before: Vec<Value> = ended(&service, id)
            .await
            .data
            .into_iter()
            .map(|page| page.json.unwrap()["before"].clone())
            .collect();
        before.sort_by_key(Value::as_u64);
        assert_eq!(before, [json!(0), json!(1), json!(2)]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_hangs_or_panics_fails_no_page_and_stays_within_the_timeout() {
    let (service, _) = reading_service();
    let start = tokio::time::Instant::now();
    let page = scrape(&service, "hang", true).await;
    assert_eq!((page.json, page.markdown.as_deref()), (None, Some("/hang")));
    assert!(page.warning.unwrap().contains("not read in time"));
    assert!(start.elapsed() < Duration::from_secs(10));
    let page = scrape(&service, "unreadable", true).await;
    assert!(page.json.is_none() && page.warning.unwrap().contains("failed to read"));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_job_does_not_wait_for_its_reader() {
    let (service, _) = reading_service();
    let mut plan = plan(&["hang"]);
    plan.options.formats.json = Some(json_format());
    let id = service.batch(&team("a"), plan, SubmitContext::default()).await.unwrap().id;
    settle().await;
    let before = tokio::time::Instant::now();
    service.cancel(&team("a").id, JobKind::BatchScrape, id).await.unwrap();
    let ended = ended(&service, id).await;
    assert_eq!((ended.completed, ended.data.len()), (0, 0));
    assert!(before.elapsed() < Duration::from_secs(1));
}
