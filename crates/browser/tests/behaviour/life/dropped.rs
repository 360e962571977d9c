//! Renders that are dropped.

use std::time::Duration;

use gleaner_browser::Browser;
use gleaner_testkit::{HostilePage, ProcessGroup, scattered};
use serde_json::json;
use tokio::time::timeout;

use super::{Profiles, until};
use crate::support::{builder, render_pages};

/// Renders of each of two lanes.
const RENDERS: u64 = 20;

/// Most milliseconds until a render is dropped: some are dropped before their page is open, and some while it
/// waits for the end.
const LATEST: u64 = 400;

/// When a render is dropped. The same moments in every run.
fn moment(number: u64) -> Duration {
    Duration::from_millis(scattered(number, LATEST))
}

fn busy_page() -> Vec<HostilePage> {
    vec![HostilePage::html("/", "<p>text</p><script>setInterval(() => {}, 10)</script>")]
}

/// Drops renders, one after the other. Returns how many ended before.
async fn drop_renders(browser: &Browser, lane: u64) -> usize {
    let mut ended = 0;
    for number in 0..RENDERS {
        let render = render_pages(browser, busy_page(), json!({"waitFor": 5000}));
        ended += usize::from(timeout(moment(lane * RENDERS + number), render).await.is_ok());
    }
    ended
}

#[tokio::test]
async fn dropped_renders_leave_nothing_behind() {
    let Some(builder) = builder() else { return };
    let profiles = Profiles::new();
    let browser = builder.profile_folder(profiles.path()).build().unwrap();
    let held = async || {
        let inventory = browser.inventory().await.unwrap();
        (inventory.contexts, inventory.targets)
    };
    render_pages(&browser, busy_page(), json!({})).await.unwrap();
    tokio::select! {
        ended = render_pages(&browser, busy_page(), json!({"waitFor": 10_000})) => panic!("{ended:?}"),
        () = until("an open page is not counted", async || held().await == (1, 1)) => {}
    }
    let ended = tokio::join!(drop_renders(&browser, 0), drop_renders(&browser, 1));
    assert_eq!(ended, (0, 0), "no render ends before it is dropped");

    until("pages are still open", async || browser.stats().await.open_pages == 0).await;
    until("contexts or targets are left", async || held().await == (0, 0)).await;
    let stats = browser.stats().await;
    assert_eq!((stats.started, stats.crashed, stats.recycled), (1, 0, 0));
    let group = ProcessGroup::new(stats.process_id.unwrap());
    assert_eq!(profiles.count(), 1);
    assert!(!group.running().is_empty());

    browser.close().await;
    until("processes are left", async || group.running().is_empty()).await;
    assert_eq!(profiles.count(), 0);
    assert_eq!(browser.inventory().await, None);
}

#[tokio::test]
async fn a_dropped_browser_ends_with_its_processes_and_its_folder() {
    let Some(builder) = builder() else { return };
    let profiles = Profiles::new();
    let browser = builder.profile_folder(profiles.path()).build().unwrap();
    render_pages(&browser, busy_page(), json!({})).await.unwrap();
    let group = ProcessGroup::new(browser.stats().await.process_id.unwrap());
    drop(browser);
    until("processes are left", async || group.running().is_empty()).await;
    until("a profile folder is left", async || profiles.count() == 0).await;
    until("a zombie is left", async || group.zombies_of(std::process::id()).is_empty()).await;
}
