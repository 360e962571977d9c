//! Requests to hosts: who may begin one now, and what an answer says about its host.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use gleaner_frontier::{HostFeedback, Observation};
use gleaner_types::SafeUrl;
use tokio::time::Instant;
use url::{Position, Url};

use crate::host_limiter::{HostPermit, RequestPacing};
use crate::limits::MAX_RETRY_AFTER;
use crate::ports::{Fetched, RedirectCheck, RedirectRefusal};
use crate::shared::Shared;

impl Shared {
    /// Heeds a `Retry-After`: its host is left alone by all. To be called while the request still holds its
    /// place at the gate.
    pub(crate) async fn heed(&self, answer: &Fetched) {
        let Some(pause) = answer.retry_after.filter(|_| is_busy(answer.status)) else { return };
        let pause = pause.min(MAX_RETRY_AFTER);
        tracing::debug!(url = %SafeUrl::from(&answer.url), seconds = pause.as_secs_f64(), "a host asks to be left alone");
        self.host_limiter.rest(&answer.url, pause);
        let not_before = Some(self.clock.now() + pause);
        self.feedback(&answer.url, HostFeedback { not_before, ..HostFeedback::default() }).await;
    }

    /// Waits until the host of `url` may be asked for something that no lease covers.
    pub(crate) async fn permit(&self, url: &Url, pacing: RequestPacing) -> HostPermit {
        self.refresh_limits(url).await;
        self.host_limiter.permit(url, pacing).await
    }

    /// Tells the gate how the store would have a host asked now.
    pub(crate) async fn refresh_limits(&self, url: &Url) {
        match self.store.limits(url).await {
            Ok(limits) => {
                self.host_limiter.limit(url, limits.max_concurrent, self.clock.instant(limits.not_before));
            }
            // What was told last holds on.
            Err(error) => tracing::error!(%error, "the limits of a host could not be read"),
        }
    }

    /// Tells the queue how a host answered that was asked by a redirect, and the gate what follows from it.
    /// To be called while the request still holds its place at the gate.
    pub(crate) async fn observe(&self, url: &Url, feedback: HostFeedback) {
        self.feedback(url, feedback).await;
        self.refresh_limits(url).await;
    }

    /// Tells the queue how a host wants to be asked.
    pub(crate) async fn feedback(&self, url: &Url, feedback: HostFeedback) {
        if let Err(error) = self.store.feedback(url, feedback, self.clock.now()).await {
            tracing::error!(%error, "the pace of a host could not be stored");
        }
    }
}

/// Are they of one host, as politeness counts hosts: by name and port?
pub(crate) fn same_host(one: &Url, other: &Url) -> bool {
    one[Position::BeforeHost..Position::AfterPort] == other[Position::BeforeHost..Position::AfterPort]
}

/// Is this the status of a server that has too much to do for now?
pub(crate) const fn is_busy(status: u16) -> bool {
    matches!(status, 429 | 502 | 503 | 504)
}

/// The way of one fetch from host to host: at each it waits until the host may be asked.
pub(crate) struct RequestChain<'a> {
    shared: &'a Shared,
    here: Mutex<Here>,
}

/// The last request of a fetch.
struct Here {
    url: Url,
    began: Instant,
    /// Its place at the host, until it has ended.
    permit: Option<HostPermit>,
}

/// How the last request of a fetch stands.
pub(crate) struct Stop {
    /// What was asked for.
    pub(crate) url: Url,
    /// How long the request has taken so far; time spent waiting for the host's turn is no part of it.
    pub(crate) took: Duration,
    /// Requests under way on the host, this one included.
    pub(crate) in_flight: u32,
}

impl Stop {
    /// Says of the host what came of the request.
    pub(crate) fn told(&self, observed: Option<Observation>) -> HostFeedback {
        HostFeedback { observed, in_flight: self.in_flight, ..HostFeedback::default() }
    }
}

impl<'a> RequestChain<'a> {
    /// Begins at `url`, whose host may be asked now.
    pub(crate) fn from(shared: &'a Shared, url: &Url, permit: HostPermit) -> Self {
        let here = Here { url: url.clone(), began: Instant::now(), permit: Some(permit) };
        Self { shared, here: Mutex::new(here) }
    }

    /// How the last request stands.
    pub(crate) fn stop(&self) -> Stop {
        let here = self.here();
        Stop {
            url: here.url.clone(),
            took: here.began.elapsed(),
            in_flight: here.permit.as_ref().map_or(0, HostPermit::in_flight),
        }
    }

    /// The last request has ended, with a redirect: its host is no longer occupied.
    pub(crate) fn leave(&self) {
        self.here().permit = None;
    }

    /// Waits until the host of `url` may be asked. To be called when the host before was [left](Self::leave):
    /// whoever held one place while waiting for another could wait in a circle.
    pub(crate) async fn go_on(&self, url: &Url, pacing: RequestPacing) {
        let permit = self.shared.permit(url, pacing).await;
        *self.here() = Here { url: url.clone(), began: Instant::now(), permit: Some(permit) };
    }

    fn here(&self) -> MutexGuard<'_, Here> {
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Fetches what is no page: every redirect that the egress guard lets through is followed.
pub(crate) struct HostRedirects<'a> {
    chain: RequestChain<'a>,
    pacing: RequestPacing,
}

impl<'a> HostRedirects<'a> {
    /// Waits until the host of `url` may be asked.
    pub(crate) async fn begin(shared: &'a Shared, url: &Url, pacing: RequestPacing) -> Self {
        let permit = shared.permit(url, pacing).await;
        Self { chain: RequestChain::from(shared, url, permit), pacing }
    }
}

#[async_trait]
impl RedirectCheck for HostRedirects<'_> {
    async fn check(&self, _from: &Url, to: &Url) -> Result<(), RedirectRefusal> {
        self.chain.leave();
        self.chain.go_on(to, RequestPacing { gap: Duration::ZERO, ..self.pacing }).await;
        Ok(())
    }
}
