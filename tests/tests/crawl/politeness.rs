//! Tests of robots.txt, delays and concurrency limits.

use std::time::Duration;

use gleaner::plan::SitemapMode;
use gleaner::{JobWarning, Politeness};
use gleaner_testkit::{Extras, Site, SiteSpec};
use gleaner_tests::fakes::engine_builder;

use crate::support::{crawl, engine, links_only};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_forbidden_by_robots_txt_are_listed_and_never_requested() {
    let extras = Extras { robots: true, ..Extras::default() };
    let site = Site::generate(SiteSpec { extras, ..SiteSpec::pages(30) });
    let server = site.serve().unwrap();
    let engine = engine();
    let crawled = crawl(&engine, links_only(&server)).await;
    let truth = site.truth();
    let forbidden: Vec<String> = truth.paths().filter(|page| page.forbidden).map(|page| page.path).collect();
    assert!(!forbidden.is_empty());
    for path in &forbidden {
        assert_eq!(server.log().count(path), 0, "{path} was fetched");
    }
    let linked = truth.paths().filter(|page| page.forbidden && page.depth == Some(2)).map(|page| page.path);
    for path in linked {
        assert!(
            crawled.blocked_paths().contains(&path),
            "{path} is not listed in {:?}",
            crawled.blocked_paths()
        );
    }
    assert_eq!(server.log().count("/robots.txt"), 1);
    assert_eq!(crawled.snapshot.robots_blocked as usize, crawled.blocked_paths().len());

    let all = crawl(&engine, links_only(&server).ignore_robots_txt(true)).await;
    assert!(forbidden.iter().any(|path| all.paths().contains(path.as_str())));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_page_that_robots_txt_forbids_ends_the_crawl_with_a_warning() {
    let extras = Extras { robots: true, sitemap: true, ..Extras::default() };
    let site = Site::generate(SiteSpec { extras, ..SiteSpec::pages(10) });
    let server = site.serve().unwrap();
    let mut request = links_only(&server).sitemap(SitemapMode::Include);
    request.url = server.url("/private/");
    let crawled = crawl(&engine(), request).await;
    assert!(crawled.documents.is_empty());
    assert_eq!(crawled.blocked_paths().into_iter().collect::<Vec<_>>(), ["/private/"]);
    assert!(crawled.snapshot.warnings == [JobWarning::StartForbidden]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delay_separates_requests_and_forbids_concurrent_ones() {
    let gap = Duration::from_millis(60);
    let server = Site::generate(SiteSpec { latency: Duration::from_millis(5), ..SiteSpec::pages(12) })
        .serve()
        .unwrap();
    let request = links_only(&server).delay(gap.as_secs_f64());
    let crawled = crawl(&engine(), request).await;
    assert_eq!(crawled.documents.len(), 12);
    let log = server.log();
    assert_eq!(log.max_concurrent(), 1);
    // The gap applies when requests are sent; they may arrive slightly closer together.
    let shortest = log.shortest_gap().unwrap();
    assert!(shortest >= gap / 2, "two requests arrived {shortest:?} apart");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_requests_to_a_host_stay_within_the_limit() {
    // Long enough that concurrent requests overlap on a busy machine too.
    let site = Site::generate(SiteSpec { latency: Duration::from_millis(40), ..SiteSpec::pages(200) });
    let server = site.serve().unwrap();
    let limited_to_four =
        engine_builder().politeness(Politeness::new().concurrency_per_host(4)).build().unwrap();
    crawl(&limited_to_four, links_only(&server)).await;
    assert_eq!(server.log().max_concurrent(), 4);

    let server = site.serve().unwrap();
    let request = links_only(&server).max_concurrency(2);
    crawl(&engine(), request).await;
    assert_eq!(server.log().max_concurrent(), 2);
}
