//! Checks every request at its start and end, as the hosts receive it, against the politeness rules.

use std::collections::{BTreeMap, BTreeSet};

use super::world::{Form, PageId, Resource};

/// Milliseconds since the simulation began.
pub(super) type Moment = u64;

/// An event, for the trace and for debugging a seed that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Event {
    Requested { job: usize, resource: Resource, hop: bool },
    Responded { job: usize, resource: Resource },
    Document { job: usize, page: PageId },
    JobStarted { job: usize },
    JobEnded { job: usize, completed: u64, failed: u64, blocked: u64 },
    JobCancelled { job: usize },
    Mapped { links: usize, warned: bool },
    LeaseLost { job: usize, resource: Resource },
    Hung { job: usize, resource: Resource },
    Crashed,
    ProcessEnded { power_fails: bool },
    DiskStalled,
    Delivered { job: usize, sequence: u64 },
    Settled { job: usize, credits: u64 },
}

#[derive(Debug, Default)]
struct HostState {
    in_flight: u32,
    last_end: Option<Moment>,
    /// Crawl-delay, set by the first robots.txt response that has one.
    gap: u64,
    not_before: Moment,
    /// Requests in flight and the end of the last one, by job.
    jobs: BTreeMap<usize, (u32, Option<Moment>)>,
}

/// Limits on the requests of one job.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct JobBound {
    pub(super) delay: u64,
    pub(super) max_concurrency: Option<u32>,
    /// Its team, and the slots of that team.
    pub(super) team: Option<(usize, u32)>,
    /// Requests of a map do not count as pages in progress.
    pub(super) is_map: bool,
}

/// The requests of a job for a page, without redirect hops.
#[derive(Debug, Clone, Default)]
pub(super) struct PageRequests {
    /// By the form of its URL.
    pub(super) by_form: BTreeMap<Form, u32>,
    /// Those before the page was found to be missing, under all forms.
    pub(super) before_missing: u32,
    is_missing: bool,
}

#[derive(Debug)]
pub(super) struct Monitor {
    hosts: Vec<HostState>,
    bounds: Vec<JobBound>,
    host_limit: u32,
    in_flight_limit: u32,
    in_flight: u32,
    in_flight_by_job: Vec<u32>,
    /// The requests for robots.txt among them.
    robots_by_job: Vec<u32>,
    page_requests: BTreeMap<(usize, PageId), PageRequests>,
    cancelled: BTreeSet<usize>,
    pub(super) violations: Vec<String>,
    pub(super) events: Vec<(Moment, Event)>,
    pub(super) requests: u64,
    /// Redirect hops from one host to another.
    pub(super) cross_host_hops: u64,
}

impl Monitor {
    pub(super) fn new(hosts: usize, bounds: Vec<JobBound>, host_limit: u32, in_flight_limit: u32) -> Self {
        Self {
            hosts: (0..hosts).map(|_| HostState::default()).collect(),
            in_flight_by_job: vec![0; bounds.len()],
            robots_by_job: vec![0; bounds.len()],
            bounds,
            host_limit,
            in_flight_limit,
            in_flight: 0,
            page_requests: BTreeMap::new(),
            cancelled: BTreeSet::new(),
            violations: Vec::new(),
            events: Vec::new(),
            requests: 0,
            cross_host_hops: 0,
        }
    }

    pub(super) fn note(&mut self, now: Moment, event: Event) {
        self.events.push((now, event));
    }

    pub(super) fn violate(&mut self, now: Moment, what: String) {
        self.violations.push(format!("at {now} ms: {what}"));
    }

    pub(super) fn cancel(&mut self, now: Moment, job: usize) {
        self.note(now, Event::JobCancelled { job });
        self.cancelled.insert(job);
    }

    /// Another process begins, which knows nothing about the pace of hosts.
    pub(super) fn restart(&mut self, now: Moment) {
        if self.in_flight > 0 {
            self.violate(now, format!("{} requests outlive their process", self.in_flight));
        }
        self.hosts.fill_with(HostState::default);
    }

