//! What the hosts of a web serve beside its pages, and what they let be fetched.

use super::world::{
    Host, Kind, NAMED, Named, PageId, Resource, Robots, RobotsAccess, RobotsDelivery, Spelling, World,
};

/// Longer than anybody waits for robots.txt, in milliseconds.
pub(super) const TOO_LATE: u64 = gleaner_runtime::ROBOTS_TIMEOUT.as_millis() as u64;

impl World {
    /// What robots.txt of a host lets be fetched, once it has come.
    pub(super) fn law(&self, host: usize) -> RobotsAccess {
        match &self.hosts[host] {
            Host { refuses: true, .. } => RobotsAccess::Nothing,
            Host { door: RobotsDelivery::Circle, .. } => RobotsAccess::Everything,
            Host { door: RobotsDelivery::Late(time), .. } if *time > TOO_LATE => RobotsAccess::Nothing,
            Host { robots: Robots::Broken, .. } => RobotsAccess::Nothing,
            Host { robots: Robots::Missing, .. } => RobotsAccess::Everything,
            Host { robots: Robots::Rules { .. }, .. } => RobotsAccess::Public,
        }
    }

    /// Does its robots.txt come only after some failures?
    pub(super) fn recovers(&self, host: usize) -> bool {
        matches!(self.hosts[host].door, RobotsDelivery::Recovers { .. })
    }

    /// Does a page lead, in one step or more, to a host that cannot be asked at once?
    pub(super) fn leads_to_trouble(&self, mut id: PageId) -> bool {
        while let Kind::Redirect(to) = self.pages[id].kind {
            id = to;
            let host = self.pages[id].host;
            if self.law(host) == RobotsAccess::Nothing || self.recovers(host) {
                return true;
            }
        }
        false
    }

    pub(super) fn host_of(&self, place: Resource) -> usize {
        match place {
            Resource::Page(id) => self.pages[id].host,
            Resource::Robots(host) | Resource::Sitemap(host, _) | Resource::Nothing(host) => host,
        }
    }

    /// Status and body of robots.txt, where it comes.
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
        if let Some(Named { host: file_host, .. }) = &self.hosts[host].named {
            let name = self.hosts[*file_host].name;
            body.push_str(&format!("Sitemap: https://{name}/named-{host}.xml\n"));
        }
        (200, body)
    }

    /// Status and body of a sitemap.
    pub(super) fn sitemap_body(&self, host: usize, file: usize) -> (u16, String) {
        if let Some(of) = file.checked_sub(NAMED) {
            let named = self.hosts.get(of).and_then(|host| host.named.as_ref());
            return match named.filter(|named| named.host == host) {
                Some(named) => (200, self.url_set(named.pages.iter().copied())),
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
