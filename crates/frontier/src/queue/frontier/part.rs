//! Jobs with only a part of their pages in this queue: another store keeps all pages, and several processes
//! work on them, each on hosts of its own.

use std::time::Duration;

use url::Url;

use super::Frontier;
use crate::queue::changes::QueuedPage;
use crate::queue::config::MAX_WAIT;
use crate::queue::groups::Group;
use crate::queue::host_queue::{PendingRetry, Rank};
use crate::queue::job::Job;
use crate::queue::model::{HostLoad, HostPace, JobSlot};
use crate::queue::packed::{MAX_PATH_BYTES, Page};

impl Frontier {
    /// Opens a job whose pages another store tells apart and keeps. Nothing is remembered about its pages:
    /// [`load_page`](Self::load_page) queues each one that it is given, [`redirected`](Self::redirected) and
    /// [`visited`](Self::visited) are always true, and [`admit`](Self::admit) and the links of
    /// [`finish`](Self::finish) are refused. Its pages stay in memory, and no limit of the queue applies to
    /// them. It leases nothing before [`set_allowance`](Self::set_allowance).
    pub fn open_part(&mut self, group: Group, delay: Option<Duration>) -> JobSlot {
        self.scheduler.groups.enter(group);
        JobSlot(self.jobs.insert(Job::part(delay, group)))
    }

    /// Sets the maximum number of leased pages of a job that was opened with [`open_part`](Self::open_part).
    /// `remaining` is the number of documents that the job may still give, of all processes: if more pages
    /// wait here, deferred ones wait for the leased ones. It bounds no lease.
    pub fn set_allowance(&mut self, job: JobSlot, leases: u32, remaining: u64) {
        if let Some(state) = self.jobs.get_mut(job.0).filter(|state| state.is_part()) {
            state.rules.max_in_flight = Some(leases);
            state.reachable = state.documents.saturating_add(remaining);
            self.scheduler.activate(job.0, state);
        }
    }

    /// Queues a page of a job that was opened with [`open_part`](Self::open_part), after this number of
    /// leases that ended in a retry. A page that comes from a link counts for crawler traps: it is deferred by
    /// the larger of the given deferral and what the pages loaded so far suggest.
    ///
    /// False if the page was not queued: the job is closed or of another kind, or the page has no valid URL.
    pub fn load_page(
        &mut self,
        job: JobSlot,
        page: &QueuedPage<'_>,
        attempt: u32,
        from_link: bool,
        now: Duration,
    ) -> bool {
        let &QueuedPage { key, https, external, host, path, depth, priority, deferral } = page;
        let scheme = if https { "https" } else { "http" };
        if path.len() > MAX_PATH_BYTES || Url::parse(&format!("{scheme}://{host}{path}")).is_err() {
            return false;
        }
        let before = self.load_of(job.0);
        let Some(state) = self.jobs.get_mut(job.0).filter(|state| state.is_part()) else { return false };
        let counted = if from_link { state.traps.count_queued(host, path) } else { None };
        let deferral = deferral.max(counted.map_or(0, |counted| counted.distance));
        let rank = Rank::new(deferral, depth, priority);
        let host = self.scheduler.hosts.intern(host);
        if attempt == 0 {
            self.scheduler.enqueue((job.0, state), host, rank, key, https, external, path, now);
        } else {
            let page = Page { key, https, external, path: path.into() };
            let retry = PendingRetry { not_before: now, sequence: 0, attempt, rank, page };
            self.scheduler.enqueue_pending((job.0, state), host, retry, now);
        }
        self.update_load(job.0, before, now);
        true
    }

    /// Drops the waiting pages of a host, of all jobs that were opened with [`open_part`](Self::open_part),
    /// so that another process can load them. Returns their number. Leased pages stay, and wait here again if
    /// they end in a retry. The delays of the jobs apply to the host from now on, so that
    /// [`pace`](Self::pace) includes them.
    ///
    /// `host` is the name with the port if it is not the default of the scheme. It takes time linear in the
    /// number of jobs.
    pub fn unload_host(&mut self, host: &str, now: Duration) -> u64 {
        let Some(host) = self.scheduler.hosts.find(host) else { return 0 };
        let jobs: Vec<_> = self.jobs.handles().collect();
        let mut unloaded = 0;
        for handle in jobs {
            if let Some(job) = self.jobs.get_mut(handle).filter(|job| job.is_part()) {
                unloaded += self.scheduler.unload((handle, job), host, now);
            }
        }
        unloaded
    }

    /// The waiting and leased pages of a host, and what limits its requests. `host` is the name with the port
    /// if it is not the default of the scheme.
    #[must_use]
    pub fn host_load(&self, host: &str) -> HostLoad {
        let hosts = &self.scheduler.hosts;
        let limits = hosts.limits_of(host);
        let state = hosts.find(host).and_then(|handle| hosts.get(handle));
        HostLoad {
            waiting: state.map_or(0, |host| host.waiting),
            in_flight: state.map_or(0, |host| host.in_flight),
            ready_at: limits.not_before,
            places: limits.max_concurrent,
        }
    }

    /// How often a host may be asked, for another process that continues with it. A running request does not
    /// count: its end may still move [`HostPace::ready_at`]. `host` is the name with the port if it is not
    /// the default of the scheme.
    #[must_use]
    pub fn pace(&self, host: &str) -> HostPace {
        let hosts = &self.scheduler.hosts;
        let Some(handle) = hosts.find(host) else { return HostPace::default() };
        hosts.get(handle).map_or_else(HostPace::default, |host| HostPace {
            ready_at: host.ready_at,
            gap: host.gap,
            places: host.rate_controller.learned(),
            address: hosts.ip_of(handle),
        })
    }

    /// Continues with a host as another process [knows it](Self::pace). Its next request starts neither
    /// before [`HostPace::ready_at`] nor before a later time that is known here; both are at most
    /// [`MAX_WAIT`](crate::MAX_WAIT) ahead. Without `places` or `address`, what is known here stays.
    pub fn set_pace(&mut self, host: &str, pace: HostPace, now: Duration) {
        let handle = self.scheduler.hosts.intern(host);
        if let Some(address) = pace.address {
            self.scheduler.resolved(handle, address, now);
        }
        if let Some(host) = self.scheduler.hosts.get_mut(handle) {
            host.ready_at = host.ready_at.max(pace.ready_at.min(now.saturating_add(MAX_WAIT)));
            host.gap = pace.gap.min(MAX_WAIT);
            if let Some(places) = pace.places {
                host.rate_controller.continue_at(places);
            }
        }
        self.scheduler.wake_host(handle, now);
        self.scheduler.hosts.update_idle_list(handle, now);
    }
}
