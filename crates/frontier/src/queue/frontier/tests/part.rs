//! Tests of jobs whose pages another store keeps.

use super::*;
use crate::{GroupLoad, HostLoad, HostPace, MAX_BEFORE_FIRST_RESPONSE};

fn page(key: u64, path: &str) -> QueuedPage<'_> {
    let (host, priority) = ("a.test", Candidate::NORMAL);
    let key = UrlKey::from_raw(key);
    QueuedPage { key, https: true, external: false, host, path, depth: 1, priority, deferral: 0 }
}

#[test]
fn an_allowance_bounds_leases_and_wakes_its_job() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    respond(&mut frontier, "https://a.test/");
    let job = frontier.open_part(Group(3), None);
    for n in 0..9 {
        assert!(frontier.load_page(job, &page(n, "/x"), 0, false, ZERO));
    }
    assert_eq!(frontier.lease(9, ZERO).leases, []);
    frontier.set_allowance(job, 2, 100);
    let leases = frontier.lease(9, ZERO).leases;
    assert_eq!(leases.len(), 2);
    assert!(frontier.redirected(leases[0].id, UrlKey::from_raw(1), ZERO));
    assert!(frontier.visited(job, UrlKey::from_raw(2)));
    let finished = frontier.finish(leases[0].id, Outcome::Document, [on_a("y")], ZERO);
    assert_eq!(
        admitted(finished),
        Admitted { overflow: 1, ..Admitted::default() },
        "nothing is admitted here"
    );
    frontier.set_allowance(job, 1, 99);
    assert_eq!(frontier.lease(9, ZERO).leases, []);
    frontier.set_allowance(job, 5, 99);
    assert_eq!(frontier.lease(9, ZERO).leases.len(), 4);
    let counts = Counts { waiting: 3, leased: 5, documents: 1, total: 9, ..Counts::default() };
    assert_eq!(frontier.counts(job), Some(counts));
}

#[test]
fn only_pages_of_open_parts_with_a_valid_url_are_loaded() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let (whole, part) = (frontier.open(JobRules::with_limit(9)), frontier.open_part(Group::default(), None));
    assert!(!frontier.load_page(whole, &page(1, "/x"), 0, false, ZERO));
    assert!(!frontier.load_page(part, &QueuedPage { host: "a b", ..page(1, "/x") }, 0, false, ZERO));
    let long = "/x".repeat(40_000);
    assert!(!frontier.load_page(part, &page(1, &long), 0, false, ZERO));
    frontier.set_allowance(whole, 0, 0);
    frontier.admit(whole, 0, [on_a("y")], ZERO);
    assert_eq!(frontier.unload_host("a.test", ZERO), 0);
    assert_eq!(urls(&frontier.lease(9, ZERO)), ["https://a.test/y"], "other jobs do not change");
    frontier.close(part);
    assert!(!frontier.load_page(part, &page(1, "/x"), 0, false, ZERO));
}

#[test]
fn loaded_links_count_for_traps() {
    for (from_link, first, deferred) in [(true, "/real", 3), (false, "/a/b/a/b/a/0", 0)] {
        let mut frontier = Frontier::new(FrontierConfig::default());
        respond(&mut frontier, "https://a.test/");
        let job = frontier.open_part(Group::default(), None);
        // Four pages wait, and the job needs three documents.
        frontier.set_allowance(job, 50, 3);
        for n in 0..3 {
            frontier.load_page(job, &page(n, &format!("/a/b/a/b/a/{n}")), 0, from_link, ZERO);
        }
        frontier.load_page(job, &page(3, "/real"), 0, from_link, ZERO);
        let leases = frontier.lease(9, ZERO).leases;
        assert_eq!(leases[0].url.path(), first);
        assert_eq!(leases.len(), 4 - deferred, "deferred pages wait for the others");
        let counted: u64 = frontier.deferred_counts(job).iter().map(|(_, count)| count).sum();
        assert_eq!(counted, deferred as u64);
        frontier.finish(leases[0].id, Outcome::Failed, [], ZERO);
        assert_eq!(frontier.lease(9, ZERO).leases.len(), deferred);
    }
    // The deferral of the store stays if it is larger.
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open_part(Group::default(), None);
    frontier.set_allowance(job, 50, 1_000);
    frontier.load_page(job, &QueuedPage { deferral: 9, ..page(1, "/late") }, 0, true, ZERO);
    frontier.load_page(job, &page(2, "/a/b/a/b/a/0"), 0, true, ZERO);
    assert_eq!(drain(&mut frontier, |_| Vec::new()), ["https://a.test/a/b/a/b/a/0", "https://a.test/late"]);
}

