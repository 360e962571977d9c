//! Requests to hosts: permits, the hosts that a chain of redirects passes through, and the feedback that
//! answers give to the store and the [`HostLimiter`](crate::host_limiter::HostLimiter).

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gleaner_frontier::{HostFeedback, Observation};
use gleaner_store::HostGuard;
use gleaner_types::{BoxFuture, SafeUrl};
use tokio::time::Instant;
use url::{Position, Url};

use crate::host_addresses::AddressPlace;
use crate::host_limiter::{HostPermit, RequestPacing};
use crate::limits::MAX_RETRY_AFTER;
use crate::ports::{Fetched, RedirectCheck, RedirectRefusal};
use crate::shared::Shared;

impl Shared {
    /// Applies a `Retry-After`: no request to the host starts before its time. Call this while the request
    /// still holds its permit.
    pub(crate) fn apply_retry_after(&self, answer: &Fetched) {
        let Some(pause) = answer.retry_after.filter(|_| is_busy(answer.status)) else { return };
        let pause = pause.min(MAX_RETRY_AFTER);
        tracing::debug!(
            url = %SafeUrl::from(&answer.url),
            seconds = pause.as_secs_f64(),
            "a host sent Retry-After"
        );
        self.host_limiter.pause(&answer.url, pause);
        let not_before = Some(self.clock.now() + pause);
        self.feedback(&answer.url, HostFeedback { not_before, ..HostFeedback::default() });
    }

    /// Waits until a request to the host of `url` may start. For requests without a lease.
    pub(crate) async fn permit(&self, url: &Url, pacing: RequestPacing) -> HeldPermit {
        let hold = self.hold(url).await;
        self.permit_held(url, pacing, hold).await
    }

    /// Asks the hooks of the embedder, if there are any, for the pace of the host of `url`, and reports it to
    /// the store, so that no more pages are leased than may be requested.
    pub(crate) async fn ask_pace(&self, url: &Url) {
        let Some(hooks) = self.hooks.get() else { return };
        let asked = self.host_limiter.ask_pace(url, |host| hooks.pace(host)).await;
        if let Some((min_gap, max_concurrent)) = asked.filter(|asked| *asked != (None, None)) {
            self.feedback(url, HostFeedback { min_gap, max_concurrent, ..HostFeedback::default() });
        }
    }

    /// As [`permit`](Self::permit), for a host that is held.
    async fn permit_held(&self, url: &Url, pacing: RequestPacing, mut hold: HostGuard) -> HeldPermit {
        self.ask_pace(url).await;
        let address = self.fetch.address(url).await;
        loop {
            // The hold may have brought the pace of another process.
            self.refresh_limits(url);
            let permit = self.host_limiter.permit(url, pacing).await;
            // Whoever has a place waits for nothing else, so it is free again soon.
            let place = match address {
                Some(address) => Some(self.host_limiter.place(address, &permit).await),
                None => None,
            };
            if !self.term.is_over() {
                return HeldPermit { permit, _place: place, _hold: hold };
            }
            // With the term, the hold has ended.
            drop((permit, place, hold));
            hold = self.hold(url).await;
        }
    }

    /// Passes the store's current limits of a host to the host limiter.
    pub(crate) fn refresh_limits(&self, url: &Url) {
        let limits = self.store.limits(url);
        let not_before = self.clock.instant(limits.not_before);
        self.host_limiter.set_limits(url, limits.max_concurrent, not_before);
    }

    /// Reports the answer of a host in a chain of redirects to the store, and refreshes the limits of the
    /// host. Call this while the request still holds its permit.
    pub(crate) fn observe(&self, url: &Url, feedback: HostFeedback) {
        self.feedback(url, feedback);
        self.refresh_limits(url);
    }

    /// Reports feedback about a host to the store.
    pub(crate) fn feedback(&self, url: &Url, feedback: HostFeedback) {
        self.store.feedback(url, feedback, self.clock.now());
    }
}

/// Do both URLs have the same host, by name and port? Politeness counts hosts this way.
pub(crate) fn same_host(one: &Url, other: &Url) -> bool {
    one[Position::BeforeHost..Position::AfterPort] == other[Position::BeforeHost..Position::AfterPort]
}

