use super::*;
use crate::{DEFAULT_MAX_IN_FLIGHT, DEFAULT_MAX_PER_ADDRESS};

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

/// The host of this URL gives an answer.
fn answers(frontier: &mut Frontier, url: &str) {
    let observed = Observation { status: Some(200), latency: Duration::from_millis(20) };
    frontier.observe(&Url::parse(url).unwrap(), observed, ZERO);
}

/// Leases everything there is, one by one, and finishes it at once with the links that `links` tells.
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
fn jobs_do_not_share_what_they_have_seen() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    for _ in 0..2 {
        let job = frontier.open(JobRules::with_limit(100));
        assert_eq!(frontier.admit(job, 0, [on_a("x")], ZERO).new, 1);
    }
}

#[test]
fn the_url_is_leased_as_it_was_given() {
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
fn the_limit_is_exact_and_a_failed_page_makes_room() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules::with_limit(3));
    answers(&mut frontier, "https://a.test/");
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
        Counts { waiting: 5, leased: 0, documents: 3, failed: 1, skipped: 1, total: 3 },
        "at the end the total is the documents"
    );
    assert!(frontier.is_idle(job));
    assert!(frontier.lease(10, ZERO).leases.is_empty());
}

const DEFAULT: Duration = crate::DEFAULT_LEASE_TIME;

#[test]
fn one_host_gets_no_more_than_its_share() {
    let mut frontier = Frontier::new(FrontierConfig { max_in_flight: 20, ..FrontierConfig::default() });
    let job = frontier.open(JobRules::with_limit(1000));
    let (a, b) = ("https://a.test", "http://b.test");
    for url in [a, b, "http://a.test:81"] {
        answers(&mut frontier, url);
    }
    frontier.admit(job, 0, (0..50).map(|n| candidate(&format!("{}/{n}", if n < 40 { a } else { b }))), ZERO);
    let leases = frontier.lease(100, ZERO).leases;
    let on = |host: &str| leases.iter().filter(|lease| lease.url.host_str() == Some(host)).count();
    assert_eq!((on("a.test"), on("b.test")), (8, 8));
    // http and https on default ports are one host; another port is another.
    frontier.admit(job, 0, (0..50).map(|n| candidate(&format!("http://a.test/{n}"))), ZERO);
    assert!(frontier.lease(100, ZERO).leases.is_empty());
    frontier.admit(job, 0, (0..50).map(|n| candidate(&format!("http://a.test:81/{n}"))), ZERO);
    assert_eq!(frontier.lease(100, ZERO).leases.len(), 4, "20 in all");
}

#[test]
fn a_host_that_never_answers_holds_few_places() {
    let mut frontier = Frontier::new(FrontierConfig { max_in_flight: 20, ..FrontierConfig::default() });
    let job = frontier.open(JobRules::with_limit(1000));
    frontier.admit(job, 0, (0..50).map(|n| candidate(&format!("https://tarpit.test/{n}"))), ZERO);
    frontier.admit(job, 0, (0..50).map(|n| on_a(&n.to_string())), ZERO);
    let leases = frontier.lease(100, ZERO).leases;
    let on = |leases: &[Lease], host: &str| {
        leases.iter().filter(|lease| lease.url.host_str() == Some(host)).count()
    };
    assert_eq!((on(&leases, "tarpit.test"), on(&leases, "a.test")), (2, 2));
    // A page of one host is finished: from then on that host has its whole share, and the other what it had.
    let page = leases.iter().find(|lease| lease.url.host_str() == Some("a.test")).unwrap();
    frontier.finish(page.id, Outcome::Document, [], ZERO);
    let more = frontier.lease(100, ZERO).leases;
    assert_eq!((on(&more, "tarpit.test"), on(&more, "a.test")), (0, 7));
}

#[test]
fn a_jobs_own_concurrency() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules { max_in_flight: Some(2), ..JobRules::with_limit(100) });
    frontier.admit(job, 0, (0..9).map(|n| candidate(&format!("https://h{n}.test/"))), ZERO);
    let leases = frontier.lease(100, ZERO).leases;
    assert_eq!(leases.len(), 2);
    frontier.finish(leases[0].id, Outcome::Document, [], ZERO);
    assert_eq!(frontier.lease(100, ZERO).leases.len(), 1);
}

