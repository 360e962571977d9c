//! Tests of the limits and delays of hosts and addresses.

use super::*;

#[test]
fn a_host_gets_at_most_its_limit() {
    let mut frontier = Frontier::new(FrontierConfig { max_in_flight: 20, ..FrontierConfig::default() });
    let job = frontier.open(JobRules::with_limit(1000));
    let (a, b) = ("https://a.test", "http://b.test");
    for url in [a, b, "http://a.test:81"] {
        respond(&mut frontier, url);
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
fn a_host_that_never_responds_gets_few_requests() {
    let mut frontier = Frontier::new(FrontierConfig { max_in_flight: 20, ..FrontierConfig::default() });
    let job = frontier.open(JobRules::with_limit(1000));
    frontier.admit(job, 0, (0..50).map(|n| candidate(&format!("https://tarpit.test/{n}"))), ZERO);
    frontier.admit(job, 0, (0..50).map(|n| on_a(&n.to_string())), ZERO);
    let leases = frontier.lease(100, ZERO).leases;
    let on = |leases: &[Lease], host: &str| {
        leases.iter().filter(|lease| lease.url.host_str() == Some(host)).count()
    };
    assert_eq!((on(&leases, "tarpit.test"), on(&leases, "a.test")), (2, 2));
    // After one page of a host is finished, that host has its full limit; the other host keeps its own.
    let page = leases.iter().find(|lease| lease.url.host_str() == Some("a.test")).unwrap();
    frontier.finish(page.id, Outcome::Document, [], ZERO);
    let more = frontier.lease(100, ZERO).leases;
    assert_eq!((on(&more, "tarpit.test"), on(&more, "a.test")), (0, 7));
}

#[test]
fn documents_and_responses_lift_the_first_limit() {
    let no_response = Some(Observation { status: None, latency: seconds(1) });
    let error = Some(Observation { status: Some(404), latency: seconds(1) });
    let (responded, none) =
        (HostFeedback { answered: true, ..HostFeedback::default() }, HostFeedback::default());
    // How a page ended and what was reported about its host; then the number of leased pages after that page
    // is replaced.
    for (name, outcome, feedback, in_work) in [
        ("a document", Outcome::Document, none, 8),
        ("an error", Outcome::Failed, HostFeedback { observed: error, ..none }, 8),
        ("a sitemap", Outcome::Skipped, responded, 8),
        ("robots.txt could not be read", Outcome::Skipped, none, 2),
        ("no response", Outcome::Failed, HostFeedback { observed: no_response, ..none }, 2),
        ("no response, and no page", Outcome::Skipped, HostFeedback { observed: no_response, ..none }, 2),
    ] {
        let mut frontier = Frontier::new(FrontierConfig::default());
        let job = frontier.open(JobRules::with_limit(1000));
        frontier.admit(job, 0, (0..50).map(|n| on_a(&n.to_string())), ZERO);
        let page = frontier.lease(100, ZERO).leases.remove(0);
        frontier.feedback(&page.url, feedback, ZERO);
        frontier.finish(page.id, outcome, [], ZERO);
        assert_eq!(1 + frontier.lease(100, ZERO).leases.len(), in_work, "{name}");
    }
}

#[test]
fn a_job_has_its_own_limit() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules { max_in_flight: Some(2), ..JobRules::with_limit(100) });
    frontier.admit(job, 0, (0..9).map(|n| candidate(&format!("https://h{n}.test/"))), ZERO);
    let leases = frontier.lease(100, ZERO).leases;
    assert_eq!(leases.len(), 2);
    frontier.finish(leases[0].id, Outcome::Document, [], ZERO);
    assert_eq!(frontier.lease(100, ZERO).leases.len(), 1);
}

