//! Sitemaps: which are read, and how their pages are counted.

use std::time::Duration;

use gleaner_runtime::StartOptions;
use gleaner_types::plan::SitemapMode;
use gleaner_types::request::{CrawlRequest, MapRequest};
use tokio::time::Instant;

use crate::support::{Answer, Web, crawl, paths, runtime};

#[tokio::test(start_paused = true)]
async fn robots_txt_applies_to_sitemaps_that_it_does_not_name() {
    for (robots, read) in [
        ("User-agent: *\nDisallow: /sitemap", 0),
        ("User-agent: *\nDisallow: /sitemap\nSitemap: https://a.example/sitemap.xml", 1),
        ("", 1),
    ] {
        let web = Web::new([
            ("https://a.example/robots.txt", vec![Answer::Ok(robots)]),
            ("https://a.example/", vec![Answer::Ok("")]),
            ("https://a.example/sitemap.xml", vec![Answer::Ok("https://a.example/listed")]),
            ("https://a.example/listed", vec![Answer::Ok("")]),
        ]);
        let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
        assert_eq!(result.documents.len(), 1 + read, "{robots}");
        assert_eq!(web.count("https://a.example/sitemap.xml"), read, "{robots}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_crawl_that_ignores_robots_txt_still_finds_the_sitemaps_that_it_names() {
    let robots = "User-agent: *\nDisallow: /\nCrawl-delay: 30\nSitemap: https://a.example/named.xml";
    for (name, robots, listed) in [
        ("it exists", vec![Answer::Ok(robots)], true),
        ("it recovers", vec![Answer::status(503), Answer::Broken, Answer::Ok(robots)], true),
        ("it is missing", vec![Answer::status(404)], false),
        ("it fails", vec![Answer::status(500)], false),
        ("its connection breaks", vec![Answer::Broken], false),
    ] {
        for mode in [SitemapMode::Include, SitemapMode::Only, SitemapMode::Skip] {
            let web = Web::new([
                ("https://a.example/robots.txt", robots.clone()),
                ("https://a.example/", vec![Answer::Ok("")]),
                ("https://a.example/named.xml", vec![Answer::Ok("https://a.example/1\nhttps://a.example/2")]),
                ("https://a.example/1", vec![Answer::Ok("")]),
                ("https://a.example/2", vec![Answer::Ok("")]),
            ]);
            let request = CrawlRequest::new("https://a.example/").ignore_robots_txt(true).sitemap(mode);
            let began = Instant::now();
            let result = crawl(&web, request).await;
            let expected: &[&str] =
                if listed && mode != SitemapMode::Skip { &["/", "/1", "/2"] } else { &["/"] };
            assert_eq!(paths(&result), expected, "{name}, {mode:?}");
            assert_eq!(result.snapshot.warnings, [], "{name}");
            assert_eq!(result.snapshot.failed + result.snapshot.robots_blocked, 0, "{name}");
            assert!(began.elapsed() < Duration::from_secs(30), "{name}: its delay does not apply");
            assert_eq!(web.count("https://a.example/robots.txt") > 0, mode != SitemapMode::Skip, "{name}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_busy_sitemap_is_requested_again() {
    let web = Web::new([
        ("https://a.example/", vec![Answer::Ok("")]),
        ("https://a.example/sitemap.xml", vec![Answer::status(503), Answer::Ok("https://a.example/listed")]),
        ("https://a.example/listed", vec![Answer::Ok("")]),
    ]);
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    assert_eq!(paths(&result), ["/", "/listed"]);
    assert_eq!(result.snapshot.warnings, []);
}

#[tokio::test(start_paused = true)]
async fn the_total_of_a_running_crawl_counts_pages_only() {
    let named = "Sitemap: https://a.example/x.xml\nSitemap: https://a.example/y.xml\n\
        Sitemap: https://a.example/z.xml";
    let index = "<sitemapindex><sitemap><loc>https://a.example/1.xml</loc></sitemap>\
        <sitemap><loc>https://a.example/2.xml</loc></sitemap></sitemapindex>";
    for (ignores, mode) in
        [(false, SitemapMode::Include), (true, SitemapMode::Include), (false, SitemapMode::Only)]
    {
        let web = Web::new([
            ("https://a.example/robots.txt", vec![Answer::Ok(named)]),
            ("https://a.example/", vec![Answer::Ok("/1\n/2")]),
            ("https://a.example/1", vec![Answer::Ok("/2")]),
            ("https://a.example/2", vec![Answer::Ok("/")]),
            ("https://a.example/sitemap.xml", vec![Answer::Ok(index)]),
            ("https://a.example/2.xml", vec![Answer::Ok("https://a.example/1\nhttps://a.example/2")]),
        ]);
        let request = CrawlRequest::new("https://a.example/")
            .ignore_robots_txt(ignores)
            .sitemap(mode)
            .max_concurrency(2);
        let mut job = runtime(&web).start(request.check().unwrap(), StartOptions::default()).await.unwrap();
        let (mut documents, mut last_total) = (0, 0);
        loop {
            tokio::select! {
                biased;
                document = job.next() => match document {
                    Some(_) => documents += 1,
                    None => break,
                },
                () = tokio::time::sleep(Duration::from_millis(3)) => {}
            }
            let total = job.status().await.unwrap().total;
            assert!(total <= 3, "{total} pages of a site of three");
            assert!(total >= last_total, "{total} pages after {last_total}");
            last_total = total;
        }
        assert_eq!((documents, last_total), (3, 3));
        assert!(web.requests().len() > 8, "the sitemaps were read");
    }
}

/// Seen with a robots.txt whose sitemaps answer with errors: a map of one URL looked like a site of one page.
#[tokio::test(start_paused = true)]
async fn an_unreadable_sitemap_that_the_site_names_is_retried_and_named() {
    let robots = "Sitemap: /once.xml\nSitemap: https://a.example/gone.xml\nSitemap: /index.xml";
    let index = "<sitemapindex><sitemap><loc>/child.xml</loc></sitemap></sitemapindex>";
    let web = || {
        Web::new([
            ("https://a.example/robots.txt", vec![Answer::Ok(robots)]),
            ("https://a.example/", vec![Answer::Ok("")]),
            ("https://a.example/once.xml", vec![Answer::status(500), Answer::Ok("https://a.example/listed")]),
            ("https://a.example/gone.xml", vec![Answer::status(403)]),
            ("https://a.example/index.xml", vec![Answer::Ok(index)]),
            ("https://a.example/child.xml", vec![Answer::status(404)]),
            ("https://a.example/sitemap.xml", vec![Answer::status(404)]),
            ("https://a.example/listed", vec![Answer::Ok("")]),
        ])
    };
    let crawled = crawl(&web(), CrawlRequest::new("https://a.example/")).await;
    assert_eq!(paths(&crawled), ["/", "/listed"]);
    let mapped = runtime(&web()).map(MapRequest::new("https://a.example/").check().unwrap()).await.unwrap();
    assert!(mapped.links.iter().any(|url| url.path() == "/listed"), "{:?}", mapped.links);
    for warning in [crawled.snapshot.warning(), mapped.warning] {
        let warning = warning.unwrap_or_default();
        assert!(warning.contains("https://a.example/gone.xml answered with status 403"), "{warning}");
        assert!(warning.contains("https://a.example/child.xml answered with status 404"), "{warning}");
        assert!(!warning.contains("/sitemap.xml"), "a guess: {warning}");
    }
}