#[test]
fn a_large_job_does_not_delay_a_small_one() {
    let mut frontier = Frontier::new(FrontierConfig { max_in_flight: 4, ..FrontierConfig::default() });
    let large = frontier.open(JobRules::with_limit(u64::MAX));
    let small = frontier.open(JobRules::with_limit(10));
    for host in 0..100 {
        frontier.admit(large, 0, (0..1000).map(|n| candidate(&format!("https://h{host}.test/{n}"))), ZERO);
    }
    let mut running = frontier.lease(4, ZERO).leases;
    // On a host of its own, and on one that the large job keeps busy.
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
fn a_crowded_host_serves_jobs_in_turn() {
    let config = FrontierConfig { max_per_host: 1, ..FrontierConfig::default() };
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
    // The first have had their second turn while the last, still new, had their first.
    assert_eq!(served, [11, 11, 10, 9, 9]);
}

#[test]
fn a_held_job_blocks_nobody() {
    let mut frontier = Frontier::new(FrontierConfig { max_per_host: 1, ..FrontierConfig::default() });
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

#[test]
fn a_delay_counts_from_the_end_of_the_last_request() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules { delay: Some(seconds(2)), ..JobRules::with_limit(100) });
    frontier.admit(job, 0, [on_a("1"), on_a("2"), on_a("3"), candidate("https://b.test/")], ZERO);
    let leased = frontier.lease(10, ZERO);
    assert_eq!(urls(&leased), ["https://a.test/1", "https://b.test/"], "one at a time on each host");
    assert_eq!(frontier.lease(10, seconds(9)).leases, [], "the first is still under way");
    frontier.finish(leased.leases[0].id, Outcome::Document, [on_a("4")], seconds(10));
    let early = frontier.lease(10, seconds(11));
    assert_eq!((early.leases.len(), early.next), (0, Some(seconds(12))));
    assert_eq!(urls(&frontier.lease(10, seconds(12))), ["https://a.test/2"]);
    // A page that comes when the host has nothing left has to wait as well.
    frontier.finish(leased.leases[1].id, Outcome::Document, [], seconds(12));
    frontier.admit(job, 0, [candidate("https://b.test/late")], seconds(13));
    assert_eq!(frontier.lease(10, seconds(13)).leases, []);
    assert_eq!(urls(&frontier.lease(10, seconds(14))), ["https://b.test/late"]);
}

#[test]
fn a_hosts_pace_binds_all_jobs() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let jobs = [1, 2].map(|_| frontier.open(JobRules::with_limit(100)));
    let host = Url::parse("https://a.test/robots.txt").unwrap();
    frontier.pace(&host, Pace { min_gap: Some(seconds(5)), ..Pace::default() }, ZERO);
    for job in jobs {
        frontier.admit(job, 0, [on_a("1"), on_a("2")], ZERO);
    }
    let mut now = ZERO;
    let mut starts = Vec::new();
    while starts.len() < 4 {
        let mut leased = frontier.lease(10, now);
        match leased.leases.pop() {
            Some(lease) => {
                assert!(leased.leases.is_empty(), "one at a time");
                starts.push(now.as_secs());
                now += seconds(1);
                frontier.finish(lease.id, Outcome::Document, [], now);
            }
            None => now = leased.next.unwrap(),
        }
    }
    assert_eq!(starts, [5, 11, 17, 23]);
}

