//! Tests with shell scripts as workers, for each way in which a worker can end. The tests of the command use
//! the real worker.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bytes::Bytes;
use gleaner_transform::pdf::converted_page;
use gleaner_types::plan::Formats;
use gleaner_types::request::ScrapeOptions;
use gleaner_types::{CacheState, ProxyUsed};
use tokio::time::{Instant, sleep, timeout};

use super::*;

/// A bound that only a failing test reaches.
const LONG: Duration = Duration::from_secs(60);

/// A worker that gives this answer for every file.
const ANSWERS: &str = r#"printf %s '{"Ok":{"markdown":"Kiln [notes](https://e.example/)","pages":3,
    "pages_converted":2,"pages_without_text":[],"title":"Kiln","author":null,"subject":null,"keywords":null,
    "created":null,"modified":null}}'"#;

fn script(script: &str) -> PdfWorker {
    PdfWorker::new("/bin/sh").arg("-c").arg(script)
}

/// Makes minimal documents.
#[derive(Debug)]
struct Documents;

impl CompletePdf for Documents {
    fn complete_pdf(
        &self,
        _: &Fetched,
        options: &ScrapeOptionsPlan,
        converted: Result<Converted, pdf::Error>,
        _: &Interrupt,
    ) -> Result<Transformed, PageError> {
        let page = converted_page(converted, &options.formats)
            .map_err(|error| PageError { code: error.code(), message: error.to_string() })?;
        let links = page.links.links.into_iter().map(|link| link.url).collect();
        let (document, pages_converted) = (page.document, page.pages_converted);
        Ok(Transformed { document, links, pages_converted, ..Transformed::default() })
    }
}

fn workers(worker: PdfWorker) -> PdfWorkers {
    let (fast, slow) = (FairSemaphore::new(1), FairSemaphore::new(1));
    PdfWorkers { worker, documents: Arc::new(Documents), fast, slow }
}

fn options() -> ScrapeOptionsPlan {
    let formats = Formats { markdown: true, links: true, ..Formats::default() };
    ScrapeOptionsPlan {
        formats,
        pdf: Some(PdfParser::default()),
        ..ScrapeOptions::default().check().unwrap()
    }
}

fn page(body: &'static str) -> Fetched {
    Fetched {
        url: "https://a.example/kiln.pdf".parse().unwrap(),
        status: 200,
        content_type: Some("application/pdf".to_owned()),
        body: Bytes::from_static(body.as_bytes()),
        retry_after: None,
        latency: Duration::ZERO,
        address: None,
        proxy_used: ProxyUsed::Basic,
        cache_state: Some(CacheState::Miss),
        cached_at: None,
        rendering: None,
        robots_tag: String::new(),
    }
}

async fn read(workers: &PdfWorkers) -> Result<Transformed, PageError> {
    let owner = PdfTask { team: None, deadline: Instant::now() + LONG };
    workers.read_pdf(&page("%PDF-1.7"), &options(), owner).await.expect("it is a PDF")
}

/// A path without a file.
fn path() -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("gleaner-pdf-{}-{number}", std::process::id()));
    let _ = fs::remove_file(&path);
    path
}

