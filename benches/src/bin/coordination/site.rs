//! Pages with links, by number. Nothing is fetched: the pages exist as URLs and links only.

use gleaner_frontier::{Candidate, Identity};
use gleaner_testkit::scattered;
use url::Url;

use crate::Failure;

/// Links of a page.
pub(crate) const LINKS: u64 = 30;
/// Links of a page to pages of other hosts.
const TO_OTHERS: u64 = 2;
/// Links of a page that make all pages of its host reachable.
const CHILDREN: u64 = 2;

/// A site of this many pages on this many hosts. Each host has as many pages.
#[derive(Debug)]
pub(crate) struct Site {
    hosts: u64,
    pages: u64,
    identity: Identity,
}

impl Site {
    pub(crate) fn new(hosts: u64, pages: u64) -> Self {
        let pages = pages.next_multiple_of(hosts);
        Self { hosts, pages, identity: Identity::from_options(false, true) }
    }

    pub(crate) const fn pages(&self) -> u64 {
        self.pages
    }

    pub(crate) const fn hosts(&self) -> u64 {
        self.hosts
    }

    pub(crate) fn url(&self, page: u64) -> String {
        format!("https://shop-{}.example/catalogue/item-{:08}", page % self.hosts, page / self.hosts)
    }

    /// The number of the page with this URL.
    pub(crate) fn number(&self, url: &str) -> Result<u64, Failure> {
        let parts = url.split_once("shop-").and_then(|(_, rest)| rest.split_once(".example/catalogue/item-"));
        let (host, page) = parts.ok_or("a URL is not of the site")?;
        Ok(page.parse::<u64>()? * self.hosts + host.parse::<u64>()?)
    }

    pub(crate) fn candidate(&self, page: u64) -> Result<Candidate, Failure> {
        let url = Url::parse(&self.url(page))?;
        let key = self.identity.key(&url);
        Ok(Candidate { url, key, external: false, priority: Candidate::NORMAL })
    }

    pub(crate) fn candidates(&self, pages: impl IntoIterator<Item = u64>) -> Result<Vec<Candidate>, Failure> {
        pages.into_iter().map(|page| self.candidate(page)).collect()
    }

    /// The first page of each host.
    pub(crate) fn first(&self) -> std::ops::Range<u64> {
        0..self.hosts
    }

    /// The pages that a page links to: most are on its host, and most are seen already.
    pub(crate) fn links(&self, page: u64) -> Vec<u64> {
        let (host, index) = (page % self.hosts, page / self.hosts);
        let pages_of_host = self.pages / self.hosts;
        let on_host = |index: u64| index.min(pages_of_host - 1) * self.hosts + host;
        let children = (1..=CHILDREN).map(|child| on_host(CHILDREN * index + child));
        let others = (CHILDREN..LINKS).map(|link| {
            let number = page * LINKS + link;
            if link < CHILDREN + TO_OTHERS {
                scattered(number, self.pages)
            } else {
                on_host(scattered(number, pages_of_host))
            }
        });
        children.chain(others).collect()
    }
}

/// The text of each document.
pub(crate) fn text(page: u64) -> String {
    format!("# Item {page}\n\n{}", "A line of a page with some words in it. ".repeat(12))
}
