use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::FrontierConfig;
use gleaner_runtime::{Clock, MemoryBudget, Runtime, RuntimeConfig};
use gleaner_store::{MemoryConfig, MemoryStore};

use super::mapping::Mapping;
use super::ports::{Reader, Web};
use super::reading::{Read, follow};
use super::report::Report;
use super::stage::{Faults, LEASE_TIME, Stage};
use super::store::Shaky;
use super::task::Task;
use super::wire::{JobBound, Moment, Wire};
use super::world::{Kind, Resource, World};
use crate::site::random::Random;

/// Nothing here takes as long as this on the virtual clock.
const END: Duration = Duration::from_secs(48 * 3_600);
/// A page is tried so often at most.
const MAX_TRIES: u32 = gleaner_runtime::MAX_ATTEMPTS;

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
    let slots = [0, 1].map(|team| 1 + Random::new(seed, 0x5107 + team).below(12) as u32);
    let teams: Vec<Option<(usize, u32)>> =
        tasks.iter().map(|task| task.team.and_then(|team| Some((team, *slots.get(team)?)))).collect();
    let bounds = tasks.iter().zip(&teams).map(|(task, team)| JobBound {
        delay: task.delay,
        max_concurrency: task.max_concurrency,
        team: *team,
        is_map: false,
    });
    let map = Mapping::generate(seed, &world);
    let is_mapped = map.is_some();
    let of_map = JobBound { is_map: true, ..JobBound::default() };
    let wire = Wire::new(world.hosts.len(), bounds.chain([of_map]).collect(), most_per_host, most);
    let faults = if seed.is_multiple_of(2) { Faults::default() } else { some_faults(seed, &mut random) };
    let stage = Arc::new(Stage::new(seed, world, wire, faults, tasks.len()));

    let mut frontier = FrontierConfig::default();
    frontier.max_in_flight = most;
    frontier.most_per_host = most_per_host;
    frontier.max_per_host = 1 + random.below(most_per_host as usize) as u32;
    frontier.lease_time = LEASE_TIME;
    let most_per_address = 1 + Random::new(seed, 0xadd8).below(10) as u32;
    frontier.most_per_address = most_per_address;
    let mut room_for_pages = Random::new(seed, 0xf111);
    if room_for_pages.below(8) == 0 {
        // Some dozens of addresses: a crawl fills it.
        frontier.max_queued_bytes = 1_000 + room_for_pages.below(3_000) as u64;
        frontier.max_queued_bytes_per_job = frontier.max_queued_bytes / 2;
    }
    let config = MemoryConfig { frontier, ..MemoryConfig::default() };
    let runtime = Runtime::new(RuntimeConfig {
        store: Arc::new(Shaky::new(MemoryStore::new(config), Arc::clone(&stage), most_per_address, teams)),
        fetch: Arc::new(Web(Arc::clone(&stage))),
        transform: Arc::new(Reader(Arc::clone(&stage))),
        pdfs: None,
        clock: Clock::starting_at(Duration::from_secs(1_700_000_000)),
        robots_agent: "gleaner".to_owned(),
        max_in_flight: most,
        near_duplicates: true,
        memory: MemoryBudget::default(),
    });

    let tasks: Arc<[Task]> = tasks.into();
    let mut readers = Vec::new();
    for number in 0..tasks.len() {
        let (stage, runtime) = (Arc::clone(&stage), Arc::clone(&runtime));
        let tasks = Arc::clone(&tasks);
        readers.push(tokio::spawn(async move {
            let played = tokio::time::timeout(END, follow(&stage, &runtime, &tasks[number])).await;
            played.unwrap_or_else(|_| {
                stage.wire().violate(stage.now(), format!("job {number} did not end: {:?}", tasks[number]));
                Read::default()
            })
        }));
    }
    if let Some(map) = map {
        let (stage, runtime) = (Arc::clone(&stage), Arc::clone(&runtime));
        readers.push(tokio::spawn(async move {
            map.play(&stage, &runtime).await;
            Read::default()
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
            Err(error) => stage.wire().violate(stage.now(), format!("a reader failed: {error}")),
        }
    }
    let virtual_time = Duration::from_millis(stage.now());
    drop(runtime);
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
    report.full_queues = full_queues;
    report.maps = u64::from(is_mapped);
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
fn check_refetches(stage: &Stage, lost: &BTreeMap<(usize, Resource), u32>) {
    let counts = stage.wire().direct().clone();
    let is_robots = |place: &Resource| matches!(place, Resource::Robots(_));
    let robots_hung = lost.keys().any(|(_, place)| is_robots(place));
    for ((job, page), count) in counts {
        let tries = match stage.world.pages[page].kind {
            // Where robots.txt of a host on the way cannot be had, it is tried again later.
            Kind::Redirect(_) if robots_hung || stage.world.leads_to_trouble(page) => MAX_TRIES,
            _ if stage.world.hosts[stage.world.pages[page].host].refuses => MAX_TRIES,
            Kind::Html | Kind::NotFound | Kind::Redirect(_) => 1,
            Kind::Flaky { .. } | Kind::Dead => MAX_TRIES,
        };
        let lost = lost.get(&(job, Resource::Page(page))).copied().unwrap_or_default();
        if count > tries + lost {
            let what = format!("job {job} asked {count} times for page {page}, which lost {lost} leases");
            stage.wire().violate(stage.now(), what);
        }
    }
}
