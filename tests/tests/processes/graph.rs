//! The pages of all sites, and the links between them.

use std::collections::BTreeSet;

use gleaner_testkit::scattered;

/// Children of a page in the tree that makes all pages reachable.
const CHILDREN: usize = 5;
/// Other links of a page.
const OTHERS: usize = 4;

/// Pages with numbers from 0, spread over hosts.
#[derive(Debug, Clone)]
pub(crate) struct Graph {
    links: Vec<Vec<usize>>,
    hosts: usize,
}

impl Graph {
    pub(crate) fn new(seed: u64, pages: usize, hosts: usize) -> Self {
        let links = |page: usize| {
            let children = (CHILDREN * page + 1..=CHILDREN * page + CHILDREN).filter(|child| *child < pages);
            let others = (0..OTHERS).map(|other| {
                let number = seed * 1_000_003 + (page * OTHERS + other) as u64;
                usize::try_from(scattered(number, pages as u64)).unwrap()
            });
            // Few links lead far ahead, so that depths differ.
            let others = others.filter(|target| *target < page || page.is_multiple_of(10));
            children.chain(others).collect()
        };
        Self { links: (0..pages).map(links).collect(), hosts }
    }

    pub(crate) fn url(&self, page: usize, port: u16) -> String {
        format!("http://h{}.site.test:{port}/{page}", page % self.hosts)
    }

    pub(crate) fn html(&self, page: usize, port: u16) -> String {
        let link = |target: &usize| format!("<li><a href=\"{}\">{target}</a>", self.url(*target, port));
        let links: String = self.links[page].iter().map(link).collect();
        format!("<!doctype html><title>{page}</title><main><h1>Page {page}</h1><ul>{links}</ul></main>")
    }

    /// The pages within this number of clicks from page 0; all without a number.
    pub(crate) fn within(&self, clicks: Option<u32>) -> BTreeSet<usize> {
        let mut found = BTreeSet::from([0]);
        let mut last = vec![0];
        let mut left = clicks.unwrap_or(u32::MAX);
        while left > 0 && !last.is_empty() {
            let linked = last.iter().flat_map(|page| &self.links[*page]);
            let new: BTreeSet<usize> = linked.copied().filter(|page| !found.contains(page)).collect();
            found.extend(&new);
            last = new.into_iter().collect();
            left -= 1;
        }
        found
    }
}
