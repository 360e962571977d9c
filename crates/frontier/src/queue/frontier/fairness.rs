//! Whose turn it is, whoever comes: no job waits for ever, and a new one hardly at all.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::Outcome;

/// A job that has pages left, as the law sees it.
#[derive(Debug, Default)]
struct Waiting {
    pages: u64,
    /// Turns of others since its own last one, or since it came.
    passed_over: usize,
    /// The most jobs that have waited beside it meanwhile.
    rivals: usize,
    served: bool,
    /// New jobs that had come before it and had no turn yet.
    newcomers_before: usize,
}

/// Plays `steps`, each some new jobs of so many pages and then one turn. All jobs want one host, or each its own.
fn play(steps: &[(Vec<u64>, bool)], one_host: bool) {
    let config = FrontierConfig { max_in_flight: 1, ..FrontierConfig::default() };
    let mut frontier = Frontier::new(config);
    let now = Duration::ZERO;
    let mut jobs: BTreeMap<JobSlot, Waiting> = BTreeMap::new();
    let mut came = 0;
    for (arrivals, answers) in steps {
        for pages in arrivals {
            let job = frontier.open(JobRules::with_limit(u64::MAX));
            came += 1;
            let host = if one_host { 0 } else { came };
            let candidates = (0..*pages).map(|page| Candidate {
                url: Url::parse(&format!("https://h{host}.test/{page}")).unwrap(),
                key: UrlKey::from_raw(page),
                external: false,
                priority: Candidate::NORMAL,
            });
            frontier.admit(job, 0, candidates, now);
            let newcomers_before = jobs.values().filter(|job| !job.served).count();
            jobs.insert(job, Waiting { pages: *pages, newcomers_before, ..Waiting::default() });
        }
        let Some(lease) = frontier.lease(1, now).leases.pop() else {
            assert!(jobs.is_empty(), "{} jobs have pages, and nothing is leased", jobs.len());
            continue;
        };
        let rivals = jobs.len() - 1;
        for (slot, job) in &mut jobs {
            if *slot == lease.job {
                continue;
            }
            job.passed_over += 1;
            job.rivals = job.rivals.max(rivals);
            assert!(job.passed_over <= 2 * job.rivals + 2, "{job:?} starves");
            assert!(job.served || job.passed_over <= 2 * job.newcomers_before + 1, "{job:?} is kept waiting");
        }
        let job = jobs.get_mut(&lease.job).unwrap();
        *job = Waiting { pages: job.pages - 1, served: true, ..Waiting::default() };
        if job.pages == 0 {
            jobs.remove(&lease.job);
        }
        let outcome = if *answers { Outcome::Document } else { Outcome::Failed };
        frontier.finish(lease.id, outcome, [], now);
    }
}

/// Plays `steps`, each some new jobs of these groups with so many pages and then one turn. A job whose pages are done is
/// closed, and its group forgotten with the last one. All jobs want one host, or each its own.
fn play_groups(steps: &[Vec<(u64, u64)>], one_host: bool) {
    let config = FrontierConfig { max_in_flight: 1, ..FrontierConfig::default() };
    let mut frontier = Frontier::new(config);
    let now = Duration::ZERO;
    let mut jobs: BTreeMap<JobSlot, (u64, u64)> = BTreeMap::new();
    // Turns of others since its own last one, or since it had none to wait for.
    let mut passed_over: BTreeMap<u64, u64> = BTreeMap::new();
    let mut came = 0;
    for arrivals in steps {
        for (group, pages) in arrivals {
            let job = frontier.open_for(Group(*group), JobRules::with_limit(u64::MAX));
            came += 1;
            let host = if one_host { 0 } else { came };
            let candidates = (0..*pages).map(|page| Candidate {
                url: Url::parse(&format!("https://h{host}.test/{page}")).unwrap(),
                key: UrlKey::from_raw(page),
                external: false,
                priority: Candidate::NORMAL,
            });
            frontier.admit(job, 0, candidates, now);
            jobs.insert(job, (*group, *pages));
            passed_over.entry(*group).or_default();
        }
        let Some(lease) = frontier.lease(1, now).leases.pop() else {
            assert!(jobs.is_empty(), "{} jobs have pages, and nothing is leased", jobs.len());
            continue;
        };
        let (group, pages) = jobs[&lease.job];
        for (other, passed) in &mut passed_over {
            *passed = if *other == group { 0 } else { *passed + 1 };
            assert!(*passed < GROUPS, "group {other} is passed over {passed} times");
        }
        frontier.finish(lease.id, Outcome::Document, [], now);
        if pages == 1 {
            frontier.close(lease.job);
            jobs.remove(&lease.job);
        } else {
            jobs.insert(lease.job, (group, pages - 1));
        }
        passed_over.retain(|group, _| jobs.values().any(|(of, _)| of == group));
    }
}

const GROUPS: u64 = 4;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn every_group_has_its_turn_however_many_jobs_others_have(
        steps in prop::collection::vec(prop::collection::vec((0..GROUPS, 1_u64..6), 0..4), 1..120),
        one_host in any::<bool>(),
    ) {
        play_groups(&steps, one_host);
    }

    #[test]
    fn every_job_has_its_turn_whoever_comes(
        steps in prop::collection::vec((prop::collection::vec(1_u64..9, 0..3), any::<bool>()), 1..120),
        one_host in any::<bool>(),
    ) {
        play(&steps, one_host);
    }
}

#[test]
fn a_stream_of_new_jobs_takes_every_second_turn_at_most() {
    for one_host in [false, true] {
        // Ten jobs of a hundred pages, then two new jobs of one page with every turn.
        let mut steps = vec![(vec![100; 10], true)];
        steps.extend(std::iter::repeat_n((vec![1, 1], true), 500));
        play(&steps, one_host);
    }
}
