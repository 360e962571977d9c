use std::fmt;
use std::sync::Arc;

use gleaner_runtime::{Extract, Job, JobService, MapResult, Runtime};
use gleaner_store::{EndedJob, TeamId};
use gleaner_transform::Input;
use gleaner_types::plan::{CrawlPlan, ExtractPlan, ScrapeOptionsPlan, WebhookPlan};
use gleaner_types::request::{BatchScrapeRequest, MapRequest, ScrapeOptions, ScrapeRequest};
use gleaner_types::{Document, FaultPath, Interrupt, RequestBounds};
use serde::Serialize;
use serde_json::Value;

use crate::structured::{self, CrawlPrompts, Planner};
use crate::support::{Capabilities, check_at_hand, check_extract, check_options};
use crate::{EngineBuilder, Error};

/// Where the options of pages stand in the request of a crawl or an extract.
const PAGE_OPTIONS: &str = "scrapeOptions";

/// The engine: one per program is the usual, and cloning it is cheap.
///
/// Its methods need a tokio runtime with time and I/O. When the last clone and the last [`Job`] are dropped, all work
/// stops.
#[derive(Clone)]
pub struct Engine {
    service: Arc<JobService>,
    pub(crate) extract: Arc<dyn Extract>,
    /// Unless the embedder brought an extractor of its own.
    pub(crate) planner: Option<Arc<Planner>>,
    pub(crate) prompts: Arc<CrawlPrompts>,
    abilities: Capabilities,
    bounds: RequestBounds,
}

impl Engine {
    /// Begins to build an engine.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    pub(crate) fn new(
        service: Arc<JobService>,
        extract: Arc<dyn Extract>,
        planner: Option<Arc<Planner>>,
        prompts: CrawlPrompts,
        abilities: Capabilities,
        bounds: RequestBounds,
    ) -> Self {
        Self { service, extract, planner, prompts: Arc::new(prompts), abilities, bounds }
    }

    pub(crate) fn runtime(&self) -> &Arc<Runtime> {
        self.service.runtime()
    }

    /// The desk, where teams hand in requests and read what came of them by id: what a server stands on. What it is given
    /// is to be held against [`check_options`](Self::check_options), [`check_crawl`](Self::check_crawl) or
    /// [`check_extract`](Self::check_extract) before, and a crawl's prompt given to
    /// [`compile_prompt`](Self::compile_prompt).
    #[must_use]
    pub fn service(&self) -> &Arc<JobService> {
        &self.service
    }

    /// The bounds that requests of this engine are held against.
    #[must_use]
    pub fn bounds(&self) -> RequestBounds {
        self.bounds
    }

    /// At most this many of a team's jobs and scrapes that have ended, the one that ended last first: what the
    /// [activity log](EngineBuilder::activity_log) has of them, long after their results are gone. Those are the jobs of the
    /// [desk](Self::service). What is begun by [`batch`](Self::batch) and its like belongs to no team, and its [`Job`] tells
    /// the same.
    ///
    /// # Errors
    /// [`Store`](crate::ErrorKind::Store) where the log cannot be read.
    pub async fn activities(&self, team: &TeamId, most: usize) -> Result<Vec<EndedJob>, Error> {
        Ok(self.service.activities(team, most).await?)
    }

    /// Holds the options of a scrape or a batch against what this engine was built with.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) where they ask for something else, and
    /// [`Request`](crate::ErrorKind::Request) where a selector is not CSS.
    pub fn check_options(&self, options: &ScrapeOptionsPlan) -> Result<(), Error> {
        check_options(options, &FaultPath::default(), self.abilities)
    }

    /// Holds the options of a crawl's pages against what this engine was built with.
    ///
    /// # Errors
    /// As for [`check_options`](Self::check_options).
    pub fn check_crawl(&self, plan: &CrawlPlan) -> Result<(), Error> {
        check_options(&plan.options, &FaultPath::key(PAGE_OPTIONS), self.abilities)
    }

    /// Holds an extract against what this engine was built with.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) where it needs a model or a search engine and there is none, else
    /// those of [`check_options`](Self::check_options).
    pub fn check_extract(&self, plan: &ExtractPlan) -> Result<(), Error> {
        check_extract(plan, self.abilities)?;
        check_options(&plan.options, &FaultPath::key(PAGE_OPTIONS), self.abilities)
    }

    /// Scrapes one page. An answer of any HTTP status is a document; `metadata.statusCode` has the status.
    ///
    /// # Errors
    /// [`Request`](crate::ErrorKind::Request) where the request breaks rules, [`Page`](crate::ErrorKind::Page) where the
    /// page gave no document, [`Unsupported`](crate::ErrorKind::Unsupported).
    pub async fn scrape(&self, request: ScrapeRequest) -> Result<Document, Error> {
        let record = record(&request);
        let plan = request.check_within(self.bounds)?;
        self.check_options(&plan.options)?;
        Ok(self.runtime().scrape(plan, record).await?)
    }

    /// Scrapes many pages. Addresses are not checked against robots.txt: the user named them.
    ///
    /// # Errors
    /// As for [`scrape`](Self::scrape), but failures of pages are listed by [`Job::failures`].
    pub async fn batch(&self, request: BatchScrapeRequest) -> Result<Job, Error> {
        let record = record(&request);
        let plan = request.check_within(self.bounds)?;
        self.check_options(&plan.options)?;
        self.open_webhook(plan.webhook.as_ref()).await?;
        Ok(self.runtime().batch(plan, record).await?)
    }

    /// Sees to it that the events of a job's webhook will be sent.
    pub(crate) async fn open_webhook(&self, webhook: Option<&WebhookPlan>) -> Result<(), Error> {
        match webhook {
            Some(webhook) => Ok(self.service.open_webhook(webhook).await?),
            None => Ok(()),
        }
    }

    /// Lists the addresses of a site without scraping its pages.
    ///
    /// # Errors
    /// As for [`scrape`](Self::scrape).
    pub async fn map(&self, request: MapRequest) -> Result<MapResult, Error> {
        Ok(self.runtime().map(request.check_within(self.bounds)?).await?)
    }

    /// Makes a document of a page that is at hand already. Uses no network and needs no runtime, and converts a PDF within
    /// this process, whatever [`EngineBuilder::pdf_worker`] says.
    ///
    /// # Errors
    /// As for [`scrape`](Self::scrape).
    pub fn convert(&self, input: Input<'_>, options: ScrapeOptions) -> Result<Document, Error> {
        let plan = options.check_within(self.bounds)?;
        check_at_hand(&plan)?;
        self.check_options(&plan)?;
        let mut document = gleaner_transform::transform(input, &structured::reading(&plan, false))?.document;
        // Nothing is left to be read that would take waiting: what would was refused.
        structured::finish(&mut document, input.url, &plan, false, &Interrupt::never());
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
