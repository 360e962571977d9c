//! A frontier next to a model of it that is slow and obviously correct.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::*;
use crate::{Finished, HostFeedback, Lease, Outcome};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting { not_before: Duration, attempt: u32 },
    Leased,
    Ended,
}

#[derive(Debug)]
struct ModelJob {
    slot: JobSlot,
    group: u8,
    open: bool,
    held: bool,
    limit: u64,
    max_in_flight: Option<u32>,
    delay: Option<Duration>,
    pages: BTreeMap<Page, State>,
    /// When the last request of the job to a host ended.
    ended: BTreeMap<u8, Duration>,
    documents: u64,
    failed: u64,
    skipped: u64,
}

#[derive(Debug)]
pub(super) struct ModelLease {
    lease: Lease,
    pub(super) job: usize,
    pub(super) page: Page,
    since: Duration,
    expired: bool,
}

#[derive(Debug, Default, Clone, Copy)]
struct ModelHost {
    gap: Duration,
    ready_at: Duration,
    address: Option<u8>,
}

#[derive(Debug)]
pub(super) struct Model {
    frontier: Frontier,
    now: Duration,
    jobs: Vec<ModelJob>,
    pub(super) leases: Vec<ModelLease>,
    hosts: BTreeMap<u8, ModelHost>,
    slots: BTreeMap<u8, u64>,
}

impl Model {
    pub(super) fn new() -> Self {
        let config = FrontierConfig {
            max_in_flight: MAX_IN_FLIGHT,
            initial_per_host: MAX_PER_HOST,
            max_per_address: MAX_PER_ADDRESS,
            lease_time: LEASE_TIME,
            max_attempts: MAX_ATTEMPTS,
            ..FrontierConfig::default()
        };
        Self {
            frontier: Frontier::new(config),
            now: Duration::ZERO,
            jobs: Vec::new(),
            leases: Vec::new(),
            hosts: (0..HOSTS).map(|host| (host, ModelHost::default())).collect(),
            slots: BTreeMap::new(),
        }
    }

    pub(super) fn run(&mut self, step: Step) {
        match step {
            Step::Open { group, limit, max_in_flight, delay } => {
                self.open(group, limit, max_in_flight, delay);
            }
            Step::Slots { group, slots } => self.set_slots(group, slots),
            Step::Close { job } => {
                if let Some(job) = self.jobs.get_mut(job) {
                    self.frontier.close(job.slot);
                    job.open = false;
                    let group = job.group;
                    if !self.is_open(group) {
                        self.slots.remove(&group);
                    }
                }
            }
            Step::Admit { job, pages, priority } => {
                let Some(slot) = self.jobs.get(job).map(|job| job.slot) else { return };
                let candidates = pages.iter().map(|page| candidate(*page, priority));
                let admitted = self.frontier.admit(slot, 0, candidates, self.now);
                let expected = self.admit(job, &pages);
                assert_eq!((admitted.new, admitted.seen), expected);
            }
            Step::Hold { job, held } => {
                if let Some(job) = self.jobs.get_mut(job) {
                    self.frontier.hold(job.slot, held);
                    job.held = held;
                }
            }
            Step::Lease { max } => {
                self.lease(max);
            }
            Step::Finish { lease, outcome, links, request_sent } => {
                if lease < self.leases.len() {
                    self.finish(lease, outcome, &links, request_sent);
                }
            }
            Step::Expire => self.expire(),
            Step::Wait { seconds } => self.now += secs(seconds),
            Step::Gap { host, seconds } => {
                let feedback = HostFeedback { min_gap: Some(secs(seconds)), ..HostFeedback::default() };
                self.frontier.feedback(&url_of((host, 0)), feedback, self.now);
                let model = self.hosts.get_mut(&host).unwrap();
                if model.gap != secs(seconds) {
                    model.gap = secs(seconds);
                    model.ready_at = model.ready_at.max(self.now + model.gap);
                }
            }
            Step::Pause { host, seconds } => {
                let feedback =
                    HostFeedback { not_before: Some(self.now + secs(seconds)), ..HostFeedback::default() };
                self.frontier.feedback(&url_of((host, 0)), feedback, self.now);
                let model = self.hosts.get_mut(&host).unwrap();
                model.ready_at = model.ready_at.max(self.now + secs(seconds));
            }
            Step::Resolve { host, address } => {
                let ip = IpAddr::from([192, 0, 2, address]);
                self.frontier.resolved(&url_of((host, 0)), ip, self.now);
                self.hosts.get_mut(&host).unwrap().address = Some(address);
            }
        }
        self.check_counts();
    }

