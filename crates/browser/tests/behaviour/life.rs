//! What remains of pages and browsers.

use std::time::Duration;

use gleaner_testkit::HostilePage;
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};

use crate::support::{browser, render_pages};

#[tokio::test]
async fn dropped_renders_leave_no_page_behind() {
    let Some(browser) = browser() else { return };
    let page = || vec![HostilePage::html("/", "<p>text</p><script>setInterval(() => {}, 10)</script>")];
    render_pages(&browser, page(), json!({})).await.unwrap();
    for step in 0..40 {
        // At any moment of a render.
        let limit = Duration::from_millis(step * 7);
        let _ = timeout(limit, render_pages(&browser, page(), json!({"waitFor": 5000}))).await;
    }
    let end = Instant::now() + Duration::from_secs(10);
    while browser.stats().await.open_pages > 0 {
        assert!(Instant::now() < end, "pages are still open");
        sleep(Duration::from_millis(20)).await;
    }
    let stats = browser.stats().await;
    assert_eq!((stats.started, stats.crashed), (1, 0));
    browser.close().await;
}