#[test]
fn a_page_without_a_request_causes_no_gap_or_delay() {
    let wait = Some(seconds(30));
    for (name, gap, delay) in [("the host's gap", wait, None), ("the job's delay", None, wait)] {
        let mut frontier = Frontier::new(FrontierConfig::default());
        let job = frontier.open(JobRules { delay, ..JobRules::with_limit(1000) });
        frontier.admit(job, 0, (0..100).map(|n| on_a(&n.to_string())), ZERO);
        frontier.feedback(&on_a("").url, HostFeedback { min_gap: gap, ..HostFeedback::default() }, ZERO);
        let mut one_at = |now, request_sent: bool, outcome| {
            let mut leases = frontier.lease(100, now).leases;
            assert!(leases.len() <= 1, "{name}: one at a time");
            let Some(lease) = leases.pop() else { return false };
            if !request_sent {
                frontier.no_request_sent(lease.id);
            }
            frontier.finish(lease.id, outcome, [], now);
            true
        };
        assert!(one_at(seconds(100), true, Outcome::Document), "{name}");
        assert!(!one_at(seconds(129), false, Outcome::Skipped), "{name}: a request came before");
        for outcome in [Outcome::Skipped, Outcome::Return { not_before: seconds(900) }] {
            assert!((0..20).all(|_| one_at(seconds(130), false, outcome)), "{name}: {outcome:?}");
        }
        assert!(one_at(seconds(131), true, Outcome::Document), "{name}");
        assert!(!one_at(seconds(160), true, Outcome::Document), "{name}: it applies between requests");
        assert!(one_at(seconds(161), true, Outcome::Document), "{name}");
    }
}

#[test]
fn a_delay_counts_from_the_end_of_the_last_request() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules { delay: Some(seconds(2)), ..JobRules::with_limit(100) });
    frontier.admit(job, 0, [on_a("1"), on_a("2"), on_a("3"), candidate("https://b.test/")], ZERO);
    let leased = frontier.lease(10, ZERO);
    assert_eq!(urls(&leased), ["https://a.test/1", "https://b.test/"], "one at a time on each host");
    assert_eq!(frontier.lease(10, seconds(9)).leases, [], "the first request is still running");
    frontier.finish(leased.leases[0].id, Outcome::Document, [on_a("4")], seconds(10));
    let early = frontier.lease(10, seconds(11));
    assert_eq!((early.leases.len(), early.next), (0, Some(seconds(12))));
    assert_eq!(urls(&frontier.lease(10, seconds(12))), ["https://a.test/2"]);
    // A page that arrives when the host has nothing left must wait too.
    frontier.finish(leased.leases[1].id, Outcome::Document, [], seconds(12));
    frontier.admit(job, 0, [candidate("https://b.test/late")], seconds(13));
    assert_eq!(frontier.lease(10, seconds(13)).leases, []);
    assert_eq!(urls(&frontier.lease(10, seconds(14))), ["https://b.test/late"]);
}

#[test]
fn a_host_has_no_more_requests_than_its_ceiling_whatever_it_responds() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules::with_limit(1000));
    frontier.admit(job, 0, (0..100).map(|n| on_a(&n.to_string())), ZERO);
    let ceiling = |places| HostFeedback { max_concurrent: Some(places), ..HostFeedback::default() };
    for places in [1, 3, 0] {
        frontier.feedback(&on_a("").url, ceiling(places), ZERO);
        for _ in 0..5 {
            let leases = frontier.lease(100, ZERO).leases;
            assert_eq!(leases.len(), places.max(1) as usize);
            assert_eq!(frontier.limits(&on_a("").url).max_concurrent, places.max(1));
            for lease in leases {
                frontier.finish(lease.id, Outcome::Document, [], ZERO);
            }
        }
    }
}

#[test]
fn the_gap_of_a_host_applies_to_all_jobs() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let jobs = [1, 2].map(|_| frontier.open(JobRules::with_limit(100)));
    let host = Url::parse("https://a.test/robots.txt").unwrap();
    frontier.feedback(&host, HostFeedback { min_gap: Some(seconds(5)), ..HostFeedback::default() }, ZERO);
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
fn a_host_gets_the_pause_it_asks_for() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules::with_limit(100));
    respond(&mut frontier, "https://a.test/");
    frontier.admit(job, 0, [on_a("1"), on_a("2"), candidate("https://b.test/")], ZERO);
    let pause = |at| HostFeedback { not_before: Some(at), ..HostFeedback::default() };
    frontier.feedback(&on_a("").url, pause(seconds(30)), ZERO);
    let leased = frontier.lease(10, ZERO);
    assert_eq!((urls(&leased), leased.next), (vec!["https://b.test/".to_owned()], Some(seconds(30))));
    assert_eq!(frontier.lease(10, seconds(30)).leases.len(), 2);
    // A year is reduced to the maximum wait.
    frontier.admit(job, 0, [on_a("3")], seconds(30));
    frontier.feedback(&on_a("").url, pause(seconds(31_536_000)), seconds(30));
    assert_eq!(frontier.lease(1, seconds(30) + MAX_WAIT).leases.len(), 1);
}

