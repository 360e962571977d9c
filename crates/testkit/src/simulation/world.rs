//! A small web generated from a seed: hosts, pages, links in many spellings, redirects, failures, robots.txt
//! and sitemaps.

use std::collections::BTreeSet;
use std::net::IpAddr;

use url::Url;

use crate::site::random::Random;

pub(super) type PageId = usize;

/// The robots.txt of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Robots {
    /// 404.
    Missing,
    /// Forbids `/private/` and demands this many milliseconds between requests, 0 for none.
    Rules { delay: u64 },
    /// Always 503: no page of the host may be fetched.
    Broken,
}

/// How robots.txt is delivered, independent of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RobotsDelivery {
    /// With the latency of the host.
    Normal,
    /// The first requests fail: with 503 if `busy`, otherwise with a broken connection.
    Recovers { failures: u32, busy: bool },
    /// It redirects to itself, which counts as a missing file.
    RedirectLoop,
    /// After this many milliseconds, which may exceed the timeout.
    Late(u64),
}

/// What a job that obeys robots.txt may finally fetch of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RobotsAccess {
    Everything,
    /// All but `/private/`.
    Public,
    Nothing,
}

/// A sitemap that robots.txt of a host names in addition to `/sitemap.xml`.
#[derive(Debug)]
pub(super) struct ExtraSitemap {
    /// The host that serves the file.
    pub(super) host: usize,
    pub(super) pages: Vec<PageId>,
}

#[derive(Debug)]
pub(super) struct Host {
    pub(super) name: &'static str,
    pub(super) robots: Robots,
    /// The pages that its sitemap names; `None` is 404.
    pub(super) sitemap: Option<Vec<PageId>>,
    /// `/sitemap.xml` is an index of two files, and of itself.
    pub(super) nested: bool,
    pub(super) extra_sitemap: Option<ExtraSitemap>,
    pub(super) robots_delivery: RobotsDelivery,
    /// It refuses every connection.
    pub(super) refuses_connections: bool,
    /// `/s/`, the start of a section that is crawled by itself.
    pub(super) section: Option<PageId>,
    /// The shortest response time, in milliseconds.
    pub(super) latency: u64,
    pub(super) start: PageId,
    /// Several hosts may share an address.
    pub(super) address: IpAddr,
}

/// How a page responds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// 200, with links.
    Html,
    /// 404, a document without links.
    NotFound,
    /// Redirects to another page.
    Redirect(PageId),
    /// Fails this often, then responds 200 without links.
    Flaky { failures: u32, how: Flake },
    /// The connection always breaks.
    Dead,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flake {
    Breaks,
    Busy { retry_after: Option<u64> },
    TooMany { retry_after: Option<u64> },
}

#[derive(Debug)]
pub(super) struct Page {
    pub(super) host: usize,
    pub(super) path: String,
    pub(super) kind: Kind,
    pub(super) links: Vec<(PageId, Spelling)>,
    /// Its URL with a slash at the end redirects to the one without.
    pub(super) strips_slash: bool,
}

impl Page {
    pub(super) fn is_private(&self) -> bool {
        self.path.starts_with("/private/")
    }

    pub(super) fn is_in_section(&self) -> bool {
        self.path.starts_with("/s/")
    }
}

/// A way to write the URL of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    Plain,
    Http,
    Tracked,
    Fragment,
    Slash,
    Dots,
}

/// The parts of a URL by which a server may tell two spellings of a page apart: the scheme, and a slash at the
/// end of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Form {
    http: bool,
    slash: bool,
}

impl Form {
    pub(super) fn of(url: &Url) -> Self {
        Self { http: url.scheme() == "http", slash: url.path().ends_with('/') }
    }
}

/// What a job asks for with one lease: a resource, under one form of its URL.
pub(super) type Asked = (usize, Resource, Form);

const SPELLINGS: [Spelling; 9] = [
    Spelling::Plain,
    Spelling::Plain,
    Spelling::Plain,
    Spelling::Plain,
    Spelling::Http,
    Spelling::Tracked,
    Spelling::Fragment,
    Spelling::Slash,
    Spelling::Dots,
];

