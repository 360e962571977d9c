//! Tests of the turns of jobs and groups.

use super::*;

#[test]
fn a_large_job_does_not_delay_a_small_one() {
    let mut frontier = Frontier::new(FrontierConfig { max_in_flight: 4, ..FrontierConfig::default() });
    let large = frontier.open(JobRules::with_limit(u64::MAX));
    let small = frontier.open(JobRules::with_limit(10));
    for host in 0..100 {
        frontier.admit(large, 0, (0..1000).map(|n| candidate(&format!("https://h{host}.test/{n}"))), ZERO);
    }
    let mut running = frontier.lease(4, ZERO).leases;
    // One page on a host of its own, and one on a host that the large job keeps busy.
    frontier.admit(small, 0, [candidate("https://own.test/"), candidate("https://h0.test/small")], ZERO);
    let mut until = 0;
    while frontier.counts(small).unwrap().documents < 2 {
        frontier.finish(running.remove(0).id, Outcome::Document, [], ZERO);
        running.extend(frontier.lease(1, ZERO).leases);
        until += 1;
        assert!(until < 20, "each job has its turn");
    }
}

#[test]
fn a_contended_host_serves_jobs_in_turn() {
    let config = FrontierConfig { initial_per_host: 1, ..FrontierConfig::default() };
    let mut frontier = Frontier::new(config);
    let jobs: Vec<_> = (0..5).map(|_| frontier.open(JobRules::with_limit(1000))).collect();
    for (number, job) in jobs.iter().enumerate() {
        frontier.admit(*job, 0, (0..100).map(|n| on_a(&format!("{number}/{n}"))), ZERO);
    }
    let mut served = vec![0; jobs.len()];
    for _ in 0..50 {
        let lease = frontier.lease(10, ZERO).leases.pop().expect("one at a time");
        served[jobs.iter().position(|job| *job == lease.job).unwrap()] += 1;
        frontier.finish(lease.id, Outcome::Document, [], ZERO);
    }
    // The first jobs have had a second turn while the last ones, still new, had their first.
    assert_eq!(served, [11, 11, 10, 9, 9]);
}

#[test]
fn a_held_job_does_not_block_others() {
    let mut frontier = Frontier::new(FrontierConfig { initial_per_host: 1, ..FrontierConfig::default() });
    let held = frontier.open(JobRules::with_limit(100));
    let other = frontier.open(JobRules::with_limit(100));
    frontier.admit(held, 0, [on_a("1"), on_a("2"), on_a("3")], ZERO);
    frontier.admit(other, 0, [on_a("4"), on_a("5")], ZERO);
    let first = frontier.lease(10, ZERO).leases;
    assert_eq!(first[0].job, held);
    frontier.hold(held, true);
    frontier.finish(first[0].id, Outcome::Document, [], ZERO);
    for _ in 0..2 {
        let lease = frontier.lease(10, ZERO).leases.pop().unwrap();
        assert_eq!(lease.job, other);
        frontier.finish(lease.id, Outcome::Document, [], ZERO);
    }
    assert_eq!(frontier.lease(10, ZERO).leases, []);
    assert!(!frontier.is_idle(held));
    frontier.hold(held, false);
    assert_eq!(urls(&frontier.lease(10, ZERO)), ["https://a.test/2"]);
}

/// Leases and finishes pages, except those of the jobs in `stay`, for `count` turns. Returns the job of each
/// turn.
fn run_turns(frontier: &mut Frontier, stay: &[JobSlot], count: usize, mut now: Duration) -> Vec<JobSlot> {
    let mut order = Vec::new();
    while order.len() < count {
        let leased = frontier.lease(10, now);
        for lease in leased.leases.iter().filter(|lease| !stay.contains(&lease.job)) {
            order.push(lease.job);
            frontier.finish(lease.id, Outcome::Document, [], now);
        }
        now = leased.next.filter(|next| *next > now).unwrap_or(now + seconds(1));
    }
    order
}

#[test]
fn groups_that_share_a_rate_limit_alternate() {
    for (name, sites, max_per_address, gap) in [
        ("one host with a crawl delay", ["https://a.test", "https://a.test"], 50, Some(seconds(5))),
        ("two hosts of one address", ["https://a.test", "https://b.test"], 1, None),
    ] {
        let mut frontier = Frontier::new(FrontierConfig { max_per_address, ..FrontierConfig::default() });
        let mut jobs = Vec::new();
        for (group, site) in (1..).zip(sites) {
            let (url, address) = (Url::parse(site).unwrap(), Some(IpAddr::from([192, 0, 2, 1])));
            frontier.feedback(&url, HostFeedback { min_gap: gap, address, ..HostFeedback::default() }, ZERO);
            // The first group has many jobs, the second one has one.
            for number in 0..if group == 1 { 10 } else { 1 } {
                let job = frontier.open_for(Group(group), JobRules::with_limit(u64::MAX));
                frontier.admit(
                    job,
                    0,
                    (0..50).map(|n| candidate(&format!("{site}/{group}/{number}/{n}"))),
                    ZERO,
                );
                jobs.push(job);
            }
        }
        let second = *jobs.last().unwrap();
        let order = run_turns(&mut frontier, &[], 60, seconds(10));
        let of_second = order.iter().filter(|job| **job == second).count();
        assert_eq!(of_second, 30, "{name}");
        assert!(order.windows(3).all(|jobs| jobs.contains(&second)), "{name}");
        assert!(order.windows(2).all(|jobs| jobs.iter().any(|job| *job != second)), "{name}");
    }
}

