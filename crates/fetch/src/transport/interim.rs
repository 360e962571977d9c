//! Interim answers (`1xx`, RFC 9110 section 15.2), of which a server may send any number before the answer.
//!
//! The client skips them and waits on, so that a server could keep it reading at full speed until the deadline. They are
//! counted by the connection's task, which has no way to end the request: the request's own task looks at the count.
//!
//! Over HTTP/2 the client drops them without a word. There the request's deadline is the only bound on their number, and
//! the client's limit for a header section on the size of each.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::task::Context;

use futures_util::task::AtomicWaker;

/// Most interim answers before an answer over HTTP/1.1; over HTTP/2 the deadline alone bounds them. Servers send one or two, where any.
pub const MAX_INTERIM_ANSWERS: u32 = 32;

/// Counts the interim answers of one request.
#[derive(Debug, Default)]
pub(crate) struct Interim {
    count: AtomicU32,
    waker: AtomicWaker,
}

impl Interim {
    /// A count of those that `request` gets.
    pub(crate) fn of<B>(request: &mut http::Request<B>) -> Arc<Self> {
        let interim = Arc::new(Self::default());
        let counted = Arc::clone(&interim);
        hyper::ext::on_informational(request, move |_| {
            if counted.count.fetch_add(1, Relaxed) == MAX_INTERIM_ANSWERS {
                counted.waker.wake();
            }
        });
        interim
    }

    /// Were there too many? If not, the task is woken once there are.
    pub(crate) fn is_flood(&self, context: &Context<'_>) -> bool {
        self.waker.register(context.waker());
        self.count.load(Relaxed) > MAX_INTERIM_ANSWERS
    }
}

/// A server sent more interim answers than [`MAX_INTERIM_ANSWERS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flood;

impl fmt::Display for Flood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {MAX_INTERIM_ANSWERS} interim answers")
    }
}

impl std::error::Error for Flood {}
