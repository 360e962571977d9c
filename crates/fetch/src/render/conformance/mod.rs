//! The test suite for every [`Render`] implementation.

#![expect(clippy::expect_used, reason = "a rule that is broken ends the suite")]

mod site;

use std::net::{IpAddr, Ipv4Addr};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use futures_util::future::{join_all, select};
use gleaner_types::plan::ScrapePlan;
use gleaner_types::{BoxFuture, ErrorCode};
use serde_json::{Value, json};
use tokio::time::Instant;
use url::Url;

use self::site::{JSON, PDF, Site, TEXT};
use super::{ActionResult, Render, RenderRequest, RenderedPage};
use crate::cookies::{CookieJar, JarCookie};
use crate::egress::EgressPolicy;
use crate::error::{Error, ErrorKind};
use crate::fetcher::Fetcher;
use crate::redirect::{FollowAll, RedirectCheck, RedirectRefused};
use crate::resolve::Resolve;

/// How long most pages may take.
const LIMIT: Duration = Duration::from_secs(30);
/// How long a page may take that is never complete.
const SHORT_LIMIT: Duration = Duration::from_secs(4);
/// The path that no request may reach.
const REFUSED: &str = "/refused";

/// What every [`Render`] must do. The pages of the suite need no scripts. They have pictures and scripts with
/// a `src`, which an engine loads, and redirects, cookies and files.
///
/// # Panics
/// If the engine breaks a rule of its contract.
pub async fn render(engine: &dyn Render) {
    let suite = Suite::new(engine).await;
    suite.redirects_of_the_document_are_checked_once().await;
    suite.a_refused_redirect_is_not_requested().await;
    suite.headers_of_the_caller_are_for_its_origin().await;
    suite.cookies_are_sent_once_and_come_back().await;
    suite.pages_share_no_cookies().await;
    suite.a_document_that_is_no_page_comes_back_as_served().await;
    suite.an_error_page_of_the_server_is_a_document().await;
    suite.an_error_page_of_the_engine_is_none().await;
    suite.a_failed_action_has_its_index().await;
    suite.results_are_in_the_order_of_their_actions().await;
    suite.a_screenshot_is_taken_if_it_is_asked_for().await;
    suite.an_incomplete_page_has_a_warning().await;
    suite.dropped_renders_leave_their_places_free().await;
    suite.as_many_pages_as_it_says_are_rendered_at_once().await;
}

struct Suite<'e> {
    engine: &'e dyn Render,
    fetcher: Fetcher,
    site: Site,
}

impl<'e> Suite<'e> {
    async fn new(engine: &'e dyn Render) -> Self {
        let policy = EgressPolicy::public_only().allow_host("a.test").allow_host("b.test");
        let fetcher = Fetcher::builder().egress(policy).resolver(Arc::new(Loopback)).build();
        let fetcher = fetcher.expect("the settings of the suite are valid");
        Self { engine, fetcher, site: Site::start().await }
    }

    /// A request for a page at `a.test`, with these options of a scrape.
    fn request(&self, path: &str, mut options: Value, limit: Duration) -> RenderRequest {
        let url = self.site.url("a.test", path);
        if let Some(options) = options.as_object_mut() {
            options.insert("url".to_owned(), url.as_str().into());
        }
        let plan = ScrapePlan::from_json(&options).expect("the options of the suite are valid");
        RenderRequest::new(url, &plan.options, Instant::now() + limit)
    }

    async fn render(&self, path: &str, options: Value) -> Result<RenderedPage, Error> {
        self.fetcher.render(self.engine, &self.request(path, options, LIMIT), &FollowAll).await
    }

    /// A page that the engine must render.
    async fn page(&self, path: &str, options: Value) -> RenderedPage {
        self.render(path, options).await.expect("the engine renders a page of the suite")
    }

