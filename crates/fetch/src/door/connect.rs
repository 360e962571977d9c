//! A bound and a clock around the opening of each connection.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tower_layer::Layer;
use tower_service::Service;

use super::trace::{self, Stage};

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Wraps the client's connector so that opening a connection is timed and bounded.
///
/// Not the client's own connect timeout, which is one for all requests: a request whose scheme was only assumed has to
/// leave time for its second try.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoundedConnect {
    pub(crate) limit: Duration,
}

/// The connector of [`BoundedConnect`].
#[derive(Debug, Clone)]
pub(crate) struct BoundedConnector<S> {
    inner: S,
    limit: Duration,
}

/// Opening the connection took longer than granted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConnectTimedOut;

impl fmt::Display for ConnectTimedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no connection came about in time")
    }
}

impl std::error::Error for ConnectTimedOut {}

impl<S> Layer<S> for BoundedConnect {
    type Service = BoundedConnector<S>;

    fn layer(&self, inner: S) -> Self::Service {
        BoundedConnector { inner, limit: self.limit }
    }
}

impl<S, R> Service<R> for BoundedConnector<S>
where
    S: Service<R, Error = BoxError>,
    S::Future: Send + 'static,
    S::Response: 'static,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, destination: R) -> Self::Future {
        let trace = trace::current();
        let limit = trace::connect_limit(trace.as_deref(), self.limit);
        if let Some(trace) = &trace {
            trace.enter(Stage::Connecting);
        }
        let connecting = self.inner.call(destination);
        Box::pin(async move {
            let started = trace::now();
            let outcome = tokio::time::timeout(limit, connecting).await;
            trace::connected(trace.as_deref(), started);
            outcome.unwrap_or_else(|_| Err(ConnectTimedOut.into()))
        })
    }
}
