use std::fmt;
use std::sync::Arc;

use gleaner_jobs::{Desk, Extract, ExtractTask, Extracted, Job, MapResult, Room};
use gleaner_transform::Input;
use gleaner_types::plan::{CrawlParamsPreviewPlan, ExtractPlan, ScrapeOptionsPlan};
use gleaner_types::request::{
    BatchScrapeRequest, CrawlRequest, ExtractRequest, MapRequest, ScrapeOptions, ScrapeRequest,
};
use gleaner_types::response::CrawlParams;
use gleaner_types::{Document, JobId};
use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use url::Url;
use uuid::Uuid;

use crate::structured;
use crate::support::{Abilities, check_at_hand, check_extract, check_options, check_prompt, check_webhook};
use crate::{EngineBuilder, Error};

/// The engine: one per program is the usual, and cloning it is cheap.
///
/// Its methods need a tokio runtime with time and I/O. When the last clone and the last [`Job`] are dropped, all work
/// stops.
#[derive(Clone)]
pub struct Engine {
    desk: Arc<Desk>,
    extract: Arc<dyn Extract>,
    abilities: Abilities,
}

impl Engine {
    /// Begins to build an engine.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    pub(crate) fn new(desk: Arc<Desk>, extract: Arc<dyn Extract>, abilities: Abilities) -> Self {
        Self { desk, extract, abilities }
    }

    fn room(&self) -> &Arc<Room> {
        self.desk.room()
    }

    /// The desk, where teams hand in requests and read what came of them by id: what a server stands on. What it is given
    /// is to be held against [`check_options`](Self::check_options), [`check_prompt`](Self::check_prompt) and
    /// [`check_extract`](Self::check_extract) before.
    #[must_use]
    pub fn desk(&self) -> &Arc<Desk> {
        &self.desk
    }

    /// Holds options against what this engine was built with.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) where they ask for something else, and
    /// [`Request`](crate::ErrorKind::Request) where a selector is not CSS.
    pub fn check_options(&self, options: &ScrapeOptionsPlan) -> Result<(), Error> {
        check_options(options, self.abilities)
    }

    /// Holds a crawl's prompt against what this engine was built with.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) where there is one and no model to read it.
    pub fn check_prompt(&self, prompt: Option<&str>) -> Result<(), Error> {
        check_prompt(prompt)
    }

    /// Holds an extract against what this engine was built with.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) where it needs a model or a search engine and there is none, else
    /// those of [`check_options`](Self::check_options).
    pub fn check_extract(&self, plan: &ExtractPlan) -> Result<(), Error> {
        check_extract(plan, self.abilities)?;
        self.check_options(&plan.options)
    }

    /// The options of a crawl that is described in words.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported): it takes a language model, and none can be configured yet.
    pub async fn crawl_params(&self, plan: CrawlParamsPreviewPlan) -> Result<CrawlParams, Error> {
        check_prompt(Some(&plan.prompt))?;
        Ok(CrawlParams { url: plan.target.url.into(), ..CrawlParams::default() })
    }

    /// Scrapes one page. An answer of any HTTP status is a document; `metadata.statusCode` has the status.
    ///
    /// # Errors
    /// [`Request`](crate::ErrorKind::Request) where the request breaks rules, [`Page`](crate::ErrorKind::Page) where the
    /// page gave no document, [`Unsupported`](crate::ErrorKind::Unsupported).
    pub async fn scrape(&self, request: ScrapeRequest) -> Result<Document, Error> {
        let record = record(&request);
        let plan = request.check()?;
        self.check_options(&plan.options)?;
        Ok(self.room().scrape(plan, record).await?)
    }

    /// Scrapes many pages. Addresses are not checked against robots.txt: the user named them.
    ///
    /// # Errors
    /// As for [`scrape`](Self::scrape), but failures of pages are listed by [`Job::failures`].
    pub async fn batch(&self, request: BatchScrapeRequest) -> Result<Job, Error> {
        let record = record(&request);
        let plan = request.check()?;
        self.check_options(&plan.options)?;
        check_webhook(plan.webhook.as_ref())?;
        Ok(self.room().batch(plan, record).await?)
    }

    /// Crawls a site.
    ///
    /// # Errors
    /// As for [`scrape`](Self::scrape), but failures of pages are listed by [`Job::failures`].
    pub async fn crawl(&self, request: CrawlRequest) -> Result<Job, Error> {
        self.crawl_explained(request, &[]).await
    }

    /// Crawls a site, and follows some addresses through the crawl: [`Job::explanations`] tells what became of each. At
    /// most [`MAX_EXPLAINED`](crate::MAX_EXPLAINED) are followed.
    ///
    /// # Errors
    /// As for [`crawl`](Self::crawl).
    pub async fn crawl_explained(&self, request: CrawlRequest, explained: &[Url]) -> Result<Job, Error> {
        let record = record(&request);
        let plan = request.check()?;
        self.check_options(&plan.options)?;
        check_webhook(plan.webhook.as_ref())?;
        check_prompt(plan.prompt.as_deref())?;
        Ok(self.room().crawl_explained(plan, record, explained).await?)
    }

    /// Lists the addresses of a site without scraping its pages.
    ///
    /// # Errors
    /// As for [`scrape`](Self::scrape).
    pub async fn map(&self, request: MapRequest) -> Result<MapResult, Error> {
        Ok(self.room().map(request.check()?).await?)
    }

    /// Reads structured data off pages: those that the request names, those below its wildcards, or those that the web
    /// search finds for its prompt. Dropping the future ends the work.
    ///
    /// Without a model ([`EngineBuilder::model`]) a schema is needed; what the pages do not say about themselves plainly
    /// stays empty, and `warning` tells.
    ///
    /// # Errors
    /// [`Request`](crate::ErrorKind::Request) where the request breaks rules, [`Unsupported`](crate::ErrorKind::Unsupported)
    /// where a model or a search engine is needed and there is none, [`Page`](crate::ErrorKind::Page) where no page could be
    /// read.
    pub async fn extract(&self, request: ExtractRequest) -> Result<Extracted, Error> {
        let plan = request.check()?;
        self.check_extract(&plan)?;
        check_webhook(plan.webhook.as_ref())?;
        let (id, cancelled) = (JobId::from_uuid(Uuid::now_v7()), CancellationToken::new());
        let extracted = self.extract.extract(ExtractTask { id, plan, cancelled }).await;
        Ok(extracted.map_err(gleaner_jobs::Error::from)?)
    }

    /// Makes a document of a page that is at hand already. Uses no network and needs no runtime.
    ///
    /// # Errors
    /// As for [`scrape`](Self::scrape).
    pub fn convert(&self, input: Input<'_>, options: ScrapeOptions) -> Result<Document, Error> {
        let plan = options.check()?;
        self.check_options(&plan)?;
        check_at_hand(&plan)?;
        let mut document = gleaner_transform::transform(input, &structured::reading(&plan))?.document;
        structured::fill(&mut document, input.url, &plan);
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
