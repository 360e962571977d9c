//! The jobs of a simulation, made from its seed, and what each of them must give.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use gleaner_types::plan::SitemapMode;
use gleaner_types::request::CrawlRequest;

use super::world::{Kind, PageId, Robots, RobotsAccess, RobotsDelivery, Spelling, World};
use crate::site::random::Random;

/// `maxAge` of the first job in milliseconds. Each job has another, which tells its requests apart.
const FIRST_AGE: u64 = 100_000;
/// No simulation has more jobs.
const MAX_JOBS: usize = 16;
/// `timeout` of every job in milliseconds: longer than anything takes here.
const TIMEOUT: u64 = 300_000;

/// What becomes of a job before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    RunsToItsEnd,
    /// Is cancelled after so many milliseconds.
    Cancelled(u64),
    /// Its handle is dropped after so many milliseconds.
    Dropped(u64),
}

/// One crawl.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) number: usize,
    /// Whose it is, where there are teams.
    pub(super) team: Option<usize>,
    pub(super) host: usize,
    /// It is of the part of the site below `/s/`.
    pub(super) in_section: bool,
    pub(super) begins_at: u64,
    pub(super) limit: u64,
    pub(super) max_depth: Option<u32>,
    pub(super) delay: u64,
    pub(super) max_concurrency: Option<u32>,
    pub(super) subdomains: bool,
    pub(super) external: bool,
    pub(super) ignores_robots: bool,
    pub(super) sitemap: SitemapMode,
    pub(super) fate: Fate,
    /// How long its reader sleeps at most after a document, in milliseconds.
    pub(super) reader_pause: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Inside,
    External,
    Outside,
}

/// Of what a search is to be sure, where a robots.txt comes after some failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sure {
    /// That it may come.
    OfNothing,
    /// That it comes in time, in a simulation in which no lease is lost.
    WithoutFaults,
    /// The same, in any.
    WithFaults,
}

/// What a perfect crawl gives when nothing is cancelled.
#[derive(Debug, Default)]
pub(super) struct Truth {
    /// Pages that give a document whatever happens.
    pub(super) certain: BTreeSet<PageId>,
    /// Pages that give a document or fail.
    pub(super) possible: BTreeSet<PageId>,
}