    async fn redirects_of_the_document_are_checked_once(&self) {
        let check = RecordingCheck::default();
        let request = self.request("/chain", json!({}), LIMIT);
        let outcome = self.fetcher.render(self.engine, &request, &check).await;
        let rendered = outcome.expect("permitted redirects are followed");
        assert_eq!(
            rendered.page.url,
            self.site.url("b.test", "/end"),
            "the URL is that of the last document"
        );
        assert!(
            rendered.page.html.contains("The end of the chain."),
            "the HTML is that of the last document"
        );
        let asked = check.asked();
        let expected = [("/chain", "/middle"), ("/middle", "/end")];
        let expected = expected.map(|(from, to)| (from.to_owned(), to.to_owned()));
        assert_eq!(asked, expected, "each redirect is checked once, before it is followed");
        for path in ["/chain", "/middle", "/end"] {
            assert_eq!(self.site.requests(path).len(), 1, "each document is requested once: {path}");
        }
    }

    async fn a_refused_redirect_is_not_requested(&self) {
        let request = self.request("/astray", json!({}), LIMIT);
        let outcome = self.fetcher.render(self.engine, &request, &RecordingCheck::default()).await;
        let kind = outcome.err().map(|error| error.kind());
        assert_eq!(kind, Some(ErrorKind::RedirectRefused), "the error is that of the proxy");
        assert!(self.site.requests(REFUSED).is_empty(), "a refused URL is never requested");
    }

    async fn headers_of_the_caller_are_for_its_origin(&self) {
        let options = json!({ "headers": { "X-Api-Key": "secret" } });
        for (page, rows) in [
            ("/embeds", &[("/embeds", true), ("/own.png", true), ("/other.png", false)][..]),
            ("/leaves", &[("/leaves", true), ("/stranger", false), ("/own.png", false)]),
        ] {
            self.site.clear();
            self.page(page, options.clone()).await;
            for (path, sent) in rows {
                let requests = self.site.requests(path);
                assert!(!requests.is_empty(), "the engine loads {path} of {page}");
                let has_header = requests.iter().all(|request| !request.headers("x-api-key").is_empty());
                assert_eq!(has_header, *sent, "the caller's header of {path}, requested by {page}");
            }
        }
    }

    async fn cookies_are_sent_once_and_come_back(&self) {
        self.site.clear();
        let now = SystemTime::now();
        let request = self.request("/cookies", json!({}), LIMIT);
        request.cookies.merge(&[], vec![JarCookie::new("jar", "1", "a.test")], now);
        let outcome = self.fetcher.render(self.engine, &request, &FollowAll).await;
        outcome.expect("a page with cookies is rendered");
        for (path, expected) in [("/cookies", &["jar=1"][..]), ("/own.png", &["jar=1", "site=2"])] {
            let requests = self.site.requests(path);
            assert!(!requests.is_empty(), "the engine loads {path}");
            for request in requests {
                let lines = request.headers("cookie");
                let mut sent: Vec<&str> = lines.iter().flat_map(|line| line.split("; ")).collect();
                sent.sort_unstable();
                assert_eq!(sent, expected, "the cookies of {path}");
                assert_eq!(lines.len(), 1, "one line has all cookies of {path}");
            }
        }
        let names = names(&request.cookies, now);
        for name in ["jar", "site"] {
            assert!(names.iter().any(|found| found == name), "the jar has the cookie {name} at the end");
        }
    }

    async fn pages_share_no_cookies(&self) {
        self.site.clear();
        self.page("/", json!({})).await;
        let requests = self.site.requests("/");
        let has_cookies = requests.iter().any(|request| !request.headers("cookie").is_empty());
        assert!(!has_cookies, "a page with an empty jar sends no cookies of another page");
    }

    async fn a_document_that_is_no_page_comes_back_as_served(&self) {
        for (path, body) in [("/text", TEXT), ("/json", JSON), ("/pdf", PDF)] {
            let document = self.page(path, json!({})).await.document;
            assert_eq!(document.other_body.as_deref(), Some(body), "the body of {path}");
        }
    }

    async fn an_error_page_of_the_server_is_a_document(&self) {
        let rendered = self.page("/nothing", json!({})).await;
        assert_eq!(rendered.document.status, 404, "the status is that of the answer");
        assert!(rendered.page.html.contains("There is no such page."), "the page is the one that was sent");
    }

    async fn an_error_page_of_the_engine_is_none(&self) {
        let code = self.render("/broken", json!({})).await.err().map(|error| error.code());
        assert_eq!(code, Some(ErrorCode::ScrapeSiteError), "the error is that of the proxy");
    }

