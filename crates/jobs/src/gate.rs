//! Who may ask a host now, where the queue alone cannot tell: at redirects, and where robots.txt is read on the way.
//!
//! The store leases pages so that no host gets too many requests, or gets them too soon. But a page that redirects
//! leads to a request that was never leased, often to another host. Queueing every target as a page of its own, the
//! obvious alternative, would lose which page asked for it and how many clicks away it is. So each request passes
//! here: a host never has more of them at once than the store has leased pages of it (one, where it has none), and
//! where a gap is asked for, it is kept from the end of the last request, whatever that was for.
//!
//! A page holds the place at one host at a time and gives it back before it takes another, so pages cannot wait for
//! each other in a circle.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use url::{Position, Url};

/// Hosts that nobody asks any more are forgotten once so many are known.
const MAX_IDLE_HOSTS: usize = 10_000;
/// And not before they have been idle for so long: no gap is longer.
const IDLE: Duration = Duration::from_secs(3_600);

#[derive(Debug, Default)]
pub(crate) struct Gate {
    hosts: Mutex<Hosts>,
}

#[derive(Debug)]
struct Hosts {
    known: HashMap<Box<str>, Arc<Host>>,
    /// Idle ones are looked for once so many are known; doubled where few were, so that the search stays cheap.
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
    /// Rung when a request ends or a page is leased: then another may begin.
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// Pages of the host that are leased.
    leased: usize,
    /// Requests under way.
    active: usize,
    /// When the last request ended.
    ended: Option<Instant>,
}

/// A leased page of a host; dropping it gives the lease up.
#[derive(Debug)]
pub(crate) struct Lease(Arc<Host>);

/// A request under way; dropping it ends it.
#[derive(Debug)]
pub(crate) struct Pass(Arc<Host>);

impl Gate {
    /// Notes that a page of the host of `url` is leased.
    pub(crate) fn lease(&self, url: &Url) -> Lease {
        let host = self.host(url);
        host.lock().leased += 1;
        Lease(host)
    }

    /// Waits until the host of `url` may be asked, `gap` after the last request to it ended.
    pub(crate) async fn pass(&self, url: &Url, gap: Duration) -> Pass {
        self.host(url).pass(gap).await
    }

    fn host(&self, url: &Url) -> Arc<Host> {
        let name = &url[Position::BeforeHost..Position::AfterPort];
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

impl Host {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_idle(&self) -> bool {
        self.lock().ended.is_none_or(|ended| ended.elapsed() >= IDLE)
    }

    async fn pass(self: &Arc<Self>, gap: Duration) -> Pass {
        loop {
            let changed = self.changed.notified();
            let wait = {
                let mut state = self.lock();
                let due = state.ended.map(|ended| ended + gap).filter(|_| !gap.is_zero());
                let due = due.filter(|due| *due > Instant::now());
                let places = if gap.is_zero() { state.leased.max(1) } else { 1 };
                if state.active < places && due.is_none() {
                    state.active += 1;
                    drop(state);
                    return Pass(Arc::clone(self));
                }
                if state.active < places { due } else { None }
            };
            match wait {
                Some(due) => tokio::time::sleep_until(due).await,
                None => changed.await,
            }
        }
    }
}

impl Lease {
    /// As [`Gate::pass`], to the host of the page.
    pub(crate) async fn pass(&self, gap: Duration) -> Pass {
        self.0.pass(gap).await
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.leased = state.leased.saturating_sub(1);
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.active = state.active.saturating_sub(1);
        state.ended = Some(Instant::now());
        drop(state);
        self.0.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    /// Whether it may begin at once.
    async fn passes(gate: &Gate, url: &Url, gap: Duration) -> Option<Pass> {
        tokio::select! {
            biased;
            pass = gate.pass(url, gap) => Some(pass),
            () = tokio::task::yield_now() => None,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_has_no_more_requests_than_leased_pages() {
        let (gate, here) = (Gate::default(), url("https://a.example/x"));
        let leases = [gate.lease(&here), gate.lease(&here)];
        let first = passes(&gate, &here, Duration::ZERO).await.expect("one is leased");
        let _second = passes(&gate, &here, Duration::ZERO).await.expect("two are leased");
        assert!(passes(&gate, &here, Duration::ZERO).await.is_none(), "a redirect is one too many");
        assert!(passes(&gate, &url("https://b.example/"), Duration::ZERO).await.is_some());
        assert!(passes(&gate, &url("https://a.example:8443/"), Duration::ZERO).await.is_some());
        drop(first);
        let third = passes(&gate, &here, Duration::ZERO).await.expect("the first has ended");
        drop((leases, third));
        assert!(passes(&gate, &here, Duration::ZERO).await.is_none(), "no page is leased, one request is on");
    }

    #[tokio::test(start_paused = true)]
    async fn hosts_that_rest_are_forgotten() {
        let gate = Gate::default();
        let held = gate.lease(&url("https://held.example/"));
        for host in 0..3 * MAX_IDLE_HOSTS {
            drop(gate.pass(&url(&format!("https://h{host}.example/")), Duration::ZERO).await);
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        let known = gate.hosts.lock().unwrap().known.len();
        assert!(known <= 2 * MAX_IDLE_HOSTS, "{known} hosts are remembered");
        assert!(gate.hosts.lock().unwrap().known.contains_key("held.example"));
        drop(held);
    }

    #[tokio::test(start_paused = true)]
    async fn a_gap_is_kept_from_the_end_of_whatever_was_last() {
        let (gate, here, gap) = (Gate::default(), url("https://a.example/"), Duration::from_secs(2));
        let lease = gate.lease(&here);
        let _other = gate.lease(&here);
        let began = Instant::now();
        let pass = lease.pass(gap).await;
        assert_eq!(began.elapsed(), Duration::ZERO);
        assert!(passes(&gate, &here, gap).await.is_none(), "with a gap there is one at a time");
        tokio::time::advance(Duration::from_secs(5)).await;
        drop(pass);
        drop(gate.pass(&here, gap).await);
        assert_eq!(began.elapsed(), Duration::from_secs(7));
        drop(gate.pass(&here, Duration::ZERO).await);
        assert_eq!(began.elapsed(), Duration::from_secs(7), "who asks for no gap waits for none");
    }

    #[tokio::test(start_paused = true)]
    async fn all_who_wait_come_through_one_after_another() {
        let gate = Arc::new(Gate::default());
        let gap = Duration::from_secs(1);
        let mut waiting = tokio::task::JoinSet::new();
        let began = Instant::now();
        for _ in 0..10 {
            let gate = Arc::clone(&gate);
            waiting.spawn(async move { drop(gate.pass(&url("https://a.example/"), gap).await) });
        }
        waiting.join_all().await;
        assert_eq!(began.elapsed(), Duration::from_secs(9));
    }
}
