use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::FrontierConfig;
use gleaner_runtime::{Clock, MemoryBudget, Runtime, RuntimeConfig};
use gleaner_store::{MemoryConfig, MemoryStore};

use super::context::{Context, Faults, LEASE_TIME};
use super::crawl_task::CrawlTask;
use super::job_reader::{ReadResult, read_job};
use super::map_task::MapTask;
use super::monitor::{JobBound, Moment, Monitor};
use super::ports::{SimulatedFetch, SimulatedTransform};
use super::report::Report;
use super::store::FaultyStore;
use super::world::{Kind, Resource, World};
use crate::site::random::Random;

/// Longer than any job takes on the virtual clock.
const END: Duration = Duration::from_secs(48 * 3_600);
/// Maximum number of tries for a page.
const MAX_TRIES: u32 = gleaner_runtime::MAX_ATTEMPTS;

/// Runs the simulation of a seed, in virtual time and on the calling thread.
///
/// # Panics
/// If the tokio runtime cannot be built.
#[must_use]
pub fn simulate(seed: u64) -> Report {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_time().start_paused(true).build().expect("the tokio runtime builds");
    runtime.block_on(run_seed(seed))
}

async fn run_seed(seed: u64) -> Report {
    let mut random = Random::new(seed, 0);
    let world = World::generate(seed);
    let tasks: Vec<CrawlTask> =
        (0..1 + random.below(4)).map(|number| CrawlTask::generate(seed, number, &world)).collect();
    let host_limit = 1 + random.below(8) as u32;
    let in_flight_limit = 1 + random.below(20) as u32;
    let slots = [0, 1].map(|team| 1 + Random::new(seed, 0x5107 + team).below(12) as u32);
    let teams: Vec<Option<(usize, u32)>> =
        tasks.iter().map(|task| task.team.and_then(|team| Some((team, *slots.get(team)?)))).collect();
    let bounds = tasks.iter().zip(&teams).map(|(task, team)| JobBound {
        delay: task.delay,
        max_concurrency: task.max_concurrency,
        team: *team,
        is_map: false,
    });
    let map = MapTask::generate(seed, &world);
    let is_mapped = map.is_some();
    let map_bound = JobBound { is_map: true, ..JobBound::default() };
    let monitor =
        Monitor::new(world.hosts.len(), bounds.chain([map_bound]).collect(), host_limit, in_flight_limit);
    let faults = if seed.is_multiple_of(2) { Faults::default() } else { generate_faults(seed, &mut random) };
    let context = Arc::new(Context::new(seed, world, monitor, faults, tasks.len()));

    let mut frontier = FrontierConfig::default();
    frontier.max_in_flight = in_flight_limit;
    frontier.max_per_host = host_limit;
    frontier.initial_per_host = 1 + random.below(host_limit as usize) as u32;
    frontier.lease_time = LEASE_TIME;
    let address_limit = 1 + Random::new(seed, 0xadd8).below(10) as u32;
    frontier.max_per_address = address_limit;
    let mut queue_random = Random::new(seed, 0xf111);
    if queue_random.below(8) == 0 {
        // A few dozen URLs, so that a crawl fills the queue.
        frontier.max_queued_bytes = 1_000 + queue_random.below(3_000) as u64;
        frontier.max_queued_bytes_per_job = frontier.max_queued_bytes / 2;
    }
    let config = MemoryConfig { frontier, ..MemoryConfig::default() };
    let runtime = Runtime::new(RuntimeConfig {
        store: Arc::new(FaultyStore::new(
            MemoryStore::new(config),
            Arc::clone(&context),
            address_limit,
            teams,
        )),
        fetch: Arc::new(SimulatedFetch(Arc::clone(&context))),
        transform: Arc::new(SimulatedTransform(Arc::clone(&context))),
        pdfs: None,
        rendering: None,
        clock: Clock::starting_at(Duration::from_secs(1_700_000_000)),
        robots_agent: "gleaner".to_owned(),
        max_in_flight: in_flight_limit,
        near_duplicates: true,
        memory: MemoryBudget::default(),
    });

    let tasks: Arc<[CrawlTask]> = tasks.into();
    let mut readers = Vec::new();
    for number in 0..tasks.len() {
        let (context, runtime) = (Arc::clone(&context), Arc::clone(&runtime));
        let tasks = Arc::clone(&tasks);
        readers.push(tokio::spawn(async move {
            let result = tokio::time::timeout(END, read_job(&context, &runtime, &tasks[number])).await;
            result.unwrap_or_else(|_| {
                context
                    .monitor()
                    .violate(context.now(), format!("job {number} did not end: {:?}", tasks[number]));
                ReadResult::default()
            })
        }));
    }
    if let Some(map) = map {
        let (context, runtime) = (Arc::clone(&context), Arc::clone(&runtime));
        readers.push(tokio::spawn(async move {
            map.run(&context, &runtime).await;
            ReadResult::default()
        }));
    }
    let mut documents = 0;
    let mut full_queues = 0;
    for reader in readers {
        match reader.await {
            Ok(read) => {
                documents += read.documents;
                full_queues += u64::from(read.was_full);
            }
            Err(error) => context.monitor().violate(context.now(), format!("a reader failed: {error}")),
        }
    }
    let virtual_time = Duration::from_millis(context.now());
    drop(runtime);
    let lost = context.lost();
    check_refetches(&context, &lost);
    let mut monitor = context.monitor();
    let mut report = Report::new(seed, std::mem::take(&mut monitor.events), virtual_time);
    report.jobs = tasks.len() as u64;
    report.requests = monitor.requests;
    report.cross_host_hops = monitor.cross_host_hops;
    report.documents = documents;
    report.crashes = context.crash_count();
    report.full_addresses = context.full_addresses();
    report.full_queues = full_queues;
    report.maps = u64::from(is_mapped);
    report.leases_lost = lost.values().map(|count| u64::from(*count)).sum();
    report.violations = std::mem::take(&mut monitor.violations);
    report
}