/// The first two share a registered domain.
const NAMES: [&str; 4] = ["main.test", "sub.main.test", "other.test", "more.test"];

/// What a URL names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Resource {
    Page(PageId),
    Robots(usize),
    /// The host and the number of the file; 0 is `/sitemap.xml`.
    Sitemap(usize, usize),
    Missing(usize),
}

/// Sitemap file `FIRST_EXTRA_SITEMAP + n` is the one that robots.txt of host `n` names.
pub(super) const FIRST_EXTRA_SITEMAP: usize = 3;

#[derive(Debug)]
pub(super) struct World {
    pub(super) hosts: Vec<Host>,
    pub(super) pages: Vec<Page>,
}

fn flake(random: &mut Random) -> Flake {
    let retry_after = (random.below(2) == 0).then(|| 1 + random.below(5) as u64);
    match random.below(3) {
        0 => Flake::Breaks,
        1 => Flake::Busy { retry_after },
        _ => Flake::TooMany { retry_after },
    }
}

fn address(number: usize) -> IpAddr {
    IpAddr::from([192, 0, 2, number as u8])
}

impl World {
    pub(super) fn generate(seed: u64) -> Self {
        let mut random = Random::new(seed, 0x3077);
        let mut world = Self { hosts: Vec::new(), pages: Vec::new() };
        for (index, name) in NAMES.into_iter().take(1 + random.below(NAMES.len())).enumerate() {
            world.add_host(index, name, &mut random);
        }
        for id in 0..world.pages.len() {
            world.choose_kind(id, &mut random);
        }
        for id in 0..world.pages.len() {
            world.link(id, &mut random);
        }
        for index in 0..world.hosts.len() {
            world.add_sitemap(index, &mut random);
        }
        // A separate random stream, so that the rest of the web of a seed stays the same.
        let mut random = Random::new(seed, 0xadd7);
        if random.below(2) == 0 {
            for host in &mut world.hosts {
                host.address = address(random.below(2));
            }
        }
        world.add_host_failures(&mut Random::new(seed, 0x7b0b));
        world.add_sections(&mut Random::new(seed, 0x5ec7));
        world
    }

    /// Adds failures of whole hosts and of robots.txt, and extra sitemaps.
    fn add_host_failures(&mut self, random: &mut Random) {
        let count = self.pages.len();
        for index in 0..self.hosts.len() {
            let robots_delivery = match random.below(12) {
                0..2 => RobotsDelivery::Recovers {
                    failures: 1 + random.below(2) as u32,
                    busy: random.below(2) == 0,
                },
                2 => RobotsDelivery::RedirectLoop,
                3 => RobotsDelivery::Late(1_000 + random.below(24_000) as u64),
                4 => RobotsDelivery::Late(31_000 + random.below(60_000) as u64),
                _ => RobotsDelivery::Normal,
            };
            let refuses_connections = random.below(16) == 0;
            let file_host = if random.below(4) == 0 { random.below(self.hosts.len()) } else { index };
            let has_extra_sitemap = random.below(2) == 0;
            let pages = (0..count).filter(|_| random.below(8) == 0).collect();
            let long_delay = random.below(12) == 0;
            let host = &mut self.hosts[index];
            (host.robots_delivery, host.refuses_connections) = (robots_delivery, refuses_connections);
            if let Robots::Rules { delay } = &mut host.robots {
                host.extra_sitemap = has_extra_sitemap.then_some(ExtraSitemap { host: file_host, pages });
                if long_delay {
                    *delay = 20_000 + random.below(40_000) as u64;
                }
            }
        }
    }

