//! Who may ask a host now, where the queue alone cannot tell: at redirects, and where robots.txt is read on
//! the way.
//!
//! The store leases pages so that no host gets too many requests, or gets them too soon. But a page that
//! redirects leads to a request that was never leased, often to another host; and what a host wishes is often
//! learnt when pages of it are leased already. Queueing every target as a page of its own, the obvious
//! alternative, would lose which page asked for it and how many clicks away it is, and would not help against
//! the second. So each request passes here:
//!
//! - A host never has more of them at once than it has places, as the store's rate controller has it: leased
//!   pages and redirects together, so a host that is only ever a redirect's target is asked as much as one
//!   that is asked first.
//! - The gap that its robots.txt demands is kept by all from the moment at which it is known, robots.txt of
//!   another scheme and sitemaps among them, counted from the end of the last request, whatever that was for.
//! - After a `Retry-After` nothing begins before its time, neither what was leased long before.
//! - The delay of a job is kept between its own requests; those of other jobs are none of its business, so a
//!   busy host cannot shut it out.
//!
//! A page holds the place at one host at a time and gives it back before it takes another, so pages cannot
//! wait for each other in a circle. Who waits longest goes first. How long one may wait is bounded by its
//! lease.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gleaner_frontier::MAX_CRAWL_DELAY;
use gleaner_types::JobId;
use tokio::sync::Notify;
use tokio::time::Instant;
use url::{Position, Url};

/// Hosts that nobody asks any more are forgotten once so many are known.
const MAX_IDLE_HOSTS: usize = 10_000;
/// And not before they have been idle for this long, where they or a job of theirs want a gap: no gap is
/// longer.
const IDLE: Duration = Duration::from_secs(3_600);

/// What a request keeps to, beside what its host is known to wish.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestPacing {
    /// From the end of the last request to the host, as the robots.txt that holds for this one has it.
    pub(crate) gap: Duration,
    /// From the end of the last request of this job to the host; zero where the job asks for none.
    pub(crate) delay: Duration,
    pub(crate) job: JobId,
}

#[derive(Debug, Default)]
pub(crate) struct HostLimiter {
    hosts: Mutex<Hosts>,
}

#[derive(Debug)]
struct Hosts {
    known: HashMap<Box<str>, Arc<Host>>,
    /// Idle ones are looked for once so many are known; doubled where few were, so that the search stays
    /// cheap.
    sweep_at: usize,
}

impl Default for Hosts {
    fn default() -> Self {
        Self { known: HashMap::new(), sweep_at: MAX_IDLE_HOSTS }
    }
}

#[derive(Debug, Default)]
struct Host {
    state: Mutex<State>,
    /// Rung when another request may be able to begin.
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// Pages of the host that are leased.
    leased: usize,
    /// How many requests may be under way at once, as the store said last; one where it has not said yet.
    places: u32,
    /// Requests under way.
    active: u32,
    /// When the last request ended.
    ended: Option<Instant>,
    /// From the end of one request to the next, as its robots.txt has it.
    gap: Duration,
    /// Nothing begins before this.
    rests_until: Option<Instant>,
    /// Jobs with a delay that asked lately.
    slow: Vec<SlowJob>,
    /// Who waits, in order of arrival.
    waiting: BTreeMap<u64, RequestPacing>,
    arrivals: u64,
}

/// What a job with a delay has of a host.
#[derive(Debug)]
struct SlowJob {
    job: JobId,
    active: usize,
    ended: Option<Instant>,
    delay: Duration,
}

/// When a request may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Now,
    /// Not before this.
    At(Instant),
    /// Once another has ended.
    Later,
}

impl State {
    fn turn(&self, pacing: RequestPacing, now: Instant) -> Turn {
        let gap = self.gap.max(pacing.gap);
        let places = if gap.is_zero() { self.places.max(1) } else { 1 };
        if self.active >= places {
            return Turn::Later;
        }
        let mut due = self.rests_until;
        if !gap.is_zero() {
            due = due.max(self.ended.map(|ended| ended + gap));
        }
        if !pacing.delay.is_zero()
            && let Some(own) = self.slow.iter().find(|slow| slow.job == pacing.job)
        {
            if own.active > 0 {
                return Turn::Later;
            }
            due = due.max(own.ended.map(|ended| ended + pacing.delay));
        }
        due.filter(|due| *due > now).map_or(Turn::Now, Turn::At)
    }

    /// Whether one that has waited longer may begin now.
    fn goes_before(&self, ticket: u64, now: Instant) -> bool {
        self.waiting.range(..ticket).any(|(_, pacing)| self.turn(*pacing, now) == Turn::Now)
    }

    fn begin(&mut self, pacing: RequestPacing, now: Instant) {
        self.active += 1;
        if pacing.delay.is_zero() {
            return;
        }
        self.slow.retain(|slow| slow.active > 0 || slow.ended.is_some_and(|ended| ended + slow.delay > now));
        match self.slow.iter_mut().find(|slow| slow.job == pacing.job) {
            Some(slow) => slow.active += 1,
            None => {
                self.slow.push(SlowJob { job: pacing.job, active: 1, ended: None, delay: pacing.delay });
            }
        }
    }

    fn end(&mut self, pacing: RequestPacing, now: Instant) {
        self.active = self.active.saturating_sub(1);
        self.ended = Some(now);
        if !pacing.delay.is_zero()
            && let Some(slow) = self.slow.iter_mut().find(|slow| slow.job == pacing.job)
        {
            slow.active = slow.active.saturating_sub(1);
            slow.ended = Some(now);
        }
    }
}

