//! Pages as a visitor sees them.

use std::time::Duration;

use gleaner_fetch::RenderedPage;
use gleaner_testkit::HostilePage;
use serde_json::json;

use crate::support::{browser, render_pages, render_pages_within};

/// Renders the first of these pages without options.
async fn rendered(pages: Vec<HostilePage>) -> Option<RenderedPage> {
    let browser = browser()?;
    let rendered = render_pages(&browser, pages, json!({})).await.unwrap();
    browser.close().await;
    Some(rendered)
}

#[tokio::test]
async fn a_page_that_leads_to_another_program_stays_whole() {
    for address in ["mailto:a@b.example", "intent://x#Intent;scheme=y;end", "tel:1", "x-app://open"] {
        let page =
            format!("<!doctype html><h1>Before</h1><script>location.href = '{address}'</script><p>After</p>");
        let Some(rendered) = rendered(vec![HostilePage::html("/", page)]).await else { return };
        assert!(rendered.page.html.contains("<p>After</p>"), "{address}: {}", rendered.page.html);
        assert_eq!(rendered.page.warnings, Vec::<String>::new(), "{address}");
    }
}

#[tokio::test]
async fn an_answer_without_content_is_an_empty_page() {
    for (status, content_type) in [(204, "text/html"), (204, ""), (205, "text/html")] {
        let page = HostilePage::new("/", content_type, "").status(status);
        let Some(rendered) = rendered(vec![page]).await else { return };
        assert_eq!((rendered.document.status, rendered.page.warnings), (status, Vec::<String>::new()));
        assert!(rendered.page.html.contains("<body></body>"), "{}", rendered.page.html);
    }
}

#[tokio::test]
async fn what_never_answers_does_not_keep_the_rest_of_a_page_away() {
    let Some(browser) = browser() else { return };
    for (blocker, is_before) in [
        ("<script src=/never></script>", true),
        ("<script src=/never></script>", false),
        ("<link rel=stylesheet href=/never><script>document.title</script>", true),
        ("<script src=/never?1></script><script src=/never></script><script src=/never?2></script>", false),
    ] {
        let text = "<p>Before</p>".repeat(usize::from(!is_before));
        let page = format!("<!doctype html><title>Slow</title>{text}{blocker}<p>After</p>");
        let never = |target| HostilePage::new(target, "text/javascript", "").delay(Duration::from_secs(60));
        let pages = vec![HostilePage::html("/", page), never("/never"), never("/never?1"), never("/never?2")];
        // Half of this time is the patience.
        let rendered = render_pages_within(&browser, pages, json!({}), Duration::from_secs(6)).await.unwrap();
        assert!(rendered.page.html.contains("<p>After</p>"), "{blocker}: {}", rendered.page.html);
        let unanswered = "scripts and style sheets that did not answer in time: ";
        let warnings = rendered.page.warnings;
        assert!(warnings.len() == 1 && warnings[0].starts_with(unanswered), "{blocker}: {warnings:?}");
    }
    browser.close().await;
}

#[tokio::test]
async fn a_page_that_stays_empty_says_what_failed() {
    let shell = "<!doctype html><div id=root></div><script src=/app.js></script>";
    let pages =
        || vec![HostilePage::html("/", shell), HostilePage::new("/none?a=1", "text/plain", "").status(503)];
    let script = |text: &'static str| vec![HostilePage::new("/app.js", "text/javascript", text)];
    for (more, expected) in [
        (vec![], "/app.js has the status 404"),
        (script("fetch('/none?a=1').then(answer => answer.json())"), "/none?a=… has the status 503"),
        (script("while (true) {}"), "its scripts did not end, and were stopped"),
    ] {
        let Some(rendered) = rendered([pages(), more].concat()).await else { return };
        let warnings = rendered.page.warnings;
        let [warning] = &warnings[..] else { panic!("{expected}: {warnings:?}") };
        assert!(warning.starts_with("the page still looked as if it were loading: "), "{warning}");
        assert!(warning.ends_with(expected), "{warning}");
    }
}

#[tokio::test]
async fn pages_that_lead_to_each_other_without_end_are_an_error() {
    let Some(browser) = browser() else { return };
    let to =
        |address: &str| format!("<!doctype html><p>text</p><script>location.href = '{address}'</script>");
    let again = "<!doctype html><script>location.reload()</script>";
    let counter = "<!doctype html><script>location.search = '?' + (+location.search.slice(1) + 1)</script>";
    for pages in [
        vec![HostilePage::html("/", to("/b")), HostilePage::html("/b", to("/"))],
        vec![HostilePage::html("/", again)],
        vec![HostilePage::html("/", counter), HostilePage::anywhere("text/html", counter)],
    ] {
        let error = render_pages(&browser, pages, json!({})).await.unwrap_err();
        assert!(error.to_string().contains("its scripts redirect without end"), "{error}");
        assert!(!error.is_retryable());
    }
    // A page that needs a cookie or two.
    let pages = vec![HostilePage::html("/", again).then(again).then("<!doctype html><p>The page</p>")];
    let rendered = render_pages(&browser, pages, json!({})).await.unwrap();
    assert!(rendered.page.html.contains("The page"), "{}", rendered.page.html);
    browser.close().await;
}

#[tokio::test]
async fn a_document_that_is_stopped_is_complete() {
    let page = "<!doctype html><p>Before</p><script>window.stop()</script>";
    let Some(rendered) = rendered(vec![HostilePage::html("/", page)]).await else { return };
    assert!(rendered.page.html.contains("Before"), "{}", rendered.page.html);
    assert_eq!(rendered.page.warnings, Vec::<String>::new());
}

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