    /// Adds a section below `/s/` to some sites. Its first page responds, or redirects within the section or
    /// out of it.
    fn add_sections(&mut self, random: &mut Random) {
        for index in 0..self.hosts.len() {
            if random.below(3) > 0 {
                continue;
            }
            let (front, root) = (self.pages.len(), self.hosts[index].start);
            let count = 2 + random.below(8);
            for number in 0..count {
                let path = if number == 0 { "/s/".to_owned() } else { format!("/s/{number}") };
                let mut links = vec![(front + (number + 1) % count, Spelling::Plain)];
                for _ in 0..random.below(4) {
                    let target = if random.below(4) == 0 { root } else { front + random.below(count) };
                    links.push((target, SPELLINGS[random.below(SPELLINGS.len())]));
                }
                self.pages.push(Page { host: index, path, kind: Kind::Html, links, strips_slash: false });
            }
            match random.below(4) {
                0 => self.pages[front].strips_slash = true,
                1 => self.pages[front].kind = Kind::Redirect(front + 1 + random.below(count - 1)),
                2 => self.pages[front].kind = Kind::Redirect(root),
                _ => {}
            }
            self.hosts[index].section = Some(front);
            self.pages[root].links.push((front, Spelling::Plain));
            if let Some(listed) = &mut self.hosts[index].sitemap {
                listed.extend((front..self.pages.len()).filter(|_| random.below(3) == 0));
            }
        }
    }

    fn add_host(&mut self, index: usize, name: &'static str, random: &mut Random) {
        let robots = match random.below(10) {
            0..5 => Robots::Missing,
            5..7 => Robots::Rules { delay: 0 },
            7..9 => Robots::Rules { delay: 100 + random.below(2_000) as u64 },
            _ => Robots::Broken,
        };
        let start = self.pages.len();
        let count = 1 + random.below(if robots == (Robots::Rules { delay: 0 }) { 60 } else { 40 });
        for number in 0..count {
            let path = match (number, random.below(12)) {
                (0, _) => "/".to_owned(),
                (_, 0) => format!("/private/{number}"),
                _ => format!("/p/{number}"),
            };
            let (kind, links) = (Kind::Html, Vec::new());
            self.pages.push(Page { host: index, path, kind, links, strips_slash: false });
        }
        let latency = 1 + random.below(300) as u64;
        let nested = random.below(3) == 0;
        let address = address(10 + index);
        self.hosts.push(Host {
            name,
            robots,
            sitemap: None,
            nested,
            extra_sitemap: None,
            robots_delivery: RobotsDelivery::Normal,
            refuses_connections: false,
            section: None,
            latency,
            start,
            address,
        });
    }

    fn choose_kind(&mut self, id: PageId, random: &mut Random) {
        if self.pages[id].path == "/" {
            return;
        }
        self.pages[id].kind = match random.below(40) {
            0 => Kind::NotFound,
            1..4 => {
                let target = self.redirect_target(id, random);
                target.map_or(Kind::Html, Kind::Redirect)
            }
            4 => Kind::Flaky { failures: 1 + random.below(3) as u32, how: flake(random) },
            5 => Kind::Dead,
            _ => Kind::Html,
        };
    }

    /// A page with a lower number, which rules out redirect loops, and one that does not fail.
    fn redirect_target(&self, id: PageId, random: &mut Random) -> Option<PageId> {
        let target = random.below(id);
        let answers = matches!(self.pages[target].kind, Kind::Html | Kind::NotFound | Kind::Redirect(_));
        answers.then_some(target)
    }

    fn link(&mut self, id: PageId, random: &mut Random) {
        if self.pages[id].kind != Kind::Html {
            return;
        }
        let host = self.pages[id].host;
        let own: Vec<PageId> =
            (0..self.pages.len()).filter(|other| self.pages[*other].host == host).collect();
        let mut links = Vec::new();
        // One of the next pages, so that most of the site is reachable; any page of the site; its root; any
        // page.
        for _ in 0..1 + random.below(6) {
            let target = match random.below(8) {
                0..3 => own.get(id - own[0] + 1 + random.below(4)).copied().unwrap_or(own[0]),
                3..6 => own[random.below(own.len())],
                6 => own[0],
                _ => random.below(self.pages.len()),
            };
            links.push((target, SPELLINGS[random.below(SPELLINGS.len())]));
        }
        self.pages[id].links = links;
    }