impl Task {
    pub(super) fn generate(seed: u64, number: usize, world: &World) -> Self {
        let mut random = Random::new(seed, 0x7a50 + number as u64);
        let in_ten = |random: &mut Random, chance: usize| random.below(10) < chance;
        let pages = world.pages.len();
        let limit = if in_ten(&mut random, 4) { 1 + random.below(pages) as u64 } else { 10_000 };
        let depth = in_ten(&mut random, 4).then(|| random.below(7) as u32);
        let delay = if in_ten(&mut random, 2) { 50 + random.below(3_000) as u64 } else { 0 };
        let most = in_ten(&mut random, 3).then(|| 1 + random.below(4) as u32);
        let sitemap = match random.below(6) {
            0..3 => SitemapMode::Include,
            3..5 => SitemapMode::Skip,
            _ => SitemapMode::Only,
        };
        let fate = match random.below(20) {
            0 => Fate::Cancelled(random.below(20_000) as u64),
            1 => Fate::Dropped(random.below(20_000) as u64),
            _ => Fate::RunsToItsEnd,
        };
        let host = random.below(world.hosts.len().min(3));
        let mut more = Random::new(seed, 0x7a90 + number as u64);
        let in_section = more.below(2) == 0 && world.hosts[host].section.is_some();
        // Now and then a reader goes away for so long that nothing is asked of a host for hours.
        let long_pause = more.below(25) == 0;
        Self {
            number,
            team: (Random::new(seed, 0x7ea3).below(3) == 0).then_some(number % 2),
            host,
            in_section,
            begins_at: if number == 0 { 0 } else { random.below(10_000) as u64 },
            limit,
            max_depth: depth,
            delay,
            max_concurrency: most,
            subdomains: in_ten(&mut random, 5),
            external: in_ten(&mut random, 4),
            ignores_robots: in_ten(&mut random, 1),
            sitemap,
            fate,
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

    fn start(&self, world: &World) -> PageId {
        let host = &world.hosts[self.host];
        host.section.filter(|_| self.in_section).unwrap_or(host.start)
    }

    /// The number of the job that a request belongs to; `None` for a map, which has no such number.
    pub(super) fn number_of(max_age: std::time::Duration) -> Option<usize> {
        let number = (max_age.as_millis() as u64).checked_sub(FIRST_AGE)?;
        usize::try_from(number).ok().filter(|number| *number < MAX_JOBS)
    }

    fn class(&self, world: &World, id: PageId) -> Class {
        let page = &world.pages[id];
        let one_domain = self.host < 2 && page.host < 2;
        if page.host == self.host {
            if !self.in_section || page.is_in_section() { Class::Inside } else { Class::Outside }
        } else if one_domain && self.subdomains {
            Class::Inside
        } else if self.external {
            Class::External
        } else {
            Class::Outside
        }
    }

    /// What a job may fetch that is lucky with every robots.txt that comes after some failures, or, where it is to be
    /// `sure`, with its own alone: that is asked for before anything else, and often enough. Where leases are lost, not
    /// even that is sure.
    fn allowed(&self, world: &World, id: PageId, sure: Sure) -> bool {
        let page = &world.pages[id];
        if world.hosts[page.host].refuses {
            return false;
        }
        let comes = match sure {
            Sure::OfNothing => true,
            Sure::WithoutFaults => page.host == self.host || !world.recovers(page.host),
            Sure::WithFaults => !world.recovers(page.host),
        };
        self.ignores_robots
            || comes
                && match world.law(page.host) {
                    RobotsAccess::Everything => true,
                    RobotsAccess::Public => !page.is_private(),
                    RobotsAccess::Nothing => false,
                }
    }

    /// What the job must give.
    pub(super) fn truth(&self, world: &World, faults: bool) -> Truth {
        let sure = if faults { Sure::WithFaults } else { Sure::WithoutFaults };
        let Truth { certain, .. } = self.search(world, sure);
        let Truth { possible, .. } = self.search(world, Sure::OfNothing);
        Truth { certain, possible }
    }

    /// A search over the web, breadth first, where a redirect is no click.
    fn search(&self, world: &World, sure: Sure) -> Truth {
        let mut truth = Truth::default();
        let start = self.start(world);
        let mut depths = BTreeMap::from([(start, 0)]);
        let mut queue = VecDeque::from([(start, 0)]);
        for id in self.named(world, sure) {
            if self.class(world, id) == Class::Inside && depths.insert(id, 0).is_none() {
                queue.push_back((id, 0));
            }
        }
        let mut followed = BTreeMap::new();
        while let Some((id, depth)) = queue.pop_front() {
            if depths.get(&id).is_some_and(|known| *known < depth) {
                continue;
            }
            let Some(arrived) = self.arrives(world, id, sure) else { continue };
            let [from, to] = [id, arrived].map(|id| self.class(world, id));
            match world.pages[arrived].kind {
                Kind::Html | Kind::NotFound => truth.certain.insert(arrived),
                Kind::Flaky { .. } => truth.possible.insert(arrived),
                Kind::Dead | Kind::Redirect(_) => false,
            };
            // A page of another site that leads back into this one is as good as a link to where it leads.
            let inside = from != Class::Outside && to == Class::Inside;
            let better = followed.get(&arrived).is_none_or(|known| depth < *known);
            if !inside || !better || self.sitemap == SitemapMode::Only {
                continue;
            }
            followed.insert(arrived, depth);
            if self.max_depth.is_some_and(|max| depth >= max) {
                continue;
            }
            for &(target, _) in &world.pages[arrived].links {
                let wanted = self.class(world, target) != Class::Outside;
                if wanted && depths.get(&target).is_none_or(|known| depth + 1 < *known) {
                    depths.insert(target, depth + 1);
                    queue.push_back((target, depth + 1));
                }
            }
        }
        truth.possible.extend(&truth.certain);
        truth
    }

    /// The pages that the sitemaps of the site name.
    fn named(&self, world: &World, sure: Sure) -> Vec<PageId> {
        let start = self.start(world);
        let host = &world.hosts[self.host];
        if self.sitemap == SitemapMode::Skip || !self.allowed(world, start, sure) {
            return Vec::new();
        }
        let mut pages: Vec<PageId> = host.sitemap.iter().flatten().copied().collect();
        // Who ignores robots.txt reads it for this alone, and waits longer for it than others do.
        let is_read = match self.ignores_robots {
            true => {
                let comes = sure == Sure::OfNothing || !world.recovers(self.host);
                comes && host.door != RobotsDelivery::Circle && matches!(host.robots, Robots::Rules { .. })
            }
            false => world.law(self.host) == RobotsAccess::Public,
        };
        if let Some(named) = host.named.as_ref().filter(|_| is_read) {
            // A file at the root is like a page there.
            let root = world.hosts[named.host].start;
            if self.allowed(world, root, sure) {
                pages.extend(&named.pages);
            }
        }
        pages
    }

    /// Where a fetch of this page ends, if the rules let it.
    fn arrives(&self, world: &World, mut id: PageId, sure: Sure) -> Option<PageId> {
        loop {
            if !self.allowed(world, id, sure) || self.class(world, id) == Class::Outside {
                return None;
            }
            match world.pages[id].kind {
                Kind::Redirect(to) => id = to,
                _ => return Some(id),
            }
        }
    }
}
