//! The HTTP API as a `tower` service.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::FutureExt as _;
use gleaner::Engine;
use gleaner::service::Team;
use http::request::Parts;
use http::{Method, Request, Response};
use http_body::Body;

use crate::blocking::BlockingLimits;
use crate::checks::Checks;
use crate::failure::{Failure, json_response};
use crate::operation::{Call, Operation};
use crate::origin::OriginConfig;
use crate::response_body::ResponseBody;
use crate::watch::{Handshake, Watchers};
use crate::{auth, body, document, routes};

/// The web-data API as a `tower` service. Cloning is cheap, and clones share all state.
///
/// It answers every request and needs a tokio runtime with time enabled. TLS, CORS and an access log belong
/// to layers around it.
///
/// Dropping the future of a `POST .../scrape` stops its work; servers drop it when the client disconnects.
///
/// For WebSockets, the server must pass upgrades in the extensions of the request, as hyper does (with
/// `hyper_util`, `serve_connection_with_upgrades`; axum does so by default).
#[derive(Clone)]
pub struct Service {
    shared: Arc<Shared>,
}

#[derive(Clone)]
struct Shared {
    engine: Engine,
    origins: OriginConfig,
    watchers: Watchers,
    limits: BlockingLimits,
    checks: Checks,
}

impl Service {
    /// The API over this engine.
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        let (origins, watchers, checks) = (OriginConfig::default(), Watchers::default(), Checks::default());
        Self {
            shared: Arc::new(Shared { engine, origins, watchers, limits: BlockingLimits::default(), checks }),
        }
    }

    /// Builds the URLs in responses from `X-Forwarded-Proto` and `X-Forwarded-Host`, with the last value of
    /// each, which the proxy next to the service wrote. Enable it only behind a proxy that sets or appends
    /// these headers, because every client can send them. Default: off.
    #[must_use]
    pub fn trust_forwarded(self, trust: bool) -> Self {
        self.with_origins(|origins| origins.trust_forwarded = trust)
    }

    /// Requests arrive over TLS, so the URLs in responses start with `https`. Default: off.
    #[must_use]
    pub fn over_tls(self, tls: bool) -> Self {
        self.with_origins(|origins| origins.tls = tls)
    }

    /// The path prefix under which the service is mounted, such as `/api`, if the router strips it before the
    /// service sees the request. URLs in responses include it. Default: none.
    #[must_use]
    pub fn mounted_at(self, prefix: &str) -> Self {
        let prefix = prefix.trim_matches('/');
        let prefix = if prefix.is_empty() { String::new() } else { format!("/{prefix}") };
        self.with_origins(|origins| origins.prefix = prefix)
    }

    fn with_origins(mut self, set: impl FnOnce(&mut OriginConfig)) -> Self {
        set(&mut Arc::make_mut(&mut self.shared).origins);
        self
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("origins", &self.shared.origins).finish_non_exhaustive()
    }
}

impl<B> tower_service::Service<Request<B>> for Service
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            // A panic must not end the other requests of its connection.
            let response = AssertUnwindSafe(shared.respond(request)).catch_unwind().await;
            let response = response.unwrap_or_else(|_| Err(Failure::internal(&"the service panicked")));
            Ok(response.unwrap_or_else(Failure::into_response))
        })
    }
}

impl Shared {
    async fn respond<B>(&self, request: Request<B>) -> Result<Response<ResponseBody>, Failure>
    where
        B: Body + Send,
        B::Data: Send,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (mut parts, body) = request.into_parts();
        let path = parts.uri.path().to_owned();
        let (route, id) = routes::find(&parts.method, &path)?;
        let Some(counted_as) = route.operation.counted_as() else {
            return Ok(json_response(document::bytes()));
        };
        let handshake = match route.operation {
            Operation::Status(_) if parts.method == Method::GET => Handshake::of(&mut parts)?,
            _ => None,
        };
        let team = self.authenticate(&parts, handshake.is_some()).await?;
        self.engine.service().admit(&team, counted_as).await?;
        let body = if route.operation.has_body() { body::read(body).await? } else { Bytes::new() };
        let (engine, origins, limits, checks) = (&self.engine, &self.origins, &self.limits, &self.checks);
        let call = Call { engine, origins, limits, checks, team: &team, parts: &parts, id, body };
        match (route.operation, handshake) {
            (Operation::Status(kind), Some(handshake)) => {
                let permit = self.watchers.acquire(&team.id)?;
                let messages = engine.service().watch(&team.id, kind, call.job()?).await?;
                Ok(handshake.accept(messages, permit))
            }
            (operation, _) => Ok(json_response(call.run(operation).await?)),
        }
    }

    async fn authenticate(&self, parts: &Parts, is_websocket: bool) -> Result<Team, Failure> {
        let key = match auth::bearer(&parts.headers) {
            Err(failure) if is_websocket => auth::subprotocol(&parts.headers).ok_or(failure)?,
            key => key?,
        };
        Ok(self.engine.service().authenticate(key).await?)
    }
}
