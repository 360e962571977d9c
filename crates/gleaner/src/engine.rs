use std::fmt;
use std::sync::Arc;

use gleaner_jobs::{Job, MapResult, Room};
use gleaner_transform::Input;
use gleaner_types::Document;
use gleaner_types::request::{BatchScrapeRequest, CrawlRequest, MapRequest, ScrapeOptions, ScrapeRequest};
use serde::Serialize;
use serde_json::Value;

use crate::support::{check_options, check_prompt, check_webhook};
use crate::{EngineBuilder, Error};

/// The engine: one per program is the usual, and cloning it is cheap.
///
/// Its methods need a tokio runtime with time and I/O. When the last clone and the last [`Job`] are dropped, all work
/// stops.
#[derive(Clone)]
pub struct Engine {
    room: Arc<Room>,
}

impl Engine {
    /// Begins to build an engine.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    pub(crate) fn new(room: Arc<Room>) -> Self {
        Self { room }
    }

    /// Scrapes one page. An answer of any HTTP status is a document; `metadata.statusCode` has the status.
    ///
    /// # Errors
    /// [`Request`](crate::ErrorKind::Request) where the request breaks rules, [`Page`](crate::ErrorKind::Page) where the
    /// page gave no document, [`Unsupported`](crate::ErrorKind::Unsupported).
    pub async fn scrape(&self, request: ScrapeRequest) -> Result<Document, Error> {
        let record = record(&request);
        let plan = request.check()?;
        check_options(&plan.options)?;
        Ok(self.room.scrape(plan, record).await?)
    }

    /// Scrapes many pages. Addresses are not checked against robots.txt: the user named them.
    ///
    /// # Errors
    /// As for [`scrape`](Self::scrape), but failures of pages are listed by [`Job::failures`].
    pub async fn batch(&self, request: BatchScrapeRequest) -> Result<Job, Error> {
        let record = record(&request);
        let plan = request.check()?;
        check_options(&plan.options)?;
        check_webhook(plan.webhook.as_ref())?;
        Ok(self.room.batch(plan, record).await?)
    }

    /// Crawls a site.
    ///
    /// # Errors
    /// As for [`scrape`](Self::scrape), but failures of pages are listed by [`Job::failures`].
    pub async fn crawl(&self, request: CrawlRequest) -> Result<Job, Error> {
        let record = record(&request);
        let plan = request.check()?;
        check_options(&plan.options)?;
        check_webhook(plan.webhook.as_ref())?;
        check_prompt(plan.prompt.as_deref())?;
        Ok(self.room.crawl(plan, record).await?)
    }

    /// Lists the addresses of a site without scraping its pages.
    ///
    /// # Errors
    /// As for [`scrape`](Self::scrape).
    pub async fn map(&self, request: MapRequest) -> Result<MapResult, Error> {
        Ok(self.room.map(request.check()?).await?)
    }

    /// Makes a document of a page that is at hand already. Uses no network and needs no runtime.
    ///
    /// # Errors
    /// As for [`scrape`](Self::scrape).
    pub fn convert(&self, input: Input<'_>, options: ScrapeOptions) -> Result<Document, Error> {
        let plan = options.check()?;
        check_options(&plan)?;
        let mut document = gleaner_transform::transform(input, &plan)?.document;
        document.metadata.source_url = Some(input.url.as_str().to_owned());
        Ok(document)
    }
}

/// The request as JSON, for the store's record of the job.
fn record(request: &impl Serialize) -> Value {
    serde_json::to_value(request).unwrap_or_default()
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}
