//! The test suite for every [`DocumentSink`]: call it in a test of yours.

#![expect(clippy::expect_used, reason = "a rule that is broken ends the suite")]

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use gleaner_types::{Document, JobId};
use url::Url;
use uuid::Uuid;

use crate::hooks::HookError;
use crate::sink::{DocumentSink, SinkPage};

/// Writes at once.
const WRITES: u64 = 64;
/// Pages that they write.
const SHARED_PAGES: u64 = 16;
/// The length of a document that is large for a line or a row.
const LARGE: usize = 1 << 20;

/// What every [`DocumentSink`] must do. `kept` reads all that the sink has, as after a restart: the job and
/// the number of each page, with its Markdown. `broken` is a sink that cannot write, such as one
/// whose file is read-only; without one, errors are not tested. What the suite writes is not removed.
///
/// ```
/// use std::collections::BTreeMap;
/// use std::sync::Mutex;
///
/// use gleaner_runtime::{DocumentSink, HookError, SinkPage, conformance};
/// use gleaner_types::{BoxFuture, Document, JobId};
///
/// #[derive(Default)]
/// struct InMemory(Mutex<BTreeMap<(JobId, u64), String>>);
///
/// impl DocumentSink for InMemory {
///     fn write<'a>(
///         &'a self,
///         document: &'a Document,
///         page: SinkPage<'a>,
///     ) -> BoxFuture<'a, Result<(), HookError>> {
///         Box::pin(async move {
///             let text = document.markdown.clone().unwrap_or_default();
///             self.0.lock()?.insert((page.job, page.page), text);
///             Ok(())
///         })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let sink = InMemory::default();
/// let kept = async || {
///     let pages = sink.0.lock().unwrap();
///     pages.iter().map(|(&(job, page), text)| (job, page, text.clone())).collect::<Vec<_>>()
/// };
/// conformance::document_sink(&sink, kept, None).await;
/// # }
/// ```
///
/// # Panics
/// If the sink breaks a rule of its contract.
pub async fn document_sink(
    sink: &dyn DocumentSink,
    kept: impl AsyncFn() -> Vec<(JobId, u64, String)>,
    broken: Option<&dyn DocumentSink>,
) {
    let suite = Suite { sink, kept };
    suite.a_document_is_kept_whole().await;
    suite.pages_are_told_apart_by_job_and_number().await;
    suite.a_page_that_is_written_again_is_kept_once().await;
    suite.writes_at_once_are_all_kept().await;
    suite.an_abandoned_write_does_no_harm().await;
    if let Some(broken) = broken {
        what_is_not_written_is_an_error(broken).await;
    }
}

struct Suite<'a, K> {
    sink: &'a dyn DocumentSink,
    kept: K,
}

impl<K: AsyncFn() -> Vec<(JobId, u64, String)>> Suite<'_, K> {
    async fn a_document_is_kept_whole(&self) {
        let job = new_job();
        let large = "tea \u{1f375} ".repeat(LARGE / 9);
        let texts =
            ["", "Tea", "two\nlines\r\n\n", "'); -- \"quoted\" \\ {}", "\u{8336}\t\u{1f375}", large.as_str()];
        for (page, text) in (1..).zip(texts) {
            self.write(job, page, text).await;
            let found = self.texts(job, page).await;
            assert!(found == [text], "a document is kept whole once its write returns `Ok`: page {page}");
        }
        write(self.sink, job, 0, &Document::default()).await.expect("a document without Markdown is written");
        assert!(self.texts(job, 0).await.len() == 1, "a document without Markdown is kept too");
    }

    async fn pages_are_told_apart_by_job_and_number(&self) {
        let keys = [new_job(), new_job()].map(|job| [0, 1, 1 << 63, u64::MAX].map(|page| (job, page)));
        for (job, page) in keys.as_flattened() {
            self.write(*job, *page, &format!("{job} {page}")).await;
        }
        for (job, page) in keys.as_flattened() {
            let found = self.texts(*job, *page).await;
            assert!(found == [format!("{job} {page}")], "job and number make a page, all 64 bits: {page}");
        }
    }

    async fn a_page_that_is_written_again_is_kept_once(&self) {
        let job = new_job();
        let texts = ["a text that is longer than the next one", "newer", "newer"];
        for text in texts {
            self.write(job, 1, text).await;
            let found = self.texts(job, 1).await;
            let is_one = matches!(found.as_slice(), [one] if texts.contains(&one.as_str()));
            assert!(is_one, "a page that is written again is no error, and is kept once");
        }
    }

    async fn writes_at_once_are_all_kept(&self) {
        let job = new_job();
        let text = |page: u64| format!("{page} ").repeat(2_000);
        let writes = (0..WRITES).map(|write| write % SHARED_PAGES);
        join_all(writes.map(|page| async move { self.write(job, page, &text(page)).await })).await;
        let mut pages = BTreeSet::new();
        for (of, page, found) in (self.kept)().await {
            if of == job {
                assert!(found == text(page), "writes at once do not mix their documents");
                assert!(pages.insert(page), "a page that is written twice at once is kept once");
            }
        }
        assert!(pages.len() as u64 == SHARED_PAGES, "no write at once is lost");
    }

    async fn an_abandoned_write_does_no_harm(&self) {
        let job = new_job();
        let dropped = "dropped ".repeat(10_000);
        for _ in 0..4 {
            drop(write(self.sink, job, 1, &Document::of_markdown(dropped.clone())).now_or_never());
        }
        self.write(job, 2, "next").await;
        assert!(self.texts(job, 2).await == ["next"], "writes after a dropped one are kept");
        let found = self.texts(job, 1).await;
        let is_whole = found.iter().all(|text| *text == dropped);
        assert!(found.len() <= 1 && is_whole, "a dropped write leaves the whole document or none");
        self.write(job, 1, "again").await;
        let found = self.texts(job, 1).await;
        let is_one = matches!(found.as_slice(), [one] if *one == dropped || one == "again");
        assert!(is_one, "a page whose write was dropped can be written again, and is kept once");
    }

    /// Writes a document, which must succeed.
    async fn write(&self, job: JobId, page: u64, text: &str) {
        let document = Document::of_markdown(text.to_owned());
        write(self.sink, job, page, &document).await.expect("a document is written");
    }

    /// The texts of a page.
    async fn texts(&self, job: JobId, page: u64) -> Vec<String> {
        let kept = (self.kept)().await.into_iter();
        kept.filter(|(of, number, _)| (*of, *number) == (job, page)).map(|(.., text)| text).collect()
    }
}

async fn what_is_not_written_is_an_error(broken: &dyn DocumentSink) {
    let document = Document::of_markdown("Tea".to_owned());
    for _ in 0..2 {
        let writing = AssertUnwindSafe(write(broken, new_job(), 1, &document)).catch_unwind();
        let written = writing.await.expect("a write that fails does not panic");
        let error = written.expect_err("a write that fails is an error");
        assert!(!error.to_string().is_empty(), "the error says what failed");
    }
}

/// One write, as the engine does it.
async fn write(sink: &dyn DocumentSink, job: JobId, page: u64, document: &Document) -> Result<(), HookError> {
    let url = Url::parse("https://a.example/tea").expect("a URL of the suite is valid");
    sink.write(document, SinkPage::new(job, page, &url, false)).await
}

fn new_job() -> JobId {
    JobId::from_uuid(Uuid::now_v7())
}
