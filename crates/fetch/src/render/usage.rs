//! What the loads of one page may take: a number, bytes, and loads at a time.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use url::Url;

use crate::error::{Error, ErrorKind};

/// Most requests of one page. Further ones fail.
pub const MAX_REQUESTS_PER_PAGE: u32 = 500;
/// Most bytes of all requests of one page, as sent or as decoded, whichever is more. Bytes of failed requests
/// count too. Further requests fail.
pub const MAX_BYTES_PER_PAGE: u64 = 100 * 1024 * 1024;
/// Most bytes of one resource or frame, unless its request sets a lower limit. A document of the main frame
/// may be as large as any page.
pub const MAX_BYTES_PER_RESOURCE: u64 = 16 * 1024 * 1024;
/// Most resources and frames of one page that are loaded at a time. Further ones wait.
pub const MAX_LOADS_PER_PAGE: usize = 24;
/// Most resources and frames of one page that are loaded from one host at a time. Further ones wait.
pub const MAX_LOADS_PER_HOST: usize = 6;

/// Hosts without a load are removed once there are this many.
const PRUNED_HOSTS: usize = 64;

/// The limits of one page and what it has used of them.
#[derive(Debug)]
pub(super) struct Usage {
    counts: Mutex<Counts>,
    /// Notified when a request releases bytes.
    released: Notify,
    page_slots: Semaphore,
    host_slots: Mutex<HashMap<String, Arc<Semaphore>>>,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) requests: u32,
    /// Bytes that have come in.
    pub(super) bytes: u64,
    /// Bytes that current requests may still bring in.
    reserved: u64,
}

impl Usage {
    pub(super) fn new() -> Self {
        Self {
            counts: Mutex::default(),
            released: Notify::new(),
            page_slots: Semaphore::new(MAX_LOADS_PER_PAGE),
            host_slots: Mutex::default(),
        }
    }

    pub(super) fn counts(&self) -> Counts {
        *locked(&self.counts)
    }

    /// Waits until a resource or frame may be loaded from the host of `url`.
    pub(super) async fn slot(&self, url: &Url) -> LoadSlot<'_> {
        let host = self.host_slots(url);
        // First of the host: a load that waits for its host must not hold a slot that others could use. The
        // semaphores are never closed.
        let host = host.acquire_owned().await.ok();
        LoadSlot { _host: host, _page: self.page_slots.acquire().await.ok() }
    }

    fn host_slots(&self, url: &Url) -> Arc<Semaphore> {
        let mut hosts = locked(&self.host_slots);
        if hosts.len() >= PRUNED_HOSTS {
            // Each load of a host holds a copy of its semaphore.
            hosts.retain(|_, slots| Arc::strong_count(slots) > 1);
        }
        let host = url.host_str().unwrap_or_default().to_owned();
        Arc::clone(hosts.entry(host).or_insert_with(|| Arc::new(Semaphore::new(MAX_LOADS_PER_HOST))))
    }

    /// Counts one request, and reserves the bytes that it may bring in, at most `wanted`.
    pub(super) async fn reserve(&self, url: &Url, wanted: u64) -> Result<Share<'_>, Error> {
        loop {
            let mut released = pin!(self.released.notified());
            // No release is missed from here on.
            released.as_mut().enable();
            {
                let mut counts = locked(&self.counts);
                let left = MAX_BYTES_PER_PAGE.saturating_sub(counts.bytes);
                if counts.requests >= MAX_REQUESTS_PER_PAGE || left == 0 {
                    let text = format!(
                        "the page has made {} requests for {} bytes and may make no more",
                        counts.requests, counts.bytes
                    );
                    return Err(Error::new(ErrorKind::TooLarge, url, text));
                }
                let free = left.saturating_sub(counts.reserved);
                // If less is free, the request waits until others have released what they did not need, so
                // that no request fails because of concurrent ones.
                if free >= wanted || counts.reserved == 0 {
                    let bytes = wanted.min(free);
                    counts.requests += 1;
                    counts.reserved += bytes;
                    return Ok(Share { usage: self, bytes, received: Arc::default() });
                }
            }
            released.await;
        }
    }
}

/// Nothing panics while one of these locks is held.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One load at a time, until it is dropped.
#[derive(Debug)]
pub(super) struct LoadSlot<'a> {
    _host: Option<OwnedSemaphorePermit>,
    _page: Option<SemaphorePermit<'a>>,
}

/// The bytes of a page that are reserved for one request. Dropped, it counts the received bytes and releases
/// the rest.
#[derive(Debug)]
pub(super) struct Share<'a> {
    usage: &'a Usage,
    /// Most bytes of the request's body.
    pub(super) bytes: u64,
    pub(super) received: Arc<AtomicU64>,
}

impl Share<'_> {
    pub(super) fn at_least(&self, bytes: u64) {
        self.received.fetch_max(bytes, Relaxed);
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let mut counts = locked(&self.usage.counts);
        counts.reserved = counts.reserved.saturating_sub(self.bytes);
        counts.bytes = counts.bytes.saturating_add(self.received.load(Relaxed));
        drop(counts);
        self.usage.released.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn url(host: usize) -> Url {
        Url::parse(&format!("https://h{host}.example/")).unwrap()
    }

    #[test]
    fn loads_at_a_time_are_bounded() {
        let usage = Usage::new();
        let mut slots = Vec::new();
        for host in 0..4 {
            for _ in 0..MAX_LOADS_PER_HOST {
                slots.push(usage.slot(&url(host)).now_or_never().unwrap());
            }
            assert!(usage.slot(&url(host)).now_or_never().is_none(), "host {host}");
        }
        assert_eq!(slots.len(), MAX_LOADS_PER_PAGE);
        assert!(usage.slot(&url(9)).now_or_never().is_none(), "another host of the same page");
        slots.pop();
        assert!(usage.slot(&url(9)).now_or_never().is_some());
    }

    #[test]
    fn hosts_without_loads_are_removed() {
        let usage = Usage::new();
        let slot = usage.slot(&url(0)).now_or_never().unwrap();
        for host in 1..1000 {
            usage.slot(&url(host)).now_or_never().unwrap();
        }
        let hosts = locked(&usage.host_slots);
        assert!(hosts.len() <= PRUNED_HOSTS && hosts.contains_key("h0.example"), "{} hosts", hosts.len());
        drop(slot);
    }
}