    /// A request to this host begins, for this form of a URL; `None` for a redirect hop.
    pub(super) fn begin(
        &mut self,
        now: Moment,
        job: usize,
        host: usize,
        resource: Resource,
        form: Option<Form>,
    ) {
        self.requests += 1;
        self.note(now, Event::Requested { job, resource, hop: form.is_none() });
        // Other jobs may wait for a robots.txt that this job requested first.
        if self.cancelled.contains(&job) && !matches!(resource, Resource::Robots(_)) {
            self.violate(now, format!("job {job} requests {resource:?} after its end"));
        }
        if let (Resource::Page(page), Some(form)) = (resource, form) {
            let requests = self.page_requests.entry((job, page)).or_default();
            *requests.by_form.entry(form).or_default() += 1;
            requests.before_missing += u32::from(!requests.is_missing);
        }
        let bound = self.bounds[job];
        let state = &self.hosts[host];
        let mut problems = Vec::new();
        if state.gap > 0 {
            let elapsed = state.last_end.map_or(u64::MAX, |end| now - end);
            if state.in_flight > 0 || elapsed < state.gap {
                problems.push(format!(
                    "{elapsed} ms after the last request, {} in flight, with a gap of {}",
                    state.in_flight, state.gap
                ));
            }
        } else if state.in_flight >= self.host_limit {
            problems.push(format!("{} already in flight", state.in_flight));
        }
        if now < state.not_before {
            problems.push(format!("its Retry-After lasts until {} ms", state.not_before));
        }
        let (own, own_end) = state.jobs.get(&job).copied().unwrap_or_default();
        if bound.delay > 0 && (own > 0 || own_end.is_some_and(|end| now - end < bound.delay)) {
            problems.push(format!(
                "{own} of this job in flight, last at {own_end:?}, with a delay of {}",
                bound.delay
            ));
        }
        for what in problems {
            self.violate(
                now,
                format!("host {host} receives a request of job {job} for {resource:?}: {what}"),
            );
        }
        self.in_flight += u32::from(!bound.is_map);
        self.in_flight_by_job[job] += 1;
        self.robots_by_job[job] += u32::from(matches!(resource, Resource::Robots(_)));
        if let Some((team, slots)) = bound.team {
            let of_team = |job: &usize| self.bounds[*job].team.is_some_and(|(other, _)| other == team);
            // Jobs of other teams may wait for a robots.txt that a cancelled job requested first.
            let in_work = |job: usize| {
                let robots = if self.cancelled.contains(&job) { self.robots_by_job[job] } else { 0 };
                self.in_flight_by_job[job] - robots
            };
            let in_work: u32 = (0..self.bounds.len()).filter(of_team).map(in_work).sum();
            if in_work > slots {
                self.violate(now, format!("team {team} has {in_work} concurrent requests"));
            }
        }
        if self.in_flight > self.in_flight_limit {
            self.violate(now, format!("{} concurrent requests", self.in_flight));
        }
        if bound.max_concurrency.is_some_and(|max| self.in_flight_by_job[job] > max) {
            self.violate(now, format!("job {job} has {} concurrent requests", self.in_flight_by_job[job]));
        }
        let state = &mut self.hosts[host];
        state.in_flight += 1;
        state.jobs.entry(job).or_default().0 += 1;
    }

    /// A request ends with a response, or its fetch is dropped.
    pub(super) fn end(&mut self, now: Moment, job: usize, host: usize, resource: Resource) {
        self.note(now, Event::Responded { job, resource });
        self.in_flight -= u32::from(!self.bounds[job].is_map);
        self.in_flight_by_job[job] -= 1;
        self.robots_by_job[job] -= u32::from(matches!(resource, Resource::Robots(_)));
        let state = &mut self.hosts[host];
        state.in_flight -= 1;
        state.last_end = Some(now);
        let own = state.jobs.entry(job).or_default();
        own.0 -= 1;
        own.1 = Some(now);
    }

    /// The host demands this gap between requests.
    pub(super) fn set_gap(&mut self, host: usize, gap: u64) {
        self.hosts[host].gap = gap;
    }

    /// The host demands no request before this moment.
    pub(super) fn set_not_before(&mut self, host: usize, at: Moment) {
        let state = &mut self.hosts[host];
        state.not_before = state.not_before.max(at);
    }

    /// The job knows from now on that a page is missing, under the form that it requested.
    pub(super) fn missing(&mut self, job: usize, page: PageId) {
        self.page_requests.entry((job, page)).or_default().is_missing = true;
    }

    /// The requests of each job for each page.
    pub(super) fn page_requests(&self) -> &BTreeMap<(usize, PageId), PageRequests> {
        &self.page_requests
    }
}