#[test]
fn unloaded_pages_leave_no_trace() {
    let config = FrontierConfig { initial_per_host: 1, ..FrontierConfig::default() };
    let mut frontier = Frontier::new(config);
    let group = Group(7);
    let (first, second) = (frontier.open_part(group, None), frontier.open_part(group, None));
    let whole = frontier.open_for(group, JobRules::with_limit(9));
    for job in [first, second] {
        frontier.set_allowance(job, 9, 9);
        for n in 0..3 {
            frontier.load_page(job, &page(n, "/x"), 0, false, ZERO);
        }
    }
    frontier.admit(whole, 0, [on_a("kept")], ZERO);
    let leases = frontier.lease(9, ZERO).leases;
    assert_eq!(leases.len(), 1, "all others are blocked");
    frontier.load_page(first, &QueuedPage { host: "b.test", ..page(8, "/y") }, 0, false, ZERO);
    frontier.load_page(second, &page(9, "/x"), 2, false, ZERO);
    // A job that may lease nothing.
    let idle = frontier.open_part(group, None);
    frontier.load_page(idle, &page(0, "/x"), 0, false, ZERO);
    let load = HostLoad { waiting: 8, in_flight: 1, ready_at: ZERO, places: 1 };
    assert_eq!(frontier.host_load("a.test"), load);

    assert_eq!(frontier.unload_host("a.test", ZERO), 7);
    assert_eq!(frontier.host_load("a.test"), HostLoad { waiting: 1, ..load });
    // Eleven bytes and the path, of `/kept` and `/y`.
    let left = GroupLoad { jobs: 4, waiting: 2, leased: 1, bytes: 29 };
    assert_eq!(frontier.load(group), left);
    assert_eq!(frontier.unload_host("a.test", ZERO), 0);

    frontier.finish(leases[0].id, Outcome::Retry { not_before: ZERO }, [], ZERO);
    let mut order = drain(&mut frontier, |_| Vec::new());
    order.sort();
    assert_eq!(order, ["https://a.test/kept", "https://a.test/x", "https://b.test/y"]);
    assert_eq!(frontier.load(group), GroupLoad { jobs: 4, ..GroupLoad::default() });
    assert_eq!(frontier.host_load("a.test"), HostLoad { waiting: 0, in_flight: 0, ..load });

    frontier.set_allowance(idle, 9, 9);
    for job in [first, second, idle] {
        assert!(frontier.is_idle(job));
        frontier.load_page(job, &page(0, "/x"), 0, false, ZERO);
        assert_eq!(drain(&mut frontier, |_| Vec::new()), ["https://a.test/x"], "it is loaded again");
    }
}

#[test]
fn the_delay_of_a_job_goes_with_its_host() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open_part(Group::default(), Some(seconds(5)));
    frontier.set_allowance(job, 9, 9);
    for n in 0..2 {
        frontier.load_page(job, &page(n, "/x"), 0, false, ZERO);
    }
    let leases = frontier.lease(9, ZERO).leases;
    assert_eq!(leases.len(), 1);
    frontier.finish(leases[0].id, Outcome::Document, [], seconds(1));
    assert_eq!(frontier.pace("a.test").ready_at, ZERO);
    assert_eq!(frontier.unload_host("a.test", seconds(1)), 1);
    let pace = frontier.pace("a.test");
    assert_eq!(pace.ready_at, seconds(6));

    let mut next = Frontier::new(FrontierConfig::default());
    let job = next.open_part(Group::default(), Some(seconds(5)));
    next.set_allowance(job, 9, 9);
    next.set_pace("a.test", pace, seconds(2));
    next.load_page(job, &page(1, "/x"), 0, false, seconds(2));
    assert_eq!(next.lease(9, seconds(5)), Leased { leases: vec![], next: Some(seconds(6)) });
    assert_eq!(next.lease(9, seconds(6)).leases.len(), 1);
}

#[test]
fn a_host_keeps_its_pace() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let host = "a.test:81";
    assert_eq!(frontier.pace(host), HostPace::default());
    let unknown = HostLoad { waiting: 0, in_flight: 0, ready_at: ZERO, places: MAX_BEFORE_FIRST_RESPONSE };
    assert_eq!(frontier.host_load(host), unknown);
    let address = Some(IpAddr::from([192, 0, 2, 1]));
    let pace = HostPace { ready_at: seconds(9), gap: seconds(3), places: Some(20), address };
    frontier.set_pace(host, pace, ZERO);
    assert_eq!(frontier.pace(host), pace);
    // A time is never earlier than what is known, and the other numbers are bounded.
    let other = HostPace { ready_at: seconds(2), gap: ZERO, places: Some(u32::MAX), address: None };
    frontier.set_pace(host, other, ZERO);
    let merged = HostPace { ready_at: seconds(9), gap: ZERO, places: Some(DEFAULT_MAX_IN_FLIGHT), address };
    assert_eq!(frontier.pace(host), merged);
    let places = DEFAULT_INITIAL_PER_ADDRESS;
    assert_eq!(frontier.host_load(host), HostLoad { ready_at: seconds(9), places, ..unknown });
    frontier.set_pace(host, HostPace { ready_at: Duration::MAX, ..HostPace::default() }, seconds(1));
    assert_eq!(frontier.pace(host), HostPace { ready_at: seconds(1) + MAX_WAIT, ..merged });
}
