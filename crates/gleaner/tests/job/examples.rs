//! The examples that keep pages, and those with code of their own, over sites on loopback.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File};
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gleaner::request::{Format, Webhook};
use gleaner::service::Serving;
use gleaner::{
    CacheState, CrawlRequest, Engine, JobEnd, Network, ScrapeRequest, SkipReason, Storage, conformance,
};
use gleaner_testkit::{HostilePage, PageServer, RawServer, Server, Site, SiteSpec, Step};
use tempfile::tempdir;
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::Instant;

use super::on_loopback;

#[path = "../../examples/auth_for_host.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod auth_for_host;
#[path = "../../examples/crawl_to_files.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod crawl_to_files;
#[path = "../../examples/follow_by_content.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod follow_by_content;
#[path = "../../examples/latency_histogram.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod latency_histogram;
#[path = "../../examples/own_accounts.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod own_accounts;
#[path = "../../examples/own_cache.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod own_cache;
#[path = "../../examples/own_fetch_layer.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod own_fetch_layer;
#[path = "../../examples/own_model.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod own_model;
#[path = "../../examples/own_resolver.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod own_resolver;
#[path = "../../examples/own_sink.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod own_sink;
#[path = "../../examples/own_store.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod own_store;
#[path = "../../examples/own_webhooks.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod own_webhooks;
#[path = "../../examples/pace_per_host.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod pace_per_host;
#[path = "../../examples/paused_time.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod paused_time;
#[cfg(feature = "sqlite")]
#[path = "../../examples/resume.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod resume;
#[path = "../../examples/two_runtimes.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod two_runtimes;

fn site() -> Server {
    Site::generate(SiteSpec::pages(20)).serve().unwrap()
}

/// A server with one page at every path.
fn page(html: &str) -> RawServer {
    let answer = Step::respond("200 OK", &[("Content-Type", "text/html")], html);
    RawServer::start([Step::ReadRequest, answer, Step::Repeat]).unwrap()
}

async fn crawl(engine: &Engine, url: impl Into<String>) -> JobEnd {
    engine.crawl(CrawlRequest::new(url)).await.unwrap().wait().await.unwrap()
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
    let server = page(&format!(
        "<title>Tides</title><main><h1>Tides</h1><p>The harbour is old.</p><p>{long}</p></main>"
    ));
    let engine = on_loopback().model(Arc::new(own_model::LongestLine)).build().unwrap();
    let request = ScrapeRequest::new(server.base_url()).formats([Format::Summary]);
    assert_eq!(engine.scrape(request).await.unwrap().summary.as_deref(), Some(long));
}

#[tokio::test]
async fn links_are_followed_where_pages_are_about_the_topic() {
    let pages = [
        ("/", "<p><a href=/green>Green</a> and <a href=/coffee>coffee</a>."),
        ("/green", "<p>Green tea, <a href=/sencha>Sencha</a>."),
        ("/coffee", "<p>Coffee, <a href=/espresso>Espresso</a>."),
        ("/sencha", "<p>Sencha."),
        ("/espresso", "<p>Espresso."),
    ];
    let server = PageServer::start(pages.map(|(path, html)| HostilePage::html(path, html)).to_vec()).unwrap();
    let engine = on_loopback().hooks(Arc::new(follow_by_content::About("tea".to_owned()))).build().unwrap();
    let mut job = engine.crawl(CrawlRequest::new(format!("{}/", server.base_url()))).await.unwrap();
    while job.next().await.transpose().unwrap().is_some() {}
    assert_eq!(["/coffee", "/sencha", "/espresso"].map(|path| server.requests(path)), [1, 1, 0]);
    assert_eq!(job.rejections(), [(SkipReason::Hook, 1)]);
}

#[tokio::test]
async fn a_token_is_sent_to_its_host_only() {
    let server = page("<p>text");
    let hosts = ["members.test", "other.test"];
    let table = HashMap::from(hosts.map(|host| (host.to_owned(), Ipv4Addr::LOCALHOST.into())));
    let names = own_resolver::Names { table, ..own_resolver::Names::default() };
    let login = auth_for_host::Login { host: "members.test".to_owned(), token: "secret".to_owned() };
    let builder = on_loopback().network(Network::new().resolver(Arc::new(names)));
    let engine = builder.hooks(Arc::new(login)).build().unwrap();
    for host in hosts {
        let url = server.base_url().replace("127.0.0.1", host);
        engine.scrape(ScrapeRequest::new(url)).await.unwrap();
    }
    let heads = server.requests().into_iter();
    let has_token: Vec<bool> =
        heads.map(|head| String::from_utf8_lossy(&head).contains("Bearer secret")).collect();
    assert_eq!(has_token, [true, false]);
}

