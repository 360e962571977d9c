//! A small web, made from a seed: hosts, pages, links in many spellings, redirects, failures, robots.txt and sitemaps.

use std::net::IpAddr;

use url::Url;

use crate::site::random::Random;

pub(super) type PageId = usize;

/// What robots.txt of a host says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Robots {
    /// 404.
    Missing,
    /// `/private/` is forbidden; between two requests so many milliseconds, or none.
    Rules { delay: u64 },
    /// 503 for ever: nothing of the host may be fetched.
    Broken,
}

/// How robots.txt comes, before what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RobotsDelivery {
    /// As fast as everything else.
    Open,
    /// The first requests for it find the host busy, or break.
    Recovers { failures: u32, busy: bool },
    /// It redirects to itself: there is none.
    Circle,
    /// So many milliseconds late, which may be more than anybody waits.
    Late(u64),
}

/// What of a host may be fetched in the end by who holds to its robots.txt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RobotsAccess {
    Everything,
    /// All but `/private/`.
    Public,
    Nothing,
}

/// A sitemap that robots.txt of a host names beside the usual one.
#[derive(Debug)]
pub(super) struct Named {
    /// Where the file is.
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
    pub(super) named: Option<Named>,
    pub(super) door: RobotsDelivery,
    /// It refuses every connection.
    pub(super) refuses: bool,
    /// `/s/`, where a part of the site begins that is crawled by itself.
    pub(super) section: Option<PageId>,
    /// The least time that an answer takes, in milliseconds.
    pub(super) latency: u64,
    pub(super) start: PageId,
    /// Many names may be one server.
    pub(super) address: IpAddr,
}

/// How a page answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// 200, with links.
    Html,
    /// 404, a document without links.
    NotFound,
    /// Redirects.
    Redirect(PageId),
    /// Fails so often, then answers 200 without links.
    Flaky { failures: u32, how: Flake },
    /// The connection breaks, always.
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
    /// Its address with a slash at the end redirects to the one without.
    pub(super) sheds_slash: bool,
}

impl Page {
    pub(super) fn is_private(&self) -> bool {
        self.path.starts_with("/private/")
    }

    pub(super) fn is_in_section(&self) -> bool {
        self.path.starts_with("/s/")
    }
}

/// One page has many addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    Plain,
    Http,
    Tracked,
    Fragment,
    Slash,
    Dots,
}

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

/// The first two are one domain.
const NAMES: [&str; 4] = ["main.test", "sub.main.test", "other.test", "more.test"];

/// What an address names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Resource {
    Page(PageId),
    Robots(usize),
    /// Host, and which file; 0 is `/sitemap.xml`.
    Sitemap(usize, usize),
    Nothing(usize),
}

/// Files of sitemaps from this number on are named by robots.txt of the host whose number is behind it.
pub(super) const NAMED: usize = 3;

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
        // Numbers of their own, so that the webs of known seeds stay what they were.
        let mut random = Random::new(seed, 0xadd7);
        if random.below(2) == 0 {
            for host in &mut world.hosts {
                host.address = address(random.below(2));
            }
        }
        world.add_troubles(&mut Random::new(seed, 0x7b0b));
        world.add_sections(&mut Random::new(seed, 0x5ec7));
        world
    }

    /// What goes wrong with whole hosts and their robots.txt, and what that names.
    fn add_troubles(&mut self, random: &mut Random) {
        let count = self.pages.len();
        for index in 0..self.hosts.len() {
            let door = match random.below(12) {
                0..2 => RobotsDelivery::Recovers {
                    failures: 1 + random.below(2) as u32,
                    busy: random.below(2) == 0,
                },
                2 => RobotsDelivery::Circle,
                3 => RobotsDelivery::Late(1_000 + random.below(24_000) as u64),
                4 => RobotsDelivery::Late(31_000 + random.below(60_000) as u64),
                _ => RobotsDelivery::Open,
            };
            let refuses = random.below(16) == 0;
            let file_host = if random.below(4) == 0 { random.below(self.hosts.len()) } else { index };
            let named = random.below(2) == 0;
            let pages = (0..count).filter(|_| random.below(8) == 0).collect();
            let patient = random.below(12) == 0;
            let host = &mut self.hosts[index];
            (host.door, host.refuses) = (door, refuses);
            if let Robots::Rules { delay } = &mut host.robots {
                host.named = named.then_some(Named { host: file_host, pages });
                if patient {
                    *delay = 20_000 + random.below(40_000) as u64;
                }
            }
        }
    }

    /// A part of some sites below `/s/`, whose first page answers, or leads to where it may be crawled from, or elsewhere.
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
                self.pages.push(Page { host: index, path, kind: Kind::Html, links, sheds_slash: false });
            }
            match random.below(4) {
                0 => self.pages[front].sheds_slash = true,
                1 => self.pages[front].kind = Kind::Redirect(front + 1 + random.below(count - 1)),
                2 => self.pages[front].kind = Kind::Redirect(root),
                _ => {}
            }
            self.hosts[index].section = Some(front);
            self.pages[root].links.push((front, Spelling::Plain));
            if let Some(named) = &mut self.hosts[index].sitemap {
                named.extend((front..self.pages.len()).filter(|_| random.below(3) == 0));
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
            self.pages.push(Page { host: index, path, kind, links, sheds_slash: false });
        }
        let latency = 1 + random.below(300) as u64;
        let nested = random.below(3) == 0;
        let address = address(10 + index);
        self.hosts.push(Host {
            name,
            robots,
            sitemap: None,
            nested,
            named: None,
            door: RobotsDelivery::Open,
            refuses: false,
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

    /// Only to pages of a lower number, so that no chain is a circle, and only to pages that do not fail.
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
        // The next one, so that most of the site is reached, a few near ones, and now and then another host.
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
        let mut named = Vec::new();
        for id in 0..self.pages.len() {
            let chance = if self.pages[id].host == index { 3 } else { 40 };
            if random.below(chance) == 0 {
                named.push(id);
            }
        }
        self.hosts[index].sitemap = Some(named);
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
        Url::parse(&text).expect("an address of this web parses")
    }

    /// What an address names, found without the rules that are under test. `None` for a host that is not of this web.
    pub(super) fn place(&self, url: &Url) -> Option<Resource> {
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
            // Of which host's robots.txt, the name tells.
            _ if path.starts_with("/named-") => {
                let of = path.trim_start_matches("/named-").trim_end_matches(".xml").parse::<usize>().ok()?;
                Resource::Sitemap(host, NAMED + of)
            }
            _ => match self.pages.iter().position(|page| {
                page.host == host && (page.path == path || page.path.strip_suffix('/') == Some(path))
            }) {
                Some(id) => Resource::Page(id),
                None => Resource::Nothing(host),
            },
        })
    }
}
