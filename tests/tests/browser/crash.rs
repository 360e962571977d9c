//! The browser ends while the engine renders pages, or cannot be started for a while.

use std::fs::File;
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use gleaner::{Document, Engine, Error, FetchEngine, ScrapeRequest};
use gleaner_testkit::{HostilePage, PageServer};
use gleaner_tests::process::{run_in_process, url_from_parent};
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, setrlimit};
use serde_json::json;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};

use crate::installed;

/// How long the pages may take until all of them run.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Files that a process may open whose connections hold them all. A browser needs some hundreds.
const FILES: u64 = 1_000;
/// They do so for this time: longer than the browser itself waits for them.
const HELD: Duration = Duration::from_secs(3);

/// A request that a page sends when its scripts run.
const MARK: &str = "/mark";

/// A site of one page. As first served, it lacks the element that the scrape waits for.
fn site(number: u8) -> PageServer {
    let first = format!("<!doctype html><p>first copy</p><script>fetch('{MARK}')</script>");
    let second = format!("<!doctype html><h1>Site {number}</h1><p id=done>second copy</p>");
    let pages =
        vec![HostilePage::html("/", first).then(second), HostilePage::new(MARK, "text/plain", "seen")];
    PageServer::start_on(IpAddr::V4(Ipv4Addr::new(127, 0, 0, number)), pages).unwrap()
}

async fn scrape(engine: &Engine, url: &str) -> Result<Document, Error> {
    let request = json!({
        "url": url,
        "timeout": 60_000,
        "actions": [{"type": "wait", "selector": "#done"}],
    });
    engine.scrape(serde_json::from_value::<ScrapeRequest>(request).unwrap()).await
}

#[tokio::test]
async fn pages_of_a_killed_browser_are_rendered_again() {
    let Some(builder) = installed::builder() else { return };
    let browser = builder.max_pages(NonZero::new(3).unwrap()).build().unwrap();
    let loopback = "127.0.0.0/8".parse().unwrap();
    let engine =
        Engine::builder().allow_private(loopback).renderer(Arc::new(browser.clone())).build().unwrap();
    // Each has its own address, because the engine limits the concurrency of an address.
    let sites = [site(1), site(2), site(3)];
    let killing = async {
        let end = Instant::now() + MAX_WAIT;
        while sites.iter().any(|site| site.requests(MARK) == 0) {
            assert!(Instant::now() < end, "the pages do not run");
            sleep(Duration::from_millis(20)).await;
        }
        let process = browser.stats().await.process_id.unwrap();
        kill_process(Pid::from_raw(process.cast_signed()).unwrap(), Signal::KILL).unwrap();
    };
    let [one, two, three] = sites.each_ref().map(PageServer::base_url);
    let (one, two, three, ()) =
        tokio::join!(scrape(&engine, &one), scrape(&engine, &two), scrape(&engine, &three), killing);
    for (document, number) in [one, two, three].into_iter().zip(1..) {
        let document = document.unwrap();
        let text = document.markdown.as_deref().unwrap();
        assert!(text.contains(&format!("Site {number}")) && text.contains("second copy"), "{text}");
        assert_eq!(document.metadata.engine, Some(FetchEngine::Browser));
    }
    for site in &sites {
        assert_eq!(site.requests("/"), 2, "one retry");
    }
    let stats = browser.stats().await;
    assert_eq!((stats.started, stats.crashed, stats.pages), (2, 1, 6));
    browser.close().await;
}

/// A stopped Chromium was noticed only when pages had waited for the whole default timeout, again and again.
#[tokio::test]
async fn a_browser_that_hangs_while_idle_is_replaced() {
    let Some(builder) = installed::builder() else { return };
    let browser = builder.build().unwrap();
    let loopback = "127.0.0.0/8".parse().unwrap();
    let engine =
        Engine::builder().allow_private(loopback).renderer(Arc::new(browser.clone())).build().unwrap();
    let page = HostilePage::html("/", "<!doctype html><p id=done>here</p>");
    let site = PageServer::start_on(IpAddr::V4(Ipv4Addr::LOCALHOST), vec![page]).unwrap();
    scrape(&engine, &site.base_url()).await.unwrap();
    let process = browser.stats().await.process_id.unwrap();
    kill_process(Pid::from_raw(process.cast_signed()).unwrap(), Signal::STOP).unwrap();
    let document = scrape(&engine, &site.base_url()).await.unwrap();
    assert_eq!(document.metadata.engine, Some(FetchEngine::Browser));
    let stats = browser.stats().await;
    assert_eq!((stats.started, stats.crashed), (2, 1));
    browser.close().await;
}

/// Chromium could not be started without descriptors, and its page failed for good.
#[test]
fn a_page_waits_while_its_browser_cannot_be_started() {
    if installed::builder().is_none() {
        return;
    }
    let page = HostilePage::html("/", "<!doctype html><p id=done>here</p>");
    let site = PageServer::start_on(IpAddr::V4(Ipv4Addr::LOCALHOST), vec![page]).unwrap();
    println!("{}", run_in_process("crash::exhausted_child", &site.base_url()));
}

#[tokio::test]
#[ignore = "run in its own process, which opens all files that it may"]
async fn exhausted_child() {
    let Some(url) = url_from_parent() else { return };
    let Some(builder) = installed::builder() else { return };
    let present = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(FILES), maximum: present.maximum }).unwrap();
    let browser = builder.build().unwrap();
    let loopback = "127.0.0.0/8".parse().unwrap();
    let engine = Engine::builder()
        .allow_private(loopback)
        .renderer(Arc::new(browser.clone()))
        // One of its own could not start without descriptors.
        .on_runtime(Handle::current())
        .build()
        .unwrap();
    let mut held = Vec::new();
    while let Ok(file) = File::open("/dev/null") {
        held.push(file);
    }
    let releasing = async {
        sleep(HELD).await;
        assert_eq!(browser.stats().await.started, 0);
        drop(held);
        Instant::now()
    };
    let (document, released) = tokio::join!(scrape(&engine, &url), releasing);
    assert_eq!(document.unwrap().metadata.engine, Some(FetchEngine::Browser));
    assert_eq!(browser.stats().await.started, 1);
    let seconds = released.elapsed().as_secs_f64();
    println!("CHILD 0 pages lost; the page was rendered {seconds:.2} s after descriptors were released");
    browser.close().await;
}
