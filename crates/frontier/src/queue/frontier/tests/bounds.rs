//! Tests of the bounds on queue space, per job and per group.

use super::*;

#[test]
fn a_queue_is_bounded_in_bytes() {
    // Each page takes eleven bytes and the part of its URL after the host or, if it is too deep, its whole
    // URL and some more.
    let long = |n: usize| on_a(&format!("{n:089}"));
    for (name, per_job, total, max_depth, fit) in [
        ("a job", 1_010, u64::MAX, None, 10),
        ("three quarters of the space of all jobs", u64::MAX, 1_347, None, 10),
        ("a job with its graph", 1_010, u64::MAX, Some(3), 10),
    ] {
        let config = FrontierConfig {
            max_queued_bytes_per_job: per_job,
            max_queued_bytes: total,
            ..FrontierConfig::default()
        };
        let mut frontier = Frontier::new(config);
        let rules = JobRules { max_depth, ..JobRules::with_limit(1_000) };
        let (first, second) = (frontier.open(rules.clone()), frontier.open(rules));
        let offered = frontier.admit(first, 0, (0..15).map(long), ZERO);
        assert_eq!((offered.new, offered.overflow), (fit, 15 - fit), "{name}");
        let others = frontier.admit(second, 0, (0..15).map(long), ZERO).new;
        assert_eq!(others, if total == u64::MAX { fit } else { 0 }, "{name}");
        frontier.close(second);
        // A leased page frees its space; a returned one takes it again.
        let lease = frontier.lease(1, ZERO).leases.remove(0);
        assert_eq!(frontier.admit(first, 0, (20..25).map(long), ZERO).new, 1, "{name}");
        frontier.finish(lease.id, Outcome::Retry { not_before: ZERO }, [], ZERO);
        assert_eq!(frontier.admit(first, 0, (30..35).map(long), ZERO).new, 0, "{name}");
        frontier.close(first);
        let third = frontier.open(JobRules::with_limit(1_000));
        assert_eq!(
            frontier.admit(third, 0, (0..15).map(long), ZERO).new,
            fit,
            "{name}: its space is free again"
        );
    }
    let config = FrontierConfig { max_queued_bytes_per_job: 2_000, ..FrontierConfig::default() };
    let mut frontier = Frontier::new(config);
    let job = frontier.open(JobRules { max_depth: Some(0), ..JobRules::with_limit(1_000) });
    frontier.admit(job, 0, [on_a("start")], ZERO);
    let lease = frontier.lease(1, ZERO).leases.remove(0);
    let links = admitted(frontier.finish(lease.id, Outcome::Document, (0..100).map(long), ZERO));
    assert!(links.too_deep > 5 && links.overflow > 50, "{links:?}");
}

#[test]
fn a_full_queue_refuses_and_counts() {
    for max_depth in [None, Some(0)] {
        let config = FrontierConfig { max_queued_per_job: 3, ..FrontierConfig::default() };
        let mut frontier = Frontier::new(config);
        let job = frontier.open(JobRules { max_depth, ..JobRules::with_limit(100) });
        let offered = frontier.admit(job, 0, (0..5).map(|n| on_a(&n.to_string())), ZERO);
        assert_eq!(offered, Admitted { new: 3, overflow: 2, ..Admitted::default() });
        let again = frontier.admit(job, 0, (0..5).map(|n| on_a(&n.to_string())), ZERO);
        assert_eq!(again, Admitted { seen: 3, overflow: 2, ..Admitted::default() });
        drain(&mut frontier, |_| vec![]);
        assert_eq!(frontier.admit(job, 0, [on_a("4")], ZERO).new, 1, "what was refused is not remembered");
    }
}

