//! Tests that pages like crawler traps are crawled last and never dropped.

use super::*;

#[test]
fn deferred_pages_wait_for_leased_ones_if_the_limit_is_low() {
    for (name, limit, expected) in [("low", 30, 0), ("high", 1_000, 7)] {
        let mut frontier = Frontier::new(FrontierConfig::default());
        let job = frontier.open(JobRules::with_limit(limit));
        respond(&mut frontier, "https://a.test/");
        frontier.admit(job, 0, [on_a("start")], ZERO);
        let start = frontier.lease(8, ZERO).leases.remove(0);
        let links = (0..50).map(|n| on_a(&format!("a/b/a/b/a/{n}"))).chain([on_a("real")]);
        frontier.finish(start.id, Outcome::Document, links, ZERO);
        let mut leases = frontier.lease(8, ZERO).leases;
        assert_eq!(leases.remove(0).url.path(), "/real", "{name}");
        assert_eq!(leases.len(), expected, "{name}");
    }
    // Deferred pages are not forgotten: everything that the limit admits is crawled, whether the page had
    // links or not.
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

/// A site of 450 real pages with four endless traps.
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
fn traps_are_deferred() {
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
    let reasons: Vec<_> = frontier.deferred_counts(job).iter().map(|(trap, _)| *trap).collect();
    assert!(reasons.contains(&Trap::Calendar) && reasons.contains(&Trap::Facets), "{reasons:?}");
    let deferral =
        frontier.would_defer(job, &Url::parse("https://a.test/shop?a=1&b=2&c=3").unwrap()).unwrap();
    assert_eq!(deferral.trap, Trap::Facets);
}

#[test]
fn a_site_with_one_shape_is_crawled_completely() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules::with_limit(u64::MAX));
    frontier.admit(job, 0, [on_a("p/0")], ZERO);
    let order = drain(&mut frontier, |lease| {
        let n: u32 = lease.url.path().trim_start_matches("/p/").parse().unwrap();
        (n..n + 40).filter(|n| *n < 20_000).map(|n| on_a(&format!("p/{n}"))).collect()
    });
    assert_eq!(order.len(), 20_000);
    assert!(frontier.deferred_counts(job).iter().all(|(trap, _)| *trap == Trap::ManyAlike));
}
