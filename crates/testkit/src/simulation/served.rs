//! The robots.txt files and sitemaps of the hosts, and the access that robots.txt allows.

use super::world::{
    ExtraSitemap, FIRST_EXTRA_SITEMAP, Host, Kind, PageId, Resource, Robots, RobotsAccess, RobotsDelivery,
    Spelling, World,
};

/// The timeout of robots.txt, in milliseconds.
pub(super) const ROBOTS_TIMEOUT: u64 = gleaner_runtime::ROBOTS_TIMEOUT.as_millis() as u64;

impl World {
    /// What robots.txt of a host allows after its last retry.
    pub(super) fn robots_access(&self, host: usize) -> RobotsAccess {
        match &self.hosts[host] {
            Host { refuses_connections: true, .. } => RobotsAccess::Nothing,
            Host { robots_delivery: RobotsDelivery::RedirectLoop, .. } => RobotsAccess::Everything,
            Host { robots_delivery: RobotsDelivery::Late(time), .. } if *time > ROBOTS_TIMEOUT => {
                RobotsAccess::Nothing
            }
            Host { robots: Robots::Broken, .. } => RobotsAccess::Nothing,
            Host { robots: Robots::Missing, .. } => RobotsAccess::Everything,
            Host { robots: Robots::Rules { .. }, .. } => RobotsAccess::Public,
        }
    }

    /// Whether robots.txt of the host loads only after some failures.
    pub(super) fn recovers(&self, host: usize) -> bool {
        matches!(self.hosts[host].robots_delivery, RobotsDelivery::Recovers { .. })
    }

    /// Whether a page redirects, over one hop or more, to a host whose robots.txt fails at first or forbids
    /// everything.
    pub(super) fn redirects_to_blocked_host(&self, mut id: PageId) -> bool {
        while let Kind::Redirect(to) = self.pages[id].kind {
            id = to;
            let host = self.pages[id].host;
            if self.robots_access(host) == RobotsAccess::Nothing || self.recovers(host) {
                return true;
            }
        }
        false
    }

    pub(super) fn host_of(&self, resource: Resource) -> usize {
        match resource {
            Resource::Page(id) => self.pages[id].host,
            Resource::Robots(host) | Resource::Sitemap(host, _) | Resource::Missing(host) => host,
        }
    }

    /// Status and body of robots.txt, when it loads.
    pub(super) fn robots_body(&self, host: usize) -> (u16, String) {
        let delay = match self.hosts[host].robots {
            Robots::Missing => return (404, String::new()),
            Robots::Broken => return (503, String::new()),
            Robots::Rules { delay } => delay,
        };
        let mut body = "User-agent: *\nDisallow: /private/\n".to_owned();
        if delay > 0 {
            body.push_str(&format!("Crawl-delay: {}\n", delay as f64 / 1_000.0));
        }
        if let Some(ExtraSitemap { host: file_host, .. }) = &self.hosts[host].extra_sitemap {
            let name = self.hosts[*file_host].name;
            body.push_str(&format!("Sitemap: https://{name}/named-{host}.xml\n"));
        }
        (200, body)
    }

    /// Status and body of a sitemap.
    pub(super) fn sitemap_body(&self, host: usize, file: usize) -> (u16, String) {
        if let Some(owner) = file.checked_sub(FIRST_EXTRA_SITEMAP) {
            let extra = self.hosts.get(owner).and_then(|host| host.extra_sitemap.as_ref());
            return match extra.filter(|extra| extra.host == host) {
                Some(extra) => (200, self.url_set(extra.pages.iter().copied())),
                None => (404, String::new()),
            };
        }
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
        (200, self.url_set(part.map(|(_, id)| *id)))
    }

    fn url_set(&self, pages: impl Iterator<Item = PageId>) -> String {
        let entries: String =
            pages.map(|id| format!("<url><loc>{}</loc></url>", self.url(id, Spelling::Plain))).collect();
        format!("<urlset>{entries}</urlset>")
    }
}
