//! What holds after any history, checked against a model that is slow and plainly right.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

const HOSTS: u8 = 3;
const MAX_IN_FLIGHT: u32 = 6;
const MAX_PER_HOST: u32 = 2;
const MAX_PER_ADDRESS: u32 = 3;
const LEASE_TIME: Duration = Duration::from_secs(40);
const MAX_ATTEMPTS: u32 = 4;

/// A page of the model: a host, and a number on it.
type Page = (u8, u8);

#[derive(Debug, Clone)]
enum Step {
    Open { limit: Option<u8>, max_in_flight: Option<u8>, delay: Option<u8> },
    Close { job: usize },
    Admit { job: usize, pages: Vec<Page>, priority: u8 },
    Hold { job: usize, held: bool },
    Lease { max: usize },
    Finish { lease: usize, outcome: u8, links: Vec<Page> },
    Expire,
    Wait { seconds: u8 },
    Gap { host: u8, seconds: u8 },
    Pause { host: u8, seconds: u8 },
    Resolve { host: u8, address: u8 },
}

fn page() -> impl Strategy<Value = Page> {
    (0..HOSTS, 0_u8..6)
}

fn step() -> impl Strategy<Value = Step> {
    let some = |range: std::ops::Range<u8>| prop_oneof![Just(None), range.prop_map(Some)];
    prop_oneof![
        1 => (some(0..6), some(1..3), some(1..9))
            .prop_map(|(limit, max_in_flight, delay)| Step::Open { limit, max_in_flight, delay }),
        1 => (0_usize..4).prop_map(|job| Step::Close { job }),
        4 => (0_usize..4, prop::collection::vec(page(), 1..8), any::<u8>())
            .prop_map(|(job, pages, priority)| Step::Admit { job, pages, priority }),
        2 => (0_usize..4, any::<bool>()).prop_map(|(job, held)| Step::Hold { job, held }),
        6 => (0_usize..9).prop_map(|max| Step::Lease { max }),
        8 => (0_usize..8, 0_u8..6, prop::collection::vec(page(), 0..3))
            .prop_map(|(lease, outcome, links)| Step::Finish { lease, outcome, links }),
        1 => Just(Step::Expire),
        4 => (0_u8..30).prop_map(|seconds| Step::Wait { seconds }),
        1 => (0..HOSTS, 0_u8..9).prop_map(|(host, seconds)| Step::Gap { host, seconds }),
        1 => (0..HOSTS, 0_u8..20).prop_map(|(host, seconds)| Step::Pause { host, seconds }),
        2 => (0..HOSTS, 0_u8..2).prop_map(|(host, address)| Step::Resolve { host, address }),
    ]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting { not_before: Duration, attempt: u32 },
    Leased,
    Ended,
}

#[derive(Debug)]
struct ModelJob {
    slot: JobSlot,
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
struct ModelLease {
    lease: Lease,
    job: usize,
    page: Page,
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
struct Model {
    frontier: Frontier,
    now: Duration,
    jobs: Vec<ModelJob>,
    leases: Vec<ModelLease>,
    hosts: BTreeMap<u8, ModelHost>,
}

fn secs(n: u8) -> Duration {
    Duration::from_secs(n.into())
}

fn url_of((host, number): Page) -> Url {
    Url::parse(&format!("https://h{host}.test/{number}")).unwrap()
}

fn key_of((host, number): Page) -> UrlKey {
    UrlKey::from_raw(u64::from(host) << 8 | u64::from(number))
}

fn candidate(page: Page, priority: u8) -> Candidate {
    Candidate { url: url_of(page), key: key_of(page), external: false, priority }
}

impl Model {
    fn new() -> Self {
        let config = FrontierConfig {
            max_in_flight: MAX_IN_FLIGHT,
            max_per_host: MAX_PER_HOST,
            most_per_address: MAX_PER_ADDRESS,
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
        }
    }

