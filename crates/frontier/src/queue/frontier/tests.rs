//! Tests of the frontier: admission, leases, limits and retries.

use std::net::IpAddr;

use super::*;
use crate::queue::config::MAX_WAIT;
use crate::{
    DEFAULT_INITIAL_PER_ADDRESS, DEFAULT_MAX_IN_FLIGHT, Finished, HostFeedback, Lease, Leased, Observation,
    Outcome,
};

mod bounds;
mod deferral;
mod depth;
mod fairness;
mod part;
mod politeness;
mod spill;

const ZERO: Duration = Duration::ZERO;

fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

fn key_of(text: &str) -> UrlKey {
    crate::Identity::from_options(false, false).key(&Url::parse(text).unwrap())
}

fn candidate(text: &str) -> Candidate {
    let url = Url::parse(text).unwrap();
    Candidate { key: key_of(text), url, external: false, priority: Candidate::NORMAL }
}

fn on_a(path: &str) -> Candidate {
    candidate(&format!("https://a.test/{path}"))
}

fn urls(leased: &Leased) -> Vec<String> {
    leased.leases.iter().map(|lease| lease.url.to_string()).collect()
}

fn admitted(finished: Finished) -> Admitted {
    match finished {
        Finished::Accepted { admitted } => admitted,
        Finished::Stale => panic!("stale"),
    }
}

/// Reports a good response of the host of this URL.
fn respond(frontier: &mut Frontier, url: &str) {
    let observed = Observation { status: Some(200), latency: Duration::from_millis(20) };
    frontier.observe(&Url::parse(url).unwrap(), observed, ZERO);
}

/// Leases and finishes all pages one by one, each with the links that `links` returns.
fn drain(frontier: &mut Frontier, links: impl Fn(&Lease) -> Vec<Candidate>) -> Vec<String> {
    let mut order = Vec::new();
    while let Some(lease) = frontier.lease(1, ZERO).leases.pop() {
        order.push(lease.url.to_string());
        frontier.finish(lease.id, Outcome::Document, links(&lease), ZERO);
    }
    order
}

#[test]
fn a_page_is_crawled_once() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules::with_limit(100));
    let first = frontier.admit(job, 0, [on_a("x"), on_a("x#top"), on_a("y")], ZERO);
    assert_eq!(first, Admitted { new: 2, seen: 1, ..Admitted::default() });
    let order = drain(&mut frontier, |_| vec![on_a("x"), on_a("y"), on_a("z")]);
    assert_eq!(order, ["https://a.test/x", "https://a.test/y", "https://a.test/z"]);
    assert!(frontier.is_idle(job));
    assert_eq!(frontier.admit(job, 0, [on_a("z")], ZERO).seen, 1);
}

#[test]
fn jobs_do_not_share_seen_pages() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    for _ in 0..2 {
        let job = frontier.open(JobRules::with_limit(100));
        assert_eq!(frontier.admit(job, 0, [on_a("x")], ZERO).new, 1);
    }
}

#[test]
fn a_url_is_leased_unchanged() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules::with_limit(100));
    for (given, leased) in [
        ("http://a.test/A/%7Eb?x=%20&y#frag", "http://a.test/A/%7Eb?x=%20&y"),
        ("https://a.test:8443/", "https://a.test:8443/"),
        ("https://user:word@a.test/", "https://a.test/"),
        ("https://a.test/#/route?x", "https://a.test/#/route?x"),
        ("http://[::1]:81/?#!x", "http://[::1]:81/?#!x"),
    ] {
        frontier.admit(job, 0, [candidate(given)], ZERO);
        let found = frontier.lease(1, ZERO);
        assert_eq!(urls(&found), [leased]);
        assert_eq!(found.leases[0].key, key_of(given));
        frontier.finish(found.leases[0].id, Outcome::Document, [], ZERO);
    }
    let refused = [candidate("ftp://a.test/x"), on_a(&"x".repeat(70_000))];
    assert_eq!(frontier.admit(job, 0, refused, ZERO).overflow, 2);
}

#[test]
fn the_limit_is_exact_and_a_failed_page_frees_its_place() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules::with_limit(3));
    respond(&mut frontier, "https://a.test/");
    frontier.admit(job, 0, (0..10).map(|n| on_a(&n.to_string())), ZERO);
    assert_eq!(frontier.counts(job).unwrap().total, 3);
    let leases = frontier.lease(10, ZERO).leases;
    assert_eq!(leases.len(), 3, "documents and leases together");
    assert_eq!(frontier.lease(10, ZERO), Leased { leases: vec![], next: Some(DEFAULT) });
    frontier.finish(leases[0].id, Outcome::Failed, [], ZERO);
    frontier.finish(leases[1].id, Outcome::Skipped, [], ZERO);
    let more = frontier.lease(10, ZERO).leases;
    assert_eq!(more.len(), 2);
    for lease in [&leases[2], &more[0], &more[1]] {
        frontier.finish(lease.id, Outcome::Document, [], ZERO);
    }
    let counts = frontier.counts(job).unwrap();
    assert_eq!(
        counts,
        Counts { waiting: 5, leased: 0, auxiliary: 0, documents: 3, failed: 1, skipped: 1, total: 3 },
        "at the end the total is the documents"
    );
    assert!(frontier.is_idle(job));
    assert!(frontier.lease(10, ZERO).leases.is_empty());
}

const DEFAULT: Duration = crate::DEFAULT_LEASE_TIME;

