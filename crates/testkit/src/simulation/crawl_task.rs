//! The crawls of a simulation, generated from its seed, and the documents that each must give.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use gleaner_store::JobRequest;
use gleaner_types::plan::SitemapMode;
use gleaner_types::request::CrawlRequest;

use super::world::{Kind, PageId, Robots, RobotsAccess, RobotsDelivery, Spelling, World};
use crate::site::random::Random;

/// `maxAge` of the first job in milliseconds. Each job has its own value, which identifies its requests.
const FIRST_AGE: u64 = 100_000;
/// Upper bound on the jobs of a simulation.
const MAX_JOBS: usize = 16;
/// `timeout` of every job in milliseconds: longer than anything takes here.
const TIMEOUT: u64 = 300_000;

/// How a job ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskEnd {
    Completes,
    /// Cancelled after this many milliseconds.
    Cancelled(u64),
    /// The handle is dropped after this many milliseconds.
    Dropped(u64),
}

/// One crawl.
#[derive(Debug)]
pub(super) struct CrawlTask {
    pub(super) number: usize,
    /// The team that owns the job, if the simulation has teams.
    pub(super) team: Option<usize>,
    pub(super) host: usize,
    /// The crawl covers only the section of the site below `/s/`.
    pub(super) in_section: bool,
    pub(super) starts_at: u64,
    pub(super) limit: u64,
    pub(super) max_depth: Option<u32>,
    pub(super) delay: u64,
    pub(super) max_concurrency: Option<u32>,
    pub(super) subdomains: bool,
    pub(super) external: bool,
    pub(super) ignores_robots: bool,
    pub(super) sitemap: SitemapMode,
    pub(super) end: TaskEnd,
    /// The longest pause of its reader after a document, in milliseconds.
    pub(super) reader_pause: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScopeClass {
    InScope,
    External,
    OutOfScope,
}

/// Which robots.txt files that fail at first the search counts as loaded in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RecoveringRobots<'h> {
    /// All of them: the upper bound.
    AllLoad,
    /// Only that of the job's own host, which is requested first and retried often enough unless leases are
    /// lost.
    OwnLoads,
    /// None of them, nor those of these hosts, which hung: the lower bound if leases are lost.
    NoneLoads(&'h BTreeSet<usize>),
}

impl RecoveringRobots<'_> {
    /// Whether robots.txt of this host loads in time, for all that may wait for it.
    fn loads(self, world: &World, host: usize) -> bool {
        match self {
            Self::AllLoad => true,
            Self::OwnLoads => !world.recovers(host),
            Self::NoneLoads(hung) => !world.recovers(host) && !hung.contains(&host),
        }
    }
}

/// The pages that a correct crawl gives if it is not cancelled.
#[derive(Debug, Default)]
pub(super) struct ExpectedPages {
    /// Pages that give a document in every run.
    pub(super) certain: BTreeSet<PageId>,
    /// Pages that may give a document; a superset of `certain`.
    pub(super) possible: BTreeSet<PageId>,
}