    async fn a_failed_action_has_its_index(&self) {
        // The wait for a time and an element is two actions of the plan, and one of the request.
        let actions = json!([
            { "type": "wait", "milliseconds": 1, "selector": "p" },
            { "type": "click", "selector": "#nothing" },
        ]);
        let outcome = self.render("/", json!({ "actions": actions })).await;
        let error = outcome.expect_err("a click on nothing fails");
        assert_eq!(error.kind(), ErrorKind::Action, "a failed action fails the page");
        assert!(error.detail().starts_with("action 1 failed: "), "{error}");
    }

    async fn results_are_in_the_order_of_their_actions(&self) {
        let actions = json!([{ "type": "scrape" }, { "type": "screenshot" }, { "type": "scrape" }]);
        let page = self.page("/", json!({ "actions": actions })).await.page;
        let is_scrape = |result: &ActionResult| match result {
            ActionResult::Scrape { url, html } => {
                *url == self.site.url("a.test", "/") && html.contains("The start page.")
            }
            _ => false,
        };
        let [first, ActionResult::Screenshot(_), last] = page.results.as_slice() else {
            unreachable!("every action has its result, in their order");
        };
        assert!(is_scrape(first) && is_scrape(last), "a scrape has the URL and the HTML of its moment");
        assert!(page.screenshot.is_none(), "the screenshot of an action is not that of the page");
    }

    async fn a_screenshot_is_taken_if_it_is_asked_for(&self) {
        assert!(self.page("/", json!({})).await.page.screenshot.is_none(), "nobody asked for a screenshot");
        let page = self.page("/", json!({ "formats": ["screenshot"] })).await.page;
        let picture = page.screenshot.expect("the page has the screenshot that it was asked for");
        assert!(!picture.bytes.is_empty(), "a picture has bytes");
        let types = ["image/png", "image/jpeg", "image/webp"];
        assert!(types.contains(&picture.content_type), "{}", picture.content_type);
        assert!(page.results.is_empty(), "the screenshot is not the result of an action");
    }

    async fn an_incomplete_page_has_a_warning(&self) {
        let request = self.request("/slow", json!({}), SHORT_LIMIT);
        let outcome = self.fetcher.render(self.engine, &request, &FollowAll).await;
        let page = outcome.expect("at its deadline, a page is what is there").page;
        assert!(page.html.contains("The part that came in time."), "the page is what is there");
        assert!(!page.warnings.is_empty(), "a page that is not complete has a warning");
    }

    async fn dropped_renders_leave_their_places_free(&self) {
        for _ in 0..2 * self.engine.capacity() {
            self.site.clear();
            let request = self.request("/slow", json!({}), LIMIT);
            let render = pin!(self.fetcher.render(self.engine, &request, &FollowAll));
            // In the middle of the page: it waits for a script.
            let waits = pin!(self.site.requested("/never.js"));
            drop(select(render, waits).await);
        }
        self.page("/", json!({})).await;
    }

    async fn as_many_pages_as_it_says_are_rendered_at_once(&self) {
        let capacity = self.engine.capacity();
        assert!(capacity > 0, "an engine renders at least one page");
        join_all((0..capacity).map(|_| self.page("/embeds", json!({})))).await;
    }
}

fn names(jar: &CookieJar, now: SystemTime) -> Vec<String> {
    jar.cookies(now).into_iter().map(|cookie| cookie.name).collect()
}

/// Resolves every name to 127.0.0.1.
#[derive(Debug)]
struct Loopback;

impl Resolve for Loopback {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, std::io::Result<Vec<IpAddr>>> {
        Box::pin(async move { Ok(vec![Ipv4Addr::LOCALHOST.into()]) })
    }
}

/// Permits all but [`REFUSED`], and records the paths that it was asked about.
#[derive(Debug, Default)]
struct RecordingCheck(Mutex<Vec<(String, String)>>);

impl RecordingCheck {
    fn asked(&self) -> Vec<(String, String)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl RedirectCheck for RecordingCheck {
    fn check<'a>(&'a self, from: &'a Url, to: &'a Url) -> BoxFuture<'a, Result<(), RedirectRefused>> {
        Box::pin(async move {
            let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            asked.push((from.path().to_owned(), to.path().to_owned()));
            if to.path() == REFUSED { Err(RedirectRefused::new("nobody may go there")) } else { Ok(()) }
        })
    }
}