#[test]
fn a_retry_waits_and_is_bounded() {
    let config = FrontierConfig { max_attempts: 3, ..FrontierConfig::default() };
    let mut frontier = Frontier::new(config);
    let job = frontier.open(JobRules::with_limit(100));
    frontier.admit(job, 0, [on_a("x")], ZERO);
    for attempt in 0..3 {
        let now = seconds(u64::from(attempt) * 10);
        let lease = frontier.lease(1, now).leases.pop().expect("its time has come");
        assert_eq!(lease.attempt, attempt);
        let outcome = Outcome::Retry { not_before: now + seconds(10) };
        assert!(matches!(frontier.finish(lease.id, outcome, [], now), Finished::Accepted { .. }));
        assert_eq!(frontier.lease(1, now + seconds(9)).leases, []);
    }
    assert_eq!(frontier.counts(job).unwrap().failed, 1);
    assert!(frontier.is_idle(job));
    let lost = frontier.take_lost();
    assert_eq!((lost.len(), lost[0].url.as_str(), lost[0].attempts), (1, "https://a.test/x", 3));
    assert_eq!(frontier.take_lost(), []);
}

#[test]
fn an_expired_lease_cannot_be_finished() {
    let mut frontier = Frontier::new(FrontierConfig { lease_time: seconds(60), ..FrontierConfig::default() });
    let job = frontier.open(JobRules::with_limit(100));
    frontier.admit(job, 0, [on_a("x")], ZERO);
    let leased = frontier.lease(1, ZERO);
    let lost = leased.leases[0].clone();
    assert_eq!(frontier.lease(1, ZERO).next, Some(seconds(60)));
    assert_eq!(frontier.expire(seconds(59)), 0);
    assert_eq!(frontier.expire(seconds(60)), 1);
    assert_eq!(frontier.counts(job).unwrap().waiting, 1);
    let again = frontier.lease(1, seconds(60)).leases.pop().unwrap();
    assert_eq!((again.key, again.attempt), (lost.key, 1));
    assert_eq!(frontier.finish(lost.id, Outcome::Document, [on_a("y")], seconds(61)), Finished::Stale);
    assert_eq!(frontier.counts(job).unwrap(), Counts { leased: 1, total: 1, ..Counts::default() });
    assert_eq!(admitted(frontier.finish(again.id, Outcome::Document, [on_a("y")], seconds(61))).new, 1);
}

#[test]
fn requests_of_a_closed_job_still_count() {
    let mut frontier = Frontier::new(FrontierConfig { initial_per_host: 2, ..FrontierConfig::default() });
    let gone = frontier.open(JobRules::with_limit(100));
    let stays = frontier.open(JobRules::with_limit(100));
    frontier.admit(gone, 0, (0..9).map(|n| on_a(&n.to_string())), ZERO);
    let leases = frontier.lease(10, ZERO).leases;
    frontier.admit(stays, 0, [on_a("x")], ZERO);
    frontier.lease(10, ZERO);
    frontier.close(gone);
    assert_eq!(frontier.counts(gone), None);
    assert_eq!(frontier.admit(gone, 0, [on_a("y")], ZERO), Admitted::default());
    assert!(frontier.is_idle(gone) && !frontier.visited(gone, key_of("https://a.test/z")));
    assert_eq!(frontier.lease(10, ZERO).leases, [], "two requests are still running");
    assert_eq!(frontier.finish(leases[0].id, Outcome::Document, [on_a("z")], ZERO), Finished::Stale);
    let left = frontier.lease(10, ZERO).leases;
    assert_eq!((left.len(), left[0].job), (1, stays));
    let next = frontier.open(JobRules::with_limit(1));
    assert_ne!(next, gone, "a slot is never reused for a later job");
}

#[test]
fn a_redirect_target_counts_as_visited() {
    for max_depth in [None, Some(5)] {
        let mut frontier = Frontier::new(FrontierConfig::default());
        let job = frontier.open(JobRules { max_depth, ..JobRules::with_limit(100) });
        frontier.admit(job, 0, [on_a("x"), on_a("y")], ZERO);
        assert!(frontier.visited(job, key_of("https://a.test/target")));
        assert!(!frontier.visited(job, key_of("https://a.test/target")));
        assert!(!frontier.visited(job, key_of("https://a.test/y")));
        assert_eq!(frontier.admit(job, 0, [on_a("target")], ZERO).seen, 1);
    }
}

#[test]
fn links_are_followed_by_outcome() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules::with_limit(100));
    respond(&mut frontier, "https://a.test/");
    let external = Candidate { external: true, ..candidate("https://b.test/") };
    frontier.admit(job, 0, [external, on_a("1"), on_a("2"), on_a("3")], ZERO);
    let leases = frontier.lease(10, ZERO).leases;
    assert_eq!(leases.iter().map(|lease| lease.external).collect::<Vec<_>>(), [true, false, false, false]);
    let later = Outcome::Retry { not_before: ZERO };
    for (lease, outcome, new) in [
        (&leases[0], Outcome::Document, 0),
        (&leases[1], Outcome::Failed, 0),
        (&leases[2], later, 0),
        (&leases[3], Outcome::Skipped, 1),
    ] {
        let links = [on_a(&format!("from-{}", lease.key.to_raw()))];
        assert_eq!(admitted(frontier.finish(lease.id, outcome, links, ZERO)).new, new, "{outcome:?}");
    }
}

#[test]
fn next_is_now_while_more_pages_are_ready() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules::with_limit(100));
    frontier.admit(job, 0, (0..5).map(|n| on_a(&n.to_string())), ZERO);
    assert_eq!(frontier.lease(2, seconds(1)).next, Some(seconds(1)));
    let mut empty = Frontier::new(FrontierConfig::default());
    assert_eq!(empty.lease(2, seconds(1)), Leased::default());
}
