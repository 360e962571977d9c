//! Tests that a crawl finds every page of a site, once and at the right depth.

use std::collections::BTreeSet;

use gleaner::CrawlRequest;
use gleaner::plan::SitemapMode;
use gleaner_testkit::{Extras, Role, Site, SiteSpec};

use crate::support::{CrawlOutcome, crawl, engine, links_only, pages_within};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_of_a_site_gives_one_document() {
    let site = Site::generate(SiteSpec::pages(3_000));
    let server = site.serve().unwrap();
    let crawled = crawl(&engine(), links_only(&server)).await;
    let expected = pages_within(&site, u32::MAX);
    assert_eq!(crawled.paths(), expected.iter().map(String::as_str).collect());
    assert_eq!(server.log().duplicates(), Vec::<String>::new(), "no page is fetched twice");
    assert_eq!(crawled.snapshot.credits_used, 3_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn depth_is_the_smallest_number_of_clicks_for_any_order_of_responses() {
    let jitter = std::time::Duration::from_millis(30);
    let site = Site::generate(SiteSpec { jitter, ..SiteSpec::pages(1_500) });
    let server = site.serve().unwrap();
    let engine = engine();
    for depth in 0..=3 {
        let crawled = crawl(&engine, links_only(&server).max_discovery_depth(depth)).await;
        let expected = pages_within(&site, depth);
        assert_eq!(crawled.paths(), expected.iter().map(String::as_str).collect(), "within {depth} clicks");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_gives_exactly_as_many_documents_as_its_limit() {
    let server = Site::generate(SiteSpec::pages(500)).serve().unwrap();
    let engine = engine();
    for limit in [1, 7, 100] {
        let crawled = crawl(&engine, links_only(&server).limit(limit)).await;
        assert_eq!(crawled.documents.len() as u64, limit);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sitemap_leads_to_pages_without_incoming_links() {
    let extras = Extras { sitemap: true, ..Extras::default() };
    let site = Site::generate(SiteSpec { extras, ..SiteSpec::pages(200) });
    let server = site.serve().unwrap();
    let orphans: BTreeSet<&str> = site.truth().extras().orphans.iter().map(String::as_str).collect();
    assert!(!orphans.is_empty());
    let engine = engine();

    let with_links = crawl(&engine, links_only(&server).sitemap(SitemapMode::Include)).await;
    assert!(with_links.paths().is_superset(&orphans));
    let without = crawl(&engine, links_only(&server)).await;
    assert!(without.paths().is_disjoint(&orphans));
    let sitemap_only = links_only(&server).sitemap(SitemapMode::Only);
    assert_eq!(
        crawl(&engine, sitemap_only).await.paths(),
        with_links.paths(),
        "the sitemap names every page of this site"
    );
    let at_depth_0 = links_only(&server).sitemap(SitemapMode::Include).max_discovery_depth(0);
    assert_eq!(
        crawl(&engine, at_depth_0).await.paths(),
        with_links.paths(),
        "pages of the sitemap have depth 0"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn markdown_has_the_main_content_without_boilerplate() {
    let site = Site::generate(SiteSpec::pages(40));
    let server = site.serve().unwrap();
    let crawled: CrawlOutcome = crawl(&engine(), CrawlRequest::new(server.url("/"))).await;
    for page in site.truth().paths().filter(|page| page.role == Role::Page) {
        let document = &crawled.documents[&page.path];
        let markdown = document.markdown.as_deref().unwrap();
        let flat = markdown.split_whitespace().collect::<Vec<_>>().join(" ");
        for sentence in &page.sentences {
            assert!(flat.contains(sentence.as_str()), "{} lacks {sentence:?}:\n{markdown}", page.path);
        }
        for boilerplate in site.truth().boilerplate() {
            assert!(
                !flat.contains(boilerplate),
                "{} has the boilerplate {boilerplate:?}:\n{markdown}",
                page.path
            );
        }
        assert!(document.metadata.title.as_deref().unwrap().contains(&page.title));
        assert_eq!(document.metadata.status_code, Some(200));
        assert_eq!(document.metadata.url, Some(server.url(&page.path)));
    }
}