    fn add_sitemap(&mut self, index: usize, random: &mut Random) {
        if random.below(2) == 0 {
            return;
        }
        let mut listed = Vec::new();
        for id in 0..self.pages.len() {
            let chance = if self.pages[id].host == index { 3 } else { 40 };
            if random.below(chance) == 0 {
                listed.push(id);
            }
        }
        self.hosts[index].sitemap = Some(listed);
    }

    pub(super) fn url(&self, id: PageId, spelling: Spelling) -> Url {
        let Page { host, path, .. } = &self.pages[id];
        let name = self.hosts[*host].name;
        let text = match spelling {
            Spelling::Plain => format!("https://{name}{path}"),
            Spelling::Http => format!("http://{name}{path}"),
            Spelling::Tracked => format!("https://{name}{path}?utm_source=elsewhere"),
            Spelling::Fragment => format!("https://{name}{path}#part"),
            Spelling::Slash => format!("https://{name}{}/", path.trim_end_matches('/')),
            Spelling::Dots => format!("https://{name}/x/..{path}"),
        };
        Url::parse(&text).expect("a generated URL parses")
    }

    /// The forms of the URL of a page that this web names: in links, sitemaps and redirects, and as the start of
    /// a crawl.
    pub(super) fn named_forms(&self, id: PageId) -> BTreeSet<Form> {
        let is_on = |host: &Host| {
            let extra = host.extra_sitemap.iter().flat_map(|extra| &extra.pages);
            let mut listed = host.sitemap.iter().flatten().chain(extra);
            host.start == id || host.section == Some(id) || listed.any(|page| *page == id)
        };
        let is_plain =
            self.hosts.iter().any(is_on) || self.pages.iter().any(|page| page.kind == Kind::Redirect(id));
        let links = self.pages.iter().flat_map(|page| &page.links).filter(|(target, _)| *target == id);
        let spellings = links.map(|(_, spelling)| *spelling).chain(is_plain.then_some(Spelling::Plain));
        spellings.map(|spelling| Form::of(&self.url(id, spelling))).collect()
    }

    /// Upper bound on the pages that a job may have in its queue or behind it: a page that is missing is queued
    /// under each form.
    pub(super) fn queueable_pages(&self) -> usize {
        let further = (0..self.pages.len()).filter(|id| self.is_missing(*id));
        let further = further.map(|id| self.named_forms(id).len().saturating_sub(1));
        self.pages.len() + further.sum::<usize>()
    }

    /// Whether a page answers 404, also at the end of its redirects.
    fn is_missing(&self, mut id: PageId) -> bool {
        while let Kind::Redirect(to) = self.pages[id].kind {
            id = to;
        }
        self.pages[id].kind == Kind::NotFound
    }

    /// What a URL names, resolved without the rules under test. `None` for a host that is not in this web.
    pub(super) fn resource(&self, url: &Url) -> Option<Resource> {
        let host = self.hosts.iter().position(|host| Some(host.name) == url.host_str())?;
        let path = match url.path().trim_end_matches('/') {
            "" => "/",
            path => path,
        };
        Some(match path {
            "/robots.txt" => Resource::Robots(host),
            "/sitemap.xml" => Resource::Sitemap(host, 0),
            "/sitemap-1.xml" => Resource::Sitemap(host, 1),
            "/sitemap-2.xml" => Resource::Sitemap(host, 2),
            // The file name has the number of the host whose robots.txt names it.
            _ if path.starts_with("/named-") => {
                let owner =
                    path.trim_start_matches("/named-").trim_end_matches(".xml").parse::<usize>().ok()?;
                Resource::Sitemap(host, FIRST_EXTRA_SITEMAP + owner)
            }
            _ => match self.pages.iter().position(|page| {
                page.host == host && (page.path == path || page.path.strip_suffix('/') == Some(path))
            }) {
                Some(id) => Resource::Page(id),
                None => Resource::Missing(host),
            },
        })
    }
}
