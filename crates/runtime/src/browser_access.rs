//! The browser of a runtime: which pages it renders, and its slots.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use gleaner_store::TeamId;
use gleaner_types::FetchEngine;
use gleaner_types::plan::ScrapeOptionsPlan;
use tokio::sync::Notify;
use url::Url;

use crate::context::JobContext;
use crate::fair_semaphore::{FairPermit, FairSemaphore, SlotOwner};
use crate::rendering::{NotRendered, RenderNeed, RenderPolicy, RenderSettings, is_cache_only};
use crate::rendering_memory::RenderingMemory;

/// How a page is fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EngineChoice {
    /// As served, even if it needs its scripts.
    Static(NotRendered),
    /// As served, and then rendered if it needs its scripts.
    StaticFirst,
    /// Rendered: its options ask for it.
    Browser,
    /// Rendered, because other pages of its kind needed it; as served if the rendering fails.
    BrowserFirst,
}

impl EngineChoice {
    /// The engine of the first request.
    pub(crate) const fn engine(&self) -> FetchEngine {
        match self {
            Self::Static(_) | Self::StaticFirst => FetchEngine::Static,
            Self::Browser | Self::BrowserFirst => FetchEngine::Browser,
        }
    }
}

/// The browser of a runtime.
#[derive(Debug)]
pub(crate) struct BrowserAccess {
    /// The policy is [`RenderPolicy::Auto`].
    is_auto: bool,
    slots: FairSemaphore,
    /// Pages that wait for a slot.
    waiting: AtomicUsize,
    more_wait: Notify,
    memory: RenderingMemory,
}

/// A page that waits for a slot.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

impl BrowserAccess {
    /// `None` if no page is rendered.
    pub(crate) fn new(settings: Option<RenderSettings>) -> Option<Self> {
        let RenderSettings { policy, slots } = settings?;
        let is_auto = match policy {
            RenderPolicy::Never => return None,
            RenderPolicy::WhenAsked => false,
            RenderPolicy::Auto => true,
        };
        Some(Self {
            is_auto,
            slots: FairSemaphore::new(slots),
            waiting: AtomicUsize::new(0),
            more_wait: Notify::new(),
            memory: RenderingMemory::default(),
        })
    }

    /// Chooses how a page of the job is fetched with these options.
    pub(crate) fn choose(&self, job: &JobContext, url: &Url, options: &ScrapeOptionsPlan) -> EngineChoice {
        match RenderNeed::of(options) {
            RenderNeed::Asked | RenderNeed::Required => EngineChoice::Browser,
            RenderNeed::No if !self.is_auto => EngineChoice::Static(NotRendered::NotAsked),
            RenderNeed::No if is_cache_only(options) => EngineChoice::Static(NotRendered::CacheOnly),
            RenderNeed::No if learns_from(job, options) && self.memory.render_at_once(url) => {
                EngineChoice::BrowserFirst
            }
            RenderNeed::No => EngineChoice::StaticFirst,
        }
    }

    /// Records whether a page that was requested as served first needed the browser.
    pub(crate) fn record(&self, job: &JobContext, url: &Url, options: &ScrapeOptionsPlan, needed: bool) {
        if learns_from(job, options) {
            self.memory.record(url, needed);
        }
    }

    /// Waits for a slot.
    pub(crate) async fn slot(&self, team: Option<&TeamId>, url: &Url) -> FairPermit {
        self.waiting.fetch_add(1, Relaxed);
        let _waiting = Waiting(&self.waiting);
        self.more_wait.notify_one();
        self.slots.acquire(&SlotOwner::new(team, url), false).await
    }

    /// Pages that wait for a slot. They use nothing, so others may be leased meanwhile.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Relaxed)
    }

    /// Waits until another page waits for a slot.
    pub(crate) async fn more_wait(&self) {
        self.more_wait.notified().await;
    }
}

/// Does the memory concern the page? It keeps nothing of jobs without data retention, and a page can differ
/// for users who are logged in.
fn learns_from(job: &JobContext, options: &ScrapeOptionsPlan) -> bool {
    !job.zero_data_retention && options.headers.is_empty()
}
