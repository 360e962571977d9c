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
    pub(super) navigated: Option<Instant>,
    pub(super) parsed: Option<Instant>,
    pub(super) loaded: Option<Instant>,
    /// A delayed navigation of the main frame is expected until then.
    pub(super) scheduled_until: Option<Instant>,
    /// A navigation of the main frame has begun, and is awaited until then.
    pub(super) started_until: Option<Instant>,
    pub(super) activity: Activity,
    pub(super) frames: FrameTree,
    pub(super) frame_targets: Vec<FrameTarget>,
    /// Why the document could not be loaded.
    pub(super) navigation_error: Option<Error>,
    pub(super) is_crashed: bool,
    /// WebSockets and the like.
    pub(super) refused_sockets: u32,
    /// Event streams.
    pub(super) refused_streams: u32,
    pub(super) refused_requests: u32,
    pub(super) dismissed_dialogs: u32,
    pub(super) closed_popups: u32,
}

impl PageState {
    /// The main frame has a new document.
    pub(super) fn navigated_to(&mut self, url: Option<Url>) {
        self.documents += 1;
        self.frames.clear();
        self.url = url;
        self.navigated = Some(Instant::now());
        (self.parsed, self.loaded) = (None, None);
        (self.scheduled_until, self.started_until) = (None, None);
    }

    pub(super) fn expect_navigation_in(&mut self, delay: Duration) {
        if delay <= MAX_AWAITED_DELAY {
            self.scheduled_until = Some(Instant::now() + delay + Duration::from_secs(1));
        }
    }

    pub(super) fn expect_navigation(&mut self) {
        self.started_until = Some(Instant::now() + MAX_NAVIGATION);
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
