//! How fast hosts are asked.

use std::net::IpAddr;
use std::time::Duration;

use url::Url;

use super::Frontier;
use crate::queue::config::MAX_WAIT;
use crate::queue::host_of;
use crate::queue::model::Pace;
use crate::queue::tempo::Observation;

impl Frontier {
    /// Says how the host of a URL wants to be asked, by any job.
    pub fn pace(&mut self, host_of_url: &Url, pace: Pace, now: Duration) {
        let handle = self.yard.hosts.intern(host_of(host_of_url));
        if let Some(address) = pace.address {
            self.yard.resolved(handle, address, now);
        }
        if let Some(host) = self.yard.hosts.get_mut(handle) {
            let latest = now.saturating_add(MAX_WAIT);
            if let Some(gap) = pace.min_gap.map(|gap| gap.min(MAX_WAIT))
                && gap != host.gap
            {
                // What told the gap was a request itself.
                host.ready_at = host.ready_at.max(now.saturating_add(gap));
                host.gap = gap;
            }
            if let Some(at) = pace.not_before {
                host.ready_at = host.ready_at.max(at.min(latest));
            }
            if pace.answered {
                host.tempo.answered();
            }
            if let Some(observed) = pace.observed
                && let Some(pause) = host.tempo.learn(observed, host.in_flight, now)
            {
                host.ready_at = host.ready_at.max(now.saturating_add(pause));
            }
        }
        if let Some(observed) = pace.observed {
            // The pause is the host's own: others of its address are only asked for less at once.
            self.yard.hosts.teach_address(handle, observed, now);
            self.yard.wake_address(handle, now);
        }
        self.yard.wake_host(handle, now);
        self.yard.hosts.note_idle(handle, now);
    }

    /// Says how the host of a URL answered a page that is about to be [finished](Self::finish). The number of pages in
    /// work at once on that host, [`FrontierConfig::max_per_host`](crate::FrontierConfig::max_per_host) once it has answered, rises up to
    /// [`FrontierConfig::most_per_host`](crate::FrontierConfig::most_per_host) while it answers well, and falls when it is overloaded or slows down.
    ///
    /// The same as [`pace`](Self::pace) with [`Pace::observed`] alone.
    pub fn observe(&mut self, host_of_url: &Url, observed: Observation, now: Duration) {
        self.pace(host_of_url, Pace { observed: Some(observed), ..Pace::default() }, now);
    }

    /// Says what the host of a URL resolves to. All hosts of one address together are then asked for at most
    /// [`FrontierConfig::max_per_address`](crate::FrontierConfig::max_per_address) pages at once, and up to [`FrontierConfig::most_per_address`](crate::FrontierConfig::most_per_address) while it answers
    /// well: many names may be one server. When that says that it is overloaded (see [`observe`](Self::observe)), in more
    /// than a quarter of its answers, its hosts are asked for less, together, until it answers well again. A host that says
    /// nothing, or is slow, is slowed alone, and so are a few that are out of order.
    ///
    /// Where a host has several addresses, the one that was dialled is meant. The same as [`pace`](Self::pace) with
    /// [`Pace::address`] alone.
    pub fn resolved(&mut self, host_of_url: &Url, address: IpAddr, now: Duration) {
        let handle = self.yard.hosts.intern(host_of(host_of_url));
        self.yard.resolved(handle, address, now);
    }
}