    fn is_open(&self, group: u8) -> bool {
        self.jobs.iter().any(|job| job.open && job.group == group)
    }

    fn set_slots(&mut self, group: u8, slots: Option<u8>) {
        self.frontier.set_max_in_flight(Group(group.into()), slots.map(u32::from));
        if self.is_open(group) {
            match slots {
                Some(slots) => self.slots.insert(group, slots.into()),
                None => self.slots.remove(&group),
            };
        }
    }

    pub(super) fn open(
        &mut self,
        group: u8,
        limit: Option<u8>,
        max_in_flight: Option<u8>,
        delay: Option<u8>,
    ) {
        if self.jobs.len() >= 4 {
            return;
        }
        let limit = limit.map_or(u64::MAX, u64::from);
        let max_in_flight = max_in_flight.map(u32::from);
        let delay = delay.map(secs);
        let rules = JobRules { limit, max_in_flight, delay, max_depth: None };
        let slot = self.frontier.open_for(Group(group.into()), rules);
        self.jobs.push(ModelJob {
            slot,
            group,
            open: true,
            held: false,
            limit,
            max_in_flight,
            delay,
            pages: BTreeMap::new(),
            ended: BTreeMap::new(),
            documents: 0,
            failed: 0,
            skipped: 0,
        });
    }

    /// Admits pages. Returns the numbers of new and seen ones.
    fn admit(&mut self, job: usize, pages: &[Page]) -> (u64, u64) {
        let job = &mut self.jobs[job];
        if !job.open {
            return (0, 0);
        }
        let (mut new, mut seen) = (0, 0);
        for page in pages {
            if job.pages.contains_key(page) {
                seen += 1;
            } else {
                new += 1;
                job.pages.insert(*page, State::Waiting { not_before: Duration::ZERO, attempt: 0 });
            }
        }
        (new, seen)
    }

    fn leased_of(&self, job: usize) -> u64 {
        self.leases.iter().filter(|lease| lease.job == job && !lease.expired).count() as u64
    }

    fn leased_of_group(&self, group: u8) -> u64 {
        let of_group = |job: &usize| self.jobs[*job].open && self.jobs[*job].group == group;
        (0..self.jobs.len()).filter(of_group).map(|job| self.leased_of(job)).sum()
    }

    /// Whether the rules allow this lease now.
    fn may_lease(&self, job: usize, page: Page) -> bool {
        let state = &self.jobs[job];
        let leased = self.leased_of(job);
        let host = self.hosts[&page.0];
        let on_host: Vec<_> =
            self.leases.iter().filter(|lease| lease.page.0 == page.0 && !lease.expired).collect();
        let of_job = on_host.iter().filter(|lease| lease.job == job).count();
        let live = self.leases.iter().filter(|lease| !lease.expired);
        let on_address =
            live.filter(|lease| host.address.is_some() && self.hosts[&lease.page.0].address == host.address);
        let max_on_host = if host.gap.is_zero() { MAX_PER_HOST as usize } else { 1 };
        let is_due = |page: Option<&State>| match page {
            Some(State::Waiting { not_before, .. }) => *not_before <= self.now,
            _ => false,
        };
        let delay_ok = state.delay.is_none_or(|delay| {
            of_job == 0 && state.ended.get(&page.0).is_none_or(|ended| self.now >= *ended + delay)
        });
        state.open
            && !state.held
            && state.documents + leased < state.limit
            && state.max_in_flight.is_none_or(|max| leased < u64::from(max))
            && self.slots.get(&state.group).is_none_or(|slots| self.leased_of_group(state.group) < *slots)
            && self.leases.iter().filter(|lease| !lease.expired).count() < MAX_IN_FLIGHT as usize
            && on_host.len() < max_on_host
            && on_address.count() < MAX_PER_ADDRESS as usize
            && host.ready_at <= self.now
            && delay_ok
            && is_due(state.pages.get(&page))
    }