/// The lines that scripts wrote, once there are some.
async fn written(path: &Path) -> Vec<String> {
    let lines = async {
        loop {
            let text = fs::read_to_string(path).unwrap_or_default();
            if text.ends_with('\n') {
                let lines: Vec<String> = text.lines().map(str::to_owned).collect();
                return lines;
            }
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(LONG, lines).await.expect("the script runs")
}

#[tokio::test]
async fn an_answer_becomes_a_document() {
    let read = read(&workers(script(ANSWERS))).await.unwrap();
    assert_eq!(read.document.markdown.as_deref(), Some("Kiln [notes](https://e.example/)"));
    assert_eq!(read.document.metadata.title.as_deref(), Some("Kiln"));
    assert!(read.document.warning.is_some_and(|warning| warning.contains("3 pages")));
    assert_eq!((read.pages_converted, read.links.len()), (Some(2), 1));
}

#[tokio::test]
async fn an_error_of_the_worker_is_a_failed_page() {
    let error = read(&workers(script(r#"printf %s '{"Err":{"kind":"Encrypted"}}'"#))).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::ScrapePdfError);
    assert!(error.message.contains("password"), "{error}");
}

#[tokio::test]
async fn a_file_whose_worker_dies_is_tried_again_in_the_slow_slot() {
    let path = path();
    let dies = script(&format!("echo tried >> '{}'; kill -KILL $$", path.display()));
    let workers = workers(dies);
    // Occupied, so that the second attempt waits.
    let slow = workers.slow.acquire(&SlotOwner::new(None, &page("").url), false).await;
    let read = read(&workers);
    tokio::pin!(read);
    let lines = tokio::select! {
        lines = written(&path) => lines,
        ended = &mut read => panic!("it ended without the slow slot: {ended:?}"),
    };
    assert_eq!(lines, ["tried"]);
    // The fast slot is free while the file waits for the slow one.
    let owner = SlotOwner::new(None, &page("").url);
    let fast = workers.fast.acquire(&owner, true);
    tokio::select! {
        permit = fast => drop(permit),
        ended = &mut read => panic!("it ended without the slow slot: {ended:?}"),
    }
    drop(slow);
    let error = read.await.unwrap_err();
    assert_eq!(error.code, ErrorCode::ScrapePdfError);
    assert!(error.message.contains("memory") && error.message.contains("parsers"), "{error}");
    assert_eq!(written(&path).await, ["tried", "tried"]);
    assert_eq!(error.code.http_status(), 422);
    let _ = fs::remove_file(path);
}

#[tokio::test]
async fn a_program_that_is_no_worker_is_an_internal_error() {
    for worker in [PdfWorker::new("/nowhere/at/all"), script("echo hello"), script(":")] {
        let error = read(&workers(worker.clone())).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::UnknownError, "{worker:?}: {error}");
        assert!(!error.message.contains("nowhere"), "{error}");
    }
}

#[tokio::test]
async fn a_worker_does_not_inherit_the_environment() {
    let path = path();
    let worker = script(&format!("export -p > '{0}'; echo end >> '{0}'", path.display()));
    let _ = read(&workers(worker)).await;
    let lines = written(&path).await;
    assert!(lines.iter().any(|line| line.contains("MALLOC_ARENA_MAX")), "{lines:?}");
    for name in ["HOME", "USER", "CARGO"] {
        assert!(!lines.iter().any(|line| line.contains(&format!("export {name}"))), "{name}: {lines:?}");
    }
    let _ = fs::remove_file(path);
}

#[tokio::test]
async fn other_bodies_and_options_are_left_to_the_transformer() {
    let workers = workers(PdfWorker::new("/nowhere/at/all"));
    let owner = PdfTask { team: None, deadline: Instant::now() + LONG };
    let ocr = PdfParser { mode: PdfMode::Ocr, ..PdfParser::default() };
    for (body, pdf) in
        [("about PDF 1.7", Some(PdfParser::default())), ("%PDF-1.7", None), ("%PDF-1.7", Some(ocr))]
    {
        let options = ScrapeOptionsPlan { pdf, ..options() };
        assert!(workers.read_pdf(&page(body), &options, owner).await.is_none(), "{body} {pdf:?}");
    }
}

/// Whether there is a process with this id, dead or alive.
#[cfg(target_os = "linux")]
fn exists(process: &str) -> bool {
    Path::new("/proc").join(process).exists()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_ends_when_its_future_is_dropped() {
    let path = path();
    // The script stops itself and never continues.
    let workers = workers(script(&format!("echo $$ > '{}'; kill -STOP $$", path.display())));
    let process = {
        let read = read(&workers);
        tokio::pin!(read);
        let mut lines = tokio::select! {
            lines = written(&path) => lines,
            ended = &mut read => panic!("it ended: {ended:?}"),
        };
        lines.remove(0)
        // `read` is dropped here.
    };
    // Its slot becomes free when the process is gone.
    let owner = SlotOwner::new(None, &page("").url);
    let permit = timeout(LONG, workers.fast.acquire(&owner, false)).await.expect("the slot becomes free");
    assert!(!exists(&process), "{process}");
    drop(permit);
    let _ = fs::remove_file(path);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_ends_at_the_deadline_of_its_page() {
    let path = path();
    let workers = workers(script(&format!("echo $$ > '{}'; kill -STOP $$", path.display())));
    let owner = PdfTask { team: None, deadline: Instant::now() + Duration::from_millis(500) };
    let error = workers.read_pdf(&page("%PDF-1.7"), &options(), owner).await.unwrap().unwrap_err();
    assert_eq!(error.code, ErrorCode::ScrapeTimeout);
    let owner = SlotOwner::new(None, &page("").url);
    let permit = timeout(LONG, workers.fast.acquire(&owner, false)).await.expect("the slot becomes free");
    // On a very busy machine the script may not have written its id.
    let process = fs::read_to_string(&path).ok().and_then(|text| text.lines().next().map(str::to_owned));
    assert!(!process.as_deref().is_some_and(exists), "{process:?}");
    drop(permit);
    let _ = fs::remove_file(path);
}

#[tokio::test]
async fn a_slow_file_yields_its_slot_and_is_tried_again() {
    let path = path();
    // Only the first process does not end by itself.
    let first =
        format!("echo $$ >> '{0}'; read n < '{0}'; [ $n = $$ ] && kill -STOP $$; {ANSWERS}", path.display());
    let workers = workers(script(&first));
    let stays = read(&workers);
    tokio::pin!(stays);
    tokio::select! {
        lines = written(&path) => assert_eq!(lines.len(), 1),
        ended = &mut stays => panic!("it ended: {ended:?}"),
    }
    let (stays, other) = tokio::join!(stays, read(&workers));
    assert!(stays.is_ok() && other.is_ok(), "{stays:?} {other:?}");
    let _ = fs::remove_file(path);
}
