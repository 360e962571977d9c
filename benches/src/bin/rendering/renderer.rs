//! A browser that renders pages of loopback.

use std::time::Duration;

use gleaner_browser::{Browser, BrowserBuilder};
use gleaner_fetch::{EgressPolicy, Error, Fetcher, FollowAll, RenderRequest};
use gleaner_testkit::ProcessGroup;
use gleaner_testkit::browser::NOBODY;
use gleaner_types::plan::{ScrapeOptionsPlan, ScrapePlan};
use serde_json::json;
use tokio::time::Instant;
use url::Url;

use crate::Failure;

/// The time of a page.
const TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A builder of browsers, whose processes run as an unprivileged user.
pub(crate) fn builder() -> BrowserBuilder {
    Browser::builder().user_if_root(NOBODY, NOBODY)
}

/// A browser and its network.
#[derive(Debug)]
pub(crate) struct Renderer {
    pub(crate) browser: Browser,
    fetcher: Fetcher,
    options: ScrapeOptionsPlan,
}

impl Renderer {
    pub(crate) fn new(builder: BrowserBuilder) -> Result<Self, Failure> {
        let policy = EgressPolicy::public_only().allow_cidr("127.0.0.0/8".parse()?);
        let plan = ScrapePlan::from_json(&json!({"url": "https://example.com/"}))?;
        let fetcher = Fetcher::builder().egress(policy).build()?;
        Ok(Self { browser: builder.build()?, fetcher, options: plan.options })
    }

    /// Renders a page. It is kept open for `wait_for` after it is ready. Returns its HTML.
    pub(crate) async fn render(&self, url: &Url, wait_for: Duration) -> Result<String, Error> {
        self.render_within(TIMEOUT, url, wait_for).await
    }

    /// As [`render`](Self::render), with another time of the page.
    pub(crate) async fn render_within(
        &self,
        timeout: Duration,
        url: &Url,
        wait_for: Duration,
    ) -> Result<String, Error> {
        let mut request = RenderRequest::new(url.clone(), &self.options, Instant::now() + timeout);
        request.wait_for = wait_for;
        let rendered = self.fetcher.render(&self.browser, &request, &FollowAll).await?;
        Ok(rendered.page.html)
    }

    /// The processes of the browser.
    pub(crate) async fn group(&self) -> Result<ProcessGroup, Failure> {
        let process = self.browser.stats().await.process_id;
        process.map(ProcessGroup::new).ok_or_else(|| "no browser runs".into())
    }

    /// Waits until no page is open.
    pub(crate) async fn idle(&self) {
        while self.browser.stats().await.open_pages > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
