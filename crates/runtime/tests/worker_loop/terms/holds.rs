//! Requests that no lease allows, to hosts that another process may hold.

use std::sync::Arc;
use std::time::Duration;

use gleaner_runtime::{Job, Runtime, StartOptions};
use gleaner_types::plan::SitemapMode;
use gleaner_types::request::{CrawlRequest, MapRequest};
use tokio::time::sleep;

use super::store::TermStore;
use super::{START, TERM, complete};
use crate::support::{Answer, Web, runtime_over};

const MOVED: &str = "https://www.a.example/";
const MOVED_HOST: &str = "www.a.example";

fn runtime(answers: Vec<Answer>) -> (Arc<Web>, Arc<TermStore>, Arc<Runtime>) {
    let web = Web::new([(START, answers), (MOVED, vec![Answer::Ok("")])]);
    let store = TermStore::new(Some(TERM));
    let runtime = runtime_over(&web, Arc::<TermStore>::clone(&store));
    (web, store, runtime)
}

async fn crawl(runtime: &Arc<Runtime>) -> Job {
    let request = CrawlRequest::new(START).sitemap(SitemapMode::Skip);
    runtime.start(request.check().unwrap(), StartOptions::default()).await.unwrap()
}

fn live_guards(store: &TermStore) -> usize {
    Arc::strong_count(&store.script().guards) - 1
}

#[tokio::test(start_paused = true)]
async fn a_redirect_waits_for_a_host_of_another_process() {
    let (web, store, runtime) = runtime(vec![Answer::Redirect(MOVED)]);
    store.script().busy = vec![MOVED_HOST];
    let job = crawl(&runtime).await;
    sleep(Duration::from_secs(5)).await;
    assert_eq!(web.count("https://www.a.example/robots.txt"), 0);
    store.script().busy.clear();
    complete(job).await;
    assert_eq!((web.count("https://www.a.example/robots.txt"), web.count(START)), (1, 1));
    assert_eq!(live_guards(&store), 0);
}

#[tokio::test(start_paused = true)]
async fn a_page_whose_redirect_waits_for_long_is_returned_and_counts_no_attempt() {
    let (web, store, runtime) = runtime(vec![Answer::Redirect(MOVED)]);
    store.script().busy = vec![MOVED_HOST];
    let job = crawl(&runtime).await;
    sleep(Duration::from_secs(300)).await;
    assert!(web.count(START) > 10, "its own host is free for other processes in between");
    store.script().busy.clear();
    complete(job).await;
}

#[tokio::test(start_paused = true)]
async fn a_page_whose_lease_does_not_hold_its_host_waits_for_it() {
    let (web, store, runtime) = runtime(vec![Answer::Ok("")]);
    {
        let mut script = store.script();
        (script.busy, script.leases_hold_nothing) = (vec!["a.example"], true);
    }
    let job = crawl(&runtime).await;
    sleep(Duration::from_secs(5)).await;
    assert!(web.requests().is_empty());
    store.script().busy.clear();
    complete(job).await;
    assert_eq!(live_guards(&store), 0);
}

#[tokio::test(start_paused = true)]
async fn a_map_waits_for_a_host_of_another_process() {
    let (web, store, runtime) = runtime(vec![Answer::Ok("/one")]);
    store.script().busy = vec!["a.example"];
    let plan = MapRequest::new(START).sitemap(SitemapMode::Skip).check().unwrap();
    let mapping = tokio::spawn(async move { runtime.map(plan).await });
    sleep(Duration::from_secs(5)).await;
    assert!(web.requests().is_empty());
    store.script().busy.clear();
    let found = mapping.await.unwrap().unwrap();
    assert!(found.links.iter().any(|url| url.path() == "/one"));
    assert_eq!(live_guards(&store), 0);
}
