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

#[derive(Debug)]
pub(super) struct Host {
    pub(super) name: &'static str,
    pub(super) robots: Robots,
    /// The pages that its sitemap names; `None` is 404.
    pub(super) sitemap: Option<Vec<PageId>>,
    /// `/sitemap.xml` is an index of two files, and of itself.
    pub(super) nested: bool,
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
}

impl Page {
    pub(super) fn is_private(&self) -> bool {
        self.path.starts_with("/private/")
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
pub(super) enum Place {
    Page(PageId),
    Robots(usize),
    /// Host, and which file; 0 is `/sitemap.xml`.
    Sitemap(usize, usize),
    Nothing(usize),
}

#[derive(Debug)]
pub(super) struct World {
    pub(super) hosts: Vec<Host>,
    pub(super) pages: Vec<Page>,
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
        world
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
            self.pages.push(Page { host: index, path, kind: Kind::Html, links: Vec::new() });
        }
        let latency = 1 + random.below(300) as u64;
        let nested = random.below(3) == 0;
        let address = address(10 + index);
        self.hosts.push(Host { name, robots, sitemap: None, nested, latency, start, address });
    }

    fn choose_kind(&mut self, id: PageId, random: &mut Random) {
        if self.pages[id].path == "/" {
            return;
        }
        let how = |random: &mut Random| {
            let retry_after = (random.below(2) == 0).then(|| 1 + random.below(5) as u64);
            match random.below(3) {
                0 => Flake::Breaks,
                1 => Flake::Busy { retry_after },
                _ => Flake::TooMany { retry_after },
            }
        };
        self.pages[id].kind = match random.below(40) {
            0 => Kind::NotFound,
            1..4 => {
                let target = self.redirect_target(id, random);
                target.map_or(Kind::Html, Kind::Redirect)
            }
            4 => Kind::Flaky { failures: 1 + random.below(3) as u32, how: how(random) },
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
    pub(super) fn place(&self, url: &Url) -> Option<Place> {
        let host = self.hosts.iter().position(|host| Some(host.name) == url.host_str())?;
        let path = match url.path().trim_end_matches('/') {
            "" => "/",
            path => path,
        };
        Some(match path {
            "/robots.txt" => Place::Robots(host),
            "/sitemap.xml" => Place::Sitemap(host, 0),
            "/sitemap-1.xml" => Place::Sitemap(host, 1),
            "/sitemap-2.xml" => Place::Sitemap(host, 2),
            _ => match self.pages.iter().position(|page| page.host == host && page.path == path) {
                Some(id) => Place::Page(id),
                None => Place::Nothing(host),
            },
        })
    }

    /// Does a page redirect, in one step or more, to a host whose robots.txt fails?
    pub(super) fn leads_to_broken_robots(&self, mut id: PageId) -> bool {
        while let Kind::Redirect(to) = self.pages[id].kind {
            id = to;
            if self.hosts[self.pages[id].host].robots == Robots::Broken {
                return true;
            }
        }
        false
    }

    pub(super) fn host_of(&self, place: Place) -> usize {
        match place {
            Place::Page(id) => self.pages[id].host,
            Place::Robots(host) | Place::Sitemap(host, _) | Place::Nothing(host) => host,
        }
    }

    /// Status and body of robots.txt.
    pub(super) fn robots_body(&self, host: usize) -> (u16, String) {
        match self.hosts[host].robots {
            Robots::Missing => (404, String::new()),
            Robots::Broken => (503, String::new()),
            Robots::Rules { delay: 0 } => (200, "User-agent: *\nDisallow: /private/\n".to_owned()),
            Robots::Rules { delay } => {
                let seconds = delay as f64 / 1_000.0;
                (200, format!("User-agent: *\nDisallow: /private/\nCrawl-delay: {seconds}\n"))
            }
        }
    }

    /// Status and body of a sitemap.
    pub(super) fn sitemap_body(&self, host: usize, file: usize) -> (u16, String) {
        let Host { name, sitemap, nested, .. } = &self.hosts[host];
        let Some(pages) = sitemap else { return (404, String::new()) };
        if *nested && file == 0 {
            let children = ["sitemap-1.xml", "sitemap.xml", "sitemap-2.xml"];
            let entries = children.map(|file| format!("<sitemap><loc>https://{name}/{file}</loc></sitemap>"));
            return (200, format!("<sitemapindex>{}</sitemapindex>", entries.concat()));
        }
        if !*nested && file != 0 {
            return (404, String::new());
        }
        let part = pages.iter().enumerate().filter(|(at, _)| !*nested || at % 2 == file - 1);
        let entries: String =
            part.map(|(_, id)| format!("<url><loc>{}</loc></url>", self.url(*id, Spelling::Plain))).collect();
        (200, format!("<urlset>{entries}</urlset>"))
    }
}