    fn lease(&mut self, max: usize) -> Option<Duration> {
        self.expire();
        let leased = self.frontier.lease(max, self.now);
        assert!(leased.leases.len() <= max);
        let all = leased.leases.len() == max;
        for lease in leased.leases {
            let job = self.jobs.iter().position(|job| job.slot == lease.job).unwrap();
            let host =
                lease.url.host_str().unwrap().trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
            let page = (host, lease.url.path().trim_matches('/').parse().unwrap());
            assert_eq!(lease.key, key_of(page));
            assert!(self.may_lease(job, page), "{page:?} of job {job} at {:?}", self.now);
            let state = self.jobs[job].pages.insert(page, State::Leased);
            assert!(matches!(state, Some(State::Waiting { attempt, .. }) if attempt == lease.attempt));
            self.leases.push(ModelLease { lease, job, page, since: self.now, expired: false });
        }
        if all {
            return Some(self.now);
        }
        // No page that could be leased is left, and the next time at which one becomes ready is reported.
        let waiting: Vec<_> = self
            .jobs
            .iter()
            .enumerate()
            .flat_map(|(job, state)| state.pages.keys().map(move |page| (job, *page)))
            .collect();
        for (job, page) in &waiting {
            assert!(!self.may_lease(*job, *page), "{page:?} of job {job} was left at {:?}", self.now);
        }
        let now = self.now;
        let until = leased.next.unwrap_or(now + Duration::from_secs(1000));
        assert!(until > now);
        // Just before the reported time, no page may have become ready.
        self.now = until - Duration::from_nanos(1);
        for (job, page) in &waiting {
            assert!(!self.may_lease(*job, *page), "{page:?} of job {job} is ready before {until:?}");
        }
        self.now = now;
        leased.next
    }

    fn release(&mut self, index: usize) {
        let ModelLease { job, page, .. } = self.leases[index];
        let host = self.hosts.get_mut(&page.0).unwrap();
        if !host.gap.is_zero() {
            host.ready_at = host.ready_at.max(self.now + host.gap);
        }
        self.jobs[job].ended.insert(page.0, self.now);
    }

    /// A lease ended without a result: its page waits again, or is given up.
    fn put_back(&mut self, index: usize, tries: u32, not_before: Duration) {
        let ModelLease { job, page, ref lease, .. } = self.leases[index];
        let attempt = lease.attempt + tries;
        let job = &mut self.jobs[job];
        if attempt < MAX_ATTEMPTS {
            job.pages.insert(page, State::Waiting { not_before, attempt });
        } else {
            job.pages.insert(page, State::Ended);
            job.failed += 1;
        }
    }

    fn finish(&mut self, index: usize, outcome: u8, links: &[Page], request_sent: bool) {
        let not_before = self.now + secs(outcome);
        let (outcome, follows) = match outcome {
            0 => (Outcome::Failed, false),
            1 => (Outcome::Skipped, true),
            2 => (Outcome::Retry { not_before }, false),
            3 => (Outcome::Return { not_before }, false),
            _ => (Outcome::Document, true),
        };
        let ModelLease { ref lease, job, page, expired, .. } = self.leases[index];
        let stale = expired || !self.jobs[job].open;
        let candidates: Vec<_> = links.iter().map(|page| candidate(*page, 0)).collect();
        if !request_sent {
            self.frontier.no_request_sent(lease.id);
        }
        let finished = self.frontier.finish(lease.id, outcome, candidates, self.now);
        // Gap and delay count from one request to the next.
        if !expired && request_sent {
            self.release(index);
        }
        if stale {
            assert_eq!(finished, Finished::Stale);
        } else {
            match outcome {
                Outcome::Retry { .. } => self.put_back(index, 1, not_before),
                Outcome::Return { .. } => self.put_back(index, 0, not_before),
                _ => {
                    let state = &mut self.jobs[job];
                    state.pages.insert(page, State::Ended);
                    match outcome {
                        Outcome::Document => state.documents += 1,
                        Outcome::Failed => state.failed += 1,
                        _ => state.skipped += 1,
                    }
                }
            }
            let expected = if follows { self.admit(job, links) } else { (0, 0) };
            let Finished::Accepted { admitted } = finished else { panic!("not stale") };
            assert_eq!((admitted.new, admitted.seen), expected);
        }
        self.leases.remove(index);
    }