fn generate_faults(seed: u64, random: &mut Random) -> Faults {
    fn chance(random: &mut Random) -> usize {
        if random.below(2) == 0 { random.below(40) } else { 0 }
    }
    fn moments(random: &mut Random) -> Vec<Moment> {
        let mut moments: Vec<Moment> = (0..random.below(3)).map(|_| random.below(60_000) as Moment).collect();
        moments.sort_unstable();
        moments
    }
    let (hang_before, hang_after) = (chance(random), chance(random));
    let hangs = moments(random);
    let mut random = Random::new(seed, 0xfa17);
    Faults { hang_before, hang_after, hangs, late_finish: chance(&mut random), crashes: moments(&mut random) }
}

/// A page is requested once per allowed try, and once more per lost lease.
fn check_refetches(context: &Context, lost: &BTreeMap<(usize, Resource), u32>) {
    let counts = context.monitor().page_requests().clone();
    let is_robots = |resource: &Resource| matches!(resource, Resource::Robots(_));
    let robots_hung = lost.keys().any(|(_, resource)| is_robots(resource));
    for ((job, page), count) in counts {
        let tries = match context.world.pages[page].kind {
            // If robots.txt of a host on the redirect chain is unavailable, the page is tried again later.
            Kind::Redirect(_) if robots_hung || context.world.redirects_to_blocked_host(page) => MAX_TRIES,
            _ if context.world.hosts[context.world.pages[page].host].refuses_connections => MAX_TRIES,
            Kind::Html | Kind::NotFound | Kind::Redirect(_) => 1,
            Kind::Flaky { .. } | Kind::Dead => MAX_TRIES,
        };
        let lost = lost.get(&(job, Resource::Page(page))).copied().unwrap_or_default();
        if count > tries + lost {
            let what = format!("job {job} requested page {page} {count} times, and it lost {lost} leases");
            context.monitor().violate(context.now(), what);
        }
    }
}
