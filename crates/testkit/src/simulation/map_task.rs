//! A map that runs with the crawls, and the links that it must give.

use std::collections::BTreeSet;
use std::sync::Arc;

use gleaner_runtime::Runtime;
use gleaner_types::plan::SitemapMode;
use gleaner_types::request::MapRequest;

use super::context::{Context, Faults};
use super::monitor::Event;
use super::world::{Kind, PageId, Resource, Robots, RobotsAccess, RobotsDelivery, Spelling, World};
use crate::site::random::Random;

#[derive(Debug)]
pub(super) struct MapTask {
    host: usize,
    starts_at: u64,
    limit: u64,
    subdomains: bool,
    sitemap: SitemapMode,
}

impl MapTask {
    /// `None` for about two of three seeds.
    pub(super) fn generate(seed: u64, world: &World) -> Option<Self> {
        let mut random = Random::new(seed, 0x3a9);
        (random.below(3) == 0).then(|| Self {
            host: random.below(world.hosts.len()),
            starts_at: random.below(20_000) as u64,
            limit: if random.below(3) == 0 { 1 + random.below(20) as u64 } else { 5_000 },
            subdomains: random.below(2) == 0,
            sitemap: match random.below(4) {
                0 => SitemapMode::Only,
                1 => SitemapMode::Skip,
                _ => SitemapMode::Include,
            },
        })
    }

    pub(super) async fn run(&self, context: &Arc<Context>, runtime: &Arc<Runtime>) {
        context.sleep(self.starts_at).await;
        let request =
            MapRequest::new(context.world.url(context.world.hosts[self.host].start, Spelling::Plain))
                .limit(self.limit)
                .include_subdomains(self.subdomains)
                .sitemap(self.sitemap);
        let plan = request.check().expect("a valid request");
        let result = runtime.map(plan).await;
        let (links, warned) = match &result {
            Ok(map) => (map.links.len(), map.warning.is_some()),
            Err(_) => (0, true),
        };
        context.note(Event::Mapped { links, warned });
        let violate =
            |what: String| context.monitor().violate(context.now(), format!("the map: {what} {self:?}"));
        let Ok(map) = result else {
            if self.must_be_complete(context) {
                violate(format!("it failed: {result:?}"));
            }
            return;
        };
        if map.links.len() as u64 > self.limit {
            violate(format!("{} links", map.links.len()));
        }
        let mut pages = BTreeSet::new();
        for link in &map.links {
            match context.world.resource(link) {
                Some(Resource::Page(id)) if self.is_inside(&context.world, id) => {
                    if !pages.insert(id) {
                        violate(format!("page {id} twice"));
                    }
                }
                resource => violate(format!("{link} is {resource:?}")),
            }
        }
        let missing: Vec<PageId> = self.expected(&context.world).difference(&pages).copied().collect();
        let is_full = map.links.len() as u64 == self.limit;
        if self.must_be_complete(context) && !is_full && !missing.is_empty() {
            violate(format!("pages are missing: {missing:?}, and the warning is {:?}", map.warning));
        }
    }

    /// Whether no fault, failed robots.txt or long delay can cause missing pages.
    fn must_be_complete(&self, context: &Context) -> bool {
        let world = &context.world;
        let is_healthy = |host: usize| {
            let delay = match world.hosts[host].robots {
                Robots::Rules { delay } => delay,
                Robots::Missing | Robots::Broken => 0,
            };
            let robots_delivery = &world.hosts[host].robots_delivery;
            world.robots_access(host) != RobotsAccess::Nothing
                && matches!(robots_delivery, RobotsDelivery::Normal | RobotsDelivery::RedirectLoop)
                && delay < 10_000
        };
        context.faults == Faults::default() && (0..world.hosts.len()).all(is_healthy)
    }

    fn is_inside(&self, world: &World, id: PageId) -> bool {
        let host = world.pages[id].host;
        host == self.host || (self.subdomains && self.host < 2 && host < 2)
    }

    /// The start page, the pages it links to, and those that the sitemaps name.
    fn expected(&self, world: &World) -> BTreeSet<PageId> {
        let host = &world.hosts[self.host];
        let mut pages = BTreeSet::new();
        if self.sitemap != SitemapMode::Only {
            pages.insert(host.start);
            debug_assert_eq!(world.pages[host.start].kind, Kind::Html, "the root page answers with HTML");
            pages.extend(world.pages[host.start].links.iter().map(|(id, _)| *id));
        }
        if self.sitemap != SitemapMode::Skip {
            pages.extend(host.sitemap.iter().flatten());
            if world.robots_access(self.host) == RobotsAccess::Public {
                pages.extend(host.extra_sitemap.iter().flat_map(|extra| &extra.pages));
            }
        }
        pages.retain(|id| self.is_inside(world, *id));
        pages
    }
}
