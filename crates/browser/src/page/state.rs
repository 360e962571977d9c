//! Follows the events of a page: documents, navigations, load times, network activity.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gleaner_fetch::Error;
use tokio::sync::Notify;
use tokio::time::Instant;
use url::Url;

use super::activity::Activity;
use super::current::FrameTarget;
use super::frames::FrameTree;
use super::visits::Visits;
use crate::wire::SessionId;

/// Upper bound on the delay of an awaited navigation.
const MAX_AWAITED_DELAY: Duration = Duration::from_secs(5);

/// A navigation that has begun is awaited for at most this long.
const MAX_NAVIGATION: Duration = Duration::from_secs(30);

/// The state of a page, according to its events.
#[derive(Debug, Default)]
pub(super) struct PageState {
    /// The session of the page's target.
    pub(super) session: Option<SessionId>,
    pub(super) main_frame: Option<String>,
    /// The number of documents that the main frame has had.
    pub(super) documents: u64,
    /// The URL of the main frame's document.
    pub(super) url: Option<Url>,
    /// The documents since the last action.
    pub(super) visits: Visits,
    pub(super) navigated: Option<Instant>,
    pub(super) parsed: Option<Instant>,
    pub(super) loaded: Option<Instant>,
    /// A delayed navigation of the main frame is expected until then.
    pub(super) scheduled_until: Option<Instant>,
    /// A navigation of the main frame has begun, and is awaited until then.
    pub(super) started_until: Option<Instant>,
    pub(super) activity: Activity,
    /// Scripts and style sheets that were requested before then are given up.
    pub(super) given_up_before: Option<Instant>,
    pub(super) frames: FrameTree,
    pub(super) frame_targets: Vec<FrameTarget>,
    /// Why the document could not be loaded.
    pub(super) navigation_error: Option<Error>,
    pub(super) is_crashed: bool,
    /// What may keep the document from its content.
    pub(super) fault: Option<PageFault>,
    /// WebSockets and the like.
    pub(super) refused_sockets: u32,
    /// Event streams.
    pub(super) refused_streams: u32,
    pub(super) refused_requests: u32,
    pub(super) dismissed_dialogs: u32,
    pub(super) closed_popups: u32,
    pub(super) refused_downloads: u32,
    /// Scripts and style sheets that were given up.
    pub(super) unanswered: u32,
}

/// What may keep a document from its content.
#[derive(Debug)]
pub(super) struct PageFault {
    /// It continues a warning behind a colon.
    pub(super) text: String,
    /// Whether it is one of the host itself. Many pages do without requests to other hosts.
    pub(super) is_own: bool,
}

impl PageState {
    /// Keeps the first fault of the page's own host, or else the first one.
    pub(super) fn add_fault(&mut self, fault: PageFault) {
        let is_better = self.fault.as_ref().is_none_or(|first| fault.is_own && !first.is_own);
        if is_better {
            self.fault = Some(fault);
        }
    }

    /// The main frame has a new document.
    pub(super) fn navigated_to(&mut self, url: Option<Url>) {
        let now = Instant::now();
        if let Some(url) = &url {
            let left = self.started_until.and_then(|until| until.checked_sub(MAX_NAVIGATION)).unwrap_or(now);
            let shown = self.navigated.map(|navigated| left.saturating_duration_since(navigated));
            self.visits.add(url, shown.unwrap_or_default());
        }
        self.documents += 1;
        self.frames.clear();
        self.fault = None;
        self.url = url;
        self.navigated = Some(now);
        (self.parsed, self.loaded) = (None, None);
        (self.scheduled_until, self.started_until) = (None, None);
    }

    /// The main frame loads nothing more. A document that was stopped has no `load` event.
    pub(super) fn stopped_loading(&mut self) {
        if self.navigated.is_some() {
            let now = Instant::now();
            self.parsed.get_or_insert(now);
            self.loaded.get_or_insert(now);
        }
    }

    pub(super) fn expect_navigation_in(&mut self, delay: Duration) {
        if delay <= MAX_AWAITED_DELAY {
            self.scheduled_until = Some(Instant::now() + delay + Duration::from_secs(1));
        }
    }

    pub(super) fn expect_navigation(&mut self) {
        self.started_until = Some(Instant::now() + MAX_NAVIGATION);
    }

    /// Whether the document waits for a script or a style sheet before its end is read.
    pub(super) fn is_blocked(&self) -> bool {
        self.parsed.is_none() && self.activity.may_block()
    }

    /// Whether another document is expected.
    pub(super) fn is_leaving(&self) -> bool {
        let now = Instant::now();
        [self.scheduled_until, self.started_until].into_iter().flatten().any(|until| now < until)
    }
}

/// The state, and a signal for each change.
#[derive(Debug, Default)]
pub(super) struct Shared {
    state: Mutex<PageState>,
    pub(super) changed: Notify,
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, PageState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and wakes what waits for it.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut PageState) -> T) -> T {
        let result = change(&mut self.lock());
        self.changed.notify_waiters();
        result
    }

    /// Waits until `read` gives a value.
    pub(super) async fn wait_for<T>(&self, mut read: impl FnMut(&PageState) -> Option<T>) -> T {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            // No change is missed from here on.
            changed.as_mut().enable();
            if let Some(value) = read(&self.lock()) {
                return value;
            }
            changed.await;
        }
    }
}
