//! Which page links to which, and how many clicks each is from the start.
//!
//! The skeleton is a tree with [`BRANCHES`] children a page, numbered level by level, so that every page
//! is reachable and the depth grows with the logarithm of the site. Other links go to pages numbered
//! lower, which shorten nothing, save for a few far shortcuts: those make a page reachable by a long way
//! and by a short one, which is what a crawler's depth accounting has to get right. The truth about depth
//! is therefore computed over the whole graph and not read off the tree.

use std::collections::VecDeque;

use super::random::Random;

/// Links from each page to pages of the site, repeats included.
pub const LINKS_PER_PAGE: usize = 47;

/// Children a page has in the tree that makes all pages reachable.
const BRANCHES: usize = 6;

/// One page in so many has a shortcut to any page of the site.
const SHORTCUT_ONE_IN: usize = 40;

/// How many of the links stand in which part of a page, in the order of the parts.
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
    /// The graph of `pages` pages, at least one.
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
    // A page numbered lower; the first few have none worth naming, so they point at the first sections.
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
    fn the_slots_are_the_links_of_a_page() {
        let Slots { navigation, breadcrumbs, content, children, pagination, related, sidebar, footer } =
            SLOTS;
        assert_eq!(
            navigation + breadcrumbs + content + children + pagination + related + sidebar + footer,
            LINKS_PER_PAGE
        );
        assert_eq!(children, BRANCHES);
    }

    #[test]
    fn every_page_is_reachable_whatever_the_size() {
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
        // Some page is nearer than its parent in the tree says: only a shortcut does that.
        assert!((1..20_000).any(|id| graph.depth(id) <= graph.depth((id - 1) / BRANCHES)));
    }
}
