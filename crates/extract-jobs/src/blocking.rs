//! Reads large pages on blocking threads.
//!
//! The analysis of a page takes time in proportion to its bytes and to the number of fields, without a pause.
//! On a runtime thread it would delay the connections of that thread. So large pages are read on blocking
//! threads, including the calls of the model, which work on the analysed page.

use std::sync::Arc;
use std::time::Duration;

use gleaner_extract::{
    ClusterPageResult, Extractor, Page, Shape, SiteMemory, SitePosition, SiteTexts, SiteUrl, Task,
    navigation_links,
};
use gleaner_runtime::{BlockingError, WaitLimits};
use gleaner_types::{ErrorCode, Interrupt, PageError};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Pages of at least this many bytes are read on a blocking thread.
const LARGE_PAGE: usize = 64 << 10;
/// So are pages whose bytes times the fields of the schema are at least this number.
const LARGE_WORK: usize = 1 << 20;
/// Maximum large pages that one engine reads at once.
pub(crate) const MAX_LARGE_READS: usize = 16;
/// Maximum wait for a slot and for the work. It is only a formal bound: the deadline of the job ends both
/// earlier.
const MAX_WAIT: Duration = Duration::from_secs(86_400);

/// Whether the page is read on a blocking thread.
pub(super) fn is_large(page: &Page, shape: &Shape) -> bool {
    let bytes = page.html.len().saturating_add(page.markdown.len());
    bytes >= LARGE_PAGE || bytes.saturating_mul(shape.places()) >= LARGE_WORK
}

/// A [`Task`] that owns its data, for other threads.
#[derive(Debug, Clone)]
pub(super) struct OwnedTask {
    pub(super) shape: Shape,
    pub(super) prompt: Option<String>,
    pub(super) system_prompt: Option<String>,
}

impl OwnedTask {
    pub(super) fn new(task: Task<'_>) -> Self {
        let Task { shape, prompt, system_prompt } = task;
        Self {
            shape: shape.clone(),
            prompt: prompt.map(str::to_owned),
            system_prompt: system_prompt.map(str::to_owned),
        }
    }

    pub(super) fn as_task(&self) -> Task<'_> {
        Task {
            shape: &self.shape,
            prompt: self.prompt.as_deref(),
            system_prompt: self.system_prompt.as_deref(),
        }
    }
}

/// The task of reading one page of a job.
#[derive(Debug)]
pub(super) struct PageReading {
    pub(super) task: Arc<OwnedTask>,
    pub(super) extractor: Extractor,
    pub(super) memory: Option<Arc<SiteMemory>>,
    pub(super) cluster: String,
    pub(super) alike: bool,
    /// What recurs on the pages of the cluster, if it is known.
    pub(super) texts: Option<Arc<SiteTexts>>,
    /// The words for search forms; `None` if the navigation links are not needed.
    pub(super) form_words: Option<String>,
}

impl PageReading {
    /// Reads the page, on a blocking thread if it is large.
    pub(super) async fn read(
        self,
        slots: &Arc<Semaphore>,
        page: Arc<Page>,
    ) -> Result<(ClusterPageResult, Vec<SiteUrl>), PageError> {
        let is_large = is_large(&page, &self.task.shape);
        let interrupt = page.interrupt.clone();
        let reading = async move {
            let Self { task, extractor, memory, cluster, alike, texts, form_words } = self;
            let position = SitePosition { cluster: &cluster, alike, texts: texts.as_deref() };
            let read = extractor.page_among(memory.as_deref(), position, &page, task.as_task()).await;
            let navigation_links =
                form_words.map(|words| navigation_links(&page, &words)).unwrap_or_default();
            (read, navigation_links)
        };
        if is_large { blocking(slots, &interrupt, reading).await } else { Ok(reading.await) }
    }
}

/// Runs work on a blocking thread. If the future is dropped, the work ends when it next waits or checks the
/// interrupt.
pub(super) async fn blocking<T: Send + 'static>(
    slots: &Arc<Semaphore>,
    interrupt: &Interrupt,
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, PageError> {
    let cancelled = CancellationToken::new();
    let _guard = cancelled.clone().drop_guard();
    let runtime = Handle::current();
    let work = move || runtime.block_on(cancelled.run_until_cancelled(work));
    let limits = WaitLimits { deadline: Instant::now() + MAX_WAIT, max_wait: MAX_WAIT };
    let output = gleaner_runtime::blocking(slots, interrupt, limits, work).await;
    output.and_then(|output| output.ok_or(BlockingError::Failed)).map_err(|error| match error {
        BlockingError::NoCapacity | BlockingError::Late => PageError {
            code: ErrorCode::ScrapeTimeout,
            message: "Scrape timed out: the page was not read in time".to_owned(),
        },
        _ => {
            PageError { code: ErrorCode::UnknownError, message: "the engine failed on this page".to_owned() }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn work_runs_on_another_thread_ends_with_its_future_and_may_panic() {
        let (slots, interrupt) = (Arc::new(Semaphore::new(1)), Interrupt::armed());
        let own = std::thread::current().id();
        let other = blocking(&slots, &interrupt, async { std::thread::current().id() }).await.unwrap();
        assert_ne!(own, other);
        let failed: Result<(), _> = blocking(&slots, &interrupt, async { panic!("on purpose") }).await;
        assert!(failed.is_err_and(|error| error.code == ErrorCode::UnknownError));
        assert!(!interrupt.is_raised(), "a page may be read again");
        // Dropping the future ends the work, whether it computes or waits.
        let (alive, ended) = tokio::sync::oneshot::channel::<()>();
        let raised = interrupt.clone();
        let work = blocking(&slots, &interrupt, async move {
            let _alive = alive;
            while !raised.spend(1) {
                std::thread::yield_now();
            }
            std::future::pending::<()>().await;
        });
        assert!(tokio::time::timeout(Duration::from_millis(50), work).await.is_err());
        assert!(ended.await.is_err());
    }
}
