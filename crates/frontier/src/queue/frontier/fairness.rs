//! Fairness: no job starves, and a new job starts almost at once.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::Outcome;

/// A job with pages left, in the model.
#[derive(Debug, Default)]
struct Waiting {
    pages: u64,
    /// Turns of others since its last one, or since it was opened.
    passed_over: usize,
    /// Maximum number of other waiting jobs meanwhile.
    rivals: usize,
    served: bool,
    /// New jobs that were opened before it and had no turn yet.
    newcomers_before: usize,
}

/// Runs `steps`: each opens jobs with these numbers of pages and then takes one turn. All jobs use one host,
/// or each its own.
fn run(steps: &[(Vec<u64>, bool)], one_host: bool) {
    let config = FrontierConfig { max_in_flight: 1, ..FrontierConfig::default() };
    let mut frontier = Frontier::new(config);
    let now = Duration::ZERO;
    let mut jobs: BTreeMap<JobSlot, Waiting> = BTreeMap::new();
    let mut opened = 0;
    for (arrivals, answers) in steps {
        for pages in arrivals {
            let job = frontier.open(JobRules::with_limit(u64::MAX));
            opened += 1;
            let host = if one_host { 0 } else { opened };
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

/// Runs `steps`: each opens jobs of these groups with these numbers of pages and then takes one turn. A
/// finished job is closed, and its group removed with its last job. All jobs use one host, or each its own.
fn run_groups(steps: &[Vec<(u64, u64)>], one_host: bool) {
    let config = FrontierConfig { max_in_flight: 1, ..FrontierConfig::default() };
    let mut frontier = Frontier::new(config);
    let now = Duration::ZERO;
    let mut jobs: BTreeMap<JobSlot, (u64, u64)> = BTreeMap::new();
    // Turns of other groups since the last turn of the group, or since it has waiting pages.
    let mut passed_over: BTreeMap<u64, u64> = BTreeMap::new();
    let mut opened = 0;
    for arrivals in steps {
        for (group, pages) in arrivals {
            let job = frontier.open_for(Group(*group), JobRules::with_limit(u64::MAX));
            opened += 1;
            let host = if one_host { 0 } else { opened };
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
    fn every_group_gets_turns(
        steps in prop::collection::vec(prop::collection::vec((0..GROUPS, 1_u64..6), 0..4), 1..120),
        one_host in any::<bool>(),
    ) {
        run_groups(&steps, one_host);
    }

    #[test]
    fn every_job_gets_turns(
        steps in prop::collection::vec((prop::collection::vec(1_u64..9, 0..3), any::<bool>()), 1..120),
        one_host in any::<bool>(),
    ) {
        run(&steps, one_host);
    }
}

#[test]
fn new_jobs_take_at_most_every_second_turn() {
    for one_host in [false, true] {
        // Ten jobs with a hundred pages, then two new jobs with one page before every turn.
        let mut steps = vec![(vec![100; 10], true)];
        steps.extend(std::iter::repeat_n((vec![1, 1], true), 500));
        run(&steps, one_host);
    }
}
