//! Feedback about hosts: limits, delays and responses.

use std::hash::Hasher;
use std::net::IpAddr;
use std::time::Duration;

use siphasher::sip::SipHasher13;
use url::Url;

use super::Frontier;
use crate::queue::config::MAX_WAIT;
use crate::queue::model::{HostFeedback, HostLimits};
use crate::queue::rate_controller::{Observation, RequestKey};
use crate::queue::slab::Handle;
use crate::queue::traps::kind_of;
use crate::queue::{host_of, path_of};

impl Frontier {
    /// Reports what is known about the host of a URL, for all jobs. With [`HostFeedback::observed`] it
    /// includes the response to that URL.
    pub fn feedback(&mut self, host_of_url: &Url, feedback: HostFeedback, now: Duration) {
        let handle = self.scheduler.hosts.intern(host_of(host_of_url));
        if let Some(address) = feedback.address {
            self.scheduler.resolved(handle, address, now);
        }
        if let Some(host) = self.scheduler.hosts.get_mut(handle) {
            let latest = now.saturating_add(MAX_WAIT);
            if let Some(gap) = feedback.min_gap.map(|gap| gap.min(MAX_WAIT))
                && gap != host.gap
            {
                // The gap was learned from a request, so it starts now.
                host.ready_at = host.ready_at.max(now.saturating_add(gap));
                host.gap = gap;
            }
            if let Some(ceiling) = feedback.max_concurrent {
                host.ceiling = ceiling.max(1);
            }
            if let Some(at) = feedback.not_before {
                host.ready_at = host.ready_at.max(at.min(latest));
            }
            if feedback.answered {
                host.rate_controller.mark_answered();
            }
        }
        if let Some(observed) = feedback.observed {
            self.record_response(handle, host_of_url, observed, feedback.in_flight, now);
        }
        if feedback.in_flight > 0
            && let Some(host) = self.scheduler.hosts.get_mut(handle)
            && !host.current_gap().is_zero()
        {
            // No lease ends with this request, so its gap starts here.
            host.ready_at = host.ready_at.max(now.saturating_add(host.current_gap()));
        }
        self.scheduler.wake_host(handle, now);
        self.scheduler.hosts.update_idle_list(handle, now);
    }

    /// Updates the rate controllers of a host and its address with a response.
    fn record_response(
        &mut self,
        handle: Handle,
        url: &Url,
        observation: Observation,
        in_flight: u32,
        now: Duration,
    ) {
        let Some(host) = self.scheduler.hosts.get_mut(handle) else { return };
        let kind = if host.rate_controller.needs_page_kind() { kind_of(url) } else { 0 };
        let key = RequestKey { page: page_hash(url), kind };
        let in_flight = host.in_flight.max(in_flight);
        if let Some(pause) = host.rate_controller.observe(observation, key, in_flight, now) {
            host.ready_at = host.ready_at.max(now.saturating_add(pause));
        }
        // The pause applies to the host only; the other hosts of its address only get fewer concurrent
        // requests.
        self.scheduler.hosts.observe_address(handle, observation, key, now);
        self.scheduler.wake_address(handle, now);
    }

    /// Reports the response to a page that is about to be [finished](Self::finish). The maximum of concurrent
    /// requests to a host is [`FrontierConfig::initial_per_host`](crate::FrontierConfig::initial_per_host)
    /// after its first response. It rises up to
    /// [`FrontierConfig::max_per_host`](crate::FrontierConfig::max_per_host) while the host responds well. It
    /// falls when pages are refused (429, 503), when several pages in a row get no response, and when the
    /// host is found to respond faster with half as many concurrent requests. Pages that are slow at any
    /// concurrency change nothing, and neither does one page that always fails.
    ///
    /// This is [`feedback`](Self::feedback) with [`HostFeedback::observed`] alone.
    pub fn observe(&mut self, host_of_url: &Url, observed: Observation, now: Duration) {
        self.feedback(host_of_url, HostFeedback { observed: Some(observed), ..HostFeedback::default() }, now);
    }

    /// The current limits of the host of a URL for requests without a lease, such as a redirect from another
    /// host. Leased pages and such requests share the concurrency of the host. The caller must ensure that:
    /// the frontier counts leased pages only.
    #[must_use]
    pub fn limits(&self, host_of_url: &Url) -> HostLimits {
        self.scheduler.hosts.limits_of(host_of(host_of_url))
    }

    /// Reports the IP address of the host of a URL. All hosts of one address together then get at most
    /// [`FrontierConfig::initial_per_address`](crate::FrontierConfig::initial_per_address) concurrent
    /// requests, and up to [`FrontierConfig::max_per_address`](crate::FrontierConfig::max_per_address) while
    /// the address responds well, because many names may be one server. If more than a quarter of its
    /// responses report overload (see [`observe`](Self::observe)), its hosts together get fewer, until it
    /// responds well again. A host that does not respond, or slowly, is slowed alone, and so are a few hosts
    /// that are out of order.
    ///
    /// If a host has several addresses, report the one that was dialed. This is [`feedback`](Self::feedback)
    /// with [`HostFeedback::address`] alone.
    pub fn resolved(&mut self, host_of_url: &Url, address: IpAddr, now: Duration) {
        let handle = self.scheduler.hosts.intern(host_of(host_of_url));
        self.scheduler.resolved(handle, address, now);
    }
}

/// A hash that distinguishes pages of one host, and of one address, which may have many hosts. Its key is
/// fixed: an attacker who makes two pages collide hides only failures of its own site.
fn page_hash(url: &Url) -> u32 {
    let mut hasher = SipHasher13::new_with_keys(0, 2);
    hasher.write(host_of(url).as_bytes());
    hasher.write(path_of(url).as_bytes());
    hasher.finish() as u32
}
