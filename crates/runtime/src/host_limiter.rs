//! Permits for requests to hosts, for limits that the queue alone cannot enforce: at redirects, and when
//! robots.txt is read after pages of the host were leased.
//!
//! The store leases pages so that no host gets too many requests, or gets them too soon. But a redirect
//! causes a request that was never leased, often to another host, and the limits of a host often become known
//! when pages of it are already leased. Alternative: queue every redirect target as its own page. It loses
//! the page that led there and its depth, and does not solve the second problem. So each request needs a
//! permit from here:
//!
//! - The requests in flight to a host never exceed its concurrency limit, which the store's rate controller
//!   sets. Leased pages and redirects count together, so a host that only redirects lead to has the same
//!   limits as any other.
//! - All requests keep the crawl delay of the host's robots.txt as soon as it is known, including requests
//!   for sitemaps and for the robots.txt of another scheme. The delay counts from the end of the last request
//!   of any purpose.
//! - No request starts before the `Retry-After` time, including pages leased earlier.
//! - A job's own delay separates the requests of that job only, so a busy host cannot starve the job.
//!
//! Requests that no lease allows are also counted by the [address](crate::host_addresses) that they go to.
//!
//! Other processes are kept from the host by its [hold](crate::holds).
//!
//! A page holds a permit for one host at a time and releases it before it waits for another, so pages cannot
//! deadlock. Waiters are served in order of arrival. The lease of a page bounds its wait.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gleaner_frontier::MAX_CRAWL_DELAY;
use gleaner_types::JobId;
use tokio::sync::Notify;
use tokio::time::Instant;
use url::{Position, Url};

use crate::hooks::Pace;
use crate::host_addresses::{AddressPlace, Addresses};

/// Idle hosts are evicted above this count.
const MAX_IDLE_HOSTS: usize = 10_000;
/// The embedder is asked again for the pace of a host after this time.
const PACE_LIFETIME: Duration = Duration::from_secs(10);
/// Hosts with a gap, or with a job that has a delay, stay this long before eviction: no gap is longer.
const MAX_GAP: Duration = Pace::MAX_GAP;

/// Limits of one request, in addition to the known limits of its host.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestPacing {
    /// Minimum time since the end of the last request to the host, from the robots.txt that applies here.
    pub(crate) gap: Duration,
    /// Minimum time since the end of this job's last request to the host; zero if the job sets none.
    pub(crate) delay: Duration,
    pub(crate) job: JobId,
}

#[derive(Debug, Default)]
pub(crate) struct HostLimiter {
    hosts: Mutex<Hosts>,
    addresses: Arc<Addresses>,
}

#[derive(Debug)]
struct Hosts {
    by_name: HashMap<Box<str>, Arc<Host>>,
    /// Number of hosts that triggers the next eviction: twice the hosts left by the last one, so that its
    /// cost per new host stays constant.
    evict_at: usize,
}

impl Default for Hosts {
    fn default() -> Self {
        Self { by_name: HashMap::new(), evict_at: MAX_IDLE_HOSTS }
    }
}

#[derive(Debug, Default)]
struct Host {
    state: Mutex<State>,
    /// Notified when a waiting request may be able to start.
    changed: Notify,
    /// Held while the embedder is asked for the pace.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    /// Leased pages of the host.
    leased: usize,
    /// Maximum number of concurrent requests, from the store; 0 before the store set it, which counts as 1.
    max_concurrent: u32,
    in_flight: u32,
    /// When the last request ended.
    last_end: Option<Instant>,
    /// Minimum time between the end of one request and the start of the next: the greater one of that of the
    /// host's robots.txt and that of the embedder.
    gap: Duration,
    /// That of robots.txt.
    robots_gap: Duration,
    /// The pace that the embedder asks for, and when it did.
    pace: Option<(Pace, Instant)>,
    /// No request starts before this.
    paused_until: Option<Instant>,
    /// Jobs with a delay that sent requests recently.
    delayed_jobs: Vec<DelayedJob>,
    /// Waiting requests by ticket, in order of arrival.
    waiting: BTreeMap<u64, RequestPacing>,
    last_ticket: u64,
}

/// The requests of a job with a delay to one host.
#[derive(Debug)]
struct DelayedJob {
    job: JobId,
    in_flight: usize,
    last_end: Option<Instant>,
    delay: Duration,
}

/// When a request may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Admission {
    Now,
    /// Not before this time.
    At(Instant),
    /// After another request ends.
    Blocked,
}

impl State {
    fn set_max_concurrent(&mut self, max_concurrent: u32) {
        let places = self.pace.map_or(u32::MAX, |(pace, _)| pace.places);
        self.max_concurrent = max_concurrent.min(places);
    }

    fn update_gap(&mut self) {
        self.gap = self.robots_gap.max(self.pace.map_or(Duration::ZERO, |(pace, _)| pace.gap));
    }

