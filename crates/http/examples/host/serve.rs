//! Serves over TCP, with limits on connections, on the time for the head of a request, and on the time that a
//! client may leave a response unread. The service itself limits bodies and WebSockets.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use gleaner_http::Service;
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, SEC_WEBSOCKET_PROTOCOL};
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper::{HeaderMap, Request, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio::time::{Sleep, sleep};

/// Upper bound on open connections. Further ones wait in the backlog of the system.
pub(crate) const MAX_CONNECTIONS: usize = 1_024;

/// Connections that have shown no valid key may be one in this many of all.
const GUEST_SHARE: usize = 8;

/// A connection must send the whole head of its next request within this time. It is also the idle timeout.
pub(crate) const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// A connection must take some bytes of its response within this time.
pub(crate) const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// Upper bound on what a connection buffers in each direction, and so on the head of a request.
const MAX_BUFFER: usize = 128 << 10;

/// Pause after a failed accept. File descriptors, for example, become free as connections end.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Connections that have shown no valid key so far, the oldest first. Clients without a key, which may never
/// read an answer, do not keep others out: beyond the share of guests, the oldest one is closed that waits for
/// no answer to a key.
struct Guests {
    open: Mutex<VecDeque<Arc<Guest>>>,
    max: usize,
}

#[derive(Default)]
struct Guest {
    /// A request with a key is in work.
    has_key: AtomicBool,
    closed: Notify,
}

impl Guests {
    fn new(max: usize) -> Self {
        Self { open: Mutex::default(), max: max.max(1) }
    }

    fn admit(&self) -> Arc<Guest> {
        let guest = Arc::new(Guest::default());
        let mut open = self.open();
        if open.len() >= self.max
            && let Some(place) = open.iter().position(|guest| !guest.has_key.load(Ordering::Relaxed))
            && let Some(oldest) = open.remove(place)
        {
            oldest.closed.notify_one();
        }
        open.push_back(Arc::clone(&guest));
        guest
    }

    /// The guest has shown a valid key, or has gone.
    fn remove(&self, guest: &Arc<Guest>) {
        self.open().retain(|other| !Arc::ptr_eq(other, guest));
    }

    fn open(&self) -> MutexGuard<'_, VecDeque<Arc<Guest>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The only path that is served without a key.
const OPEN_PATH: &str = "/openapi.json";

/// Whether a request names a key, as a header or as a WebSocket client does, and is not served without.
fn needs_key(request: &Request<Incoming>) -> bool {
    let headers: &HeaderMap = request.headers();
    let names_key = headers.contains_key(AUTHORIZATION) || headers.contains_key(SEC_WEBSOCKET_PROTOCOL);
    names_key && request.uri().path() != OPEN_PATH
}

/// Whether an answer shows that the key of its request is valid.
fn accepts_key(status: StatusCode) -> bool {
    status.is_success() || status == StatusCode::SWITCHING_PROTOCOLS
}

/// Serves HTTP/1.1 until the program ends.
pub(crate) async fn serve(listener: TcpListener, service: Service, max_connections: usize) {
    let slots = Arc::new(Semaphore::new(max_connections));
    let guests = Arc::new(Guests::new(max_connections / GUEST_SHARE));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(MAX_BUFFER);
    while let Ok(slot) = Arc::clone(&slots).acquire_owned().await {
        let stream = match listener.accept().await {
            Ok((stream, _)) => Stream { tcp: stream, stalled: None },
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let guest = guests.admit();
        let service = TowerToHyperService::new(service.clone());
        let (caller, known) = (Arc::clone(&guest), Arc::clone(&guests));
        let service = service_fn(move |request: Request<Incoming>| {
            let has_key = needs_key(&request);
            caller.has_key.store(has_key, Ordering::Relaxed);
            let (answer, caller, known) = (service.call(request), Arc::clone(&caller), Arc::clone(&known));
            async move {
                let answer = answer.await?;
                caller.has_key.store(false, Ordering::Relaxed);
                if has_key && accepts_key(answer.status()) {
                    known.remove(&caller);
                }
                Ok::<_, Infallible>(answer)
            }
        });
        let connection = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
        let guests = Arc::clone(&guests);
        tokio::spawn(async move {
            tokio::select! {
                // An error here is a client that stalls or disconnects.
                _ = connection => {}
                () = guest.closed.notified() => {}
            }
            guests.remove(&guest);
            drop(slot);
        });
    }
}

/// A connection whose writes fail if none succeeds for [`WRITE_TIMEOUT`].
struct Stream {
    tcp: TcpStream,
    /// Runs while a write waits for the client.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Stream {
    /// The outcome of a write, or an error if it waits for too long.
    fn check(&mut self, written: Poll<io::Result<usize>>, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(WRITE_TIMEOUT)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.tcp).poll_write(cx, bytes);
        self.check(written, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.tcp).poll_write_vectored(cx, bytes);
        self.check(written, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.tcp.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_shutdown(cx)
    }
}