#[test]
fn a_host_that_asks_for_a_pause_gets_it() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules::with_limit(100));
    answers(&mut frontier, "https://a.test/");
    frontier.admit(job, 0, [on_a("1"), on_a("2"), candidate("https://b.test/")], ZERO);
    let pause = |at| Pace { not_before: Some(at), ..Pace::default() };
    frontier.pace(&on_a("").url, pause(seconds(30)), ZERO);
    let leased = frontier.lease(10, ZERO);
    assert_eq!((urls(&leased), leased.next), (vec!["https://b.test/".to_owned()], Some(seconds(30))));
    assert_eq!(frontier.lease(10, seconds(30)).leases.len(), 2);
    // A year is cut to the longest wait there is.
    frontier.admit(job, 0, [on_a("3")], seconds(30));
    frontier.pace(&on_a("").url, pause(seconds(31_536_000)), seconds(30));
    assert_eq!(frontier.lease(1, seconds(30) + MAX_WAIT).leases.len(), 1);
}

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
fn a_lost_lease_expires_and_its_end_comes_too_late() {
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
fn a_closed_job_is_gone_but_its_requests_are_not() {
    let mut frontier = Frontier::new(FrontierConfig { max_per_host: 2, ..FrontierConfig::default() });
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
    assert_eq!(frontier.lease(10, ZERO).leases, [], "two requests are still under way");
    assert_eq!(frontier.finish(leases[0].id, Outcome::Document, [on_a("z")], ZERO), Finished::Stale);
    let left = frontier.lease(10, ZERO).leases;
    assert_eq!((left.len(), left[0].job), (1, stays));
    let next = frontier.open(JobRules::with_limit(1));
    assert_ne!(next, gone, "a slot is not mistaken for a later one");
}

#[test]
fn the_target_of_a_redirect_counts_as_visited() {
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
fn what_slows_the_other_hosts_of_an_address() {
    for (name, status, latency, slows) in [
        ("silence", None, 30_000, false),
        ("slow answers", Some(200), 9_000, false),
        ("its own errors", Some(500), 20, false),
        ("overload", Some(503), 20, true),
    ] {
        let most_per_address = 6;
        let mut frontier = Frontier::new(FrontierConfig { most_per_address, ..FrontierConfig::default() });
        let [ill, well] = ["https://a.test/", "https://b.test/"].map(|url| Url::parse(url).unwrap());
        for url in [&ill, &well] {
            frontier.resolved(url, IpAddr::from([192, 0, 2, 1]), ZERO);
            answers(&mut frontier, url.as_str());
        }
        let mut now = ZERO;
        for _ in 0..200 {
            now += seconds(60);
            let latency = Duration::from_millis(latency);
            frontier.observe(&ill, Observation { status, latency }, now);
        }
        let job = frontier.open(JobRules::with_limit(100));
        frontier.admit(job, 0, (0..20).map(|n| candidate(&format!("https://b.test/{n}"))), now);
        let leased = frontier.lease(20, now).leases.len();
        assert_eq!(leased < most_per_address as usize, slows, "{name}: {leased} at once");
    }
}

#[test]
fn many_hosts_of_one_address_begin_as_four_and_grow() {
    let mut frontier = Frontier::new(FrontierConfig { max_in_flight: 100, ..FrontierConfig::default() });
    let job = frontier.open(JobRules::with_limit(u64::MAX));
    let urls: Vec<Url> = (0..60).map(|n| Url::parse(&format!("https://h{n}.test/")).unwrap()).collect();
    let mut now = seconds(1);
    for url in &urls {
        answers(&mut frontier, url.as_str());
        let found = Pace { address: Some(IpAddr::from([192, 0, 2, 1])), ..Pace::default() };
        frontier.pace(url, found, now);
        frontier.admit(job, 0, (0..100).map(|n| candidate(&format!("{url}{n}"))), now);
    }
    let mut leases = frontier.lease(200, now).leases;
    assert_eq!(leases.len(), DEFAULT_MAX_PER_ADDRESS as usize);
    // One that stays overloaded holds up nobody but itself.
    let ill = &urls[0];
    for _ in 0..80 {
        now += Duration::from_millis(50);
        let latency = Duration::from_millis(20);
        frontier.observe(ill, Observation { status: Some(503), latency }, now);
        for lease in std::mem::take(&mut leases) {
            let status = Some(if lease.url.host_str() == ill.host_str() { 503 } else { 200 });
            frontier.observe(&lease.url, Observation { status, latency }, now);
            frontier.finish(lease.id, Outcome::Document, [], now);
        }
        leases = frontier.lease(200, now).leases;
    }
    assert_eq!(leases.len(), DEFAULT_MAX_IN_FLIGHT as usize);
    // Another address is another server.
    for url in urls.iter().skip(1).step_by(2) {
        frontier.resolved(url, IpAddr::from([192, 0, 2, 2]), now);
    }
    let more = frontier.lease(200, now).leases;
    assert!(!more.is_empty());
}

#[test]
fn links_that_are_not_followed() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules::with_limit(100));
    answers(&mut frontier, "https://a.test/");
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
fn what_is_put_off_waits_for_pages_in_work_where_the_limit_is_short() {
    for (name, limit, expected) in [("short", 30, 0), ("long enough", 1_000, 7)] {
        let mut frontier = Frontier::new(FrontierConfig::default());
        let job = frontier.open(JobRules::with_limit(limit));
        answers(&mut frontier, "https://a.test/");
        frontier.admit(job, 0, [on_a("start")], ZERO);
        let start = frontier.lease(8, ZERO).leases.remove(0);
        let links = (0..50).map(|n| on_a(&format!("a/b/a/b/a/{n}"))).chain([on_a("real")]);
        frontier.finish(start.id, Outcome::Document, links, ZERO);
        let mut leases = frontier.lease(8, ZERO).leases;
        assert_eq!(leases.remove(0).url.path(), "/real", "{name}");
        assert_eq!(leases.len(), expected, "{name}");
    }
    // It is not forgotten: all that the limit lets through is crawled, whether the page led on or not.
    for outcome in [Outcome::Document, Outcome::Failed, Outcome::Retry { not_before: seconds(5) }] {
        let mut frontier = Frontier::new(FrontierConfig::default());
        let job = frontier.open(JobRules::with_limit(30));
        frontier.admit(job, 0, [on_a("start")], ZERO);
        let start = frontier.lease(8, ZERO).leases.remove(0);
        let links = (0..50).map(|n| on_a(&format!("a/b/a/b/a/{n}"))).chain([on_a("real")]);
        frontier.finish(start.id, Outcome::Document, links, ZERO);
        let real = frontier.lease(8, ZERO).leases.remove(0);
        frontier.finish(real.id, outcome, [], ZERO);
        while let Some(lease) = frontier.lease(1, seconds(9)).leases.pop() {
            frontier.finish(lease.id, Outcome::Document, [], seconds(9));
        }
        assert_eq!(frontier.counts(job).map(|counts| counts.documents), Some(30), "{outcome:?}");
    }
}

#[test]
fn a_queue_is_bounded_in_bytes() {
    // Each takes eleven bytes and what stands behind its host, or, where it is too deep, its whole text and some more.
    let long = |n: usize| on_a(&format!("{n:089}"));
    for (name, per_job, in_all, max_depth, fit) in [
        ("a job", 1_010, u64::MAX, None, 10),
        ("all jobs", u64::MAX, 1_010, None, 10),
        ("a job with its graph", 1_010, u64::MAX, Some(3), 10),
    ] {
        let config = FrontierConfig {
            max_queued_bytes_per_job: per_job,
            max_queued_bytes: in_all,
            ..FrontierConfig::default()
        };
        let mut frontier = Frontier::new(config);
        let rules = JobRules { max_depth, ..JobRules::with_limit(1_000) };
        let (first, second) = (frontier.open(rules.clone()), frontier.open(rules));
        let offered = frontier.admit(first, 0, (0..15).map(long), ZERO);
        assert_eq!((offered.new, offered.overflow), (fit, 15 - fit), "{name}");
        let others = frontier.admit(second, 0, (0..15).map(long), ZERO).new;
        assert_eq!(others, if in_all == u64::MAX { fit } else { 0 }, "{name}");
        frontier.close(second);
        // What is leased makes room, what comes back takes it again.
        let lease = frontier.lease(1, ZERO).leases.remove(0);
        assert_eq!(frontier.admit(first, 0, (20..25).map(long), ZERO).new, 1, "{name}");
        frontier.finish(lease.id, Outcome::Retry { not_before: ZERO }, [], ZERO);
        assert_eq!(frontier.admit(first, 0, (30..35).map(long), ZERO).new, 0, "{name}");
        frontier.close(first);
        let third = frontier.open(JobRules::with_limit(1_000));
        assert_eq!(
            frontier.admit(third, 0, (0..15).map(long), ZERO).new,
            fit,
            "{name}: its room is free again"
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
fn a_shorter_way_found_later_admits_what_had_been_too_deep() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules { max_depth: Some(2), ..JobRules::with_limit(100) });
    frontier.admit(job, 0, [on_a("start")], ZERO);
    let start = frontier.lease(1, ZERO).leases.remove(0);
    frontier.finish(start.id, Outcome::Document, [on_a("slow"), on_a("quick")], ZERO);
    let first = frontier.lease(2, ZERO).leases;
    let (slow, quick) = (&first[0], &first[1]);
    frontier.finish(quick.id, Outcome::Document, [on_a("b")], ZERO);
    // b comes at two clicks by `quick`; its link c would be three away.
    let b = frontier.lease(1, ZERO).leases.remove(0);
    assert_eq!(b.depth, 2);
    let from_b = admitted(frontier.finish(b.id, Outcome::Document, [on_a("c"), on_a("start")], ZERO));
    assert_eq!(from_b, Admitted { seen: 1, too_deep: 1, ..Admitted::default() });
    assert_eq!(frontier.lease(1, ZERO).leases, []);
    // A sitemap names b: it is at depth 0, and c one click away. Nothing is fetched twice.
    assert_eq!(
        frontier.admit(job, 0, [on_a("b")], ZERO),
        Admitted { new: 1, seen: 1, ..Admitted::default() }
    );
    let c = frontier.lease(1, ZERO).leases.remove(0);
    assert_eq!((c.url.path(), c.depth), ("/c", 1));
    frontier.finish(c.id, Outcome::Document, [on_a("d")], ZERO);
    assert_eq!(frontier.lease(1, ZERO).leases[0].depth, 2);
    frontier.finish(slow.id, Outcome::Document, [], ZERO);
}

#[test]
fn depth_zero_is_the_start_page_alone() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules { max_depth: Some(0), ..JobRules::with_limit(100) });
    assert_eq!(frontier.admit(job, 1, [on_a("deep")], ZERO).too_deep, 1);
    frontier.admit(job, 0, [on_a("start")], ZERO);
    assert_eq!(drain(&mut frontier, |_| vec![on_a("x"), on_a("deep")]), ["https://a.test/start"]);
    assert!(frontier.is_idle(job));
}

