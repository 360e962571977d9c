//! What a seed decides before a simulation begins, and what both kinds of simulations do with it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::FrontierConfig;
use gleaner_runtime::{Clock, Executor, MemoryBudget, Runtime, RuntimeConfig};
use gleaner_store::{MemoryConfig, Store};
use tokio::runtime::Handle;

use super::context::{Context, Faults, LEASE_TIME};
use super::crawl_task::CrawlTask;
use super::map_task::MapTask;
use super::monitor::{JobBound, Moment, Monitor, PageRequests};
use super::ports::{SimulatedFetch, SimulatedTransform};
use super::real_time::RealTime;
use super::report::Report;
use super::store::{EndedPages, FaultyStore};
use super::world::{Asked, Form, Kind, Resource, World};
use crate::site::random::Random;

/// Longer than any job takes on the virtual clock.
pub(super) const END: Duration = Duration::from_secs(48 * 3_600);
/// The time since the Unix epoch at which a simulation begins.
const EPOCH: Duration = Duration::from_secs(1_700_000_000);
/// Maximum number of tries for a page.
const MAX_TRIES: u32 = gleaner_runtime::MAX_ATTEMPTS;

/// A simulation that can begin.
#[derive(Debug)]
pub(super) struct Setup {
    pub(super) context: Arc<Context>,
    pub(super) tasks: Arc<[CrawlTask]>,
    /// The team of each job, and its slots.
    pub(super) teams: Vec<Option<(usize, u32)>>,
    pub(super) map: Option<MapTask>,
    pub(super) config: MemoryConfig,
    address_limit: u32,
    in_flight_limit: u32,
}

impl Setup {
    pub(super) fn generate(seed: u64, loses_power: bool) -> Self {
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
        let map_bound = JobBound { is_map: true, ..JobBound::default() };
        let monitor =
            Monitor::new(world.hosts.len(), bounds.chain([map_bound]).collect(), host_limit, in_flight_limit);
        let faults =
            if seed.is_multiple_of(2) { Faults::default() } else { generate_faults(seed, &mut random) };
        let faults = Faults { loses_power, ..faults };
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
        let config = MemoryConfig::default().frontier(frontier);
        let tasks = tasks.into();
        Self { context, tasks, teams, map, config, address_limit, in_flight_limit }
    }

    /// The time since the Unix epoch.
    pub(super) fn now(&self) -> Duration {
        EPOCH + Duration::from_millis(self.context.now())
    }

    /// The store with the faults of the simulation. It works in virtual time without `real_time`.
    pub(super) fn faulty_store(
        &self,
        store: Arc<dyn Store>,
        real_time: Option<RealTime>,
        ended_pages: &Arc<EndedPages>,
    ) -> Arc<FaultyStore> {
        let (context, ended_pages) = (Arc::clone(&self.context), Arc::clone(ended_pages));
        let (address_limit, teams) = (self.address_limit, self.teams.clone());
        Arc::new(FaultyStore::new(store, real_time, context, ended_pages, address_limit, teams))
    }

    /// A runtime of this process.
    pub(super) fn runtime(&self, store: Arc<FaultyStore>) -> Arc<Runtime> {
        Runtime::new(RuntimeConfig {
            executor: Executor::of(Handle::current()),
            store,
            fetch: Arc::new(SimulatedFetch(Arc::clone(&self.context))),
            transform: Arc::new(SimulatedTransform(Arc::clone(&self.context))),
            pdfs: None,
            rendering: None,
            clock: Clock::starting_at(self.now()),
            robots_agent: "gleaner".to_owned(),
            max_in_flight: self.in_flight_limit,
            near_duplicates: true,
            memory: MemoryBudget::default(),
        })
    }

    /// The report at the end of the simulation.
    pub(super) fn report(&self) -> Report {
        let context = &*self.context;
        let virtual_time = Duration::from_millis(context.now());
        let lost = context.lost();
        check_refetches(context, &lost);
        let mut monitor = context.monitor();
        let mut report = Report::new(context.seed, std::mem::take(&mut monitor.events), virtual_time);
        report.jobs = self.tasks.len() as u64;
        report.requests = monitor.requests;
        report.cross_host_hops = monitor.cross_host_hops;
        report.crashes = context.crash_count();
        report.full_addresses = context.full_addresses();
        report.leases_lost = lost.values().map(|count| u64::from(*count)).sum();
        report.violations = std::mem::take(&mut monitor.violations);
        report
    }
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
    let (late_finish, crashes) = (chance(&mut random), moments(&mut random));
    Faults { hang_before, hang_after, hangs, late_finish, crashes, loses_power: false }
}

/// A page is requested once per allowed try, and once more per lost lease. A page that is found to be missing is
/// requested as often under each further form of its URL that the web names.
fn check_refetches(context: &Context, lost: &BTreeMap<Asked, u32>) {
    let counts = context.monitor().page_requests().clone();
    let robots_hung = !context.hung_robots().is_empty();
    for ((job, page), requests) in counts {
        let tries = match context.world.pages[page].kind {
            // If robots.txt of a host on the redirect chain is unavailable, the page is tried again later.
            Kind::Redirect(_) if robots_hung || context.world.redirects_to_blocked_host(page) => MAX_TRIES,
            _ if context.world.hosts[context.world.pages[page].host].refuses_connections => MAX_TRIES,
            Kind::Html | Kind::NotFound | Kind::Redirect(_) => 1,
            Kind::Flaky { .. } | Kind::Dead => MAX_TRIES,
        };
        let violate = |what: String| {
            context.monitor().violate(context.now(), format!("job {job} requested page {page} {what}"));
        };
        let PageRequests { by_form, before_missing, .. } = requests;
        let lost_as = |form: Form| lost.get(&(job, Resource::Page(page), form)).copied().unwrap_or_default();
        let all_lost: u32 = by_form.keys().map(|form| lost_as(*form)).sum();
        if before_missing > tries + all_lost {
            violate(format!("{before_missing} times, and it lost {all_lost} leases: {by_form:?}"));
        }
        for (form, count) in &by_form {
            let lost = lost_as(*form);
            if *count > tries + lost {
                violate(format!("{count} times as {form:?}, and it lost {lost} of these leases"));
            }
        }
        if by_form.len() > 1 {
            let named = context.world.named_forms(page);
            if by_form.keys().any(|form| !named.contains(form)) {
                violate(format!("under a form that nothing names: {by_form:?}, not {named:?}"));
            }
        }
    }
}
