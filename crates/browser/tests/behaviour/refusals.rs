//! What a page cannot do, and what its document says of it.

use gleaner_testkit::HostilePage;
use serde_json::json;

use crate::support::{browser, render_pages};

#[tokio::test]
async fn what_a_page_was_refused_is_in_its_warnings() {
    let Some(browser) = browser() else { return };
    let page = "<p>text</p><script>new WebSocket('ws://127.0.0.1:9/'); new WebSocket('ws://127.0.0.1:9/');\
        new Worker(URL.createObjectURL(new Blob(['new WebSocket(\"ws://127.0.0.1:9/\")'])));\
        new EventSource('/events'); alert(1); confirm(2); prompt(3); open('/popup')</script>";
    let rendered = render_pages(&browser, vec![HostilePage::html("/", page)], json!({"waitFor": 300})).await;
    let warnings = rendered.unwrap().page.warnings;
    for expected in
        ["refused WebSockets: 3", "refused event streams: 1", "dismissed dialogs: 3", "closed popups: 1"]
    {
        assert!(warnings.iter().any(|warning| warning == expected), "{expected}: {warnings:?}");
    }
    browser.close().await;
}

#[tokio::test]
async fn a_file_behind_a_click_is_no_document_and_in_the_warnings() {
    let Some(browser) = browser() else { return };
    let blob = "URL.createObjectURL(new Blob(['a,b']))";
    for link in [
        "<a id=l href=/file>File</a>".to_owned(),
        format!("<a id=l download=x.csv>File</a><script>l.href = {blob}</script>"),
    ] {
        let pages = vec![
            HostilePage::html("/", format!("<!doctype html><p>text</p>{link}")),
            HostilePage::new("/file", "text/csv", "a,b").header("Content-Disposition", "attachment"),
        ];
        let options = json!({ "actions": [{ "type": "click", "selector": "#l" }] });
        let page = render_pages(&browser, pages, options).await.unwrap().page;
        assert!(page.html.contains("<p>text</p>"), "{link}: {}", page.html);
        let expected = "refused downloads (the address of a file gives its document): 1";
        assert_eq!(page.warnings, [expected], "{link}");
    }
    browser.close().await;
}

#[tokio::test]
async fn a_page_that_sends_more_than_can_be_held_goes_on() {
    let Some(browser) = browser() else { return };
    let page = "<p id=p>text</p><script>const body = 'x'.repeat(40e6);\
        Promise.allSettled([1, 2].map(n => fetch('/' + n, {method: 'POST', body})))\
        .then(all => p.textContent = 'refused ' + all.filter(one => one.status === 'rejected').length)</script>";
    let rendered = render_pages(&browser, vec![HostilePage::html("/", page)], json!({"waitFor": 2000})).await;
    let page = rendered.unwrap().page;
    assert!(page.html.contains("refused "), "{}", page.html);
    assert!(page.warnings.iter().any(|warning| warning.contains("too large")), "{:?}", page.warnings);
    browser.close().await;
}
