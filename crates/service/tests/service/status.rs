//! Tests of job status: paging, size limits, expiry and watchers.

use std::time::Duration;

use futures_util::StreamExt as _;
use gleaner_runtime::ErrorKind;
use gleaner_service::{LONG_POLL, MIN_RESPONSE_MEMORY, Page, ServiceConfig, SubmitContext, WatchMessage};
use gleaner_store::{FailurePosition, TeamId};
use gleaner_types::event::WatchFrame;
use gleaner_types::plan::BatchPlan;
use gleaner_types::request::CrawlRequest;
use gleaner_types::{JobId, JobKind, JobState, limits};
use tokio::time::Instant;
use uuid::Uuid;

use crate::support::*;

fn frame(message: &WatchMessage) -> WatchFrame {
    serde_json::from_slice(&message.parts.concat()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_status_is_at_most_ten_million_bytes() {
    // The size of the last document brings the body exactly to the limit, and one byte above it.
    let fill = async |last: usize| {
        let (service, _) = service(ServiceConfig::default());
        let large = format!("large-{last}");
        let id = batch(&service, &["large-4000000", "large-4000000", &large]).await;
        ended(&service, id).await;
        status(&service, id, None, None).await
    };
    let probe = fill(1_000).await;
    assert_eq!((probe.documents, probe.next), (3, None));
    let space = limits::MAX_STATUS_BYTES - probe.json.len();
    // The size is part of the URL, so its three further digits count twice, in `url` and `sourceURL`.
    let exact = 1_000 + space - 2 * 3;
    let full = fill(exact).await;
    assert_eq!((full.json.len(), full.documents, full.next), (limits::MAX_STATUS_BYTES, 3, None));
    let over = fill(exact + 1).await;
    assert_eq!((over.documents, over.next), (2, Some(2)));
    assert!(over.json.len() <= limits::MAX_STATUS_BYTES);
    assert_eq!(read(&over).next, Some(next_url(2)));
}

#[tokio::test(start_paused = true)]
async fn a_document_above_the_limit_is_served_alone() {
    let (service, _) = service(ServiceConfig::default());
    let id = batch(&service, &["large-11000000", "one"]).await;
    ended(&service, id).await;
    let first = status(&service, id, Some(0), None).await;
    assert!(first.json.len() < limits::MAX_STATUS_BYTES || first.documents == 1);
    let second = status(&service, id, first.next, None).await;
    assert_eq!(first.documents + second.documents, 2);
    assert_eq!(second.next, None);
}

/// Clients that did not read such a status held more memory than their team may have.
#[tokio::test(start_paused = true)]
async fn a_document_above_the_limit_counts_in_full() {
    let config = ServiceConfig { response_memory: MIN_RESPONSE_MEMORY, ..ServiceConfig::default() };
    let ((service, _), team) = (service(config), TeamId::new("a"));
    let id = batch(&service, &["large-11000000"]).await;
    ended(&service, id).await;
    // What is left has space for a usual status.
    let unread = service.response_memory().reserve(&team, 6 << 20).await.unwrap();
    let refused = service.status(&team, BATCH, id, Page::default(), &next_url).await.unwrap_err();
    assert_eq!(refused.http_status(), 429);
    drop(unread);
    assert_eq!(status(&service, id, None, None).await.documents, 1);
}

#[tokio::test(start_paused = true)]
async fn paging_with_any_limit_returns_every_document_once_in_the_same_order() {
    let (service, _) = service(ServiceConfig::default());
    let paths: Vec<String> = (0..25).map(|number| format!("p{number}")).collect();
    let id = batch(&service, &paths.iter().map(String::as_str).collect::<Vec<_>>()).await;
    ended(&service, id).await;
    let mut orders = Vec::new();
    for limit in [1, 2, 7, 25, 1_000] {
        let (mut order, mut skip) = (Vec::new(), Some(0));
        while let Some(from) = skip {
            let body = status(&service, id, Some(from), Some(limit)).await;
            assert!(body.documents as u64 <= limit);
            order.extend(read(&body).data.into_iter().map(|document| document.markdown.unwrap()));
            skip = body.next;
        }
        orders.push(order);
    }
    assert_eq!(orders[0].len(), 25);
    assert!(orders.iter().all(|order| *order == orders[0]));
    let beyond = status(&service, id, Some(99), None).await;
    assert_eq!((beyond.documents, beyond.next), (0, None));
}

#[tokio::test(start_paused = true)]
async fn a_request_for_the_next_documents_waits_for_them() {
    let (service, _) = service(ServiceConfig::default());
    let id = batch(&service, &["slow"]).await;
    let start = Instant::now();
    let body = status(&service, id, None, None).await;
    assert_eq!((start.elapsed(), body.next), (Duration::ZERO, Some(0)), "the plain status does not wait");
    let body = status(&service, id, body.next, None).await;
    assert_eq!((start.elapsed(), body.next), (LONG_POLL, Some(0)));
    tokio::time::sleep(Duration::from_millis(58_500)).await;
    let requested = Instant::now();
    let body = status(&service, id, body.next, None).await;
    assert!(requested.elapsed() < LONG_POLL, "it is answered as soon as there is a document");
    assert_eq!(body.documents, 1);
}

#[tokio::test(start_paused = true)]
async fn counts_and_times_follow_the_contract() {
    let (service, _) = service(ServiceConfig::default());
    let id = batch(&service, &["one", "broken", "panic", "slow"]).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let running = read(&status(&service, id, None, None).await);
    assert_eq!((running.status, running.completed, running.total), (JobState::Scraping, 1, 2));
    assert_eq!(running.expires_at.unix_timestamp() as u64, START.as_secs() + 1 + 86_400);
    assert!(running.next.is_some() && running.completed_at.is_none());
    let done = ended(&service, id).await;
    assert_eq!((done.status, done.completed, done.total, done.credits_used), (JobState::Completed, 2, 2, 2));
    assert_eq!(done.expires_at - done.completed_at.unwrap(), time::Duration::days(1));
    let errors = service.errors(&TeamId::new("a"), BATCH, id).await.unwrap().errors;
    let mut failed: Vec<&str> = errors.iter().map(|error| error.url.as_str()).collect();
    failed.sort_unstable();
    assert_eq!(failed, ["https://h1.example/broken", "https://h2.example/panic"]);
    assert_ne!(errors[0].id, errors[1].id);
    assert!(errors.iter().all(|error| Uuid::parse_str(&error.id).is_ok()));
}

#[tokio::test(start_paused = true)]
async fn jobs_of_another_team_or_kind_are_not_found() {
    let (service, _) = service(ServiceConfig::default());
    let id = batch(&service, &["one"]).await;
    let page = Page::default();
    let (own, other) = (TeamId::new("a"), TeamId::new("b"));
    let unknown = JobId::from_uuid(Uuid::from_u128(1));
    for (team, kind, id) in [(&other, BATCH, id), (&own, JobKind::Extract, id), (&own, BATCH, unknown)] {
        let errors = [
            service.status(team, kind, id, page, &next_url).await.unwrap_err(),
            service.errors(team, kind, id).await.unwrap_err(),
            service.cancel(team, kind, id).await.unwrap_err(),
            service.dead_letters(team, kind, id).await.unwrap_err(),
            service.watch(team, kind, id).await.map(drop).unwrap_err(),
        ];
        for error in errors {
            assert_eq!((error.kind(), error.http_status()), (ErrorKind::NotFound, 404));
            assert_eq!(error.body().error, "Job not found");
        }
    }
    for kind in [BATCH, JobKind::Crawl] {
        assert!(
            service.status(&own, kind, id, page, &next_url).await.is_ok(),
            "v1 clients read both as crawls"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn crawls_and_batches_are_readable_as_each_other_but_only_batches_take_appended_pages() {
    let (service, _) = service(ServiceConfig::default());
    let own = TeamId::new("a");
    let batch = batch(&service, &["one", "broken"]).await;
    let plan_of_crawl = CrawlRequest::new("https://a.example/slow").check().unwrap();
    let crawl = service.crawl(&team("a"), plan_of_crawl, SubmitContext::default()).await.unwrap().id;
    tokio::time::sleep(Duration::from_secs(1)).await;
    for (id, other) in [(batch, JobKind::Crawl), (crawl, BATCH)] {
        let body = service.status(&own, other, id, Page::default(), &next_url).await.unwrap();
        assert_eq!(read(&body).completed, u64::from(id == batch));
        assert_eq!(service.errors(&own, other, id).await.unwrap().errors.len(), usize::from(id == batch));
        assert!(service.watch(&own, other, id).await.is_ok());
        assert!(service.dead_letters(&own, other, id).await.unwrap().is_empty());
    }
    let append = BatchPlan { append_to: Some(crawl), ..plan(&["one"]) };
    let refused = service.batch(&team("a"), append, SubmitContext::default()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
    assert_eq!(service.cancel(&own, BATCH, crawl).await.unwrap().status, JobState::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn results_are_served_for_a_day_after_the_end() {
    let (service, _) = service(ServiceConfig::default());
    let id = batch(&service, &["one"]).await;
    ended(&service, id).await;
    tokio::time::sleep(Duration::from_secs(86_400 - 60)).await;
    assert_eq!(status(&service, id, None, None).await.documents, 1);
    tokio::time::sleep(Duration::from_secs(60 + 15)).await;
    let gone = service.status(&TeamId::new("a"), BATCH, id, Page::default(), &next_url).await;
    assert_eq!(gone.unwrap_err().kind(), ErrorKind::NotFound);
}

#[tokio::test(start_paused = true)]
async fn a_watcher_catches_up_and_then_receives_every_document() {
    let (service, _) = service(ServiceConfig::default());
    let id = batch(&service, &["one", "two", "slow"]).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let frames = service.watch(&TeamId::new("a"), BATCH, id).await.unwrap();
    let frames: Vec<WatchFrame> = frames.map(|message| frame(&message)).collect().await;
    let WatchFrame::Catchup { data } = &frames[0] else { panic!("the first frame is a catchup") };
    assert_eq!((data.data.len(), data.status), (2, JobState::Scraping));
    let WatchFrame::Document { data } = &frames[1] else { panic!("then come documents") };
    assert_eq!(data.markdown.as_deref(), Some("/slow"));
    assert_eq!(frames[2..], [WatchFrame::Done]);
}

#[tokio::test(start_paused = true)]
async fn a_watcher_of_an_ended_job_receives_every_document_before_the_end() {
    let (service, _) = service(ServiceConfig::default());
    let paths: Vec<String> = (0..130).map(|at| format!("page-{at}")).collect();
    let id = batch(&service, &paths.iter().map(String::as_str).collect::<Vec<_>>()).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(status(&service, id, None, None).await.documents, 130);
    let frames = service.watch(&TeamId::new("a"), BATCH, id).await.unwrap();
    let frames: Vec<WatchFrame> = frames.map(|message| frame(&message)).collect().await;
    let WatchFrame::Catchup { data } = &frames[0] else { panic!("the first frame is a catchup") };
    assert_eq!((data.data.len(), data.status), (100, JobState::Scraping), "clients stop at an end");
    let later = frames.iter().filter(|frame| matches!(frame, WatchFrame::Document { .. })).count();
    assert_eq!((later, frames.last()), (30, Some(&WatchFrame::Done)));
}

#[tokio::test(start_paused = true)]
async fn a_watcher_receives_the_cancelled_state() {
    let (service, _) = service(ServiceConfig::default());
    let id = batch(&service, &["one", "slow"]).await;
    let frames = service.watch(&TeamId::new("a"), BATCH, id).await.unwrap();
    service.cancel(&TeamId::new("a"), BATCH, id).await.unwrap();
    let frames: Vec<WatchFrame> = frames.map(|message| frame(&message)).collect().await;
    let [.., WatchFrame::Catchup { data }, WatchFrame::Done] = &frames[..] else { panic!("{frames:?}") };
    assert_eq!((data.status, data.data.len()), (JobState::Cancelled, 0));
}

#[tokio::test(start_paused = true)]
async fn unread_watchers_stay_within_the_memory_of_their_team() {
    let config = ServiceConfig { response_memory: MIN_RESPONSE_MEMORY, ..ServiceConfig::default() };
    let (service, _) = service(config);
    let id = batch(&service, &["large-900000", "large-900001"]).await;
    ended(&service, id).await;
    let memory = service.response_memory();
    assert_eq!(memory.used(), 0, "a status that was read holds nothing");
    let mut unread = Vec::new();
    let refused = loop {
        match service.watch(&TeamId::new("a"), BATCH, id).await {
            Ok(watcher) => unread.push(watcher),
            Err(error) => break error,
        }
    };
    assert_eq!((refused.kind(), refused.http_status()), (ErrorKind::RateLimited, 429));
    assert!(memory.used() <= MIN_RESPONSE_MEMORY / 4 && unread.len() >= 15, "{}", unread.len());
    assert!(
        service
            .status(&TeamId::new("b"), BATCH, id, Page::default(), &next_url)
            .await
            .is_err_and(|error| error.kind() == ErrorKind::NotFound)
    );
    drop(unread);
    assert_eq!(memory.used(), 0);
    // A document that is larger than what a watcher reads at once comes too.
    let id = batch(&service, &["large-900000", "large-3000000", "large-900001"]).await;
    ended(&service, id).await;
    let frames = service.watch(&TeamId::new("a"), BATCH, id).await.unwrap();
    let frames: Vec<WatchFrame> = frames.map(|message| frame(&message)).collect().await;
    let documents: Vec<usize> = frames
        .iter()
        .map(|frame| match frame {
            WatchFrame::Catchup { data } => data.data.len(),
            WatchFrame::Document { .. } => 1,
            _ => 0,
        })
        .collect();
    assert_eq!((documents.iter().sum::<usize>(), frames.last()), (3, Some(&WatchFrame::Done)));
    assert_eq!(memory.used(), 0);
}

#[tokio::test(start_paused = true)]
async fn failed_pages_are_listed_part_by_part() {
    let (service, _) = service(ServiceConfig::default());
    let team = TeamId::new("a");
    let id = batch(&service, &["broken-1", "one", "broken-2", "broken-3"]).await;
    ended(&service, id).await;
    let whole = service.errors(&team, BATCH, id).await.unwrap().errors;
    let (mut listed, mut from) = (Vec::new(), FailurePosition::default());
    loop {
        let part = service.errors_from(&team, BATCH, id, from, 1).await.unwrap().errors;
        if part.is_empty() {
            break;
        }
        from.failures += part.len();
        listed.extend(part);
    }
    assert_eq!((listed.len(), from.failures), (whole.len(), whole.len()));
    assert_eq!(listed, whole);
}
