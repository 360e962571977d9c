//! A connection: its bytes, its place, and what it was used for.

use std::io::{self, IoSlice};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll};

use hyper_util::client::legacy::connect::{Connected, Connection};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_rustls::client::TlsStream;

/// A connection for HTTP.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) transport: Transport,
    /// A proxy reads the requests on it and expects them in absolute form (RFC 9112 section 3.2.2).
    pub(crate) absolute_form: bool,
    /// The address of the host; `None` through a proxy.
    pub(crate) peer: Option<Peer>,
    pub(crate) permit: ConnectionPermit,
    pub(crate) usage: Usage,
}

impl Stream {
    fn is_http2(&self) -> bool {
        matches!(&self.transport, Transport::Tls(stream) if stream.get_ref().1.alpn_protocol() == Some(b"h2"))
    }
}

/// The use of a connection so far. Each answer that comes over the connection has it as an extension.
///
/// A server may end a kept connection at any time, also while a request is on its way (RFC 9112 section
/// 9.3.1). Such a request failed because of its connection, and not because of its page.
#[derive(Debug, Clone, Default)]
pub(crate) struct Usage(Arc<UsageFlags>);

#[derive(Debug, Default)]
struct UsageFlags {
    /// An answer came over it.
    served: AtomicBool,
    /// Bytes came in after the last ones were sent. Stays false over HTTP/2, where requests overlap.
    answering: AtomicBool,
}

impl Usage {
    /// The usage of the connection that a request failed on; `None` if it had none.
    pub(crate) fn of(connected: Option<&Connected>) -> Option<Self> {
        let mut extensions = http::Extensions::new();
        connected?.get_extras(&mut extensions);
        extensions.remove()
    }

    /// The head of an answer came. Returns whether it was not the first one.
    pub(crate) fn serve(&self) -> bool {
        self.0.served.swap(true, Relaxed)
    }

    /// Whether the connection served an earlier request, and gave no byte of an answer to the last one.
    pub(crate) fn is_stale(&self) -> bool {
        self.0.served.load(Relaxed) && !self.0.answering.load(Relaxed)
    }

    fn sending(&self) {
        self.0.answering.store(false, Relaxed);
    }

    fn receiving(&self) {
        self.0.answering.store(true, Relaxed);
    }
}

/// The address that was dialled. Each answer that comes over the connection has it as an extension.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// Bounds how many connections are open, and how many are kept open for further requests.
///
/// The pool bounds the idle connections of each host, not those of all hosts. A connection that is opened
/// above this limit serves its request and is closed, so idle connections never exceed the limit.
/// Alternative: close the connection that was idle longest. It takes a pool of our own, and idle connections
/// close soon anyway.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionLimit {
    places: Arc<Semaphore>,
    open: Arc<AtomicUsize>,
    max_kept: usize,
}

impl ConnectionLimit {
    /// Fewer are kept than are open, so that connections which are kept never take all places.
    pub(crate) fn new(max_open: usize, max_kept: usize) -> Self {
        let max_open = max_open.clamp(1, Semaphore::MAX_PERMITS);
        let places = Arc::new(Semaphore::new(max_open));
        Self { places, open: Arc::default(), max_kept: max_kept.min(max_open - 1) }
    }

    /// Waits for a place. `None` if the semaphore is closed, which never happens.
    pub(crate) async fn take(&self) -> Option<ConnectionPermit> {
        let place = Arc::clone(&self.places).acquire_owned().await.ok()?;
        let is_kept = self.open.fetch_add(1, Relaxed) < self.max_kept;
        Some(ConnectionPermit { open: Arc::clone(&self.open), is_kept, _place: place })
    }
}

/// One open connection; dropping it frees its slot.
#[derive(Debug)]
pub(crate) struct ConnectionPermit {
    open: Arc<AtomicUsize>,
    /// It may serve further requests.
    pub(crate) is_kept: bool,
    _place: OwnedSemaphorePermit,
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Relaxed);
    }
}

#[derive(Debug)]
pub(crate) enum Transport {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        let mut connected = Connected::new().proxy(self.absolute_form).extra(self.usage.clone());
        if let Some(peer) = self.peer {
            connected = connected.extra(peer);
        }
        if !self.permit.is_kept {
            connected.poison();
        }
        if self.is_http2() { connected.negotiated_h2() } else { connected }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let outcome = match &mut self.transport {
            Transport::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Transport::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        };
        if buffer.filled().len() > before && !self.is_http2() {
            self.usage.receiving();
        }
        outcome
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.usage.sending();
        match &mut self.transport {
            Transport::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Transport::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.transport {
            Transport::Plain(stream) => Pin::new(stream).poll_flush(context),
            Transport::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.transport {
            Transport::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Transport::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.usage.sending();
        match &mut self.transport {
            Transport::Plain(stream) => Pin::new(stream).poll_write_vectored(context, slices),
            Transport::Tls(stream) => Pin::new(stream).poll_write_vectored(context, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match &self.transport {
            Transport::Plain(stream) => stream.is_write_vectored(),
            Transport::Tls(stream) => stream.is_write_vectored(),
        }
    }
}
