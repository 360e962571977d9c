//! Processes that are replaced after many pages.

use std::num::NonZero;

use gleaner_testkit::{HostilePage, ProcessGroup};
use serde_json::json;

use super::{Profiles, until};
use crate::support::{builder, render_pages};

#[tokio::test]
async fn a_used_up_process_is_replaced_and_leaves_nothing_behind() {
    let Some(builder) = builder() else { return };
    let profiles = Profiles::new();
    let builder = builder.profile_folder(profiles.path()).recycle_after_pages(NonZero::new(3).unwrap());
    let browser = builder.build().unwrap();
    let mut processes = Vec::new();
    for number in 0..10 {
        let page = vec![HostilePage::html("/", format!("<p>page {number}</p>"))];
        let page = render_pages(&browser, page, json!({})).await.unwrap().page;
        assert!(page.html.contains(&format!("<p>page {number}</p>")), "{}", page.html);
        processes.push(browser.stats().await.process_id.unwrap());
    }
    let changes = processes.windows(2).map(|pair| pair[0] != pair[1]);
    let expected = [false, false, true, false, false, true, false, false, true];
    assert_eq!(changes.collect::<Vec<_>>(), expected, "{processes:?}");
    let stats = browser.stats().await;
    assert_eq!((stats.started, stats.recycled, stats.crashed, stats.pages), (4, 3, 0, 10));

    let mut groups: Vec<_> = processes.into_iter().map(ProcessGroup::new).collect();
    groups.dedup();
    let (last, replaced) = groups.split_last().unwrap();
    let own = std::process::id();
    until("replaced processes are left", async || replaced.iter().all(|group| group.running().is_empty()))
        .await;
    until("their folders are left", async || profiles.count() == 1).await;
    assert!(!last.running().is_empty());
    browser.close().await;
    until("the last process is left", async || last.running().is_empty()).await;
    until("zombies are left", async || groups.iter().all(|group| group.zombies_of(own).is_empty())).await;
    assert_eq!(profiles.count(), 0);
}