/// A leased page of a host; dropping it gives the lease up.
#[derive(Debug)]
pub(crate) struct Lease(Arc<Host>);

/// A request under way; dropping it ends it.
#[derive(Debug)]
pub(crate) struct HostPermit {
    host: Arc<Host>,
    pacing: RequestPacing,
}

/// A place in the queue; dropping it leaves the queue.
#[derive(Debug)]
struct Waiting<'a> {
    host: &'a Host,
    ticket: u64,
}

impl HostLimiter {
    /// Notes that a page of the host of `url` is leased, and how many places the host has now.
    pub(crate) fn lease(&self, url: &Url, places: u32) -> Lease {
        let host = self.host(url);
        let mut state = host.lock();
        state.leased += 1;
        state.places = places;
        host.ring(state);
        Lease(host)
    }

    /// Notes how many places the host of `url` has now, and that nothing begins before a moment.
    pub(crate) fn limit(&self, url: &Url, places: u32, not_before: Instant) {
        let host = self.host(url);
        let mut state = host.lock();
        state.places = places;
        state.rests_until = state.rests_until.max(Some(not_before));
        host.ring(state);
    }

    /// Does anybody wait for the host of `url`?
    pub(crate) fn is_waited_for(&self, url: &Url) -> bool {
        let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.known.get(name_of(url)).is_some_and(|host| !host.lock().waiting.is_empty())
    }

    /// Waits until the host of `url` may be asked.
    pub(crate) async fn permit(&self, url: &Url, pacing: RequestPacing) -> HostPermit {
        self.host(url).permit(pacing).await
    }

    /// From now on the host of `url` wants this long between the end of one request and the next.
    pub(crate) fn set_gap(&self, url: &Url, gap: Duration) {
        let host = self.host(url);
        let mut state = host.lock();
        state.gap = gap;
        host.ring(state);
    }

    /// Nothing is asked of the host of `url` for so long.
    pub(crate) fn rest(&self, url: &Url, pause: Duration) {
        let until = Instant::now() + pause;
        let host = self.host(url);
        let mut state = host.lock();
        state.rests_until = state.rests_until.max(Some(until));
    }

    fn host(&self, url: &Url) -> Arc<Host> {
        let name = name_of(url);
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(host) = hosts.known.get(name) {
            return Arc::clone(host);
        }
        if hosts.known.len() >= hosts.sweep_at {
            hosts.known.retain(|_, host| Arc::strong_count(host) > 1 || !host.is_idle());
            hosts.sweep_at = MAX_IDLE_HOSTS.max(hosts.known.len().saturating_mul(2));
        }
        Arc::clone(hosts.known.entry(name.into()).or_default())
    }
}

/// The host, and the port where it is not the scheme's default.
fn name_of(url: &Url) -> &str {
    &url[Position::BeforeHost..Position::AfterPort]
}

impl Host {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_idle(&self) -> bool {
        let state = self.lock();
        // A robots.txt that holds for one job alone may still ask for a gap, though a short one.
        let is_free = state.gap.is_zero() && state.slow.is_empty();
        let idle = if is_free { MAX_CRAWL_DELAY } else { IDLE };
        state.ended.max(state.rests_until).is_none_or(|last| last.elapsed() >= idle)
    }

    /// Wakes those who wait, that they look again whether they may begin.
    fn ring(&self, state: MutexGuard<'_, State>) {
        let anyone = !state.waiting.is_empty();
        drop(state);
        if anyone {
            self.changed.notify_waiters();
        }
    }

    async fn permit(self: &Arc<Self>, pacing: RequestPacing) -> HostPermit {
        let mut place: Option<Waiting<'_>> = None;
        loop {
            let changed = self.changed.notified();
            let turn = {
                let now = Instant::now();
                let mut state = self.lock();
                let ticket = place.as_ref().map_or(u64::MAX, |place| place.ticket);
                let mut turn = state.turn(pacing, now);
                if turn == Turn::Now && state.goes_before(ticket, now) {
                    turn = Turn::Later;
                }
                if turn == Turn::Now {
                    state.waiting.remove(&ticket);
                    state.begin(pacing, now);
                    // Others that made room for this one may begin beside it.
                    self.ring(state);
                    return HostPermit { host: Arc::clone(self), pacing };
                }
                if place.is_none() {
                    state.arrivals += 1;
                    let ticket = state.arrivals;
                    state.waiting.insert(ticket, pacing);
                    place = Some(Waiting { host: self, ticket });
                }
                turn
            };
            match turn {
                Turn::At(due) => tokio::select! {
                    biased;
                    () = changed => {}
                    () = tokio::time::sleep_until(due) => {}
                },
                Turn::Now | Turn::Later => changed.await,
            }
        }
    }
}

impl Lease {
    /// Is it the only leased page of its host?
    pub(crate) fn is_alone(&self) -> bool {
        self.0.lock().leased <= 1
    }

    /// As [`HostLimiter::permit`], to the host of the page.
    pub(crate) async fn permit(&self, pacing: RequestPacing) -> HostPermit {
        self.0.permit(pacing).await
    }
}

impl HostPermit {
    /// Requests under way on the host, this one included.
    pub(crate) fn in_flight(&self) -> u32 {
        self.host.lock().active
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.leased = state.leased.saturating_sub(1);
    }
}

impl Drop for HostPermit {
    fn drop(&mut self) {
        let mut state = self.host.lock();
        state.end(self.pacing, Instant::now());
        self.host.ring(state);
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut state = self.host.lock();
        if state.waiting.remove(&self.ticket).is_some() {
            self.host.ring(state);
        }
    }
}

#[cfg(test)]
mod tests;