impl CrawlTask {
    pub(super) fn generate(seed: u64, number: usize, world: &World) -> Self {
        let mut random = Random::new(seed, 0x7a50 + number as u64);
        let in_ten = |random: &mut Random, chance: usize| random.below(10) < chance;
        let pages = world.pages.len();
        let limit = if in_ten(&mut random, 4) { 1 + random.below(pages) as u64 } else { 10_000 };
        let depth = in_ten(&mut random, 4).then(|| random.below(7) as u32);
        let delay = if in_ten(&mut random, 2) { 50 + random.below(3_000) as u64 } else { 0 };
        let max_concurrency = in_ten(&mut random, 3).then(|| 1 + random.below(4) as u32);
        let sitemap = match random.below(6) {
            0..3 => SitemapMode::Include,
            3..5 => SitemapMode::Skip,
            _ => SitemapMode::Only,
        };
        let end = match random.below(20) {
            0 => TaskEnd::Cancelled(random.below(20_000) as u64),
            1 => TaskEnd::Dropped(random.below(20_000) as u64),
            _ => TaskEnd::Completes,
        };
        let host = random.below(world.hosts.len().min(3));
        let mut more = Random::new(seed, 0x7a90 + number as u64);
        let in_section = more.below(2) == 0 && world.hosts[host].section.is_some();
        // A few readers pause for hours. No request is sent to a host in that time.
        let long_pause = more.below(25) == 0;
        Self {
            number,
            team: (Random::new(seed, 0x7ea3).below(3) == 0).then_some(number % 2),
            host,
            in_section,
            starts_at: if number == 0 { 0 } else { random.below(10_000) as u64 },
            limit,
            max_depth: depth,
            delay,
            max_concurrency,
            subdomains: in_ten(&mut random, 5),
            external: in_ten(&mut random, 4),
            ignores_robots: in_ten(&mut random, 1),
            sitemap,
            end,
            reader_pause: match in_ten(&mut random, 2) {
                _ if long_pause => 3_600_000,
                true => 5_000,
                false => 0,
            },
        }
    }

    pub(super) fn request(&self, world: &World) -> CrawlRequest {
        let mut request = CrawlRequest::new(world.url(self.start(world), Spelling::Plain))
            .limit(self.limit)
            .allow_subdomains(self.subdomains)
            .allow_external_links(self.external)
            .ignore_robots_txt(self.ignores_robots)
            .sitemap(self.sitemap)
            .max_age(FIRST_AGE + self.number as u64)
            .timeout(TIMEOUT);
        request.max_discovery_depth = self.max_depth;
        request.delay = (self.delay > 0).then_some(self.delay as f64 / 1_000.0);
        request.max_concurrency = self.max_concurrency;
        request
    }

    /// A request as the store keeps it, so that another process can go on with the job.
    pub(super) fn stored(request: &CrawlRequest) -> JobRequest {
        request.to_stored().into()
    }

    fn start(&self, world: &World) -> PageId {
        let host = &world.hosts[self.host];
        host.section.filter(|_| self.in_section).unwrap_or(host.start)
    }

    /// The number of the job that a request belongs to; `None` for a map, which has no such number.
    pub(super) fn number_of(max_age: std::time::Duration) -> Option<usize> {
        let number = (max_age.as_millis() as u64).checked_sub(FIRST_AGE)?;
        usize::try_from(number).ok().filter(|number| *number < MAX_JOBS)
    }

    fn class(&self, world: &World, id: PageId) -> ScopeClass {
        let page = &world.pages[id];
        let one_domain = self.host < 2 && page.host < 2;
        if page.host == self.host {
            if !self.in_section || page.is_in_section() {
                ScopeClass::InScope
            } else {
                ScopeClass::OutOfScope
            }
        } else if one_domain && self.subdomains {
            ScopeClass::InScope
        } else if self.external {
            ScopeClass::External
        } else {
            ScopeClass::OutOfScope
        }
    }

    /// Whether the job may fetch a page, given which of the recovering robots.txt files load in time.
    fn allowed(&self, world: &World, id: PageId, recovering: RecoveringRobots<'_>) -> bool {
        let page = &world.pages[id];
        if world.hosts[page.host].refuses_connections {
            return false;
        }
        let loads = match recovering {
            RecoveringRobots::OwnLoads if page.host == self.host => true,
            recovering => recovering.loads(world, page.host),
        };
        self.ignores_robots
            || loads
                && match world.robots_access(page.host) {
                    RobotsAccess::Everything => true,
                    RobotsAccess::Public => !page.is_private(),
                    RobotsAccess::Nothing => false,
                }
    }

