use std::time::Duration;

use gleaner::plan::SitemapMode;
use gleaner_testkit::{Extras, Site, SiteSpec};
use gleaner_tests::fakes::engine_builder;

use crate::support::{crawl, engine, links_only};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_robots_txt_forbids_is_listed_and_never_asked_for() {
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
    assert!(crawled.snapshot.warning.as_deref().is_some_and(|warning| warning.contains("robots.txt")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delay_keeps_requests_apart_and_alone() {
    let gap = Duration::from_millis(60);
    let server = Site::generate(SiteSpec { latency: Duration::from_millis(5), ..SiteSpec::pages(12) })
        .serve()
        .unwrap();
    let request = links_only(&server).delay(gap.as_secs_f64());
    let crawled = crawl(&engine(), request).await;
    assert_eq!(crawled.documents.len(), 12);
    let log = server.log();
    assert_eq!(log.max_concurrent(), 1);
    // The gap is kept between requests as they leave; on their way they may come closer by a little.
    let shortest = log.shortest_gap().unwrap();
    assert!(shortest >= gap / 2, "two requests came {shortest:?} apart");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_is_asked_for_no_more_pages_at_once_than_was_said() {
    // Long enough that requests sent at once overlap on a busy machine too.
    let site = Site::generate(SiteSpec { latency: Duration::from_millis(40), ..SiteSpec::pages(200) });
    let server = site.serve().unwrap();
    let four = engine_builder().concurrency(50, 4).build().unwrap();
    crawl(&four, links_only(&server)).await;
    assert_eq!(server.log().max_concurrent(), 4);

    let server = site.serve().unwrap();
    let request = links_only(&server).max_concurrency(2);
    crawl(&engine(), request).await;
    assert_eq!(server.log().max_concurrent(), 2);
}