    fn admission(&self, pacing: RequestPacing, now: Instant) -> Admission {
        let gap = self.gap.max(pacing.gap);
        let max_concurrent = if gap.is_zero() { self.max_concurrent.max(1) } else { 1 };
        if self.in_flight >= max_concurrent {
            return Admission::Blocked;
        }
        let mut due = self.paused_until;
        if !gap.is_zero() {
            due = due.max(self.last_end.map(|end| end + gap));
        }
        if !pacing.delay.is_zero()
            && let Some(own) = self.delayed_jobs.iter().find(|delayed| delayed.job == pacing.job)
        {
            if own.in_flight > 0 {
                return Admission::Blocked;
            }
            due = due.max(own.last_end.map(|end| end + pacing.delay));
        }
        due.filter(|due| *due > now).map_or(Admission::Now, Admission::At)
    }

    /// Whether a request with an earlier ticket may start now.
    fn has_earlier_ready(&self, ticket: u64, now: Instant) -> bool {
        self.waiting.range(..ticket).any(|(_, pacing)| self.admission(*pacing, now) == Admission::Now)
    }

    fn record_start(&mut self, pacing: RequestPacing, now: Instant) {
        self.in_flight += 1;
        if pacing.delay.is_zero() {
            return;
        }
        self.delayed_jobs.retain(|delayed| {
            delayed.in_flight > 0 || delayed.last_end.is_some_and(|end| end + delayed.delay > now)
        });
        match self.delayed_jobs.iter_mut().find(|delayed| delayed.job == pacing.job) {
            Some(delayed) => delayed.in_flight += 1,
            None => self.delayed_jobs.push(DelayedJob {
                job: pacing.job,
                in_flight: 1,
                last_end: None,
                delay: pacing.delay,
            }),
        }
    }

    fn record_end(&mut self, pacing: RequestPacing, now: Instant) {
        self.in_flight = self.in_flight.saturating_sub(1);
        self.last_end = Some(now);
        if !pacing.delay.is_zero()
            && let Some(delayed) = self.delayed_jobs.iter_mut().find(|delayed| delayed.job == pacing.job)
        {
            delayed.in_flight = delayed.in_flight.saturating_sub(1);
            delayed.last_end = Some(now);
        }
    }
}

/// A leased page of a host; dropping it releases the lease.
#[derive(Debug)]
pub(crate) struct HostLease(Arc<Host>);

/// A request in flight; dropping it marks the request as ended.
#[derive(Debug)]
pub(crate) struct HostPermit {
    host: Arc<Host>,
    pacing: RequestPacing,
}

/// An entry in the wait queue of a host; dropping it leaves the queue.
#[derive(Debug)]
struct WaitTicket<'a> {
    host: &'a Host,
    ticket: u64,
}

impl HostLimiter {
    /// Registers a leased page of the host of `url`, and the concurrency limit of the host.
    pub(crate) fn lease(&self, url: &Url, max_concurrent: u32) -> HostLease {
        let host = self.host(url);
        let mut state = host.lock();
        state.leased += 1;
        state.set_max_concurrent(max_concurrent);
        host.notify(state);
        HostLease(host)
    }

    /// Sets the concurrency limit of the host of `url`; no request to it starts before `not_before`.
    pub(crate) fn set_limits(&self, url: &Url, max_concurrent: u32, not_before: Instant) {
        let host = self.host(url);
        let mut state = host.lock();
        state.set_max_concurrent(max_concurrent);
        state.paused_until = state.paused_until.max(Some(not_before));
        host.notify(state);
    }

    /// Whether a request waits for the host of `url`.
    pub(crate) fn has_waiters(&self, url: &Url) -> bool {
        let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.by_name.get(host_name(url)).is_some_and(|host| !host.lock().waiting.is_empty())
    }

    /// Waits until a request to the host of `url` may start.
    pub(crate) async fn permit(&self, url: &Url, pacing: RequestPacing) -> HostPermit {
        self.host(url).permit(pacing).await
    }

    /// Waits until a request with this permit may start to this address.
    pub(crate) async fn place(&self, address: IpAddr, permit: &HostPermit) -> AddressPlace {
        let of_host = permit.host.lock().max_concurrent;
        self.addresses.place(address, of_host).await
    }

    /// Sets the minimum time between the end of one request to the host of `url` and the start of the next,
    /// from its robots.txt. Returns the greater one of it and that of the embedder.
    pub(crate) fn set_gap(&self, url: &Url, gap: Duration) -> Duration {
        let host = self.host(url);
        let mut state = host.lock();
        state.robots_gap = gap;
        state.update_gap();
        let gap = state.gap;
        host.notify(state);
        gap
    }

