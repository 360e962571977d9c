//! The links between the pages, and the distance of each page from the start in clicks.
//!
//! The skeleton is a tree with [`BRANCHES`] children per page, numbered level by level, so that every page is
//! reachable and the depth grows with the logarithm of the number of pages. The other links go to pages with
//! lower numbers and shorten no path, except for a few shortcuts. A shortcut makes a page reachable over a
//! long path and a short one, which the depth accounting of a crawler has to handle. The expected depth is
//! therefore computed over the whole graph, not derived from the tree.

use std::collections::VecDeque;

use super::random::Random;

/// Number of links from each page to pages of the site, with repeats.
pub const LINKS_PER_PAGE: usize = 47;

/// Children per page in the tree that makes all pages reachable.
const BRANCHES: usize = 6;

/// On average, one page in this many has a shortcut to any page of the site.
const SHORTCUT_ONE_IN: usize = 40;

/// Number of links in each part of a page, in document order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slots {
    pub(crate) navigation: usize,
    pub(crate) breadcrumbs: usize,
    pub(crate) content: usize,
    pub(crate) children: usize,
    pub(crate) pagination: usize,
    pub(crate) related: usize,
    pub(crate) sidebar: usize,
    pub(crate) footer: usize,
}

pub(crate) const SLOTS: Slots = Slots {
    navigation: 8,
    breadcrumbs: 2,
    content: 8,
    children: 6,
    pagination: 2,
    related: 6,
    sidebar: 8,
    footer: 7,
};

/// The links of all pages and the depth of each.
#[derive(Debug)]
pub(crate) struct Graph {
    targets: Vec<u32>,
    depths: Vec<u32>,
}

impl Graph {
    /// Generates the graph of `pages` pages; at least 1.
    pub(crate) fn generate(seed: u64, pages: usize) -> Self {
        let mut targets = Vec::with_capacity(pages * LINKS_PER_PAGE);
        for id in 0..pages {
            targets.extend(
                links(&mut Random::new(seed, id as u64 | 1 << 41), pages, id).map(|page| page as u32),
            );
        }
        let depths = depths(&targets, pages);
        Self { targets, depths }
    }

    /// The ids that page `id` links to, in document order.
    pub(crate) fn links(&self, id: usize) -> &[u32] {
        &self.targets[id * LINKS_PER_PAGE..(id + 1) * LINKS_PER_PAGE]
    }

    /// The least number of clicks from page 0.
    pub(crate) fn depth(&self, id: usize) -> u32 {
        self.depths[id]
    }
}

fn links(random: &mut Random, pages: usize, id: usize) -> [usize; LINKS_PER_PAGE] {
    // A page with a lower number. The first pages have too few of them, so they link to the first 16 pages.
    let earlier = |random: &mut Random| random.below(id.max(16).min(pages));
    let mut out = [0; LINKS_PER_PAGE];
    let mut slot = out.iter_mut();
    let mut put = |page: usize| {
        if let Some(place) = slot.next() {
            *place = page;
        }
    };
    for section in 0..SLOTS.navigation {
        put(section % pages);
    }
    let parent = id.saturating_sub(1) / BRANCHES;
    put(0);
    put(parent);
    for _ in 0..SLOTS.content {
        put(earlier(random));
    }
    for child in (1..=SLOTS.children).map(|nth| id * BRANCHES + nth) {
        put(if child < pages { child } else { earlier(random) });
    }
    put(id.saturating_sub(1));
    put((id + 1) % pages);
    for nth in 0..SLOTS.related {
        let shortcut = nth == 0 && random.below(SHORTCUT_ONE_IN) == 0;
        put(if shortcut { random.below(pages) } else { earlier(random) });
    }
    for _ in 0..SLOTS.sidebar {
        put(earlier(random));
    }
    for nth in 0..SLOTS.footer {
        put((SLOTS.navigation + nth) % pages);
    }
    out
}

fn depths(targets: &[u32], pages: usize) -> Vec<u32> {
    let mut depths = vec![u32::MAX; pages];
    depths[0] = 0;
    let mut queue = VecDeque::from([0_usize]);
    while let Some(id) = queue.pop_front() {
        for &target in &targets[id * LINKS_PER_PAGE..(id + 1) * LINKS_PER_PAGE] {
            if depths[target as usize] == u32::MAX {
                depths[target as usize] = depths[id] + 1;
                queue.push_back(target as usize);
            }
        }
    }
    depths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slots_add_up_to_the_links_of_a_page() {
        let Slots { navigation, breadcrumbs, content, children, pagination, related, sidebar, footer } =
            SLOTS;
        assert_eq!(
            navigation + breadcrumbs + content + children + pagination + related + sidebar + footer,
            LINKS_PER_PAGE
        );
        assert_eq!(children, BRANCHES);
    }

    #[test]
    fn every_page_is_reachable_at_every_size() {
        for pages in [1, 2, 3, 7, 47, 48, 1000, 20_000] {
            let graph = Graph::generate(1, pages);
            assert!((0..pages).all(|id| graph.depth(id) != u32::MAX), "{pages} pages");
        }
    }

    #[test]
    fn the_site_is_deep_and_has_shortcuts() {
        let graph = Graph::generate(1, 20_000);
        let deepest = (0..20_000).map(|id| graph.depth(id)).max();
        assert!(deepest >= Some(4), "{deepest:?}");
        // Only a shortcut brings a page as close to the start as its parent in the tree.
        assert!((1..20_000).any(|id| graph.depth(id) <= graph.depth((id - 1) / BRANCHES)));
    }
}
