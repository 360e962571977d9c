//! Reading of large pages on threads for blocking work.
//!
//! Taking a page apart costs time in proportion to its bytes, in one go. On a thread of the runtime that holds up the connections that share it, so
//! what is large goes aside, whole: with the calls of the model that follow, as they work on what was taken apart.

use std::sync::Arc;

use gleaner_extract::{Extractor, Page, Place, RecalledPage, Shape, SiteMemory, SiteUrl, Task, ways};
use gleaner_types::{ErrorCode, PageError};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Bytes of HTML from which on a page is read aside.
pub(super) const LARGE_PAGE: usize = 256 << 10;
/// Large pages that one engine reads at once.
pub(crate) const MAX_LARGE_AT_ONCE: usize = 16;

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
        places: &Semaphore,
        page: Arc<Page>,
    ) -> Result<(RecalledPage, Vec<SiteUrl>), PageError> {
        let is_large = page.html.len() >= LARGE_PAGE;
        let reading = async move {
            let Self { asked, extractor, memory, cluster, alike, words } = self;
            let place = Place { cluster: &cluster, alike };
            let read = extractor.page_among(memory.as_deref(), place, &page, asked.task()).await;
            let ways = words.map(|words| ways(&page, &words)).unwrap_or_default();
            (read, ways)
        };
        if is_large { aside(places, reading).await } else { Ok(reading.await) }
    }
}

/// Does work on a thread of its own. Dropping the future ends it where it next waits.
pub(super) async fn aside<T: Send + 'static>(
    places: &Semaphore,
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, PageError> {
    let failed =
        || PageError { code: ErrorCode::UnknownError, message: "the engine failed on this page".to_owned() };
    // Never closed.
    let _place = places.acquire().await.map_err(|_| failed())?;
    let gone = CancellationToken::new();
    let _ends = gone.clone().drop_guard();
    let runtime = Handle::current();
    let thread = tokio::task::spawn_blocking(move || runtime.block_on(gone.run_until_cancelled(work)));
    thread.await.ok().flatten().ok_or_else(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn work_goes_aside_ends_with_its_reader_and_may_fail() {
        let places = Semaphore::new(1);
        let here = std::thread::current().id();
        let there = aside(&places, async { std::thread::current().id() }).await.unwrap();
        assert_ne!(here, there);
        let failed = aside(&places, async { panic!("on purpose") }).await;
        assert!(failed.is_err_and(|error| error.code == ErrorCode::UnknownError));
        // A reader that goes away takes the work with it.
        let (alive, ended) = tokio::sync::oneshot::channel::<()>();
        let work = aside(&places, async move {
            let _alive = alive;
            std::future::pending::<()>().await;
        });
        assert!(tokio::time::timeout(std::time::Duration::from_millis(50), work).await.is_err());
        assert!(ended.await.is_err());
    }
}
