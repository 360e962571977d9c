//! The slots of the browser: who waits for one, and what a wait holds up.

use std::sync::Arc;
use std::time::Duration;

use gleaner_runtime::{RenderPolicy, RenderSettings, StartOptions};
use gleaner_store::{JobAccount, MemoryConfig, TeamId};
use gleaner_types::request::BatchScrapeRequest;
use tokio::time::{Instant, sleep};

use super::{BROWSER, Reply, STATIC, Site, render_batch, runtime, runtime_over, scrape};

/// A job of this team.
fn of(team: &str) -> StartOptions {
    StartOptions { account: Some(Box::new(JobAccount::of(TeamId::new(team)))), ..StartOptions::default() }
}

/// The start pages of this many hosts.
fn hosts(count: usize) -> Vec<String> {
    (0..count).map(|host| format!("https://host{host}.example/")).collect()
}

#[tokio::test(start_paused = true)]
async fn the_wait_for_a_browser_is_outside_the_timeout() {
    let site = Arc::new(Site { render_time: Duration::from_secs(8), ..Site::default() });
    let urls = ["https://a.example/", "https://b.example/", "https://c.example/", "https://d.example/"];
    let began = Instant::now();
    let end = render_batch(&runtime(&site, 1), &urls, StartOptions::default()).await.wait().await.unwrap();
    assert_eq!((end.documents.len(), end.failures.len()), (4, 0));
    let sent = site.sent();
    for (one, next) in sent.iter().zip(&sent[1..]) {
        assert!(next.began >= one.ended.unwrap(), "one slot, one page");
    }
    // The timeout of 10 s begins with the request, also for the last page, which waits for 24 s.
    assert!(sent[3].began - began >= Duration::from_secs(24));
    assert!(sent.iter().all(|sent| sent.deadline - sent.began == Duration::from_secs(10)), "{sent:?}");
}

#[tokio::test(start_paused = true)]
async fn a_page_that_waits_for_a_browser_has_no_permit_of_its_host() {
    let site = Arc::new(
        Site { render_time: Duration::from_secs(60), ..Site::default() }
            .serving("https://c.example/", vec![Reply::Redirect("https://a.example/other")]),
    );
    let runtime = runtime(&site, 1);
    // Before its first answer, a host gets at most two requests at once.
    let waiting = ["https://a.example/one", "https://a.example/two"];
    let busy = render_batch(&runtime, &["https://busy.example/"], StartOptions::default()).await;
    sleep(Duration::from_secs(1)).await;
    let waits = render_batch(&runtime, &waiting, StartOptions::default()).await;
    sleep(Duration::from_secs(1)).await;
    let began = Instant::now();
    let document = scrape(&runtime, "https://c.example/").await;
    assert_eq!(document.markdown.as_deref(), Some("moved"));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!(site.count(BROWSER), 1, "both pages still wait");
    drop((busy, waits));
}

#[tokio::test(start_paused = true)]
async fn teams_take_turns() {
    let site = Arc::new(Site { render_time: Duration::from_secs(4), ..Site::default() });
    let runtime = runtime(&site, 1);
    let many = hosts(6);
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let mut many = render_batch(&runtime, &many, of("many")).await;
    sleep(Duration::from_secs(1)).await;
    let mut one = render_batch(&runtime, &["https://one.example/"], of("one")).await;
    assert_eq!(one.wait().await.unwrap().documents.len(), 1);
    assert_eq!(many.wait().await.unwrap().documents.len(), 6);
    assert_eq!(site.sent()[1].url, "https://one.example/");
}

#[tokio::test(start_paused = true)]
async fn a_page_returns_to_the_queue_if_no_browser_is_free_in_time() {
    let site = Arc::new(Site { render_time: Duration::from_secs(25), ..Site::default() });
    let mut config = MemoryConfig::default();
    config.frontier.lease_time = Duration::from_secs(40);
    let settings = RenderSettings { policy: RenderPolicy::Auto, slots: 1 };
    let runtime = runtime_over(&site, Some(settings), config);
    let first = render_batch(&runtime, &["https://a.example/"], StartOptions::default()).await;
    sleep(Duration::from_secs(1)).await;
    // It may wait for half of its lease, 20 s, which end before the slot is free.
    let second = render_batch(&runtime, &["https://b.example/"], StartOptions::default()).await;
    for mut job in [first, second] {
        let end = job.wait().await.unwrap();
        assert_eq!((end.documents.len(), end.failures.len()), (1, 0));
    }
    let sent = site.sent();
    assert_eq!(sent.len(), 2, "each page was requested once");
    assert!(sent[1].began - sent[0].began >= Duration::from_secs(25));
}

#[tokio::test(start_paused = true)]
async fn pages_that_wait_for_a_browser_do_not_delay_other_teams() {
    const RENDER_TIME: Duration = Duration::from_secs(9);
    let site = Arc::new(Site {
        other_served: Reply::Page(200, "text served"),
        render_time: RENDER_TIME,
        ..Site::default()
    });
    let mut config = MemoryConfig::default();
    config.frontier.max_in_flight = 100;
    let runtime = runtime_over(&site, Some(RenderSettings { policy: RenderPolicy::Auto, slots: 1 }), config);
    // More pages than the worker loop works on at once.
    let waiting = hosts(60);
    let waiting: Vec<&str> = waiting.iter().map(String::as_str).collect();
    let mut waiting = render_batch(&runtime, &waiting, of("many")).await;
    sleep(Duration::from_secs(1)).await;
    assert_eq!((site.count(BROWSER), site.count(STATIC)), (1, 0));

    let began = Instant::now();
    let pages: Vec<String> = (0..5).map(|page| format!("https://static{page}.example/")).collect();
    let request = BatchScrapeRequest::new(pages).check().unwrap();
    let end = runtime.start(request, of("one")).await.unwrap().wait().await.unwrap();
    assert_eq!(end.documents.len(), 5);
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    assert_eq!(waiting.wait().await.unwrap().documents.len(), 60);
}
