//! Serves over TCP, with limits on connections, on the time for the head of a request, and on the time that a
//! client may leave a response unread. The service itself limits bodies and WebSockets.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use gleaner_http::Service;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Sleep, sleep};

/// Upper bound on open connections. Further ones wait in the backlog of the system.
pub(crate) const MAX_CONNECTIONS: usize = 1_024;

/// A connection must send the whole head of its next request within this time. It is also the idle timeout.
pub(crate) const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// A connection must take some bytes of its response within this time.
pub(crate) const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// Upper bound on what a connection buffers in each direction, and so on the head of a request.
const MAX_BUFFER: usize = 128 << 10;

/// Pause after a failed accept. File descriptors, for example, become free as connections end.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves HTTP/1.1 until the program ends.
pub(crate) async fn serve(listener: TcpListener, service: Service, max_connections: usize) {
    let slots = Arc::new(Semaphore::new(max_connections));
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
        let service = TowerToHyperService::new(service.clone());
        let connection = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
        tokio::spawn(async move {
            // An error here is a client that stalls or disconnects.
            let _ = connection.await;
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