    fn run(&mut self, step: Step) {
        match step {
            Step::Open { limit, max_in_flight, delay } => self.open(limit, max_in_flight, delay),
            Step::Close { job } => {
                if let Some(job) = self.jobs.get_mut(job) {
                    self.frontier.close(job.slot);
                    job.open = false;
                }
            }
            Step::Admit { job, pages, priority } => {
                let Some(slot) = self.jobs.get(job).map(|job| job.slot) else { return };
                let candidates = pages.iter().map(|page| candidate(*page, priority));
                let admitted = self.frontier.admit(slot, 0, candidates, self.now);
                let expected = self.take_in(job, &pages);
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
            Step::Finish { lease, outcome, links } => {
                if lease < self.leases.len() {
                    self.finish(lease, outcome, &links);
                }
            }
            Step::Expire => self.expire(),
            Step::Wait { seconds } => self.now += secs(seconds),
            Step::Gap { host, seconds } => {
                let pace = Pace { min_gap: Some(secs(seconds)), ..Pace::default() };
                self.frontier.pace(&url_of((host, 0)), pace, self.now);
                let model = self.hosts.get_mut(&host).unwrap();
                if model.gap != secs(seconds) {
                    model.gap = secs(seconds);
                    model.ready_at = model.ready_at.max(self.now + model.gap);
                }
            }
            Step::Pause { host, seconds } => {
                let pace = Pace { not_before: Some(self.now + secs(seconds)), ..Pace::default() };
                self.frontier.pace(&url_of((host, 0)), pace, self.now);
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

    fn open(&mut self, limit: Option<u8>, max_in_flight: Option<u8>, delay: Option<u8>) {
        if self.jobs.len() >= 4 {
            return;
        }
        let limit = limit.map_or(u64::MAX, u64::from);
        let max_in_flight = max_in_flight.map(u32::from);
        let delay = delay.map(secs);
        let slot = self.frontier.open(JobRules { limit, max_in_flight, delay, max_depth: None });
        self.jobs.push(ModelJob {
            slot,
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

    /// How many are new, and how many seen.
    fn take_in(&mut self, job: usize, pages: &[Page]) -> (u64, u64) {
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

    /// Whether the rules let this page be leased now.
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
        let most = if host.gap.is_zero() { MAX_PER_HOST as usize } else { 1 };
        let delay_ok = state.delay.is_none_or(|delay| {
            of_job == 0 && state.ended.get(&page.0).is_none_or(|ended| self.now >= *ended + delay)
        });
        state.open
            && !state.held
            && state.documents + leased < state.limit
            && state.max_in_flight.is_none_or(|max| leased < u64::from(max))
            && self.leases.iter().filter(|lease| !lease.expired).count() < MAX_IN_FLIGHT as usize
            && on_host.len() < most
            && on_address.count() < MAX_PER_ADDRESS as usize
            && host.ready_at <= self.now
            && delay_ok
            && matches!(state.pages.get(&page), Some(State::Waiting { not_before, .. }) if *not_before <= self.now)
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
        // Nothing that could be leased is left lying, and what will be by time alone is foretold.
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
        // Just before the time that was foretold, nothing may have become ready.
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

    fn finish(&mut self, index: usize, outcome: u8, links: &[Page]) {
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
        let finished = self.frontier.finish(lease.id, outcome, candidates, self.now);
        if !expired {
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
            let expected = if follows { self.take_in(job, links) } else { (0, 0) };
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
    }

    /// From any state every job comes to its end.
    fn drain(&mut self) {
        for job in &mut self.jobs {
            self.frontier.hold(job.slot, false);
            job.held = false;
        }
        for round in 0.. {
            assert!(round < 10_000, "it does not end");
            while !self.leases.is_empty() {
                self.finish(0, 5, &[]);
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
    }
}

/// A small site: the links of each page.
fn site() -> impl Strategy<Value = Vec<Vec<usize>>> {
    (2_usize..14).prop_flat_map(|pages| prop::collection::vec(prop::collection::vec(0..pages, 0..4), pages))
}

fn distances(site: &[Vec<usize>], roots: &BTreeSet<usize>) -> BTreeMap<usize, u32> {
    let mut found: BTreeMap<usize, u32> = roots.iter().map(|page| (*page, 0)).collect();
    let mut queue: VecDeque<usize> = roots.iter().copied().collect();
    while let Some(page) = queue.pop_front() {
        let depth = found[&page] + 1;
        for link in &site[page] {
            found.entry(*link).or_insert_with(|| {
                queue.push_back(*link);
                depth
            });
        }
    }
    found
}

/// A site some of whose pages redirect: the links of each page, and where it redirects to.
fn redirecting_site() -> impl Strategy<Value = (Vec<Vec<usize>>, Vec<Option<usize>>)> {
    (2_usize..12).prop_flat_map(|pages| {
        let links = prop::collection::vec(prop::collection::vec(0..pages, 0..4), pages);
        let targets = prop::collection::vec(prop::option::weighted(0.3, 0..pages), pages);
        (links, targets).prop_map(|(links, mut targets)| {
            // A fetch ends where no redirect leads on.
            for page in 0..targets.len() {
                if targets[page].is_some_and(|target| target == page || targets[target].is_some()) {
                    targets[page] = None;
                }
            }
            (links, targets)
        })
    })
}

/// As [`distances`], where a redirect costs no click: slow, and plainly right.
fn distances_with_redirects(site: &[Vec<usize>], targets: &[Option<usize>]) -> BTreeMap<usize, u32> {
    let mut found = BTreeMap::from([(0, 0)]);
    loop {
        let before = found.clone();
        for (&page, &depth) in &before {
            let steps = match targets[page] {
                Some(target) => vec![(target, depth)],
                None => site[page].iter().map(|link| (*link, depth + 1)).collect(),
            };
            for (to, depth) in steps {
                let known = found.entry(to).or_insert(depth);
                *known = depth.min(*known);
            }
        }
        if found == before {
            return found;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn any_history(steps in prop::collection::vec(step(), 1..80)) {
        let mut model = Model::new();
        model.open(None, None, None);
        for step in steps {
            model.run(step);
        }
        model.drain();
    }

    #[test]
    fn the_same_history_gives_the_same_leases(steps in prop::collection::vec(step(), 1..60)) {
        let trace = |steps: &[Step]| {
            let mut model = Model::new();
            model.open(None, None, None);
            let mut trace = Vec::new();
            for step in steps {
                model.run(step.clone());
                trace.push(model.leases.iter().map(|lease| (lease.job, lease.page)).collect::<Vec<_>>());
            }
            trace
        };
        prop_assert_eq!(trace(&steps), trace(&steps));
    }

    #[test]
    fn depth_is_the_least_number_of_clicks(
        site in site(),
        max_depth in 0_u32..5,
        second_root in 0_usize..14,
        choices in prop::collection::vec((0_usize..8, any::<bool>()), 60),
    ) {
        let mut frontier = Frontier::new(FrontierConfig::default());
        let job = frontier.open(JobRules { max_depth: Some(max_depth), ..JobRules::with_limit(u64::MAX) });
        let numbered = |page: usize| candidate((0, u8::try_from(page).unwrap()), 128);
        let page_of = |lease: &Lease| lease.url.path().trim_matches('/').parse::<usize>().unwrap();
        frontier.admit(job, 0, [numbered(0)], Duration::ZERO);
        let mut roots = BTreeSet::from([0]);
        let mut running: Vec<Lease> = Vec::new();
        let mut crawled = BTreeSet::new();
        let mut late = Some(second_root % site.len());
        for (choice, leases) in choices.iter().cycle() {
            if *leases || running.is_empty() {
                running.extend(frontier.lease(1 + choice % 3, Duration::ZERO).leases);
            }
            if *choice == 7 && let Some(root) = late.take() {
                // A sitemap is read while the crawl goes on.
                frontier.admit(job, 0, [numbered(root)], Duration::ZERO);
                roots.insert(root);
            }
            if running.is_empty() {
                if frontier.is_idle(job) {
                    break;
                }
                continue;
            }
            let lease = running.remove(choice % running.len());
            prop_assert!(crawled.insert(page_of(&lease)), "{} twice", page_of(&lease));
            let links = site[page_of(&lease)].iter().map(|page| numbered(*page));
            frontier.finish(lease.id, Outcome::Document, links, Duration::ZERO);
        }
        let expected = distances(&site, &roots);
        let within: BTreeSet<_> =
            expected.iter().filter(|(_, depth)| **depth <= max_depth).map(|(page, _)| *page).collect();
        prop_assert_eq!(&crawled, &within);
        let state = frontier.jobs.get(job.0).unwrap();
        for page in within {
            prop_assert_eq!(state.depth(numbered(page).key, u32::MAX), expected[&page], "page {}", page);
        }
    }

    #[test]
    fn redirects_cost_no_click(
        (site, targets) in redirecting_site(),
        max_depth in 0_u32..5,
        choices in prop::collection::vec((0_usize..8, any::<bool>()), 60),
    ) {
        let mut frontier = Frontier::new(FrontierConfig::default());
        let job = frontier.open(JobRules { max_depth: Some(max_depth), ..JobRules::with_limit(u64::MAX) });
        let numbered = |page: usize| candidate((0, u8::try_from(page).unwrap()), 128);
        frontier.admit(job, 0, [numbered(0)], Duration::ZERO);
        let mut running: Vec<Lease> = Vec::new();
        let mut documents = BTreeSet::new();
        for (choice, leases) in choices.iter().cycle() {
            if *leases || running.is_empty() {
                running.extend(frontier.lease(1 + choice % 3, Duration::ZERO).leases);
            }
            if running.is_empty() {
                if frontier.is_idle(job) {
                    break;
                }
                continue;
            }
            let lease = running.remove(choice % running.len());
            let page = lease.url.path().trim_matches('/').parse::<usize>().unwrap();
            let shown = targets[page].unwrap_or(page);
            let is_new = targets[page].is_none() || frontier.redirected(lease.id, numbered(shown).key, Duration::ZERO);
            if is_new {
                prop_assert!(documents.insert(shown), "{} twice", shown);
                let links = site[shown].iter().map(|page| numbered(*page));
                frontier.finish(lease.id, Outcome::Document, links, Duration::ZERO);
            } else {
                frontier.finish(lease.id, Outcome::Skipped, [], Duration::ZERO);
            }
        }
        let expected = distances_with_redirects(&site, &targets);
        let within: BTreeSet<_> = expected
            .iter()
            .filter(|(page, depth)| **depth <= max_depth && targets[**page].is_none())
            .map(|(page, _)| *page)
            .collect();
        prop_assert_eq!(&documents, &within);
        let state = frontier.jobs.get(job.0).unwrap();
        for page in within {
            prop_assert_eq!(state.depth(numbered(page).key, u32::MAX), expected[&page], "page {}", page);
        }
    }
}
