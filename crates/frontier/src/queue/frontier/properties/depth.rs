//! Depth is the smallest number of clicks, in any order of completion.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::*;
use crate::{Lease, Outcome};

/// A small site: the links of each page.
fn site() -> impl Strategy<Value = Vec<Vec<usize>>> {
    (2_usize..14).prop_flat_map(|pages| prop::collection::vec(prop::collection::vec(0..pages, 0..4), pages))
}

fn distances(site: &[Vec<usize>], roots: &BTreeSet<usize>) -> BTreeMap<usize, u32> {
    let mut found: BTreeMap<usize, u32> = roots.iter().map(|page| (*page, 0)).collect();
    let mut queue: VecDeque<usize> = roots.iter().copied().collect();
    while let Some(page) = queue.pop_front() {
        let depth = found[&page] + 1;
        for link in &site[page] {
            found.entry(*link).or_insert_with(|| {
                queue.push_back(*link);
                depth
            });
        }
    }
    found
}

/// A site with redirects: the links of each page, and its redirect target.
pub(super) fn redirecting_site() -> impl Strategy<Value = (Vec<Vec<usize>>, Vec<Option<usize>>)> {
    (2_usize..12).prop_flat_map(|pages| {
        let links = prop::collection::vec(prop::collection::vec(0..pages, 0..4), pages);
        let targets = prop::collection::vec(prop::option::weighted(0.3, 0..pages), pages);
        (links, targets).prop_map(|(links, mut targets)| {
            // Chains of redirects are cut, so that every fetch ends.
            for page in 0..targets.len() {
                if targets[page].is_some_and(|target| target == page || targets[target].is_some()) {
                    targets[page] = None;
                }
            }
            (links, targets)
        })
    })
}

/// As [`distances`], with redirects that cost no click: slow and obviously correct.
pub(super) fn distances_with_redirects(
    site: &[Vec<usize>],
    targets: &[Option<usize>],
) -> BTreeMap<usize, u32> {
    let mut found = BTreeMap::from([(0, 0)]);
    loop {
        let before = found.clone();
        for (&page, &depth) in &before {
            let steps = match targets[page] {
                Some(target) => vec![(target, depth)],
                None => site[page].iter().map(|link| (*link, depth + 1)).collect(),
            };
            for (to, depth) in steps {
                let known = found.entry(to).or_insert(depth);
                *known = depth.min(*known);
            }
        }
        if found == before {
            return found;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn depth_is_the_smallest_number_of_clicks(
        site in site(),
        max_depth in 0_u32..5,
        second_root in 0_usize..14,
        choices in prop::collection::vec((0_usize..8, any::<bool>()), 60),
    ) {
        let mut frontier = Frontier::new(FrontierConfig::default());
        let job = frontier.open(JobRules { max_depth: Some(max_depth), ..JobRules::with_limit(u64::MAX) });
        let numbered = |page: usize| candidate((0, u8::try_from(page).unwrap()), 128);
        let page_of = |lease: &Lease| lease.url.path().trim_matches('/').parse::<usize>().unwrap();
        frontier.admit(job, 0, [numbered(0)], Duration::ZERO);
        let mut roots = BTreeSet::from([0]);
        let mut running: Vec<Lease> = Vec::new();
        let mut crawled = BTreeSet::new();
        let mut late = Some(second_root % site.len());
        for (choice, leases) in choices.iter().cycle() {
            if *leases || running.is_empty() {
                running.extend(frontier.lease(1 + choice % 3, Duration::ZERO).leases);
            }
            if *choice == 7 && let Some(root) = late.take() {
                // A sitemap is read during the crawl.
                frontier.admit(job, 0, [numbered(root)], Duration::ZERO);
                roots.insert(root);
            }
            if running.is_empty() {
                if frontier.is_idle(job) {
                    break;
                }
                continue;
            }
            let lease = running.remove(choice % running.len());
            prop_assert!(crawled.insert(page_of(&lease)), "{} twice", page_of(&lease));
            let links = site[page_of(&lease)].iter().map(|page| numbered(*page));
            frontier.finish(lease.id, Outcome::Document, links, Duration::ZERO);
        }
        let expected = distances(&site, &roots);
        let within: BTreeSet<_> =
            expected.iter().filter(|(_, depth)| **depth <= max_depth).map(|(page, _)| *page).collect();
        prop_assert_eq!(&crawled, &within);
        let state = frontier.jobs.get(job.0).unwrap();
        for page in within {
            prop_assert_eq!(state.depth(numbered(page).key, u32::MAX), expected[&page], "page {}", page);
        }
    }

    #[test]
    fn redirects_cost_no_click(
        (site, targets) in redirecting_site(),
        max_depth in 0_u32..5,
        choices in prop::collection::vec((0_usize..8, any::<bool>()), 60),
    ) {
        let mut frontier = Frontier::new(FrontierConfig::default());
        let job = frontier.open(JobRules { max_depth: Some(max_depth), ..JobRules::with_limit(u64::MAX) });
        let numbered = |page: usize| candidate((0, u8::try_from(page).unwrap()), 128);
        frontier.admit(job, 0, [numbered(0)], Duration::ZERO);
        let mut running: Vec<Lease> = Vec::new();
        let mut documents = BTreeSet::new();
        for (choice, leases) in choices.iter().cycle() {
            if *leases || running.is_empty() {
                running.extend(frontier.lease(1 + choice % 3, Duration::ZERO).leases);
            }
            if running.is_empty() {
                if frontier.is_idle(job) {
                    break;
                }
                continue;
            }
            let lease = running.remove(choice % running.len());
            let page = lease.url.path().trim_matches('/').parse::<usize>().unwrap();
            let target = targets[page].unwrap_or(page);
            let is_new = targets[page].is_none()
                || frontier.redirected(lease.id, numbered(target).key, Duration::ZERO);
            if is_new {
                prop_assert!(documents.insert(target), "{} twice", target);
                let links = site[target].iter().map(|page| numbered(*page));
                frontier.finish(lease.id, Outcome::Document, links, Duration::ZERO);
            } else {
                frontier.finish(lease.id, Outcome::Skipped, [], Duration::ZERO);
            }
        }
        let expected = distances_with_redirects(&site, &targets);
        let within: BTreeSet<_> = expected
            .iter()
            .filter(|(page, depth)| **depth <= max_depth && targets[**page].is_none())
            .map(|(page, _)| *page)
            .collect();
        prop_assert_eq!(&documents, &within);
        let state = frontier.jobs.get(job.0).unwrap();
        for page in within {
            prop_assert_eq!(state.depth(numbered(page).key, u32::MAX), expected[&page], "page {}", page);
        }
    }
}
