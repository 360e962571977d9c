//! How fast hosts are asked.

use std::hash::Hasher;
use std::net::IpAddr;
use std::time::Duration;

use siphasher::sip::SipHasher13;
use url::Url;

use super::Frontier;
use crate::queue::config::MAX_WAIT;
use crate::queue::model::{HostFeedback, HostLimits};
use crate::queue::rate_controller::{Asked, Observation};
use crate::queue::slab::Handle;
use crate::queue::traps::kind_of;
use crate::queue::{host_of, rest_of};

impl Frontier {
    /// Says how the host of a URL wants to be asked, by any job; with [`HostFeedback::observed`], how it answered that URL.
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
                // What told the gap was a request itself.
                host.ready_at = host.ready_at.max(now.saturating_add(gap));
                host.gap = gap;
            }
            if let Some(at) = feedback.not_before {
                host.ready_at = host.ready_at.max(at.min(latest));
            }
            if feedback.answered {
                host.rate_controller.answered();
            }
        }
        if let Some(observed) = feedback.observed {
            self.learn(handle, host_of_url, observed, feedback.under_way, now);
        }
        if feedback.under_way > 0
            && let Some(host) = self.scheduler.hosts.get_mut(handle)
            && !host.current_gap().is_zero()
        {
            // No lease ends with this request, so its gap begins here.
            host.ready_at = host.ready_at.max(now.saturating_add(host.current_gap()));
        }
        self.scheduler.wake_host(handle, now);
        self.scheduler.hosts.note_idle(handle, now);
    }

    /// Teaches a host and its address how it answered a URL.
    fn learn(&mut self, handle: Handle, url: &Url, seen: Observation, under_way: u32, now: Duration) {
        let Some(host) = self.scheduler.hosts.get_mut(handle) else { return };
        let kind = if host.rate_controller.compares() { kind_of(url) } else { 0 };
        let asked = Asked { page: page_of(url), kind };
        let in_flight = host.in_flight.max(under_way);
        if let Some(pause) = host.rate_controller.learn(seen, asked, in_flight, now) {
            host.ready_at = host.ready_at.max(now.saturating_add(pause));
        }
        // The pause is the host's own: others of its address are only asked for less at once.
        self.scheduler.hosts.teach_address(handle, seen, asked, now);
        self.scheduler.wake_address(handle, now);
    }

    /// Says how the host of a URL answered a page that is about to be [finished](Self::finish). The number of pages in
    /// work at once on that host, [`FrontierConfig::max_per_host`](crate::FrontierConfig::max_per_host) once it has answered, rises up to
    /// [`FrontierConfig::most_per_host`](crate::FrontierConfig::most_per_host) while it answers well. It falls where pages are refused (429, 503), where
    /// several pages in a row get no answer, and where the host is found to answer faster when it is asked for half as many
    /// pages at once. Pages that are slow whatever the number change nothing, and neither does one page that always fails.
    ///
    /// The same as [`feedback`](Self::feedback) with [`HostFeedback::observed`] alone.
    pub fn observe(&mut self, host_of_url: &Url, observed: Observation, now: Duration) {
        self.feedback(host_of_url, HostFeedback { observed: Some(observed), ..HostFeedback::default() }, now);
    }

    /// How the host of a URL may be asked now for what is not leased, such as a redirect from another host. Leased pages
    /// and such requests share the places of the host, which is the caller's to see to: here leased pages alone are counted.
    #[must_use]
    pub fn limits(&self, host_of_url: &Url) -> HostLimits {
        self.scheduler.hosts.limits_of(host_of(host_of_url))
    }

    /// Says what the host of a URL resolves to. All hosts of one address together are then asked for at most
    /// [`FrontierConfig::max_per_address`](crate::FrontierConfig::max_per_address) pages at once, and up to [`FrontierConfig::most_per_address`](crate::FrontierConfig::most_per_address) while it answers
    /// well: many names may be one server. When that says that it is overloaded (see [`observe`](Self::observe)), in more
    /// than a quarter of its answers, its hosts are asked for less, together, until it answers well again. A host that says
    /// nothing, or is slow, is slowed alone, and so are a few that are out of order.
    ///
    /// Where a host has several addresses, the one that was dialled is meant. The same as [`feedback`](Self::feedback) with
    /// [`HostFeedback::address`] alone.
    pub fn resolved(&mut self, host_of_url: &Url, address: IpAddr, now: Duration) {
        let handle = self.scheduler.hosts.intern(host_of(host_of_url));
        self.scheduler.resolved(handle, address, now);
    }
}

/// A hash that tells the pages of one address apart: that of a host, too, has many hosts. Its key is fixed: who makes two
/// pages collide hides only failures of their own.
fn page_of(url: &Url) -> u32 {
    let mut hasher = SipHasher13::new_with_keys(0, 2);
    hasher.write(host_of(url).as_bytes());
    hasher.write(rest_of(url).as_bytes());
    hasher.finish() as u32
}
