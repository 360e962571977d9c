//! Pages of hosts that do not exist, with the links between them.

use std::collections::BTreeSet;

use gleaner_frontier::{Candidate, Identity};
use url::Url;

use super::random::Random;

/// Pages with numbers from 0.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) links: Vec<Vec<usize>>,
    hosts: usize,
}

impl Graph {
    /// All pages can be reached from page 0.
    pub(crate) fn random(random: &mut Random, pages: usize, hosts: usize) -> Self {
        let mut links = vec![Vec::new(); pages];
        for page in 1..pages {
            let from = random.index(page);
            links[from].push(page);
        }
        for _ in 0..2 * pages {
            let (from, to) = (random.index(pages), random.index(pages));
            links[from].push(to);
        }
        Self { links, hosts }
    }

    /// Pages without links.
    pub(crate) fn unlinked(pages: usize, hosts: usize) -> Self {
        Self { links: vec![Vec::new(); pages], hosts }
    }

    pub(crate) fn len(&self) -> usize {
        self.links.len()
    }

    pub(crate) fn page(&self, number: usize) -> Candidate {
        let url = Url::parse(&format!("http://h{}.example/{number}", number % self.hosts)).unwrap();
        let key = Identity::from_options(false, false).key(&url);
        Candidate { url, key, external: false, priority: Candidate::NORMAL }
    }

    pub(crate) fn pages(&self, numbers: impl IntoIterator<Item = usize>) -> Vec<Candidate> {
        numbers.into_iter().map(|number| self.page(number)).collect()
    }

    pub(crate) fn all(&self) -> Vec<Candidate> {
        self.pages(0..self.len())
    }

    pub(crate) fn linked_from(&self, url: &Url) -> Vec<Candidate> {
        self.pages(self.links[number(url.path())].iter().copied())
    }

    /// The pages within this number of clicks from page 0.
    pub(crate) fn within(&self, clicks: u32) -> BTreeSet<usize> {
        let mut found = BTreeSet::from([0]);
        let mut last = vec![0];
        for _ in 0..clicks {
            let linked = last.iter().flat_map(|page| &self.links[*page]);
            let new: BTreeSet<usize> = linked.copied().filter(|page| !found.contains(page)).collect();
            found.extend(&new);
            last = new.into_iter().collect();
        }
        found
    }
}

/// The number of the page with this path.
pub(crate) fn number(path: &str) -> usize {
    path.trim_start_matches('/').parse().unwrap()
}