/// Does this status mean that the server is overloaded or temporarily unavailable?
pub(crate) const fn is_busy(status: u16) -> bool {
    matches!(status, 429 | 502 | 503 | 504)
}

/// A permit for a request, while no other process sends requests to the host.
#[derive(Debug)]
pub(crate) struct HeldPermit {
    permit: HostPermit,
    /// At the address of the host, if it is known.
    _place: Option<AddressPlace>,
    /// Dropped after the permit.
    _hold: HostGuard,
}

impl HeldPermit {
    /// A permit for the host of a leased page, which needs no other hold.
    pub(crate) const fn of_lease(permit: HostPermit) -> Self {
        Self { permit, _place: None, _hold: HostGuard::free() }
    }
}

/// The requests of one fetch, from redirect to redirect. Each waits for a permit of its host.
pub(crate) struct RequestChain<'a> {
    shared: &'a Shared,
    current: Mutex<ChainRequest>,
}

/// The current or last request of a chain.
struct ChainRequest {
    url: Url,
    started: Instant,
    /// `None` after the request ended.
    permit: Option<HeldPermit>,
}

/// The progress of the last request of a chain.
pub(crate) struct RequestProgress {
    /// The requested URL.
    pub(crate) url: Url,
    /// Time since the request started, without the wait for its permit.
    pub(crate) elapsed: Duration,
    /// Requests in flight to the host, this one included.
    pub(crate) in_flight: u32,
}

impl RequestProgress {
    /// The feedback about the host for this observation of the request.
    pub(crate) fn feedback(&self, observed: Option<Observation>) -> HostFeedback {
        HostFeedback { observed, in_flight: self.in_flight, ..HostFeedback::default() }
    }
}

impl<'a> RequestChain<'a> {
    /// Starts at `url`, with the permit for its first request.
    pub(crate) fn start(shared: &'a Shared, url: &Url, permit: HeldPermit) -> Self {
        let current = ChainRequest { url: url.clone(), started: Instant::now(), permit: Some(permit) };
        Self { shared, current: Mutex::new(current) }
    }

    /// The progress of the last request.
    pub(crate) fn progress(&self) -> RequestProgress {
        let current = self.current();
        RequestProgress {
            url: current.url.clone(),
            elapsed: current.started.elapsed(),
            in_flight: current.permit.as_ref().map_or(0, |held| held.permit.in_flight()),
        }
    }

    /// Releases the permit of the last request, which ended with a redirect.
    pub(crate) fn release_permit(&self) {
        self.current().permit = None;
    }

    /// Waits for the permit of the next request, to `url`, whose host is held. Call
    /// [`release_permit`](Self::release_permit) before the hold: chains that wait while they hold a permit
    /// could deadlock.
    pub(crate) async fn continue_at(&self, url: &Url, pacing: RequestPacing, hold: HostGuard) {
        let permit = self.shared.permit_held(url, pacing, hold).await;
        *self.current() = ChainRequest { url: url.clone(), started: Instant::now(), permit: Some(permit) };
    }

    fn current(&self) -> MutexGuard<'_, ChainRequest> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Redirects of robots.txt and sitemaps: every redirect that the egress guard allows is followed.
pub(crate) struct AuxiliaryRedirects<'a> {
    chain: RequestChain<'a>,
    pacing: RequestPacing,
}

impl<'a> AuxiliaryRedirects<'a> {
    /// Waits until a request to the host of `url` may start.
    pub(crate) async fn start(shared: &'a Shared, url: &Url, pacing: RequestPacing) -> Self {
        let permit = shared.permit(url, pacing).await;
        Self { chain: RequestChain::start(shared, url, permit), pacing }
    }
}

impl RedirectCheck for AuxiliaryRedirects<'_> {
    fn check<'a>(&'a self, _from: &'a Url, to: &'a Url) -> BoxFuture<'a, Result<(), RedirectRefusal>> {
        Box::pin(async move {
            self.chain.release_permit();
            let hold = self.chain.shared.hold(to).await;
            self.chain.continue_at(to, RequestPacing { gap: Duration::ZERO, ..self.pacing }, hold).await;
            Ok(())
        })
    }

    fn may_start(&self) -> bool {
        !self.chain.shared.term.is_over()
    }

    fn wait_for_start(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.chain.shared.term.lasts().await;
        })
    }
}
