//! Reading of pages on threads for blocking work.
//!
//! Taking a page apart costs time in proportion to its bytes, and to what is looked for on it, in one go. On
//! a thread of the runtime that holds up the connections that share it, so what is large goes aside, whole:
//! with the calls of the model that follow, as they work on what was taken apart.

use std::sync::Arc;
use std::time::Duration;

use gleaner_extract::{
    ClusterPageResult, Extractor, Page, Shape, SiteMemory, SitePosition, SiteUrl, Task, navigation_links,
};
use gleaner_runtime::{BlockingError, WaitLimits};
use gleaner_types::{ErrorCode, Interrupt, PageError};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Bytes of HTML from which on a page is read aside, whatever is looked for.
const LARGE_PAGE: usize = 64 << 10;
/// Bytes of HTML for each property that is looked for, all properties together, from which on it is.
const LARGE_WORK: usize = 1 << 20;
/// Large pages that one engine reads at once.
pub(crate) const MAX_LARGE_TRANSFORMS: usize = 16;
/// Longest wait for a place and for the work: whoever waits for it has a time of its own, which ends both.
const PATIENCE: Duration = Duration::from_secs(86_400);

/// Is a page to be read aside?
pub(super) fn is_large(page: &Page, shape: &Shape) -> bool {
    let bytes = page.html.len().saturating_add(page.markdown.len());
    bytes >= LARGE_PAGE || bytes.saturating_mul(shape.places()) >= LARGE_WORK
}

/// What is read, in a form that can go to another thread.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) shape: Shape,
    pub(super) prompt: Option<String>,
    pub(super) system_prompt: Option<String>,
}

impl Asked {
    pub(super) fn of(task: Task<'_>) -> Self {
        let Task { shape, prompt, system_prompt } = task;
        Self {
            shape: shape.clone(),
            prompt: prompt.map(str::to_owned),
            system_prompt: system_prompt.map(str::to_owned),
        }
    }

    pub(super) fn task(&self) -> Task<'_> {
        Task {
            shape: &self.shape,
            prompt: self.prompt.as_deref(),
            system_prompt: self.system_prompt.as_deref(),
        }
    }
}

/// One page of several, as it is to be read.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) asked: Arc<Asked>,
    pub(super) extractor: Extractor,
    pub(super) memory: Option<Arc<SiteMemory>>,
    pub(super) cluster: String,
    pub(super) alike: bool,
    /// What search forms are filled with, where the ways on from the page are wanted.
    pub(super) words: Option<String>,
}

impl Reading {
    /// Reads the page, aside where it is large.
    pub(super) async fn read(
        self,
        places: &Arc<Semaphore>,
        page: Arc<Page>,
    ) -> Result<(ClusterPageResult, Vec<SiteUrl>), PageError> {
        let is_large = is_large(&page, &self.asked.shape);
        let interrupt = page.interrupt.clone();
        let reading = async move {
            let Self { asked, extractor, memory, cluster, alike, words } = self;
            let place = SitePosition { cluster: &cluster, alike };
            let read = extractor.page_among(memory.as_deref(), place, &page, asked.task()).await;
            let navigation_links = words.map(|words| navigation_links(&page, &words)).unwrap_or_default();
            (read, navigation_links)
        };
        if is_large { blocking(places, &interrupt, reading).await } else { Ok(reading.await) }
    }
}

/// Does work on a thread for blocking work. Dropping the future ends it where it next waits, and where it
/// looks at the interrupt.
pub(super) async fn blocking<T: Send + 'static>(
    places: &Arc<Semaphore>,
    interrupt: &Interrupt,
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, PageError> {
    let gone = CancellationToken::new();
    let _ends = gone.clone().drop_guard();
    let runtime = Handle::current();
    let work = move || runtime.block_on(gone.run_until_cancelled(work));
    let patience = WaitLimits { until: Instant::now() + PATIENCE, each: PATIENCE };
    let done = gleaner_runtime::blocking(places, interrupt, patience, work).await;
    done.and_then(|done| done.ok_or(BlockingError::Failed)).map_err(|error| match error {
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
    async fn work_goes_aside_ends_with_its_reader_and_may_fail() {
        let (places, interrupt) = (Arc::new(Semaphore::new(1)), Interrupt::armed());
        let here = std::thread::current().id();
        let there = blocking(&places, &interrupt, async { std::thread::current().id() }).await.unwrap();
        assert_ne!(here, there);
        let failed: Result<(), _> = blocking(&places, &interrupt, async { panic!("on purpose") }).await;
        assert!(failed.is_err_and(|error| error.code == ErrorCode::UnknownError));
        assert!(!interrupt.is_raised(), "a page may be read again");
        // A reader that goes away takes the work with it, whether it waits or not.
        let (alive, ended) = tokio::sync::oneshot::channel::<()>();
        let until = interrupt.clone();
        let work = blocking(&places, &interrupt, async move {
            let _alive = alive;
            while !until.spend(1) {
                std::thread::yield_now();
            }
            std::future::pending::<()>().await;
        });
        assert!(tokio::time::timeout(Duration::from_millis(50), work).await.is_err());
        assert!(ended.await.is_err());
    }
}
