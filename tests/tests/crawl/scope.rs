//! Tests of the scope of a crawl: paths, sites, patterns and duplicates.

use std::collections::BTreeSet;

use gleaner::CrawlRequest;
use gleaner_testkit::{Canary, Extras, Role, Site, SiteSpec};

use crate::support::{crawl, engine, links_only};

fn site_with(extras: Extras) -> Site {
    Site::generate(SiteSpec { extras, ..SiteSpec::pages(60) })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn paths_that_differ_in_case_are_different_pages() {
    let site = site_with(Extras { case: true, ..Extras::default() });
    let server = site.serve().unwrap();
    let crawled = crawl(&engine(), links_only(&server)).await;
    let lowercased: BTreeSet<String> = crawled.paths().iter().map(|path| path.to_lowercase()).collect();
    let case_pages = site.truth().paths().filter(|page| page.path.to_lowercase().starts_with("/case/"));
    let expected: BTreeSet<String> = case_pages.map(|page| page.path).collect();
    assert!(crawled.paths().is_superset(&expected.iter().map(String::as_str).collect()));
    assert!(lowercased.len() < crawled.documents.len(), "the site has paths that differ only in case");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn patterns_select_the_pages() {
    let server = site_with(Extras::default()).serve().unwrap();
    let engine = engine();
    let only_tens = links_only(&server).include_paths(["^/p/[0-9]0$"]);
    let crawled = crawl(&engine, only_tens).await;
    let tens = |path: &&str| path.len() == 5 && path.ends_with('0');
    assert!(!crawled.documents.is_empty() && crawled.paths().iter().all(tens), "{:?}", crawled.paths());
    assert_eq!(server.log().count("/"), 1, "the start page is fetched for its links but gives no document");

    let no_tens = links_only(&server).exclude_paths(["0$"]);
    let crawled = crawl(&engine, no_tens).await;
    assert!(crawled.documents.len() > 40 && !crawled.paths().iter().any(|path| path.ends_with('0')));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_stays_below_its_start_page_by_default() {
    let site = site_with(Extras { products: true, ..Extras::default() });
    let server = site.serve().unwrap();
    let engine = engine();
    let products: BTreeSet<&str> =
        site.truth().extras().products.iter().map(|product| product.path.as_str()).collect();
    let mut below = links_only(&server);
    below.url = server.url("/shop/");
    let crawled = crawl(&engine, below.clone()).await;
    assert!(crawled.paths().is_superset(&products));
    assert!(crawled.paths().iter().all(|path| path.starts_with("/shop/")), "{:?}", crawled.paths());
    let all = crawl(&engine, below.crawl_entire_domain(true)).await;
    assert!(all.paths().contains("/"), "links to parents are followed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_sites_are_not_visited_by_default() {
    let canary = Canary::start().unwrap();
    let spec = SiteSpec { external: Some(canary.base_url()), ..SiteSpec::pages(5) };
    let server = Site::generate(spec).serve().unwrap();
    crawl(&engine(), links_only(&server)).await;
    assert_eq!(canary.connections(), 0);

    let other = Site::generate(SiteSpec::pages(30)).serve().unwrap();
    let spec = SiteSpec { external: Some(other.url("/p/7")), ..SiteSpec::pages(5) };
    let server = Site::generate(spec).serve().unwrap();
    let crawled = crawl(&engine(), links_only(&server).allow_external_links(true)).await;
    assert!(crawled.paths().contains("/p/7"), "one link outside is followed: {:?}", crawled.paths());
    assert_eq!(crawled.documents.len(), 6, "links of the external page are not followed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redirect_gives_one_document_of_its_target() {
    let site = site_with(Extras { redirects: true, ..Extras::default() });
    let server = site.serve().unwrap();
    let crawled = crawl(&engine(), links_only(&server)).await;
    let truth = site.truth();
    for redirect in &truth.extras().redirects {
        match &redirect.to {
            Some(to) => {
                let documents = crawled
                    .documents
                    .values()
                    .filter(|document| document.metadata.url.as_deref() == Some(server.url(to).as_str()));
                assert_eq!(documents.count(), 1, "{} leads to {to}", redirect.from);
            }
            None => assert!(crawled.failed_paths().contains(&redirect.from), "{} never ends", redirect.from),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn duplicate_urls_are_merged_unless_disabled() {
    let site = site_with(Extras { duplicates: true, ..Extras::default() });
    let server = site.serve().unwrap();
    let engine = engine();
    let merged = crawl(&engine, links_only(&server)).await;
    let unmerged = links_only(&server).deduplicate_similar_urls(false);
    let unmerged = crawl(&engine, unmerged).await;
    let copies = |paths: &BTreeSet<&str>| paths.iter().filter(|path| path.starts_with("/copies/")).count();
    assert!(
        copies(&merged.paths()) < copies(&unmerged.paths()),
        "{:?}\n{:?}",
        merged.paths(),
        unmerged.paths()
    );
    for group in &site.truth().extras().duplicates {
        assert!(group.iter().any(|path| merged.paths().contains(path.as_str())), "one of {group:?} is kept");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_in_other_encodings_are_decoded() {
    let site = site_with(Extras { charsets: true, ..Extras::default() });
    let server = site.serve().unwrap();
    let crawled = crawl(&engine(), CrawlRequest::new(server.url("/"))).await;
    let truth = site.truth();
    assert!(truth.extras().encoded.len() > 3);
    for page in &truth.extras().encoded {
        let document = &crawled.documents[&page.path];
        assert_eq!(document.metadata.title.as_deref(), Some(page.title.as_str()), "{}", page.path);
        assert!(
            document.markdown.as_deref().unwrap().contains(&page.text),
            "{}: {:?}",
            page.path,
            document.markdown
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_site_with_every_feature_and_trap_ends_at_the_limit() {
    let site = site_with(Extras { failures: false, ..Extras::all() });
    let server = site.serve().unwrap();
    let limit = 400;
    let crawled = crawl(&engine(), links_only(&server).limit(limit)).await;
    assert_eq!(crawled.documents.len() as u64, limit, "traps use up the rest of the limit");
    let pages = site.truth().paths().filter(|page| page.role == Role::Page && !page.forbidden);
    let lost: Vec<String> =
        pages.map(|page| page.path).filter(|path| !crawled.paths().contains(path.as_str())).collect();
    assert_eq!(lost, Vec::<String>::new(), "no real page is lost to a trap");
}
