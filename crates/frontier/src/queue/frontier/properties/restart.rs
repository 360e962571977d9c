//! A queue that is restored from its changes goes on as the recorded one.

use std::collections::{BTreeMap, BTreeSet};

use super::depth::{distances_with_redirects, redirecting_site};
use super::*;
use crate::{Lease, Outcome, PageEnd};

/// Most restarts of one crawl, so that it ends.
const MAX_RESTARTS: usize = 12;

/// A page that waits.
#[derive(Debug)]
struct Waiting {
    https: bool,
    external: bool,
    host: String,
    path: String,
    priority: u8,
    deferral: u8,
    attempt: u32,
}

/// What a store knows about a job after the changes so far.
#[derive(Debug, Default)]
struct Stored {
    waiting: BTreeMap<UrlKey, Waiting>,
    too_deep: BTreeMap<UrlKey, Candidate>,
    ended: Vec<(UrlKey, Vec<UrlKey>)>,
    targets: BTreeMap<UrlKey, UrlKey>,
    depths: BTreeMap<UrlKey, u32>,
    documents: u64,
    failed: u64,
    skipped: u64,
}

impl Stored {
    /// Takes the changes of the last operation.
    fn take(&mut self, frontier: &mut Frontier) {
        frontier.changes().for_each(|change| self.apply(change));
        frontier.clear_changes();
    }

    fn apply(&mut self, change: QueueChange<'_>) {
        match change {
            QueueChange::Queued { page, .. } => {
                let QueuedPage { key, https, external, host, path, depth, priority, deferral } = page;
                let (host, path) = (host.to_owned(), path.to_owned());
                let page = Waiting { https, external, host, path, priority, deferral, attempt: 0 };
                self.too_deep.remove(&key);
                self.depths.insert(key, depth);
                assert!(self.waiting.insert(key, page).is_none(), "a page is queued once");
            }
            QueueChange::TooDeep { key, depth, external, priority, url, .. } => {
                let url = Url::parse(url).unwrap();
                self.depths.insert(key, depth);
                self.too_deep.insert(key, Candidate { url, key, external, priority });
            }
            QueueChange::Depth { key, depth, .. } => {
                self.depths.insert(key, depth);
            }
            QueueChange::Redirected { key, target, .. } => {
                self.too_deep.remove(&target);
                self.targets.insert(key, target);
            }
            QueueChange::Ended { key, end, links, .. } => {
                assert!(self.waiting.remove(&key).is_some(), "a page that waits ends");
                self.ended.push((key, links.to_vec()));
                match end {
                    PageEnd::Document => self.documents += 1,
                    PageEnd::Failed => self.failed += 1,
                    PageEnd::Skipped => self.skipped += 1,
                }
            }
            QueueChange::Retried { key, attempt, .. } => {
                if let Some(page) = self.waiting.get_mut(&key) {
                    page.attempt = attempt;
                }
            }
        }
    }

    /// Opens the job in another frontier.
    fn restore(&self, frontier: &mut Frontier, rules: JobRules) -> JobSlot {
        let job = frontier.open(rules);
        let depth_of = |key: &UrlKey| self.depths.get(key).copied().unwrap_or_default();
        let filled = frontier.restore(job, Duration::ZERO, |restore| {
            for (key, page) in &self.waiting {
                let Waiting { https, external, ref host, ref path, priority, deferral, attempt } = *page;
                let depth = depth_of(key);
                let page = QueuedPage { key: *key, https, external, host, path, depth, priority, deferral };
                restore.waiting(&page, attempt);
            }
            for (key, page) in &self.too_deep {
                restore.too_deep(page, depth_of(key));
            }
            for (key, links) in &self.ended {
                restore.ended(*key, depth_of(key), links, self.targets.get(key).copied());
            }
            restore.counts(self.documents, self.failed, self.skipped);
        });
        assert!(filled.is_some(), "the job is open");
        job
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn a_crawl_that_restarts_finds_the_same_pages(
        (site, targets) in redirecting_site(),
        max_depth in prop::option::of(0_u32..5),
        choices in prop::collection::vec((0_usize..8, any::<bool>()), 60),
    ) {
        let open = || {
            let config = FrontierConfig { max_attempts: u32::MAX, ..FrontierConfig::default() };
            Frontier::new(config).with_changes()
        };
        let rules = || JobRules { max_depth, ..JobRules::with_limit(u64::MAX) };
        let numbered = |page: usize| candidate((0, u8::try_from(page).unwrap()), 128);
        let (mut frontier, mut stored) = (open(), Stored::default());
        let mut job = frontier.open(rules());
        frontier.admit(job, 0, [numbered(0)], Duration::ZERO);
        stored.take(&mut frontier);
        let mut running: Vec<Lease> = Vec::new();
        let (mut documents, mut retried, mut restarts) = (BTreeSet::new(), BTreeSet::new(), 0);
        for (choice, leases) in choices.iter().cycle() {
            if *leases || running.is_empty() {
                running.extend(frontier.lease(1 + choice % 3, Duration::ZERO).leases);
            }
            if *choice == 5 && restarts < MAX_RESTARTS {
                restarts += 1;
                let before = frontier.counts(job).unwrap();
                frontier = open();
                job = stored.restore(&mut frontier, rules());
                let after = frontier.counts(job).unwrap();
                let waiting = before.waiting + before.leased;
                prop_assert_eq!((after.waiting, after.total), (waiting, before.total));
                prop_assert_eq!((after.documents, after.skipped), (before.documents, before.skipped));
                prop_assert_eq!(frontier.changes().count(), 0, "a restored page is no change");
                running.clear();
                continue;
            }
            if running.is_empty() {
                if frontier.is_idle(job) {
                    break;
                }
                continue;
            }
            let lease = running.remove(choice % running.len());
            let page = lease.url.path().trim_matches('/').parse::<usize>().unwrap();
            prop_assert_eq!(lease.attempt, u32::from(retried.contains(&page)), "attempts are kept");
            if *choice == 6 && retried.insert(page) {
                frontier.finish(lease.id, Outcome::Retry { not_before: Duration::ZERO }, [], Duration::ZERO);
                stored.take(&mut frontier);
                continue;
            }
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
            stored.take(&mut frontier);
        }
        let expected = distances_with_redirects(&site, &targets);
        let within: BTreeSet<usize> = expected
            .iter()
            .filter(|(page, depth)| max_depth.is_none_or(|max| **depth <= max) && targets[**page].is_none())
            .map(|(page, _)| *page)
            .collect();
        prop_assert_eq!(&documents, &within);
        if max_depth.is_some() {
            let state = frontier.jobs.get(job.0).unwrap();
            for page in within {
                prop_assert_eq!(state.depth(numbered(page).key, u32::MAX), expected[&page], "page {}", page);
            }
        }
    }
}
