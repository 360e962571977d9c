//! The rules of every browser engine.

use crate::support::browser;

#[tokio::test]
async fn chromium_keeps_the_rules_of_every_engine() {
    let Some(browser) = browser() else { return };
    gleaner_fetch::conformance::render(&browser).await;
    browser.close().await;
}