#[test]
fn a_group_with_leases_elsewhere_still_gets_turns_at_a_host() {
    let config = FrontierConfig { initial_per_host: 1, max_per_host: 1, ..FrontierConfig::default() };
    let mut frontier = Frontier::new(config);
    let elsewhere = frontier.open_for(Group(1), JobRules::with_limit(u64::MAX));
    frontier.admit(elsewhere, 0, (0..9).map(|n| candidate(&format!("https://h{n}.test/"))), ZERO);
    assert_eq!(frontier.lease(20, ZERO).leases.len(), 9);
    let busy = frontier.open_for(Group(1), JobRules::with_limit(u64::MAX));
    let idle = frontier.open_for(Group(2), JobRules::with_limit(u64::MAX));
    for job in [busy, idle] {
        frontier.admit(job, 0, (0..100).map(|n| on_a(&n.to_string())), ZERO);
    }
    let order = run_turns(&mut frontier, &[elsewhere], 40, ZERO);
    assert_eq!(order.iter().filter(|job| **job == busy).count(), 20);
    // The host does not stay idle: if one group cannot use it, the other continues.
    frontier.hold(busy, true);
    assert_eq!(run_turns(&mut frontier, &[elsewhere], 10, seconds(100)), [idle; 10]);
}

#[test]
fn a_group_keeps_its_limit_and_the_least_loaded_goes_first() {
    let mut frontier = Frontier::new(FrontierConfig { max_in_flight: 20, ..FrontierConfig::default() });
    let open = |frontier: &mut Frontier, group, number| {
        let job = frontier.open_for(Group(group), JobRules::with_limit(u64::MAX));
        let host = format!("https://h{group}-{number}.test");
        respond(frontier, &host);
        frontier.admit(job, 0, (0..50).map(|n| candidate(&format!("{host}/{n}"))), ZERO);
        job
    };
    let many: Vec<_> = (0..6).map(|number| open(&mut frontier, 1, number)).collect();
    let few = open(&mut frontier, 2, 0);
    frontier.set_max_in_flight(Group(2), Some(4));
    let of_few = |leases: &[Lease]| leases.iter().filter(|lease| lease.job == few).count();
    let leases = frontier.lease(6, ZERO).leases;
    assert_eq!(of_few(&leases), 3, "each group has its turn, whatever the number of its jobs");
    let more = frontier.lease(30, ZERO).leases;
    assert_eq!(
        (more.len(), of_few(&more)),
        (14, 1),
        "a limit of four; the others go to the group with capacity"
    );
    assert_eq!((frontier.load(Group(2)).leased, frontier.load(Group(1)).leased), (4, 16));
    frontier.set_max_in_flight(Group(2), Some(5));
    frontier.finish(leases.iter().find(|lease| lease.job != few).unwrap().id, Outcome::Document, [], ZERO);
    assert_eq!(of_few(&frontier.lease(30, ZERO).leases), 1, "one more page");
    for job in many {
        frontier.close(job);
    }
    assert_eq!(frontier.load(Group(1)), GroupLoad::default());
}

#[test]
fn the_cost_of_a_lease_does_not_depend_on_the_number_of_jobs() {
    let cost = |jobs: u64| {
        let mut frontier = Frontier::new(FrontierConfig::default());
        respond(&mut frontier, "https://a.test/");
        for number in 0..jobs {
            let job = frontier.open_for(Group(1), JobRules::with_limit(u64::MAX));
            frontier.admit(job, 0, (0..3).map(|n| on_a(&format!("{number}/{n}"))), ZERO);
        }
        let beside = frontier.open_for(Group(2), JobRules::with_limit(u64::MAX));
        frontier.admit(beside, 0, (0..200).map(|n| candidate(&format!("https://b.test/{n}"))), ZERO);
        let mut leases = frontier.lease(50, ZERO).leases;
        let before = frontier.scheduler.inspections;
        let turns = 200;
        for turn in 0..turns {
            frontier.finish(leases.remove(turn % leases.len().min(5)).id, Outcome::Document, [], ZERO);
            leases.extend(frontier.lease(50, ZERO).leases);
        }
        (frontier.scheduler.inspections - before) / turns as u64
    };
    let (few, many) = (cost(100), cost(10_000));
    assert!(many <= few + 1 && many <= 10, "{many} inspections per lease, and {few} with fewer jobs");
}
