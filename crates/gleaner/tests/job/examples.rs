//! The examples that keep pages and those with ports of their own, over sites on loopback.

use std::collections::HashMap;
use std::fs;
use std::net::Ipv4Addr;
use std::sync::Arc;

use gleaner::request::Format;
use gleaner::{CacheState, Network, ScrapeRequest, Storage, conformance};
use gleaner_testkit::{RawServer, Server, Site, SiteSpec, Step};
use tempfile::tempdir;
use tokio::sync::mpsc::unbounded_channel;

use super::on_loopback;

#[path = "../../examples/crawl_to_files.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod crawl_to_files;
#[path = "../../examples/own_accounts.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod own_accounts;
#[path = "../../examples/own_cache.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod own_cache;
#[path = "../../examples/own_model.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod own_model;
#[path = "../../examples/own_resolver.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod own_resolver;
#[path = "../../examples/own_store.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod own_store;
#[cfg(feature = "sqlite")]
#[path = "../../examples/resume.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod resume;

fn site() -> Server {
    Site::generate(SiteSpec::pages(20)).serve().unwrap()
}

#[tokio::test]
async fn each_page_becomes_a_file() {
    let (site, folder) = (site(), tempdir().unwrap());
    let pages = folder.path().join("pages");
    crawl_to_files::crawl(&on_loopback().build().unwrap(), &site.url("/"), &pages).await.unwrap();
    let files: Vec<_> = fs::read_dir(&pages).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 20);
    for file in files {
        assert!(!fs::read_to_string(&file).unwrap().is_empty(), "{}", file.display());
    }
}

#[tokio::test]
async fn a_store_of_ones_own_gets_each_page_once() {
    let (site, folder) = (site(), tempdir().unwrap());
    let (engine, file) = (on_loopback().build().unwrap(), folder.path().join("pages.jsonl"));
    assert_eq!(own_store::crawl(&engine, &site.url("/"), &file).await.unwrap(), 20);
    assert_eq!(own_store::crawl(&engine, &site.url("/"), &file).await.unwrap(), 0);
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 20);
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn a_crawl_in_a_file_goes_on_in_the_next_run() {
    let (site, folder) = (site(), tempdir().unwrap());
    let file = folder.path().join("crawl.db");
    let engine = on_loopback().store_at(&file).build().unwrap();
    let mut job = resume::begin_or_resume(&engine, &file, &site.url("/")).await.unwrap();
    let id = job.id();
    job.next().await.unwrap().unwrap();
    engine.stop().await;
    drop((job, engine));

    let engine = on_loopback().store_at(&file).build().unwrap();
    let mut job = resume::begin_or_resume(&engine, &file, &site.url("/")).await.unwrap();
    assert_eq!(job.id(), id);
    assert_eq!(job.wait().await.unwrap().documents.len(), 20);
}

#[tokio::test]
async fn a_cache_of_ones_own_keeps_the_rules_and_serves_copies() {
    conformance::cache_store(&own_cache::ByteCache::default()).await;
    let site = site();
    let storage = Storage::new().cache(Arc::new(own_cache::ByteCache::default()));
    let engine = on_loopback().storage(storage).build().unwrap();
    for expected in [CacheState::Miss, CacheState::Hit] {
        let page = engine.scrape(ScrapeRequest::new(site.url("/")).max_age(60_000)).await.unwrap();
        assert_eq!(page.metadata.cache_state, Some(expected));
    }
}

#[tokio::test]
async fn a_resolver_of_ones_own_keeps_the_rules_and_gives_addresses() {
    let table = HashMap::from([("shop.test".to_owned(), Ipv4Addr::LOCALHOST.into())]);
    let names = own_resolver::Names { table, ..own_resolver::Names::default() };
    conformance::resolve(&names, "shop.test", None).await;
    let site = site();
    let engine = on_loopback().network(Network::new().resolver(Arc::new(names))).build().unwrap();
    let url = site.url("/").replace("127.0.0.1", "shop.test");
    let page = engine.scrape(ScrapeRequest::new(url)).await.unwrap();
    assert_eq!(page.metadata.status_code, Some(200));
}

#[tokio::test]
async fn accounts_of_ones_own_keep_the_rules_and_get_a_bill() {
    let (sender, mut bills) = unbounded_channel();
    conformance::accounts(&own_accounts::Bills(sender), "secret").await;
    assert_eq!(bills.recv().await, Some(1_000_000), "the suite uses credits");

    let site = site();
    let (sender, mut bills) = unbounded_channel();
    let engine = on_loopback().accounts(Arc::new(own_accounts::Bills(sender))).build().unwrap();
    let page = own_accounts::scrape(&engine, "secret", &site.url("/")).await.unwrap();
    assert!(page.markdown.is_some());
    assert_eq!(bills.recv().await, Some(1), "one page costs one credit");
    let refused = own_accounts::scrape(&engine, "a guess", &site.url("/")).await.unwrap_err();
    assert_eq!(refused.http_status(), 401);
}

#[tokio::test]
async fn a_model_of_ones_own_keeps_the_rules_and_summarises() {
    conformance::language_model(&own_model::LongestLine).await;
    let long =
        "The tide turns twice a day, and then the old harbour falls dry for about six hours each time.";
    let page =
        format!("<title>Tides</title><main><h1>Tides</h1><p>The harbour is old.</p><p>{long}</p></main>");
    let answer = Step::respond("200 OK", &[("Content-Type", "text/html")], page);
    let server = RawServer::start([Step::ReadRequest, answer, Step::Repeat]).unwrap();
    let engine = on_loopback().model(Arc::new(own_model::LongestLine)).build().unwrap();
    let request = ScrapeRequest::new(server.base_url()).formats([Format::Summary]);
    assert_eq!(engine.scrape(request).await.unwrap().summary.as_deref(), Some(long));
}
