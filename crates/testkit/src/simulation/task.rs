//! The jobs of a simulation, made from its seed, and what each of them must give.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use gleaner_types::plan::SitemapMode;
use gleaner_types::request::{CrawlRequest, ScrapeOptions};

use super::world::{Kind, PageId, Robots, Spelling, World};
use crate::site::random::Random;

/// `maxAge` of the first job in milliseconds. Each job has another, which tells its requests apart.
const FIRST_AGE: u64 = 100_000;
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
    pub(super) host: usize,
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
        Self {
            number,
            host: random.below(world.hosts.len().min(3)),
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
            reader_pause: if in_ten(&mut random, 2) { 5_000 } else { 0 },
        }
    }

    pub(super) fn request(&self, world: &World) -> CrawlRequest {
        let options = ScrapeOptions {
            max_age: Some(FIRST_AGE + self.number as u64),
            timeout: Some(TIMEOUT),
            ..ScrapeOptions::default()
        };
        CrawlRequest {
            limit: Some(self.limit),
            max_discovery_depth: self.max_depth,
            delay: (self.delay > 0).then_some(self.delay as f64 / 1_000.0),
            max_concurrency: self.max_concurrency,
            allow_subdomains: Some(self.subdomains),
            allow_external_links: Some(self.external),
            ignore_robots_txt: Some(self.ignores_robots),
            sitemap: Some(self.sitemap),
            scrape_options: Some(options),
            ..CrawlRequest::new(world.url(world.hosts[self.host].start, Spelling::Plain))
        }
    }

    /// The number of the job that a request belongs to.
    pub(super) fn number_of(max_age: std::time::Duration) -> usize {
        max_age.as_millis() as usize - FIRST_AGE as usize
    }

    fn class(&self, host: usize) -> Class {
        let one_domain = self.host < 2 && host < 2;
        if host == self.host || (one_domain && self.subdomains) {
            Class::Inside
        } else if self.external {
            Class::External
        } else {
            Class::Outside
        }
    }

    fn allowed(&self, world: &World, id: PageId) -> bool {
        let page = &world.pages[id];
        self.ignores_robots
            || match world.hosts[page.host].robots {
                Robots::Missing => true,
                Robots::Rules { .. } => !page.is_private(),
                Robots::Broken => false,
            }
    }

    /// What the job must give: a search over the web, breadth first, where a redirect is no click.
    pub(super) fn truth(&self, world: &World) -> Truth {
        let mut truth = Truth::default();
        let start = world.hosts[self.host].start;
        let mut depths = BTreeMap::from([(start, 0)]);
        let mut queue = VecDeque::from([(start, 0)]);
        if self.sitemap != SitemapMode::Skip && self.allowed(world, start) {
            let named = world.hosts[self.host].sitemap.iter().flatten();
            for id in named.filter(|id| self.class(world.pages[**id].host) == Class::Inside) {
                if depths.insert(*id, 0).is_none() {
                    queue.push_back((*id, 0));
                }
            }
        }
        let mut followed = BTreeMap::new();
        while let Some((id, depth)) = queue.pop_front() {
            if depths.get(&id).is_some_and(|known| *known < depth) {
                continue;
            }
            let Some(arrived) = self.arrives(world, id) else { continue };
            let [from, to] = [id, arrived].map(|id| self.class(world.pages[id].host));
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
                let wanted = self.class(world.pages[target].host) != Class::Outside;
                if wanted && depths.get(&target).is_none_or(|known| depth + 1 < *known) {
                    depths.insert(target, depth + 1);
                    queue.push_back((target, depth + 1));
                }
            }
        }
        truth.possible.extend(&truth.certain);
        truth
    }

    /// Where a fetch of this page ends, if the rules let it.
    fn arrives(&self, world: &World, mut id: PageId) -> Option<PageId> {
        loop {
            if !self.allowed(world, id) || self.class(world.pages[id].host) == Class::Outside {
                return None;
            }
            match world.pages[id].kind {
                Kind::Redirect(to) => id = to,
                _ => return Some(id),
            }
        }
    }
}