#[test]
fn only_overload_slows_the_other_hosts_of_an_address() {
    for (name, status, latency, slows) in [
        ("no response", None, 30_000, false),
        ("slow responses", Some(200), 9_000, false),
        ("its own errors", Some(500), 20, false),
        ("overload", Some(503), 20, true),
    ] {
        let max_per_address = 6;
        let mut frontier = Frontier::new(FrontierConfig { max_per_address, ..FrontierConfig::default() });
        let [failing, healthy] = ["https://a.test/", "https://b.test/"].map(|url| Url::parse(url).unwrap());
        for url in [&failing, &healthy] {
            frontier.resolved(url, IpAddr::from([192, 0, 2, 1]), ZERO);
            respond(&mut frontier, url.as_str());
        }
        let mut now = ZERO;
        for page in 0..200 {
            now += seconds(60);
            let latency = Duration::from_millis(latency);
            let page = failing.join(&page.to_string()).unwrap();
            frontier.observe(&page, Observation { status, latency }, now);
        }
        let job = frontier.open(JobRules::with_limit(100));
        frontier.admit(job, 0, (0..20).map(|n| candidate(&format!("https://b.test/{n}"))), now);
        let leased = frontier.lease(20, now).leases.len();
        assert_eq!(leased < max_per_address as usize, slows, "{name}: {leased} at once");
    }
}