#[test]
fn a_greedy_group_leaves_space_for_others() {
    // Space for 8,000 pages of 101 bytes, and for 1,000 links per job.
    let config = FrontierConfig { max_queued_bytes: 808_000, ..FrontierConfig::default() };
    let mut frontier = Frontier::new(config);
    let crawl = |frontier: &mut Frontier, group: u64, number: u64, links: u64| {
        let job = frontier.open_for(Group(group), JobRules::with_limit(u64::MAX));
        let site = format!("https://h{group}-{number}.test");
        frontier.admit(job, 0, [candidate(&site)], ZERO);
        let start = frontier.lease(1, ZERO).leases.remove(0);
        assert_eq!(start.job, job);
        let links = (0..links).map(|n| candidate(&format!("{site}/{n:089}")));
        let found = admitted(frontier.finish(start.id, Outcome::Document, links, ZERO));
        frontier.hold(job, true);
        (job, found)
    };
    // Twenty crawls of sites with endless links, submitted by one team.
    let mut of_first = 0;
    for number in 0..20 {
        let (_, found) = crawl(&mut frontier, 1, number, 5_000);
        assert!(found.new <= 1_000, "an eighth of the space for one job");
        of_first += found.new;
    }
    assert!((3_900..=4_000).contains(&of_first), "half of the space for one group: {of_first}");
    // The crawl of another team, and the pages that it submits, are not affected.
    let (own, found) = crawl(&mut frontier, 2, 0, 900);
    assert_eq!((found.new, found.overflow), (900, 0));
    let named: Vec<_> = (0..1_000).map(|n| on_a(&format!("{n:089}"))).collect();
    assert!(frontier.has_capacity(own, &named));
    assert_eq!(frontier.admit(own, 0, named, ZERO).overflow, 0);
    // A third group finds space too.
    assert_eq!(crawl(&mut frontier, 3, 0, 500).1.overflow, 0);
}

#[test]
fn a_reservation_is_there_for_its_pages_and_for_no_others() {
    let page = |n: u64| on_a(&format!("{n:089}"));
    let pages = |numbers: std::ops::Range<u64>| -> Vec<Candidate> { numbers.map(page).collect() };
    for max_depth in [None, Some(3)] {
        // Space for ten pages of 101 bytes.
        let config = FrontierConfig { max_queued_bytes_per_job: 1_010, ..FrontierConfig::default() };
        let mut frontier = Frontier::new(config);
        let job = frontier.open(JobRules { max_depth, ..JobRules::with_limit(1_000) });
        let size = QueueSize::of(&pages(0..6)).unwrap();
        assert!(frontier.reserve(job, size, ZERO));
        assert_eq!(frontier.load(Group::default()).bytes, 606, "it counts as if they waited");
        assert!(!frontier.reserve(job, size, ZERO), "six more do not fit");
        let others = frontier.admit(job, 0, pages(20..30), ZERO);
        assert_eq!((others.new, others.overflow), (4, 6));
        for part in [0..4, 4..6] {
            let expected = part.end - part.start;
            let admitted = frontier.admit_reserved(job, 0, pages(part), ZERO);
            assert_eq!(admitted, Admitted { new: expected, ..Admitted::default() });
        }
        let counts = frontier.counts(job).unwrap();
        assert_eq!((counts.waiting, frontier.load(Group::default()).bytes), (10, 1_010));
        assert!(frontier.reserve(job, QueueSize::default(), ZERO), "nothing fits always");
        // What is known takes no space.
        assert_eq!(frontier.lease(1, ZERO).leases.len(), 1);
        assert!(frontier.reserve(job, QueueSize::of(&pages(3..4)).unwrap(), ZERO));
        assert_eq!(frontier.admit_reserved(job, 0, pages(3..4), ZERO).seen, 1);
        assert_eq!(frontier.load(Group::default()).bytes, 909);
        frontier.close(job);
        assert_eq!(frontier.admit_reserved(job, 0, pages(0..1), ZERO), Admitted::default());
    }
    assert_eq!(QueueSize::of(&[candidate("ftp://a.test/")]), None);
}

#[test]
fn a_closed_job_leaves_no_reservation() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open_for(Group(7), JobRules::with_limit(10));
    let other = frontier.open_for(Group(7), JobRules::with_limit(10));
    assert!(frontier.reserve(job, QueueSize::of(&[on_a("x")]).unwrap(), ZERO));
    frontier.close(job);
    assert_eq!(frontier.load(Group(7)).bytes, 0);
    assert!(frontier.counts(other).is_some());
}
