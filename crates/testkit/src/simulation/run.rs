use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::FrontierConfig;
use gleaner_jobs::{Clock, Job, Parts, Room};
use gleaner_store::{MemoryConfig, MemoryStore};
use gleaner_types::JobState;
use url::Url;

use super::ports::{Reader, Web};
use super::report::Report;
use super::stage::{Faults, LEASE_TIME, Stage};
use super::store::{self, Shaky};
use super::task::{Fate, Task};
use super::wire::{Event, JobBound, Moment, Wire};
use super::world::{Kind, PageId, Place, World};
use crate::site::random::Random;

/// Nothing here takes as long as this on the virtual clock.
const END: Duration = Duration::from_secs(48 * 3_600);
/// A page is tried so often at most.
const MAX_TRIES: u32 = gleaner_jobs::MAX_ATTEMPTS;

/// Runs the simulation of a seed, in virtual time and on the calling thread.
///
/// # Panics
/// Where no runtime can be made.
#[must_use]
pub fn simulate(seed: u64) -> Report {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_time().start_paused(true).build().expect("a runtime can be made");
    runtime.block_on(play(seed))
}

async fn play(seed: u64) -> Report {
    let mut random = Random::new(seed, 0);
    let world = World::generate(seed);
    let tasks: Vec<Task> =
        (0..1 + random.below(4)).map(|number| Task::generate(seed, number, &world)).collect();
    let most_per_host = 1 + random.below(8) as u32;
    let most = 1 + random.below(20) as u32;
    let bounds =
        tasks.iter().map(|task| JobBound { delay: task.delay, max_concurrency: task.max_concurrency });
    let wire = Wire::new(world.hosts.len(), bounds.collect(), most_per_host, most);
    let faults = if seed.is_multiple_of(2) { Faults::default() } else { some_faults(seed, &mut random) };
    let stage = Arc::new(Stage::new(seed, world, wire, faults));

    let mut frontier = FrontierConfig::default();
    frontier.max_in_flight = most;
    frontier.most_per_host = most_per_host;
    frontier.max_per_host = 1 + random.below(most_per_host as usize) as u32;
    frontier.lease_time = LEASE_TIME;
    let most_per_address = 1 + Random::new(seed, 0xadd8).below(10) as u32;
    frontier.most_per_address = most_per_address;
    let config = MemoryConfig { frontier, ..MemoryConfig::default() };
    let room = Room::new(Parts {
        store: Arc::new(Shaky::new(MemoryStore::new(config), Arc::clone(&stage), most_per_address)),
        fetch: Arc::new(Web(Arc::clone(&stage))),
        transform: Arc::new(Reader(Arc::clone(&stage))),
        clock: Clock::starting_at(Duration::from_secs(1_700_000_000)),
        robots_agent: "gleaner".to_owned(),
        max_in_flight: most,
        near_duplicates: true,
    });

    let tasks: Arc<[Task]> = tasks.into();
    let mut readers = Vec::new();
    for number in 0..tasks.len() {
        let (stage, room) = (Arc::clone(&stage), Arc::clone(&room));
        let tasks = Arc::clone(&tasks);
        readers.push(tokio::spawn(async move {
            let played = tokio::time::timeout(END, follow(&stage, &room, &tasks[number])).await;
            played.unwrap_or_else(|_| {
                stage.wire().violate(stage.now(), format!("job {number} did not end: {:?}", tasks[number]));
                0
            })
        }));
    }
    let mut documents = 0;
    for reader in readers {
        match reader.await {
            Ok(read) => documents += read,
            Err(error) => stage.wire().violate(stage.now(), format!("a reader failed: {error}")),
        }
    }
    let virtual_time = Duration::from_millis(stage.now());
    drop(room);
    let lost = stage.lost();
    check_refetches(&stage, &lost);
    let mut wire = stage.wire();
    let mut report = Report::new(seed, std::mem::take(&mut wire.events), virtual_time);
    report.jobs = tasks.len() as u64;
    report.requests = wire.requests;
    report.hops_across_hosts = wire.across_hosts;
    report.documents = documents;
    report.crashes = stage.crashed();
    report.full_addresses = stage.full_addresses();
    report.leases_lost = lost.values().map(|count| u64::from(*count)).sum();
    report.violations = std::mem::take(&mut wire.violations);
    report
}

fn some_faults(seed: u64, random: &mut Random) -> Faults {
    fn chance(random: &mut Random) -> usize {
        if random.below(2) == 0 { random.below(40) } else { 0 }
    }
    fn moments(random: &mut Random) -> Vec<Moment> {
        let mut moments: Vec<Moment> = (0..random.below(3)).map(|_| random.below(60_000) as Moment).collect();
        moments.sort_unstable();
        moments
    }
    let (before, after) = (chance(random), chance(random));
    let hangs = moments(random);
    let mut random = Random::new(seed, 0xfa17);
    Faults { before, after, hangs, late_finish: chance(&mut random), crashes: moments(&mut random) }
}

/// A page is asked for once, and once more for each try and each lease that was lost.
fn check_refetches(stage: &Stage, lost: &BTreeMap<(usize, Place), u32>) {
    let counts = stage.wire().direct().clone();
    for ((job, page), count) in counts {
        let tries = match stage.world.pages[page].kind {
            // Where robots.txt of a host on the way cannot be had, it is tried again later.
            Kind::Redirect(_) if stage.world.leads_to_broken_robots(page) => MAX_TRIES,
            Kind::Html | Kind::NotFound | Kind::Redirect(_) => 1,
            Kind::Flaky { .. } | Kind::Dead => MAX_TRIES,
        };
        let lost = lost.get(&(job, Place::Page(page))).copied().unwrap_or_default();
        if count > tries + lost {
            let what = format!("job {job} asked {count} times for page {page}, which lost {lost} leases");
            stage.wire().violate(stage.now(), what);
        }
    }
}

