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
