//! A browser, a site on loopback, and renders of its pages.

use std::time::Duration;

use gleaner_browser::{Browser, BrowserBuilder};
use gleaner_fetch::{EgressPolicy, Error, Fetcher, FetcherBuilder, FollowAll, RenderRequest, RenderedPage};
use gleaner_testkit::browser::{NOBODY, program};
use gleaner_testkit::{HostilePage, PageServer};
use gleaner_types::plan::ScrapePlan;
use serde_json::Value;
use tokio::time::Instant;
use url::Url;

/// A builder of browsers, or `None` after a note that the test was skipped.
///
/// # Panics
/// With `CI=true`, if no browser is installed.
pub(crate) fn builder() -> Option<BrowserBuilder> {
    Some(Browser::builder().program(program(Browser::find())?).user_if_root(NOBODY, NOBODY))
}

/// As [`builder`], built.
pub(crate) fn browser() -> Option<Browser> {
    builder().map(|builder| builder.build().expect("the installed browser can be set up"))
}

/// A builder of fetchers that may connect to 127.0.0.1, not to the rest of loopback.
pub(crate) fn fetcher_builder() -> FetcherBuilder {
    let policy = EgressPolicy::public_only().allow_cidr("127.0.0.1/32".parse().unwrap());
    Fetcher::builder().egress(policy)
}

/// As [`fetcher_builder`], built.
pub(crate) fn fetcher() -> Fetcher {
    fetcher_builder().build().unwrap()
}

/// The time of a page.
const TIME: Duration = Duration::from_secs(30);

/// A request with these options of a scrape.
pub(crate) fn request(url: Url, options: Value) -> RenderRequest {
    request_within(url, options, TIME)
}

fn request_within(url: Url, mut options: Value, time: Duration) -> RenderRequest {
    options["url"] = "https://example.com/".into();
    let plan = ScrapePlan::from_json(&options).unwrap();
    RenderRequest::new(url, &plan.options, Instant::now() + time)
}

/// Renders the first of these pages.
pub(crate) async fn render_pages(
    browser: &Browser,
    pages: Vec<HostilePage>,
    options: Value,
) -> Result<RenderedPage, Error> {
    render_pages_within(browser, pages, options, TIME).await
}

/// As [`render_pages`], in this time.
pub(crate) async fn render_pages_within(
    browser: &Browser,
    pages: Vec<HostilePage>,
    options: Value,
    time: Duration,
) -> Result<RenderedPage, Error> {
    let first = pages[0].target().to_owned();
    let server = PageServer::start(pages).unwrap();
    let url = Url::parse(&server.base_url()).unwrap().join(&first).unwrap();
    fetcher().render(browser, &request_within(url, options, time), &FollowAll).await
}
