//! What the hosts of the web see: every request with its beginning and end, held against the rules as it comes.

use std::collections::{BTreeMap, BTreeSet};

use super::world::{PageId, Resource};

/// Milliseconds since the simulation began.
pub(super) type Moment = u64;

/// What happened, for the trace and for whoever looks into a failing seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Event {
    Asked { job: usize, place: Resource, hop: bool },
    Answered { job: usize, place: Resource },
    Document { job: usize, page: PageId },
    Began { job: usize },
    Ended { job: usize, completed: u64, failed: u64, blocked: u64 },
    Cancelled { job: usize },
    Mapped { links: usize, warned: bool },
    LeaseLost { job: usize, place: Resource },
    Crashed,
}

#[derive(Debug, Default)]
struct HostState {
    in_flight: u32,
    last_end: Option<Moment>,
    /// From the first answer of robots.txt that demands it.
    gap: u64,
    not_before: Moment,
    /// By job.
    jobs: BTreeMap<usize, (u32, Option<Moment>)>,
}

/// What holds for the requests of one job.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct JobBound {
    pub(super) delay: u64,
    pub(super) max_concurrency: Option<u32>,
    /// Its team, and what that may have in work at once.
    pub(super) team: Option<(usize, u32)>,
    /// It takes no place among the pages in work.
    pub(super) is_map: bool,
}

#[derive(Debug)]
pub(super) struct Wire {
    hosts: Vec<HostState>,
    bounds: Vec<JobBound>,
    max_per_host: u32,
    most: u32,
    in_flight: u32,
    of_job: Vec<u32>,
    /// Requests for each page of a job that no redirect led to.
    direct: BTreeMap<(usize, PageId), u32>,
    cancelled: BTreeSet<usize>,
    pub(super) violations: Vec<String>,
    pub(super) events: Vec<(Moment, Event)>,
    pub(super) requests: u64,
    /// Requests that a redirect led to another host.
    pub(super) across_hosts: u64,
}

impl Wire {
    pub(super) fn new(hosts: usize, bounds: Vec<JobBound>, max_per_host: u32, most: u32) -> Self {
        Self {
            hosts: (0..hosts).map(|_| HostState::default()).collect(),
            of_job: vec![0; bounds.len()],
            bounds,
            max_per_host,
            most,
            in_flight: 0,
            direct: BTreeMap::new(),
            cancelled: BTreeSet::new(),
            violations: Vec::new(),
            events: Vec::new(),
            requests: 0,
            across_hosts: 0,
        }
    }

    pub(super) fn note(&mut self, now: Moment, event: Event) {
        self.events.push((now, event));
    }

    pub(super) fn violate(&mut self, now: Moment, what: String) {
        self.violations.push(format!("at {now} ms: {what}"));
    }

    pub(super) fn cancel(&mut self, now: Moment, job: usize) {
        self.note(now, Event::Cancelled { job });
        self.cancelled.insert(job);
    }

    /// A request is sent that belongs to a lease of this host.
    pub(super) fn ask(&mut self, now: Moment, job: usize, host: usize, place: Resource, hop: bool) {
        self.requests += 1;
        self.note(now, Event::Asked { job, place, hop });
        // Others may wait for a robots.txt that it asked for first.
        if self.cancelled.contains(&job) && !matches!(place, Resource::Robots(_)) {
            self.violate(now, format!("job {job} asks for {place:?} after its end"));
        }
        if let Resource::Page(page) = place
            && !hop
        {
            *self.direct.entry((job, page)).or_default() += 1;
        }
        let bound = self.bounds[job];
        let state = &self.hosts[host];
        let mut found = Vec::new();
        if state.gap > 0 {
            let rested = state.last_end.map_or(u64::MAX, |end| now - end);
            if state.in_flight > 0 || rested < state.gap {
                found.push(format!(
                    "{rested} ms after the last, {} at once, for a gap of {}",
                    state.in_flight, state.gap
                ));
            }
        } else if state.in_flight >= self.max_per_host {
            found.push(format!("{} at once already", state.in_flight));
        }
        if now < state.not_before {
            found.push(format!("it is to be left alone until {} ms", state.not_before));
        }
        let (own, own_end) = state.jobs.get(&job).copied().unwrap_or_default();
        if bound.delay > 0 && (own > 0 || own_end.is_some_and(|end| now - end < bound.delay)) {
            found.push(format!(
                "{own} of its own at once, last at {own_end:?}, for a delay of {}",
                bound.delay
            ));
        }
        for what in found {
            self.violate(now, format!("host {host} is asked by job {job} for {place:?}: {what}"));
        }
        self.in_flight += u32::from(!bound.is_map);
        self.of_job[job] += 1;
        if let Some((team, slots)) = bound.team {
            let bounds = self.bounds.iter().zip(&self.of_job);
            let own = bounds.filter(|(other, _)| other.team.is_some_and(|(other, _)| other == team));
            let in_work: u32 = own.map(|(_, count)| count).sum();
            if in_work > slots {
                self.violate(now, format!("team {team} has {in_work} requests at once"));
            }
        }
        if self.in_flight > self.most {
            self.violate(now, format!("{} requests at once", self.in_flight));
        }
        if bound.max_concurrency.is_some_and(|max| self.of_job[job] > max) {
            self.violate(now, format!("job {job} has {} requests at once", self.of_job[job]));
        }
        let state = &mut self.hosts[host];
        state.in_flight += 1;
        state.jobs.entry(job).or_default().0 += 1;
    }

    /// It is answered, or given up.
    pub(super) fn end(&mut self, now: Moment, job: usize, host: usize, place: Resource) {
        self.note(now, Event::Answered { job, place });
        self.in_flight -= u32::from(!self.bounds[job].is_map);
        self.of_job[job] -= 1;
        let state = &mut self.hosts[host];
        state.in_flight -= 1;
        state.last_end = Some(now);
        let own = state.jobs.entry(job).or_default();
        own.0 -= 1;
        own.1 = Some(now);
    }

    /// The host has told the gap that it wants between requests.
    pub(super) fn told_gap(&mut self, host: usize, gap: u64) {
        self.hosts[host].gap = gap;
    }

    /// The host has told when it wants to be asked again.
    pub(super) fn told_not_before(&mut self, host: usize, at: Moment) {
        let state = &mut self.hosts[host];
        state.not_before = state.not_before.max(at);
    }

    /// How often each page was asked for by a lease of its own.
    pub(super) fn direct(&self) -> &BTreeMap<(usize, PageId), u32> {
        &self.direct
    }
}
