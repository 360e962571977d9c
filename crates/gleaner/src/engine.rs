use std::fmt;
use std::sync::Arc;

use gleaner_runtime::{Job, MapResult, Runtime, StartOptions};
use gleaner_transform::Input;
use gleaner_types::plan::{CrawlPlan, ScrapeOptionsPlan};
use gleaner_types::request::{BatchScrapeRequest, MapRequest, ScrapeOptions, ScrapeRequest};
use gleaner_types::{Document, FaultPath, Interrupt, RequestBounds};
use serde::Serialize;
use serde_json::Value;

use crate::extract::{ExtractPart, fields};
use crate::service::ServicePart;
use crate::support::{Capabilities, check_at_hand, check_options};
use crate::{EngineBuilder, Error};

/// Where the options of pages stand in the request of a crawl or an extract.
pub(crate) const PAGE_OPTIONS: &str = "scrapeOptions";

/// The engine: one per program is the usual, and cloning it is cheap.
///
/// Its methods need a tokio runtime with time and I/O. When the last clone and the last [`Job`] are dropped,
/// all work stops.
#[derive(Clone)]
pub struct Engine {
    runtime: Arc<Runtime>,
    pub(crate) service: ServicePart,
    pub(crate) extract: ExtractPart,
    capabilities: Capabilities,
    bounds: RequestBounds,
}

impl Engine {
    /// Begins to build an engine.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    pub(crate) fn new(
        runtime: Arc<Runtime>,
        service: ServicePart,
        extract: ExtractPart,
        capabilities: Capabilities,
        bounds: RequestBounds,
    ) -> Self {
        Self { runtime, service, extract, capabilities, bounds }
    }

    pub(crate) fn runtime(&self) -> &Arc<Runtime> {
        &self.runtime
    }

    /// The bounds that requests of this engine are held against.
    #[must_use]
    pub fn bounds(&self) -> RequestBounds {
        self.bounds
    }

    /// Holds the options of a scrape or a batch against what this engine was built with.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) where they ask for something else, and
    /// [`Request`](crate::ErrorKind::Request) where a selector is not CSS.
    pub fn check_options(&self, options: &ScrapeOptionsPlan) -> Result<(), Error> {
        self.check_within(options, &FaultPath::default())
    }

    /// Holds the options of a crawl's pages against what this engine was built with.
    ///
    /// # Errors
    /// As for [`check_options`](Self::check_options).
    pub fn check_crawl(&self, plan: &CrawlPlan) -> Result<(), Error> {
        self.check_within(&plan.options, &FaultPath::key(PAGE_OPTIONS))
    }

    /// As [`check_options`](Self::check_options), of options that stand here in the request.
    pub(crate) fn check_within(&self, options: &ScrapeOptionsPlan, within: &FaultPath) -> Result<(), Error> {
        check_options(options, within, self.capabilities, &self.extract)
    }

    /// Scrapes one page. An answer of any HTTP status is a document; `metadata.statusCode` has the status.
    ///
    /// # Errors
    /// [`Request`](crate::ErrorKind::Request) where the request breaks rules,
    /// [`Page`](crate::ErrorKind::Page) where the page gave no document,
    /// [`Unsupported`](crate::ErrorKind::Unsupported).
    pub async fn scrape(&self, request: ScrapeRequest) -> Result<Document, Error> {
        let options = StartOptions::default().with_request(record(&request));
        let plan = request.check_within(self.bounds)?;
        self.check_options(&plan.options)?;
        Ok(self.runtime.scrape(plan, options).await?)
    }

    /// Scrapes many pages. Addresses are not checked against robots.txt: the user named them.
    ///
    /// # Errors
    /// As for [`scrape`](Self::scrape), but failures of pages are listed by [`Job::failures`].
    pub async fn batch(&self, request: BatchScrapeRequest) -> Result<Job, Error> {
        let options = StartOptions::default().with_request(record(&request));
        let plan = request.check_within(self.bounds)?;
        self.check_options(&plan.options)?;
        self.service.open_webhook(plan.webhook.as_ref()).await?;
        Ok(self.runtime.start(plan, options).await?)
    }

    /// Lists the addresses of a site without scraping its pages.
    ///
    /// # Errors
    /// As for [`scrape`](Self::scrape).
    pub async fn map(&self, request: MapRequest) -> Result<MapResult, Error> {
        Ok(self.runtime.map(request.check_within(self.bounds)?).await?)
    }

    /// Makes a document of a page that is at hand already. Uses no network and needs no tokio runtime, and
    /// converts a PDF within this process, even where the builder was given a PDF worker.
    ///
    /// # Errors
    /// As for [`scrape`](Self::scrape).
    pub fn convert(&self, input: Input<'_>, options: ScrapeOptions) -> Result<Document, Error> {
        let plan = options.check_within(self.bounds)?;
        check_at_hand(&plan)?;
        self.check_options(&plan)?;
        let mut document = gleaner_transform::transform(input, &fields::reading(&plan, false))?.document;
        // Nothing is left to be read that would take waiting: what would was refused.
        fields::finish(&mut document, input.url, &plan, false, &Interrupt::never());
        if plan.formats.json.as_ref().is_some_and(|asked| asked.as_extract) {
            document.extract = document.json.take();
        }
        document.metadata.source_url = Some(input.url.as_str().to_owned());
        Ok(document)
    }
}

/// The request as JSON, for the store's record of the job.
pub(crate) fn record(request: &impl Serialize) -> Value {
    serde_json::to_value(request).unwrap_or_default()
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}