#[test]
fn the_limit_of_an_address_starts_low_and_grows() {
    let mut frontier = Frontier::new(FrontierConfig { max_in_flight: 100, ..FrontierConfig::default() });
    let job = frontier.open(JobRules::with_limit(u64::MAX));
    let urls: Vec<Url> = (0..60).map(|n| Url::parse(&format!("https://h{n}.test/")).unwrap()).collect();
    let mut now = seconds(1);
    for url in &urls {
        respond(&mut frontier, url.as_str());
        let found = HostFeedback { address: Some(IpAddr::from([192, 0, 2, 1])), ..HostFeedback::default() };
        frontier.feedback(url, found, now);
        frontier.admit(job, 0, (0..100).map(|n| candidate(&format!("{url}{n}"))), now);
    }
    let mut leases = frontier.lease(200, now).leases;
    assert_eq!(leases.len(), DEFAULT_INITIAL_PER_ADDRESS as usize);
    // A host that stays overloaded delays only itself.
    let failing = &urls[0];
    for _ in 0..80 {
        now += Duration::from_millis(50);
        let latency = Duration::from_millis(20);
        frontier.observe(failing, Observation { status: Some(503), latency }, now);
        for lease in std::mem::take(&mut leases) {
            let status = Some(if lease.url.host_str() == failing.host_str() { 503 } else { 200 });
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
fn the_limit_of_a_host_follows_its_responses() {
    let config = FrontierConfig { max_per_host: 12, ..FrontierConfig::default() };
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
    assert_eq!(round(&mut frontier, 200), 2, "no response yet");
    assert_eq!(round(&mut frontier, 200), 8);
    for _ in 0..10 {
        round(&mut frontier, 200);
    }
    assert_eq!(round(&mut frontier, 503), 12, "at most the maximum");
    assert_eq!(round(&mut frontier, 200), 6);
    for _ in 0..6 {
        round(&mut frontier, 429);
    }
    assert_eq!(round(&mut frontier, 429), 1);
}

#[test]
fn one_failing_page_does_not_delay_other_pages_of_its_host() {
    for status in [None, Some(429), Some(502), Some(503)] {
        let mut frontier = Frontier::new(FrontierConfig::default());
        respond(&mut frontier, "https://a.test/");
        let [fails, others] =
            [1, 2].map(|group| frontier.open_for(Group(group), JobRules::with_limit(9_999)));
        frontier.admit(fails, 0, [on_a("fails")], ZERO);
        frontier.admit(others, 0, (0..5_000).map(|n| on_a(&n.to_string())), ZERO);
        let mut now = ZERO;
        for _ in 0..50 {
            let leases = frontier.lease(100, now).leases;
            assert!(leases.len() >= 7, "{status:?}: {} at once at {now:?}", leases.len());
            now += Duration::from_millis(50);
            for lease in leases {
                let failed = lease.job == fails;
                let status = if failed { status } else { Some(200) };
                let latency = Duration::from_millis(50);
                frontier.observe(&lease.url, Observation { status, latency }, now);
                // It is fetched again and again, each time as if it was the first.
                let outcome = if failed { Outcome::Return { not_before: now } } else { Outcome::Document };
                frontier.finish(lease.id, outcome, [], now);
            }
        }
    }
}

#[test]
fn requests_without_a_lease_follow_the_same_limits() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let page = |n: u64| on_a(&n.to_string()).url;
    let observed = |status, in_flight| HostFeedback {
        observed: Some(Observation { status: Some(status), latency: Duration::from_millis(20) }),
        in_flight,
        ..HostFeedback::default()
    };
    assert_eq!(
        frontier.limits(&page(0)).max_concurrent,
        crate::MAX_BEFORE_FIRST_RESPONSE,
        "the host is unknown"
    );
    let mut now = seconds(1);
    frontier.feedback(&page(0), observed(200, 2), now);
    assert_eq!((frontier.limits(&page(0)).max_concurrent, frontier.in_flight()), (8, 0));
    // The limit grows with requests of redirects alone.
    for n in 1..100 {
        now += Duration::from_millis(10);
        frontier.feedback(&page(n), observed(200, frontier.limits(&page(0)).max_concurrent), now);
    }
    assert!(frontier.limits(&page(0)).max_concurrent > 12);
    // And the host pauses when it refuses, for leased pages too.
    for n in 100..200 {
        now += seconds(100);
        frontier.feedback(&page(n), observed(429, 1), now);
    }
    let limits = frontier.limits(&page(0));
    assert_eq!((limits.max_concurrent, limits.not_before), (1, now + seconds(60)));
    let job = frontier.open(JobRules::with_limit(10));
    frontier.admit(job, 0, [on_a("leased")], now);
    assert_eq!(frontier.lease(10, now).next, Some(limits.not_before));
    let leased = frontier.lease(10, limits.not_before).leases;
    assert_eq!((leased.len(), leased[0].max_concurrent), (1, 1));
}

#[test]
fn a_host_has_at_most_the_limit_of_its_address() {
    let max_per_address = 3;
    let mut frontier = Frontier::new(FrontierConfig { max_per_address, ..FrontierConfig::default() });
    let url = on_a("").url;
    respond(&mut frontier, url.as_str());
    frontier.resolved(&url, IpAddr::from([192, 0, 2, 1]), ZERO);
    assert_eq!(frontier.limits(&url).max_concurrent, 3);
    frontier.feedback(&url, HostFeedback { min_gap: Some(seconds(5)), ..HostFeedback::default() }, ZERO);
    assert_eq!(frontier.limits(&url), crate::HostLimits { max_concurrent: 1, not_before: seconds(5) });
}

#[test]
fn an_overloaded_address_is_slowed_even_if_one_path_fails_on_all_its_hosts() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let home = |n: u64| Url::parse(&format!("https://h{n}.test/")).unwrap();
    for n in 0..=40 {
        frontier.resolved(&home(n), IpAddr::from([192, 0, 2, 1]), ZERO);
        respond(&mut frontier, home(n).as_str());
    }
    assert_eq!(frontier.limits(&home(40)).max_concurrent, 8);
    for n in 0..40 {
        let refused = Observation { status: Some(503), latency: Duration::from_millis(20) };
        frontier.observe(&home(n), refused, seconds(1 + n));
    }
    assert_eq!(frontier.limits(&home(40)).max_concurrent, 1, "a healthy host with the same address");
}

#[test]
fn idle_hosts_are_evicted() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules::with_limit(u64::MAX));
    for n in 0..3 * crate::MAX_IDLE_HOSTS {
        frontier.admit(job, 0, [candidate(&format!("https://h{n}.test/"))], ZERO);
        let lease = frontier.lease(1, ZERO).leases.remove(0);
        frontier.finish(lease.id, Outcome::Document, [], ZERO);
    }
    assert!(frontier.scheduler.hosts.len() <= crate::MAX_IDLE_HOSTS + 1);
}