    /// The documents that the job must and may give. With faults, robots.txt of the hosts in `hung` hung.
    pub(super) fn expected_pages(&self, world: &World, hung: Option<&BTreeSet<usize>>) -> ExpectedPages {
        let recovering = hung.map_or(RecoveringRobots::OwnLoads, RecoveringRobots::NoneLoads);
        let ExpectedPages { certain, .. } = self.search(world, recovering);
        let ExpectedPages { possible, .. } = self.search(world, RecoveringRobots::AllLoad);
        ExpectedPages { certain, possible }
    }

    /// A breadth-first search over the web. A redirect does not add to the depth.
    fn search(&self, world: &World, recovering: RecoveringRobots<'_>) -> ExpectedPages {
        let mut expected = ExpectedPages::default();
        let start = self.start(world);
        let mut depths = BTreeMap::from([(start, 0)]);
        let mut queue = VecDeque::from([(start, 0)]);
        for id in self.sitemap_pages(world, recovering) {
            if self.class(world, id) == ScopeClass::InScope && depths.insert(id, 0).is_none() {
                queue.push_back((id, 0));
            }
        }
        let mut followed = BTreeMap::new();
        while let Some((id, depth)) = queue.pop_front() {
            if depths.get(&id).is_some_and(|known| *known < depth) {
                continue;
            }
            let Some(target_page) = self.final_page(world, id, recovering) else { continue };
            let [from, to] = [id, target_page].map(|id| self.class(world, id));
            match world.pages[target_page].kind {
                Kind::Html | Kind::NotFound => expected.certain.insert(target_page),
                Kind::Flaky { .. } => expected.possible.insert(target_page),
                Kind::Dead | Kind::Redirect(_) => false,
            };
            // A page of another site that redirects into this one counts as a link to its target.
            let inside = from != ScopeClass::OutOfScope && to == ScopeClass::InScope;
            let better = followed.get(&target_page).is_none_or(|known| depth < *known);
            if !inside || !better || self.sitemap == SitemapMode::Only {
                continue;
            }
            followed.insert(target_page, depth);
            if self.max_depth.is_some_and(|max| depth >= max) {
                continue;
            }
            for &(target, _) in &world.pages[target_page].links {
                let wanted = self.class(world, target) != ScopeClass::OutOfScope;
                if wanted && depths.get(&target).is_none_or(|known| depth + 1 < *known) {
                    depths.insert(target, depth + 1);
                    queue.push_back((target, depth + 1));
                }
            }
        }
        expected.possible.extend(&expected.certain);
        expected
    }

    /// The pages that the sitemaps of the site name.
    fn sitemap_pages(&self, world: &World, recovering: RecoveringRobots<'_>) -> Vec<PageId> {
        let start = self.start(world);
        let host = &world.hosts[self.host];
        if self.sitemap == SitemapMode::Skip || !self.allowed(world, start, recovering) {
            return Vec::new();
        }
        let mut pages: Vec<PageId> = host.sitemap.iter().flatten().copied().collect();
        // A job that ignores robots.txt reads it only for its sitemaps, and waits longer for it than other
        // jobs do.
        let is_read = match self.ignores_robots {
            true => {
                recovering.loads(world, self.host)
                    && host.robots_delivery != RobotsDelivery::RedirectLoop
                    && matches!(host.robots, Robots::Rules { .. })
            }
            false => world.robots_access(self.host) == RobotsAccess::Public,
        };
        if let Some(extra) = host.extra_sitemap.as_ref().filter(|_| is_read) {
            // The rules for the root page apply to a file at the root.
            let root = world.hosts[extra.host].start;
            if self.allowed(world, root, recovering) {
                pages.extend(&extra.pages);
            }
        }
        pages
    }

    /// The page at the end of the redirects from this one, if the rules allow each hop.
    fn final_page(&self, world: &World, mut id: PageId, recovering: RecoveringRobots<'_>) -> Option<PageId> {
        loop {
            if !self.allowed(world, id, recovering) || self.class(world, id) == ScopeClass::OutOfScope {
                return None;
            }
            match world.pages[id].kind {
                Kind::Redirect(to) => id = to,
                _ => return Some(id),
            }
        }
    }
}
