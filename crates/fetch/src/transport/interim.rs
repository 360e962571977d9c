//! Interim answers (`1xx`, RFC 9110 section 15.2). A server may send any number of them before the answer.
//!
//! The client skips them and waits on, so a server could keep it reading at full speed until the deadline.
//! The connection's task counts them but cannot end the request, so the request's own task checks the count.
//!
//! Over HTTP/2 the client drops them silently. There the request's deadline bounds their number, and the
//! client's limit for a header section bounds the size of each.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::task::Context;

use futures_util::task::AtomicWaker;

/// Most interim answers before an answer over HTTP/1.1; over HTTP/2 the deadline alone bounds them. Servers
/// rarely send more than two.
pub const MAX_INTERIM_ANSWERS: u32 = 32;

/// Counts the interim answers of one request.
#[derive(Debug, Default)]
pub(crate) struct Interim {
    count: AtomicU32,
    waker: AtomicWaker,
}

impl Interim {
    /// Starts to count the interim answers to `request`.
    pub(crate) fn count<B>(request: &mut http::Request<B>) -> Arc<Self> {
        let interim = Arc::new(Self::default());
        let counted = Arc::clone(&interim);
        hyper::ext::on_informational(request, move |_| {
            if counted.count.fetch_add(1, Relaxed) == MAX_INTERIM_ANSWERS {
                counted.waker.wake();
            }
        });
        interim
    }

    /// Whether there were more than [`MAX_INTERIM_ANSWERS`]. If not, the task is woken once there are.
    pub(crate) fn exceeds_limit(&self, context: &Context<'_>) -> bool {
        self.waker.register(context.waker());
        self.count.load(Relaxed) > MAX_INTERIM_ANSWERS
    }
}

/// A server sent more interim answers than [`MAX_INTERIM_ANSWERS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooManyInterim;

impl fmt::Display for TooManyInterim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {MAX_INTERIM_ANSWERS} interim answers")
    }
}

impl std::error::Error for TooManyInterim {}