    /// Asks for the pace of the host of `url`, by its name, unless that was done a short time ago. Returns the
    /// gap and the places for the store, each only if the embedder asks for one or did before: another process
    /// may have learned a gap. Other requests to the host wait for the answer.
    pub(crate) async fn ask_pace<F: Future<Output = Pace>>(
        &self,
        url: &Url,
        ask: impl FnOnce(Box<str>) -> F,
    ) -> Option<(Option<Duration>, Option<u32>)> {
        let host = self.host(url);
        let _turn = host.asking.lock().await;
        if host.lock().pace.is_some_and(|(_, at)| at.elapsed() < PACE_LIFETIME) {
            return None;
        }
        let pace = ask(host_name(url).into()).await;
        let mut state = host.lock();
        let before = state.pace.map_or(Pace::new(), |(pace, _)| pace);
        state.pace = Some((pace, Instant::now()));
        state.update_gap();
        let current = state.max_concurrent;
        state.set_max_concurrent(current);
        let has_gap = !pace.gap.max(before.gap).is_zero();
        let has_places = pace.places.min(before.places) < u32::MAX;
        let changes = (has_gap.then_some(state.gap), has_places.then_some(pace.places));
        host.notify(state);
        Some(changes)
    }

    /// No request to the host of `url` starts during this pause.
    pub(crate) fn pause(&self, url: &Url, pause: Duration) {
        let until = Instant::now() + pause;
        let host = self.host(url);
        let mut state = host.lock();
        state.paused_until = state.paused_until.max(Some(until));
    }

    fn host(&self, url: &Url) -> Arc<Host> {
        let name = host_name(url);
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(host) = hosts.by_name.get(name) {
            return Arc::clone(host);
        }
        if hosts.by_name.len() >= hosts.evict_at {
            hosts.by_name.retain(|_, host| Arc::strong_count(host) > 1 || !host.is_idle());
            hosts.evict_at = MAX_IDLE_HOSTS.max(hosts.by_name.len().saturating_mul(2));
        }
        Arc::clone(hosts.by_name.entry(name.into()).or_default())
    }
}

/// The host, and the port if it is not the scheme's default.
fn host_name(url: &Url) -> &str {
    &url[Position::BeforeHost..Position::AfterPort]
}

impl Host {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_idle(&self) -> bool {
        let state = self.lock();
        // A robots.txt read for the agent of one job may still set a gap, of at most MAX_CRAWL_DELAY.
        let has_no_gap = state.gap.is_zero() && state.delayed_jobs.is_empty();
        let idle_time = if has_no_gap { MAX_CRAWL_DELAY } else { MAX_GAP };
        state.last_end.max(state.paused_until).is_none_or(|last| last.elapsed() >= idle_time)
    }

    /// Releases the state and wakes all waiters, which check again whether they may start.
    fn notify(&self, state: MutexGuard<'_, State>) {
        let has_waiters = !state.waiting.is_empty();
        drop(state);
        if has_waiters {
            self.changed.notify_waiters();
        }
    }

    async fn permit(self: &Arc<Self>, pacing: RequestPacing) -> HostPermit {
        let mut waiting: Option<WaitTicket<'_>> = None;
        loop {
            let changed = self.changed.notified();
            let admission = {
                let now = Instant::now();
                let mut state = self.lock();
                let ticket = waiting.as_ref().map_or(u64::MAX, |waiting| waiting.ticket);
                let mut admission = state.admission(pacing, now);
                if admission == Admission::Now && state.has_earlier_ready(ticket, now) {
                    admission = Admission::Blocked;
                }
                if admission == Admission::Now {
                    state.waiting.remove(&ticket);
                    state.record_start(pacing, now);
                    // Requests that this one was ahead of may be able to start as well.
                    self.notify(state);
                    return HostPermit { host: Arc::clone(self), pacing };
                }
                if waiting.is_none() {
                    state.last_ticket += 1;
                    let ticket = state.last_ticket;
                    state.waiting.insert(ticket, pacing);
                    waiting = Some(WaitTicket { host: self, ticket });
                }
                admission
            };
            match admission {
                Admission::At(due) => tokio::select! {
                    biased;
                    () = changed => {}
                    () = tokio::time::sleep_until(due) => {}
                },
                Admission::Now | Admission::Blocked => changed.await,
            }
        }
    }
}

impl HostLease {
    /// Is it the only leased page of its host?
    pub(crate) fn is_only_lease(&self) -> bool {
        self.0.lock().leased <= 1
    }
}

impl HostPermit {
    /// Requests in flight to the host, this one included.
    pub(crate) fn in_flight(&self) -> u32 {
        self.host.lock().in_flight
    }
}

impl Drop for HostLease {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.leased = state.leased.saturating_sub(1);
    }
}

impl Drop for HostPermit {
    fn drop(&mut self) {
        let mut state = self.host.lock();
        state.record_end(self.pacing, Instant::now());
        self.host.notify(state);
    }
}

impl Drop for WaitTicket<'_> {
    fn drop(&mut self) {
        let mut state = self.host.lock();
        if state.waiting.remove(&self.ticket).is_some() {
            self.host.notify(state);
        }
    }
}

#[cfg(test)]
mod tests;
