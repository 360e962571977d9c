//! The browser process that serves pages: started on demand, replaced after a crash or many pages.

mod context;
mod running;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, Weak};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep};

pub(crate) use context::Context;
pub(crate) use running::Running;

use crate::config::BrowserConfig;
use crate::process::LaunchError;
use crate::wire::CallError;

/// Longest wait for what a process needs and this machine lacks, such as descriptors: connections that end
/// give them back. Then the caller decides.
const MAX_EXHAUSTED: Duration = Duration::from_secs(1);
/// The pause before a process is started again without it.
const EXHAUSTED_PAUSE: Duration = Duration::from_millis(100);

/// Why there is no context for a page.
#[derive(Debug)]
pub(crate) enum OpenError {
    Launch(LaunchError),
    Call(CallError),
}

/// Opens contexts in the current process.
#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) config: BrowserConfig,
    slots: Arc<Semaphore>,
    current: Mutex<Option<Arc<Running>>>,
    /// Processes that were replaced and may have open pages.
    replaced: std::sync::Mutex<Vec<Weak<Running>>>,
    pub(crate) counts: Counts,
}

/// What has happened since the start.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) started: AtomicU64,
    pub(crate) crashed: AtomicU64,
    pub(crate) recycled: AtomicU64,
    pub(crate) pages: AtomicU64,
    /// Connections that the dead ends of ended processes refused.
    pub(crate) refused: AtomicU64,
}

impl Pool {
    pub(crate) fn new(config: BrowserConfig) -> Self {
        let slots = Arc::new(Semaphore::new(config.max_pages));
        let (current, replaced) = (Mutex::default(), std::sync::Mutex::default());
        Self { config, slots, current, replaced, counts: Counts::default() }
    }

    /// A context of its own for one page. Waits while the maximum number of pages is open.
    pub(crate) async fn open(&self) -> Result<Context, OpenError> {
        let slot = self.slot().await?;
        let running = self.running_soon().await?;
        self.counts.pages.fetch_add(1, Relaxed);
        Context::open(running, slot).await.map_err(OpenError::Call)
    }

    async fn slot(&self) -> Result<OwnedSemaphorePermit, OpenError> {
        let slot = Arc::clone(&self.slots).acquire_owned().await;
        slot.map_err(|_| OpenError::Call(CallError::Closed))
    }

    /// As [`running`](Self::running). While this machine lacks what a process needs, it is tried again.
    async fn running_soon(&self) -> Result<Arc<Running>, OpenError> {
        let until = Instant::now() + MAX_EXHAUSTED;
        loop {
            match self.running().await {
                Err(OpenError::Launch(error))
                    if error.is_exhaustion() && Instant::now() + EXHAUSTED_PAUSE < until =>
                {
                    tracing::debug!(%error, "Chromium is started again after a pause");
                    sleep(EXHAUSTED_PAUSE).await;
                }
                outcome => return outcome,
            }
        }
    }

    /// The current process. It is started if there is none, and replaced if it has ended or has served its
    /// last page. A replaced process goes on until its last page is closed.
    async fn running(&self) -> Result<Arc<Running>, OpenError> {
        let mut current = self.current.lock().await;
        if self.slots.is_closed() {
            return Err(OpenError::Call(CallError::Closed));
        }
        if let Some(running) = &*current {
            if running.is_ended() {
                self.counts.crashed.fetch_add(1, Relaxed);
            } else if running.take_page(self.config.recycle_after_pages) {
                return Ok(Arc::clone(running));
            } else {
                self.counts.recycled.fetch_add(1, Relaxed);
            }
            self.counts.refused.fetch_add(running.refused_connections(), Relaxed);
            let mut replaced = self.replaced.lock().unwrap_or_else(PoisonError::into_inner);
            replaced.retain(|running| running.strong_count() > 0);
            replaced.push(Arc::downgrade(running));
        }
        *current = None;
        let running = Arc::new(Running::launch(&self.config).await.map_err(OpenError::Launch)?);
        self.counts.started.fetch_add(1, Relaxed);
        running.take_page(self.config.recycle_after_pages);
        *current = Some(Arc::clone(&running));
        Ok(running)
    }

    /// Connections that the dead ends refused.
    pub(crate) async fn refused_connections(&self) -> u64 {
        let current = self.current.lock().await;
        let now = current.as_ref().map_or(0, |running| running.refused_connections());
        self.counts.refused.load(Relaxed).saturating_add(now)
    }

    /// The current process, if there is one.
    pub(crate) async fn current(&self) -> Option<Arc<Running>> {
        self.current.lock().await.clone()
    }

    /// Pages that are open.
    pub(crate) fn open_pages(&self) -> usize {
        self.config.max_pages.saturating_sub(self.slots.available_permits())
    }

    /// Ends the processes. Pages in them fail, and no further ones are opened.
    pub(crate) async fn close(&self) {
        self.slots.close();
        let running = self.current.lock().await.take();
        let replaced = std::mem::take(&mut *self.replaced.lock().unwrap_or_else(PoisonError::into_inner));
        let replaced = replaced.iter().filter_map(Weak::upgrade);
        join_all(running.into_iter().chain(replaced).map(|running| async move { running.close().await }))
            .await;
    }
}