#[test]
fn what_is_leased_next_is_told_when_more_is_ready() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules::with_limit(100));
    frontier.admit(job, 0, (0..5).map(|n| on_a(&n.to_string())), ZERO);
    assert_eq!(frontier.lease(2, seconds(1)).next, Some(seconds(1)));
    let mut empty = Frontier::new(FrontierConfig::default());
    assert_eq!(empty.lease(2, seconds(1)), Leased::default());
}

#[test]
fn hosts_that_nobody_uses_are_forgotten_in_time() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules::with_limit(u64::MAX));
    for n in 0..3 * crate::MAX_IDLE_HOSTS {
        frontier.admit(job, 0, [candidate(&format!("https://h{n}.test/"))], ZERO);
        let lease = frontier.lease(1, ZERO).leases.remove(0);
        frontier.finish(lease.id, Outcome::Document, [], ZERO);
    }
    assert!(frontier.yard.hosts.len() <= crate::MAX_IDLE_HOSTS + 1);
}

#[test]
fn a_host_is_asked_for_as_much_as_it_bears() {
    let config = FrontierConfig { most_per_host: 12, ..FrontierConfig::default() };
    let mut frontier = Frontier::new(config);
    let job = frontier.open(JobRules::with_limit(u64::MAX));
    frontier.admit(job, 0, (0..5000).map(|n| on_a(&n.to_string())), ZERO);
    let mut now = seconds(1);
    let mut round = |frontier: &mut Frontier, status: u16| {
        now += Duration::from_millis(50);
        let leases = loop {
            let leased = frontier.lease(100, now);
            if !leased.leases.is_empty() {
                break leased.leases;
            }
            now = leased.next.unwrap();
        };
        let started = now;
        now += Duration::from_millis(20);
        for lease in &leases {
            let observed = Observation { status: Some(status), latency: now - started };
            frontier.observe(&lease.url, observed, now);
            frontier.finish(lease.id, Outcome::Document, [], now);
        }
        leases.len()
    };
    assert_eq!(round(&mut frontier, 200), 2, "it has not answered yet");
    assert_eq!(round(&mut frontier, 200), 8);
    for _ in 0..10 {
        round(&mut frontier, 200);
    }
    assert_eq!(round(&mut frontier, 503), 12, "no further than the most");
    assert_eq!(round(&mut frontier, 200), 6);
    for _ in 0..6 {
        round(&mut frontier, 429);
    }
    assert_eq!(round(&mut frontier, 429), 1);
}