/// Begins a job, reads it to its end and checks what came. Returns how many documents did.
async fn follow(stage: &Arc<Stage>, room: &Arc<Room>, task: &Task) -> u64 {
    stage.sleep(task.begins_at).await;
    let plan = task.request(&stage.world).check().expect("a valid request");
    let mut job = room.crawl(plan, store::request(task.number)).await.expect("a job begins");
    stage.note(Event::Began { job: task.number });
    let began = stage.now();
    let mut reading = Reading::new(stage, task);
    let mut random = Random::new(stage.seed, 0xbead + task.number as u64);
    loop {
        let rest = match task.fate {
            Fate::RunsToItsEnd => u64::MAX,
            Fate::Cancelled(after) | Fate::Dropped(after) => (began + after).saturating_sub(stage.now()),
        };
        let next = tokio::select! {
            biased;
            document = job.next() => document.map(Some),
            () = stage.sleep(rest.min(1 << 40)), if rest < u64::MAX => Some(None),
        };
        match next {
            Some(Some(document)) => reading.take(document.metadata.url.as_deref()),
            None => return reading.end(&job).await,
            Some(None) if matches!(task.fate, Fate::Dropped(_)) => {
                stage.wire().cancel(stage.now(), task.number);
                return reading.documents;
            }
            Some(None) => {
                let cancelled = job.cancel().await.expect("a job can be cancelled");
                stage.wire().cancel(stage.now(), task.number);
                return reading.drain(job, cancelled.state).await;
            }
        }
        if random.below(8) == 0 {
            reading.look(&job).await;
        }
        if task.reader_pause > 0 && random.below(5) == 0 {
            stage.sleep(random.below(task.reader_pause as usize) as u64).await;
        }
    }
}

/// What was read of a job so far.
struct Reading<'a> {
    stage: &'a Stage,
    task: &'a Task,
    pages: BTreeSet<PageId>,
    documents: u64,
    /// Documents and failures when the counts were last looked at.
    counted: (u64, u64),
}

impl<'a> Reading<'a> {
    fn new(stage: &'a Stage, task: &'a Task) -> Self {
        Self { stage, task, pages: BTreeSet::new(), documents: 0, counted: (0, 0) }
    }

    fn violate(&self, what: &str) {
        self.stage.wire().violate(self.stage.now(), format!("job {}: {what}", self.task.number));
    }

    fn take(&mut self, url: Option<&str>) {
        self.documents += 1;
        let place = url.and_then(|url| Url::parse(url).ok()).and_then(|url| self.stage.world.place(&url));
        let Some(Place::Page(page)) = place else {
            return self.violate(&format!("a document of {url:?}, which is no page"));
        };
        self.stage.note(Event::Document { job: self.task.number, page });
        if !self.pages.insert(page) {
            self.violate(&format!("a second document of page {page}"));
        }
        if self.documents > self.task.limit {
            self.violate("more documents than the limit");
        }
    }

    /// Looks at the counts of a running job.
    async fn look(&mut self, job: &Job) {
        let Ok(counts) = job.status().await else { return self.violate("no counts") };
        let (completed, failed) = (counts.completed, counts.failed);
        let sane = completed <= counts.total
            && counts.total <= self.task.limit
            && completed >= self.documents
            && completed >= self.counted.0
            && failed >= self.counted.1;
        if !sane {
            self.violate(&format!("{counts:?} after {:?} and {} documents", self.counted, self.documents));
        }
        self.counted = (completed, failed);
    }

    /// The job has ended by itself.
    async fn end(mut self, job: &Job) -> u64 {
        self.look(job).await;
        let Ok(counts) = job.status().await else { return self.documents };
        let failures = job.failures().await.unwrap_or_default();
        let (completed, failed) = (counts.completed, counts.failed);
        let blocked = counts.robots_blocked;
        self.stage.note(Event::Ended { job: self.task.number, completed, failed, blocked });
        if counts.state != JobState::Completed || job.error().is_some() {
            self.violate(&format!("it ended as {:?}", counts.state));
        }
        if (completed, counts.total) != (self.documents, self.documents) {
            self.violate(&format!("{counts:?} at the end, with {} documents", self.documents));
        }
        if failed != failures.failures.len() as u64 || blocked != failures.robots_blocked.len() as u64 {
            self.violate(&format!("{failed} failed and {blocked} blocked, but listed are {failures:?}"));
        }
        self.compare();
        self.documents
    }

    /// Against what had to come.
    fn compare(&self) {
        let truth = self.task.truth(&self.stage.world);
        let strange: Vec<_> = self.pages.difference(&truth.possible).collect();
        if !strange.is_empty() {
            self.violate(&format!("documents of pages beyond its rules: {strange:?} {:?}", self.task));
        }
        let missing: Vec<_> = truth.certain.difference(&self.pages).collect();
        if self.documents < self.task.limit && !missing.is_empty() {
            self.violate(&format!("pages are missing: {missing:?} {:?}", self.task));
        }
    }

    /// Reads what is left of a cancelled job.
    async fn drain(mut self, mut job: Job, state: JobState) -> u64 {
        if !matches!(state, JobState::Cancelled | JobState::Completed) {
            self.violate(&format!("it was cancelled and is {state:?}"));
        }
        while let Some(document) = job.next().await {
            self.take(document.metadata.url.as_deref());
        }
        self.look(&job).await;
        self.documents
    }
}
