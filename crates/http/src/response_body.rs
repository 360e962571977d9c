//! Bodies of responses, in pieces that hold their share of the memory of responses.
//!
//! Every large response is a list of pieces: those of a finished JSON, or those that are made one after the
//! other, each when the server took the one before ([`lists`](crate::lists)). A piece carries its part of the
//! [budget](gleaner::service::ResponseMemory), so memory that a connection still holds is counted too.
//!
//! A server asks a body for its next piece when the client has read enough of the earlier ones. It asks no
//! more if the client stops reading, and then the body cannot act by itself. So a task watches each body of
//! more than one piece: if the server asks for nothing for [`UNREAD_TIMEOUT`], the task drops what the body
//! holds, which frees its memory, and the next request for a piece is an error, which ends the connection.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use gleaner::service::{RESPONSE_PIECE, ResponseJson};
use http_body::{Body, Frame, SizeHint};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until};

use crate::failure::Failure;

/// How long a client may leave the next piece of a response unread. The response then ends with an error.
pub const UNREAD_TIMEOUT: Duration = Duration::from_secs(60);

type PieceStream = Pin<Box<dyn Stream<Item = Result<Bytes, Failure>> + Send>>;

/// The body of a response of the [`Service`](crate::Service).
pub struct ResponseBody {
    content: Content,
}

enum Content {
    /// One piece; empty at the end.
    Whole(Bytes),
    Pieces(Pieces),
}

impl ResponseBody {
    /// A finished JSON.
    pub(crate) fn json(mut json: ResponseJson) -> Self {
        let length = json.len();
        if length <= RESPONSE_PIECE {
            return Self::from(json.next().unwrap_or_default());
        }
        let pieces = futures_util::stream::iter(json.map(Ok::<_, Failure>));
        Self { content: Content::Pieces(Pieces::new(Box::pin(pieces), u64::try_from(length).ok())) }
    }

    /// Pieces of unknown number.
    pub(crate) fn stream(pieces: impl Stream<Item = Result<Bytes, Failure>> + Send + 'static) -> Self {
        Self { content: Content::Pieces(Pieces::new(Box::pin(pieces), None)) }
    }
}

impl From<Bytes> for ResponseBody {
    fn from(whole: Bytes) -> Self {
        Self { content: Content::Whole(whole) }
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let piece = match &mut self.get_mut().content {
            Content::Whole(whole) if whole.is_empty() => None,
            Content::Whole(whole) => Some(Ok(std::mem::take(whole))),
            Content::Pieces(pieces) => ready!(pieces.poll_next(cx)),
        };
        Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        match &self.content {
            Content::Whole(whole) => whole.is_empty(),
            Content::Pieces(pieces) => pieces.left == Some(0),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            Content::Whole(whole) => SizeHint::with_exact(whole.len() as u64),
            Content::Pieces(pieces) => pieces.left.map_or_else(SizeHint::default, SizeHint::with_exact),
        }
    }
}

impl fmt::Debug for ResponseBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseBody").field("size", &self.size_hint()).finish_non_exhaustive()
    }
}

/// Pieces, and the task that drops them if they stay unread.
struct Pieces {
    held: Arc<Mutex<Held>>,
    /// The bytes that are left, if that is known.
    left: Option<u64>,
    /// Whether the last call gave a piece: before the next one, other connections have their turn.
    gave: bool,
    watch: AbortHandle,
}

struct Held {
    /// `None` after the end.
    pieces: Option<PieceStream>,
    /// The last time that the server asked for a piece.
    asked_at: Instant,
    /// The server has asked, and waits for the piece.
    is_awaited: bool,
    /// The pieces were dropped because they stayed unread.
    is_late: bool,
}