/// A site of 450 real pages beside four traps without end.
fn links_of_a_trapped_site(url: &Url) -> Vec<Candidate> {
    let mut links = vec!["/cal/2026/1".to_owned(), format!("{}?sid={}", url.path(), url.as_str().len())];
    let numbers: Vec<u32> = url.path().split('/').filter_map(|segment| segment.parse().ok()).collect();
    match (url.path().split('/').nth(1), &*numbers) {
        (Some("p"), [n]) => {
            links.extend([2 * n, 2 * n + 1].iter().filter(|n| **n <= 400).map(|n| format!("/p/{n}")));
            links.extend((*n <= 50).then(|| format!("/docs/topic-{n}")));
            links.extend((n % 20 == 0).then(|| format!("{}/more", url.path())));
        }
        (Some("cal"), [year, month]) => {
            links.extend([format!("/cal/{}/{month}", year + 1), format!("/cal/{year}/{}", month % 12 + 1)]);
            links.extend((1..28).map(|day| format!("/cal/{year}/{month}/{day}")));
        }
        _ => {}
    }
    if url.path().contains("more") {
        links.push(format!("{}/more", url.path()));
    }
    let facets = url.query().unwrap_or("a=0&b=0").len();
    links.extend((0..12).map(|n| format!("/shop?a={n}&b={facets}&c={}", url.path().len())));
    links.iter().map(|link| candidate(url.join(link).unwrap().as_str())).collect()
}

