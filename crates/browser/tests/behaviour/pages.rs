//! Pages as a visitor sees them.

use gleaner_testkit::HostilePage;
use serde_json::json;

use crate::support::{browser, render_pages};

#[tokio::test]
async fn a_page_built_by_scripts_is_complete() {
    let Some(browser) = browser() else { return };
    let shell = "<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>";
    let script = "fetch('/data.json').then(r => r.json()).then(data => {
        document.getElementById('root').textContent = data.text; });";
    let pages = vec![
        HostilePage::html("/", shell),
        HostilePage::new("/app.js", "text/javascript", script),
        HostilePage::new("/data.json", "application/json", "{\"text\": \"Built by a script.\"}"),
    ];
    let rendered = render_pages(&browser, pages, json!({})).await.unwrap();
    assert!(rendered.page.html.contains("Built by a script."), "{}", rendered.page.html);
    assert_eq!((rendered.document.status, rendered.page.warnings), (200, Vec::<String>::new()));
    browser.close().await;
}
