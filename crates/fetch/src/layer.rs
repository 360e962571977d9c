//! A layer around each exchange of HTTP: a transport, a fingerprint or recorded answers of the embedder.

use std::fmt;
use std::io;
use std::panic::AssertUnwindSafe;

use bytes::Bytes;
use futures_util::FutureExt as _;
use gleaner_types::{BoxFuture, SafeUrl};
use http::{HeaderMap, Method};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Frame;
use url::Url;

use crate::error::Error;
use crate::fetcher::Inner;
use crate::headers::Names;
use crate::proxy::ProxySession;
use crate::transport::Incoming;

/// An answer of HTTP: its head, and a body that comes in.
pub type LayerAnswer = http::Response<AnswerBody>;

/// A layer around each exchange: one request and its answer, without its redirects.
///
/// It answers by itself, such as from a recorded session or over a transport of its own, or passes the request
/// on to [`Next`], the fetcher's own connections and proxies. It sees each request that the fetcher sends: of
/// pages and their redirects, of robots.txt and sitemaps, of the resources of rendered pages, and of webhooks.
/// It sees none that the cache answers.
///
/// The fetcher does the rest: redirects, cookies, the cache, content codings, and the limits of bodies and of
/// time. A layer is under the egress guard: it is not asked for a URL whose address the policy forbids, nor for
/// a host name that resolves to such an address. A host name that does not resolve passes, so that recorded
/// sessions need no network. A layer that connects by itself must check the address that it connects to.
pub trait FetchLayer: Send + Sync + 'static {
    /// Answers a request. It must not block its thread. If it panics, the request fails. It is dropped at the
    /// deadline of the request.
    ///
    /// # Errors
    /// If there is no answer: that of `next`, or an [`Error::layer`].
    fn send<'a>(&'a self, request: LayerRequest, next: Next<'a>)
    -> BoxFuture<'a, Result<LayerAnswer, Error>>;
}

impl fmt::Debug for dyn FetchLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FetchLayer")
    }
}

/// A request of one exchange, as it would be sent, with its cookies. `Debug` shows no header values.
#[derive(Clone)]
pub struct LayerRequest {
    url: Url,
    request: http::Request<Bytes>,
}

impl LayerRequest {
    /// Its URL, which stays.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Its method. It is `GET` but for webhooks and the resources of rendered pages.
    #[must_use]
    pub fn method(&self) -> &Method {
        self.request.method()
    }

    /// Its headers, without those that the connection adds, such as `Host`.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        self.request.headers()
    }

    /// Its headers, to change.
    pub fn headers_mut(&mut self) -> &mut HeaderMap {
        self.request.headers_mut()
    }

    /// Its body.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        self.request.body()
    }
}

impl fmt::Debug for LayerRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LayerRequest")
            .field("method", self.request.method())
            .field("url", &SafeUrl::from(&self.url))
            .field("headers", &Names(self.request.headers()))
            .field("body_bytes", &self.request.body().len())
            .finish()
    }
}

/// How [`Next`] sends a request.
type SendNext<'a> = Box<dyn FnOnce(LayerRequest) -> BoxFuture<'a, Result<LayerAnswer, Error>> + Send + 'a>;

/// The fetcher's own way to send a request, with its connections and proxies.
pub struct Next<'a>(SendNext<'a>);

impl<'a> Next<'a> {
    fn new<F>(send: impl FnOnce(LayerRequest) -> F + Send + 'a) -> Self
    where
        F: Future<Output = Result<LayerAnswer, Error>> + Send + 'a,
    {
        Self(Box::new(move |request: LayerRequest| -> BoxFuture<'a, Result<LayerAnswer, Error>> {
            Box::pin(send(request))
        }))
    }

    /// Sends a request.
    ///
    /// # Errors
    /// If there is no answer.
    pub fn send(self, request: LayerRequest) -> BoxFuture<'a, Result<LayerAnswer, Error>> {
        (self.0)(request)
    }
}

impl fmt::Debug for Next<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Next")
    }
}

/// The body of an answer as sent, with its content codings: one of the network that comes in, or given bytes.
pub struct AnswerBody(Source);

enum Source {
    Network(Incoming),
    /// `None` after they were read.
    Given(Option<Bytes>),
}

impl AnswerBody {
    pub(crate) const fn network(incoming: Incoming) -> Self {
        Self(Source::Network(incoming))
    }

    /// The next part of the body.
    pub(crate) async fn frame(&mut self) -> Option<Result<Frame<Bytes>, hyper::Error>> {
        match &mut self.0 {
            Source::Network(incoming) => incoming.frame().await,
            Source::Given(bytes) => bytes.take().map(|bytes| Ok(Frame::data(bytes))),
        }
    }

    /// Reads it to its end, such as to record it.
    ///
    /// # Errors
    /// If the connection breaks, or there are more than `max` bytes.
    pub async fn read(mut self, max: usize) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        while let Some(frame) = self.frame().await {
            let Ok(data) = frame.map_err(io::Error::other)?.into_data() else { continue };
            if body.len().saturating_add(data.len()) > max {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the body is too large"));
            }
            body.extend_from_slice(&data);
        }
        Ok(body)
    }
}

impl fmt::Debug for AnswerBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnswerBody")
    }
}

impl From<Bytes> for AnswerBody {
    fn from(bytes: Bytes) -> Self {
        Self(Source::Given((!bytes.is_empty()).then_some(bytes)))
    }
}

impl From<Vec<u8>> for AnswerBody {
    fn from(bytes: Vec<u8>) -> Self {
        Bytes::from(bytes).into()
    }
}

impl From<String> for AnswerBody {
    fn from(text: String) -> Self {
        Bytes::from(text).into()
    }
}

impl From<&'static str> for AnswerBody {
    fn from(text: &'static str) -> Self {
        Bytes::from_static(text.as_bytes()).into()
    }
}

/// Sends the request of one exchange: through the layer, if there is one.
pub(crate) async fn send(
    fetcher: &Inner,
    session: &mut ProxySession<'_>,
    request: http::Request<Full<Bytes>>,
    url: &Url,
    skip_tls_verification: bool,
) -> Result<LayerAnswer, Error> {
    match &fetcher.layer {
        None => Ok(session.send(request, url, skip_tls_verification).await?.map(AnswerBody::network)),
        Some(layer) => {
            Box::pin(through(&**layer, fetcher, session, request, url, skip_tls_verification)).await
        }
    }
}

async fn through(
    layer: &dyn FetchLayer,
    fetcher: &Inner,
    session: &mut ProxySession<'_>,
    request: http::Request<Full<Bytes>>,
    url: &Url,
    skip_tls_verification: bool,
) -> Result<LayerAnswer, Error> {
    // A layer that answers by itself must be no way around the guard.
    fetcher.check_resolved(url).await?;
    let (head, body) = request.into_parts();
    let Ok(body) = body.collect().await;
    let request =
        LayerRequest { url: url.clone(), request: http::Request::from_parts(head, body.to_bytes()) };
    let next = Next::new(move |request: LayerRequest| async move {
        let sent = session.send(request.request.map(Full::new), url, skip_tls_verification).await;
        sent.map(|answer| answer.map(AnswerBody::network))
    });
    // The call is inside of the future, because it may panic too.
    let answering = AssertUnwindSafe(async move { layer.send(request, next).await }).catch_unwind();
    answering.await.unwrap_or_else(|_| Err(Error::layer(url, "it panicked").permanent()))
}