#[test]
fn traps_are_put_off() {
    let real = 450;
    let crawl = |limit: u64| {
        let mut frontier = Frontier::new(FrontierConfig::default());
        let job = frontier.open(JobRules::with_limit(limit));
        frontier.admit(job, 0, [on_a("p/1")], ZERO);
        let order = drain(&mut frontier, |lease| links_of_a_trapped_site(&lease.url));
        let found = order
            .iter()
            .filter(|url| {
                !url.contains('?') && !url.contains("more") && (url.contains("/p/") || url.contains("/docs/"))
            })
            .count();
        (found, order.len(), frontier, job)
    };
    let (found, fetched, frontier, job) = crawl(real * 4 / 3);
    assert_eq!(fetched as u64, real * 4 / 3, "the limit is used up: nothing is dropped");
    assert_eq!(found as u64, real, "all real pages before the bulk of the traps");
    let reasons: Vec<_> = frontier.put_off(job).iter().map(|(trap, _)| *trap).collect();
    assert!(reasons.contains(&Trap::Calendar) && reasons.contains(&Trap::Facets), "{reasons:?}");
    let verdict =
        frontier.would_put_off(job, &Url::parse("https://a.test/shop?a=1&b=2&c=3").unwrap()).unwrap();
    assert_eq!(verdict.trap, Trap::Facets);
}

#[test]
fn a_site_of_one_shape_is_crawled_whole() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules::with_limit(u64::MAX));
    frontier.admit(job, 0, [on_a("p/0")], ZERO);
    let order = drain(&mut frontier, |lease| {
        let n: u32 = lease.url.path().trim_start_matches("/p/").parse().unwrap();
        (n..n + 40).filter(|n| *n < 20_000).map(|n| on_a(&format!("p/{n}"))).collect()
    });
    assert_eq!(order.len(), 20_000);
    assert!(frontier.put_off(job).iter().all(|(trap, _)| *trap == Trap::ManyAlike));
}

#[test]
fn the_target_of_a_redirect_is_as_near_as_the_page() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules { max_depth: Some(2), ..JobRules::with_limit(100) });
    let lease_one = |frontier: &mut Frontier| frontier.lease(1, ZERO).leases.remove(0);
    frontier.admit(job, 0, [on_a("start")], ZERO);
    let start = lease_one(&mut frontier);
    assert!(frontier.redirected(start.id, start.key, ZERO), "to itself in another spelling");
    frontier.finish(start.id, Outcome::Document, [on_a("a"), on_a("b")], ZERO);
    let a = lease_one(&mut frontier);
    frontier.finish(a.id, Outcome::Document, [on_a("deep")], ZERO);
    let (b, deep) = (lease_one(&mut frontier), lease_one(&mut frontier));
    let from_deep = frontier.finish(deep.id, Outcome::Document, [on_a("deeper")], ZERO);
    assert_eq!(admitted(from_deep).too_deep, 1);
    // b redirects to a page that was found two clicks away and is fetched already: it is one click away after all.
    assert!(!frontier.redirected(b.id, key_of("https://a.test/deep"), ZERO));
    let deeper = lease_one(&mut frontier);
    assert_eq!((deeper.url.path(), deeper.depth), ("/deeper", 2));
    // A new target stands for the page that led to it.
    frontier.finish(b.id, Outcome::Skipped, [], ZERO);
    assert!(frontier.redirected(deeper.id, key_of("https://a.test/target"), ZERO));
    frontier.finish(deeper.id, Outcome::Document, [on_a("c")], ZERO);
    assert_eq!(frontier.lease(1, ZERO).leases, [], "c is three clicks away");
    frontier.admit(job, 0, [on_a("target")], ZERO);
    let c = lease_one(&mut frontier);
    assert_eq!(
        (c.url.path(), c.depth),
        ("/c", 1),
        "the target became a start page, so its link is one click away"
    );
    assert!(!frontier.redirected(deeper.id, key_of("https://a.test/x"), ZERO), "stale");
}
