//! A site whose pages exist only after their scripts ran, crawled with Chromium and without it.

use std::collections::BTreeSet;
use std::sync::Arc;

use gleaner::url::Url;
use gleaner::{CrawlRequest, Engine, FetchEngine, MapRequest, Pages, RenderPolicy};
use gleaner_testkit::{Extras, PathTruth, Role, Server, Site, SiteSpec};
use gleaner_tests::fakes::{self, engine_builder};

use crate::installed;
use crate::support::{CrawlOutcome, crawl};

/// The first page of the application.
const START: &str = "/app/";

/// A site, its server, and the pages that scripts build.
fn site() -> (Server, Vec<PathTruth>) {
    let extras = Extras { script_built: true, ..Extras::default() };
    let site = Site::generate(SiteSpec { extras, ..SiteSpec::pages(1) });
    let pages: Vec<PathTruth> = site.truth().paths().filter(|page| page.role == Role::ScriptBuilt).collect();
    assert!(pages.len() > 10 && pages.first().is_some_and(|page| page.path == START));
    (site.serve().unwrap(), pages)
}

/// An engine with Chromium that works on one page at a time, so that what it learns from a page holds for all
/// later ones.
fn engine(policy: RenderPolicy) -> Option<Engine> {
    let builder = engine_builder()
        .renderer(Arc::new(installed::open()?))
        .pages(Pages::new().render_policy(policy))
        .concurrency(1);
    Some(builder.build().unwrap())
}

fn paths(pages: &[PathTruth]) -> BTreeSet<&str> {
    pages.iter().map(|page| page.path.as_str()).collect()
}

fn engines(crawled: &CrawlOutcome) -> BTreeSet<Option<&'static str>> {
    let name = |engine| match engine {
        FetchEngine::Static => "static",
        _ => "browser",
    };
    crawled.documents.values().map(|document| document.metadata.engine.map(name)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_finds_every_page_that_scripts_build() {
    let (server, pages) = site();
    let Some(engine) = engine(RenderPolicy::Auto) else { return };
    let crawled = crawl(&engine, CrawlRequest::new(server.url(START))).await;
    assert_eq!(crawled.paths(), paths(&pages));
    assert_eq!(engines(&crawled), [Some("browser")].into());
    assert_eq!(crawled.snapshot.credits_used, pages.len() as u64);
    for page in &pages {
        let document = &crawled.documents[&page.path];
        let markdown = document.markdown.as_deref().unwrap();
        let flat = markdown.split_whitespace().collect::<Vec<_>>().join(" ");
        for sentence in &page.sentences {
            assert!(flat.contains(sentence.as_str()), "{} lacks {sentence:?}:\n{markdown}", page.path);
        }
        assert!(document.metadata.title.as_deref().unwrap().contains(&page.title), "{}", page.path);
        assert_eq!(document.warning, None, "{}", page.path);
    }

    // The start page and the first three others are requested twice, because nothing was known of their kind.
    // One later page may be an audit.
    let log = server.log();
    let requests: usize = pages.iter().map(|page| log.count(&page.path)).sum();
    let known = requests - pages.len();
    assert!((4..=5).contains(&known), "{known} of {} pages were requested as served first", pages.len());
    println!("script-built site: {} pages, {requests} requests for documents", pages.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_for_links_alone_finds_every_page_too() {
    let (server, pages) = site();
    let Some(engine) = engine(RenderPolicy::Auto) else { return };
    let crawled = crawl(&engine, fakes::links_only(server.url(START))).await;
    assert_eq!(crawled.paths(), paths(&pages));
    let has_links = |links: &Vec<String>| !links.is_empty();
    assert!(crawled.documents.values().all(|document| document.links.as_ref().is_some_and(has_links)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_map_has_the_links_that_scripts_build() {
    let (server, pages) = site();
    let Some(engine) = engine(RenderPolicy::Auto) else { return };
    let map = engine.map(MapRequest::new(server.url(START))).await.unwrap();
    let found: BTreeSet<&str> = map.links.iter().map(Url::path).collect();
    // The start page links to these.
    for page in &pages[..4] {
        assert!(found.contains(page.path.as_str()), "{} is not in {found:?}", page.path);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_browser_a_crawl_finds_the_shell_and_says_so() {
    let (server, _) = site();
    let engine = engine_builder().build().unwrap();
    let crawled = crawl(&engine, CrawlRequest::new(server.url(START))).await;
    assert_eq!(crawled.paths(), [START].into());
    let document = &crawled.documents[START];
    let warning = document.warning.as_deref().unwrap_or_default();
    assert!(warning.contains("JavaScript") && warning.contains("browser"), "{warning}");
    assert_eq!(document.metadata.engine, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_the_policy_never_chromium_is_not_used() {
    let (server, _) = site();
    let Some(engine) = engine(RenderPolicy::Never) else { return };
    let crawled = crawl(&engine, CrawlRequest::new(server.url(START))).await;
    assert_eq!(crawled.paths(), [START].into());
    let warning = crawled.documents[START].warning.as_deref().unwrap_or_default();
    assert!(warning.contains("has no browser"), "{warning}");
    assert_eq!(server.log().count(START), 1);
}
