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
use http_body_util::Full;

use crate::blocking::BlockingLimits;
use crate::checks::Checks;
use crate::failure::{Failure, json};
use crate::operation::{Call, Operation};
use crate::origin::Origins;
use crate::watch::{Handshake, Watchers};
use crate::{auth, body, document, routes};

/// The web-data API as a service of `tower`. Cloning it is cheap, and clones share everything.
///
/// It answers every request, whatever it holds, and needs a tokio runtime with time. It does no TLS, no CORS and no access
/// log: these belong to layers around it.
///
/// A `POST .../scrape` is worked on while its future lives: servers drop that when the client goes away.
///
/// For WebSockets, the server beneath must hand upgrades on as hyper does, in the request's extensions (with
/// `hyper_util`, `serve_connection_with_upgrades`; axum does so by itself).
#[derive(Clone)]
pub struct Service {
    shared: Arc<Shared>,
}

#[derive(Clone)]
struct Shared {
    engine: Engine,
    origins: Origins,
    watchers: Watchers,
    places: BlockingLimits,
    checks: Checks,
}

impl Service {
    /// The API over this engine.
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        let (origins, watchers, checks) = (Origins::default(), Watchers::default(), Checks::default());
        Self {
            shared: Arc::new(Shared { engine, origins, watchers, places: BlockingLimits::default(), checks }),
        }
    }

    /// Believe `X-Forwarded-Proto` and `X-Forwarded-Host` in the addresses that answers hold, the last value of each: the
    /// one that the proxy next to the service wrote. Only for a service behind a proxy that sets or adds to them: anybody
    /// else can send them too. Default: no.
    #[must_use]
    pub fn trust_forwarded(self, trust: bool) -> Self {
        self.with_origins(|origins| origins.trust_forwarded = trust)
    }

    /// Requests come over TLS, so the addresses that answers hold begin with `https`. Default: no.
    #[must_use]
    pub fn over_tls(self, tls: bool) -> Self {
        self.with_origins(|origins| origins.tls = tls)
    }

    /// The path below which the service is mounted, where the router takes it off before the service sees it: `/api`. It
    /// stands in the addresses that answers hold. Default: none.
    #[must_use]
    pub fn mounted_at(self, prefix: &str) -> Self {
        let prefix = prefix.trim_matches('/');
        let prefix = if prefix.is_empty() { String::new() } else { format!("/{prefix}") };
        self.with_origins(|origins| origins.prefix = prefix)
    }

    fn with_origins(mut self, set: impl FnOnce(&mut Origins)) -> Self {
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
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            // A panic must not take the other requests of its connection along.
            let answer = AssertUnwindSafe(shared.answer(request)).catch_unwind().await;
            let answer = answer.unwrap_or_else(|_| Err(Failure::internal(&"the service panicked")));
            Ok(answer.unwrap_or_else(Failure::into_response))
        })
    }
}

impl Shared {
    async fn answer<B>(&self, request: Request<B>) -> Result<Response<Full<Bytes>>, Failure>
    where
        B: Body + Send,
        B::Data: Send,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (mut parts, body) = request.into_parts();
        let path = parts.uri.path().to_owned();
        let (route, id) = routes::find(&parts.method, &path)?;
        let Some(counted_as) = route.operation.counted_as() else { return Ok(json(document::bytes())) };
        let handshake = match route.operation {
            Operation::Status(_) if parts.method == Method::GET => Handshake::of(&mut parts)?,
            _ => None,
        };
        let team = self.authenticate(&parts, handshake.is_some()).await?;
        self.engine.service().admit(&team, counted_as).await?;
        let body = if route.operation.has_body() { body::read(body).await? } else { Bytes::new() };
        let (engine, origins, places, checks) = (&self.engine, &self.origins, &self.places, &self.checks);
        let call = Call { engine, origins, places, checks, team: &team, parts: &parts, id, body };
        match (route.operation, handshake) {
            (Operation::Status(kind), Some(handshake)) => {
                let place = self.watchers.place(&team.id)?;
                let frames = engine.service().watch(&team.id, kind, call.job()?).await?;
                Ok(handshake.accept(frames, place))
            }
            (operation, _) => Ok(json(call.answer(operation).await?)),
        }
    }

    async fn authenticate(&self, parts: &Parts, watches: bool) -> Result<Team, Failure> {
        let key = match auth::bearer(&parts.headers) {
            Err(failure) if watches => auth::subprotocol(&parts.headers).ok_or(failure)?,
            key => key?,
        };
        Ok(self.engine.service().authenticate(key).await?)
    }
}