impl Pieces {
    fn new(pieces: PieceStream, left: Option<u64>) -> Self {
        let held = Held { pieces: Some(pieces), asked_at: Instant::now(), is_awaited: false, is_late: false };
        let held = Arc::new(Mutex::new(held));
        let watch = tokio::spawn(drop_if_unread(Arc::downgrade(&held))).abort_handle();
        Self { held, left, gave: false, watch }
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, BodyError>>> {
        // While the system takes all that is written, hundreds of large responses would each be written whole
        // before another connection is served.
        if std::mem::take(&mut self.gave) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let mut held = lock(&self.held);
        if std::mem::take(&mut held.is_late) {
            return Poll::Ready(Some(Err(BodyError {
                text: "the client did not read the response in time",
            })));
        }
        let Some(pieces) = &mut held.pieces else { return Poll::Ready(None) };
        let polled = pieces.as_mut().poll_next(cx);
        held.asked_at = Instant::now();
        held.is_awaited = polled.is_pending();
        let piece = ready!(polled);
        match piece {
            Some(Ok(piece)) => {
                self.left = self.left.map(|left| left.saturating_sub(piece.len() as u64));
                self.gave = true;
                Poll::Ready(Some(Ok(piece)))
            }
            Some(Err(failure)) => {
                held.pieces = None;
                tracing::warn!(?failure, "a response ended early");
                Poll::Ready(Some(Err(BodyError { text: "the rest of the response could not be made" })))
            }
            None => {
                held.pieces = None;
                Poll::Ready(None)
            }
        }
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        self.watch.abort();
    }
}

fn lock(held: &Mutex<Held>) -> MutexGuard<'_, Held> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Drops the pieces when the server asked for none for too long. Ends with the body.
async fn drop_if_unread(body: Weak<Mutex<Held>>) {
    while let Some(deadline) = body.upgrade().and_then(|held| deadline_of(&held)) {
        sleep_until(deadline).await;
    }
}

/// When the pieces are to be dropped; `None` if they are.
fn deadline_of(held: &Mutex<Held>) -> Option<Instant> {
    let mut held = lock(held);
    held.pieces.as_ref()?;
    let now = Instant::now();
    // What the server waits for is late through us.
    let since = if held.is_awaited { now } else { held.asked_at };
    let deadline = since + UNREAD_TIMEOUT;
    if deadline <= now {
        held.pieces = None;
        held.is_late = true;
        return None;
    }
    Some(deadline)
}

/// Why a response ended early. The client sees that the connection ends.
#[derive(Debug)]
pub struct BodyError {
    text: &'static str,
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

impl Error for BodyError {}

#[cfg(test)]
mod tests {
    use gleaner::Engine;
    use gleaner::service::{JobService, PieceWriter, TeamId};
    use http_body_util::BodyExt as _;

    use super::*;

    fn service() -> Arc<JobService> {
        Arc::clone(Engine::builder().build().unwrap().service())
    }

    /// A body of this many bytes, with a share of that size.
    async fn body(service: &JobService, bytes: usize) -> ResponseBody {
        let share = service.response_memory().reserve(&TeamId::new("a"), bytes).await.unwrap();
        let mut json = PieceWriter::default();
        json.push(&vec![b'x'; bytes]);
        ResponseBody::json(json.finish(share))
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_is_read_in_pieces_and_each_frees_its_memory() {
        let service = service();
        for bytes in [0, 1, RESPONSE_PIECE, RESPONSE_PIECE + 1, 5 * RESPONSE_PIECE] {
            let mut body = body(&service, bytes).await;
            assert_eq!(body.size_hint().exact(), Some(bytes as u64));
            let mut read = 0;
            while let Some(frame) = body.frame().await {
                let piece = frame.unwrap().into_data().unwrap();
                assert!((1..=RESPONSE_PIECE).contains(&piece.len()));
                read += piece.len();
                drop(piece);
                let left = (bytes - read).next_multiple_of(1 << 10);
                assert_eq!(service.response_memory().used(), left);
                assert_eq!(body.is_end_stream(), read == bytes);
            }
            assert_eq!(read, bytes);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_dropped_body_gives_its_share_back() {
        let service = service();
        let mut body = body(&service, 5 * RESPONSE_PIECE).await;
        let piece = body.frame().await.unwrap().unwrap().into_data().unwrap();
        drop(body);
        assert_eq!(service.response_memory().used(), RESPONSE_PIECE, "the server still has one piece");
        drop(piece);
        assert_eq!(service.response_memory().used(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn an_unread_body_ends_after_its_time() {
        let service = service();
        let mut body = body(&service, 5 * RESPONSE_PIECE).await;
        for _ in 0..3 {
            tokio::time::sleep(UNREAD_TIMEOUT - Duration::from_millis(10)).await;
            assert!(body.frame().await.unwrap().is_ok(), "each piece has the whole time");
        }
        assert_eq!(service.response_memory().used(), 2 * RESPONSE_PIECE);
        tokio::time::sleep(UNREAD_TIMEOUT + Duration::from_millis(10)).await;
        assert_eq!(service.response_memory().used(), 0, "nobody had to ask");
        let error = body.frame().await.unwrap().unwrap_err();
        assert!(error.to_string().contains("did not read"), "{error}");
        assert!(body.frame().await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_piece_that_is_made_slowly_is_not_late() {
        let pieces = futures_util::stream::once(async {
            tokio::time::sleep(UNREAD_TIMEOUT * 5).await;
            Ok(Bytes::from_static(b"late"))
        });
        let mut body = ResponseBody::stream(pieces);
        assert_eq!(body.size_hint().exact(), None);
        let piece = body.frame().await.unwrap().unwrap().into_data().unwrap();
        assert_eq!(piece, "late");
        assert!(body.frame().await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_failure_ends_the_body() {
        let pieces = [Ok(Bytes::from_static(b"a")), Err(Failure::unknown_job()), Ok(Bytes::new())];
        let mut body = ResponseBody::stream(futures_util::stream::iter(pieces));
        assert!(body.frame().await.unwrap().is_ok());
        assert!(body.frame().await.unwrap().is_err());
        assert!(body.frame().await.is_none());
    }
}
