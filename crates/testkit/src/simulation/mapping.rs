//! A map that is made beside the jobs, and what it must give.

use std::collections::BTreeSet;
use std::sync::Arc;

use gleaner_runtime::Runtime;
use gleaner_types::plan::SitemapMode;
use gleaner_types::request::MapRequest;

use super::stage::{Faults, Stage};
use super::wire::Event;
use super::world::{Kind, PageId, Resource, Robots, RobotsAccess, RobotsDelivery, Spelling, World};
use crate::site::random::Random;

#[derive(Debug)]
pub(super) struct Mapping {
    host: usize,
    begins_at: u64,
    limit: u64,
    subdomains: bool,
    sitemap: SitemapMode,
}

impl Mapping {
    /// `None` for two seeds of three.
    pub(super) fn generate(seed: u64, world: &World) -> Option<Self> {
        let mut random = Random::new(seed, 0x3a9);
        (random.below(3) == 0).then(|| Self {
            host: random.below(world.hosts.len()),
            begins_at: random.below(20_000) as u64,
            limit: if random.below(3) == 0 { 1 + random.below(20) as u64 } else { 5_000 },
            subdomains: random.below(2) == 0,
            sitemap: match random.below(4) {
                0 => SitemapMode::Only,
                1 => SitemapMode::Skip,
                _ => SitemapMode::Include,
            },
        })
    }

    pub(super) async fn play(&self, stage: &Arc<Stage>, runtime: &Arc<Runtime>) {
        stage.sleep(self.begins_at).await;
        let request = MapRequest::new(stage.world.url(stage.world.hosts[self.host].start, Spelling::Plain))
            .limit(self.limit)
            .include_subdomains(self.subdomains)
            .sitemap(self.sitemap);
        let plan = request.check().expect("a valid request");
        let result = runtime.map(plan).await;
        let (links, warned) = match &result {
            Ok(map) => (map.links.len(), map.warning.is_some()),
            Err(_) => (0, true),
        };
        stage.note(Event::Mapped { links, warned });
        let violate = |what: String| stage.wire().violate(stage.now(), format!("the map: {what} {self:?}"));
        let Ok(map) = result else {
            if self.is_untroubled(stage) {
                violate(format!("it failed: {result:?}"));
            }
            return;
        };
        if map.links.len() as u64 > self.limit {
            violate(format!("{} links", map.links.len()));
        }
        let mut pages = BTreeSet::new();
        for link in &map.links {
            match stage.world.place(link) {
                Some(Resource::Page(id)) if self.is_inside(&stage.world, id) => {
                    if !pages.insert(id) {
                        violate(format!("page {id} twice"));
                    }
                }
                place => violate(format!("{link} is {place:?}")),
            }
        }
        let missing: Vec<PageId> = self.expected(&stage.world).difference(&pages).copied().collect();
        let is_full = map.links.len() as u64 == self.limit;
        if self.is_untroubled(stage) && !is_full && !missing.is_empty() {
            violate(format!("pages are missing: {missing:?}, and the warning is {:?}", map.warning));
        }
    }

    /// Nothing is in its way but the time that things take.
    fn is_untroubled(&self, stage: &Stage) -> bool {
        let world = &stage.world;
        let at_ease = |host: usize| {
            let delay = match world.hosts[host].robots {
                Robots::Rules { delay } => delay,
                Robots::Missing | Robots::Broken => 0,
            };
            let door = &world.hosts[host].door;
            world.law(host) != RobotsAccess::Nothing
                && matches!(door, RobotsDelivery::Open | RobotsDelivery::Circle)
                && delay < 10_000
        };
        stage.faults == Faults::default() && (0..world.hosts.len()).all(at_ease)
    }

    fn is_inside(&self, world: &World, id: PageId) -> bool {
        let host = world.pages[id].host;
        host == self.host || (self.subdomains && self.host < 2 && host < 2)
    }

    /// The start page, what it links to, and what the sitemaps name.
    fn expected(&self, world: &World) -> BTreeSet<PageId> {
        let host = &world.hosts[self.host];
        let mut pages = BTreeSet::new();
        if self.sitemap != SitemapMode::Only {
            pages.insert(host.start);
            debug_assert_eq!(world.pages[host.start].kind, Kind::Html, "a root answers");
            pages.extend(world.pages[host.start].links.iter().map(|(id, _)| *id));
        }
        if self.sitemap != SitemapMode::Skip {
            pages.extend(host.sitemap.iter().flatten());
            if world.law(self.host) == RobotsAccess::Public {
                pages.extend(host.named.iter().flat_map(|named| &named.pages));
            }
        }
        pages.retain(|id| self.is_inside(world, *id));
        pages
    }
}