#[tokio::test(start_paused = true)]
async fn a_host_has_its_pace_and_paused_time_runs_ahead() {
    let gap = Duration::from_secs(120);
    let paces = pace_per_host::Paces(HashMap::from([("127.0.0.1".to_owned(), gap)]));
    let builder = on_loopback().on_runtime(Handle::current()).wrap_fetch(Arc::new(paused_time::Site));
    let engine = builder.hooks(Arc::new(paces)).build().unwrap();
    let began = Instant::now();
    let end = crawl(&engine, "http://127.0.0.1/").await;
    assert_eq!((end.snapshot.completed, end.failures.len()), (3, 0));
    assert!(began.elapsed() >= 2 * gap, "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_histogram_has_each_page() {
    let (site, latencies) = (site(), Arc::new(latency_histogram::Latencies::default()));
    let engine = on_loopback().hooks(latencies.clone()).build().unwrap();
    let end = crawl(&engine, site.url("/")).await;
    engine.stop().await;
    assert_eq!(latencies.0.lock().unwrap().values().sum::<u64>(), end.snapshot.completed);
}

/// A sink of the example, in a file that exists from then on.
fn lines(path: &Path) -> own_sink::Lines {
    own_sink::Lines(Arc::new(File::options().append(true).create(true).open(path).unwrap()))
}

#[tokio::test]
async fn a_sink_of_ones_own_keeps_the_rules_and_each_page() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("suite.jsonl");
    let (sink, read_only) = (lines(&path), own_sink::Lines(Arc::new(File::open(&path).unwrap())));
    let kept = async || {
        let pages = own_sink::read(&path).unwrap().into_iter();
        pages
            .map(|((job, number), page)| (job, number, page.markdown.unwrap_or_default()))
            .collect::<Vec<_>>()
    };
    conformance::document_sink(&sink, kept, Some(&read_only)).await;

    let (site, path) = (site(), folder.path().join("crawl.jsonl"));
    let engine = on_loopback().sink(Arc::new(lines(&path))).build().unwrap();
    assert_eq!(crawl(&engine, site.url("/")).await.snapshot.completed, 20);
    let pages = own_sink::read(&path).unwrap();
    assert_eq!(pages.len(), 20);
    assert!(pages.values().all(|page| page.markdown.as_deref().is_some_and(|text| !text.is_empty())));
}

#[tokio::test]
async fn a_recorded_session_needs_no_site() {
    let site = site();
    let session = Arc::new(own_fetch_layer::Session(Mutex::default()));
    let engine = on_loopback().wrap_fetch(session).build().unwrap();
    let url = site.url("/");
    let urls =
        |end: JobEnd| -> BTreeSet<_> { end.documents.into_iter().map(|page| page.metadata.url).collect() };
    let recorded = urls(crawl(&engine, &url).await);
    drop(site);
    assert_eq!(recorded.len(), 20);
    assert_eq!(urls(crawl(&engine, &url).await), recorded);
}

#[tokio::test]
async fn events_go_to_a_queue_of_ones_own() {
    let site = site();
    let (sender, mut events) = unbounded_channel();
    let serving = Serving::new().deliver(Arc::new(own_webhooks::Queue(sender)));
    let engine = on_loopback().serving(serving).build().unwrap();
    let webhook = Webhook::new("https://queue.test/").events(["started", "completed"]);
    let request = CrawlRequest::new(site.url("/")).webhook(webhook);
    let mut job = engine.crawl(request).await.unwrap();
    job.wait().await.unwrap();
    let mut types = BTreeSet::new();
    while types.len() < 2 {
        let event: serde_json::Value = serde_json::from_str(&events.recv().await.unwrap()).unwrap();
        types.insert(event["type"].as_str().unwrap().to_owned());
    }
    assert_eq!(types, BTreeSet::from(["crawl.completed", "crawl.started"].map(str::to_owned)));
}

#[test]
fn a_crawl_goes_through_two_runtimes_and_ends_without_one() {
    let (site, engine) = (site(), on_loopback().build().unwrap());
    assert_eq!(two_runtimes::crawl(&engine, &site.url("/")).unwrap(), 20);
}
