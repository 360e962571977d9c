//! Tests of click depth when a shorter path is found later.

use super::*;

#[test]
fn a_shorter_path_found_later_admits_pages_that_were_too_deep() {
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules { max_depth: Some(2), ..JobRules::with_limit(100) });
    frontier.admit(job, 0, [on_a("start")], ZERO);
    let start = frontier.lease(1, ZERO).leases.remove(0);
    frontier.finish(start.id, Outcome::Document, [on_a("slow"), on_a("quick")], ZERO);
    let first = frontier.lease(2, ZERO).leases;
    let (slow, quick) = (&first[0], &first[1]);
    frontier.finish(quick.id, Outcome::Document, [on_a("b")], ZERO);
    // b is at depth 2 through `quick`; its link c would be at depth 3.
    let b = frontier.lease(1, ZERO).leases.remove(0);
    assert_eq!(b.depth, 2);
    let from_b = admitted(frontier.finish(b.id, Outcome::Document, [on_a("c"), on_a("start")], ZERO));
    assert_eq!(from_b, Admitted { seen: 1, too_deep: 1, ..Admitted::default() });
    assert_eq!(frontier.lease(1, ZERO).leases, []);
    // A sitemap lists b: it is at depth 0 now, and c at depth 1. No page is fetched twice.
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
fn a_redirect_target_has_the_depth_of_the_page() {
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
    // b redirects to a page found at depth 2 and fetched already: it is at depth 1 after all.
    assert!(!frontier.redirected(b.id, key_of("https://a.test/deep"), ZERO));
    let deeper = lease_one(&mut frontier);
    assert_eq!((deeper.url.path(), deeper.depth), ("/deeper", 2));
    // A new target has the depth of the page that redirects to it.
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