    fn expire(&mut self) {
        let mut expected = 0;
        for index in 0..self.leases.len() {
            let ModelLease { since, expired, job, .. } = self.leases[index];
            if expired || since + LEASE_TIME > self.now {
                continue;
            }
            expected += 1;
            self.release(index);
            if self.jobs[job].open {
                self.put_back(index, 1, self.now);
            }
            self.leases[index].expired = true;
        }
        assert_eq!(self.frontier.expire(self.now), expected);
    }

    fn check_counts(&self) {
        for (index, job) in self.jobs.iter().enumerate() {
            let counts = self.frontier.counts(job.slot);
            if !job.open {
                assert_eq!(counts, None);
                continue;
            }
            let counts = counts.unwrap();
            let waiting =
                job.pages.values().filter(|state| matches!(state, State::Waiting { .. })).count() as u64;
            let leased = self.leased_of(index);
            let found = (counts.waiting, counts.leased, counts.documents, counts.failed, counts.skipped);
            assert_eq!(found, (waiting, leased, job.documents, job.failed, job.skipped));
            assert!(counts.documents + counts.leased <= job.limit);
            assert!(counts.documents <= counts.total && counts.total <= job.limit);
            assert!(counts.total <= counts.documents + counts.leased + counts.waiting);
            let done = leased == 0 && (waiting == 0 || job.documents == job.limit);
            assert_eq!(self.frontier.is_idle(job.slot), done);
        }
        self.check_groups();
    }

    fn check_groups(&self) {
        for group in 0..GROUPS {
            let load = self.frontier.load(Group(group.into()));
            let open = self.jobs.iter().filter(|job| job.open && job.group == group);
            let counts: Vec<_> = open.filter_map(|job| self.frontier.counts(job.slot)).collect();
            assert_eq!(load.jobs, counts.len() as u64);
            assert_eq!(load.waiting, counts.iter().map(|counts| counts.waiting).sum::<u64>());
            assert_eq!(load.leased, self.leased_of_group(group));
            assert_eq!(load.bytes == 0, load.waiting == 0);
        }
    }

    /// Every job can be finished from any state.
    pub(super) fn drain(&mut self) {
        for group in 0..GROUPS {
            self.set_slots(group, None);
        }
        for job in &mut self.jobs {
            self.frontier.hold(job.slot, false);
            job.held = false;
        }
        for round in 0.. {
            assert!(round < 10_000, "it does not end");
            while !self.leases.is_empty() {
                self.finish(0, 5, &[], true);
            }
            let next = self.lease(3);
            if !self.leases.is_empty() {
                continue;
            }
            if self.jobs.iter().all(|job| self.frontier.is_idle(job.slot)) {
                break;
            }
            self.now = next.expect("something is left, so its time is known");
        }
        self.check_counts();
        for job in self.jobs.iter().filter(|job| job.open) {
            let counts = self.frontier.counts(job.slot).unwrap();
            assert_eq!(counts.total, counts.documents);
            assert!(counts.waiting == 0 || counts.documents == job.limit);
        }
        for job in &self.jobs {
            self.frontier.close(job.slot);
        }
        self.frontier.lease(1, self.now);
        assert_eq!(self.frontier.scheduler.groups.len(), 0, "groups without jobs are removed");
    }
}
