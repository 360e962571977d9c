//! The engine: the entry point of the library. It also converts local pages.

use std::fmt;
use std::sync::Arc;

use gleaner_runtime::{Job, MapResult, Runtime, StartOptions, warn};
use gleaner_store::Retention;
use gleaner_transform::Input;
use gleaner_types::plan::{CrawlPlan, ScrapeOptionsPlan};
use gleaner_types::request::{BatchScrapeRequest, Defaults, MapRequest, ScrapeOptions, ScrapeRequest};
use gleaner_types::{Document, FaultPath, Interrupt, RequestBounds};
use serde_json::Value;

use crate::extract::{ExtractPart, fields};
use crate::service::ServicePart;
use crate::support::{Capabilities, check_local, check_not_rendered, check_options};
use crate::{EngineBuilder, Error};

/// The field with the options of pages in the request of a crawl or an extract.
pub(crate) const PAGE_OPTIONS: &str = "scrapeOptions";

/// The warning of a local page that is an empty shell.
const NEEDS_SCRIPTS: &str = "This page seems to need JavaScript: without its scripts, it has almost no text";

/// The engine. Most programs need only one, because politeness and limits hold within an engine. Clones are
/// cheap and share it.
///
/// It works in a tokio runtime of its own, or in [one of the program](EngineBuilder::on_runtime). So its
/// methods may be called from any runtime, from several, and without any, and an engine may be in a `static`:
/// the runtime of a caller that ends takes along only what that caller waited for.
///
/// When the last clone and the last [`Job`] are dropped, all work stops: pages in work are given up, and so
/// are [detached](Job::detach) jobs and webhooks that wait. Jobs in memory are lost then. Jobs in a file or a
/// database stay and go on with the next engine, which fetches the pages that were in work again; the file is
/// closed before the drop returns. [`stop`](Self::stop) ends the work in order: pages in work are finished.
#[derive(Clone)]
pub struct Engine {
    runtime: Arc<Runtime>,
    pub(crate) service: ServicePart,
    pub(crate) extract: ExtractPart,
    capabilities: Capabilities,
    bounds: RequestBounds,
    /// What becomes of the documents of crawls and batches after they were read.
    retention: Retention,
}

impl Engine {
    /// A builder with the default settings. [`EngineBuilder`] has an example.
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
        // In a file or a database, documents outlive their reader. With a sink, they need none.
        let is_kept = runtime.store().is_durable() || runtime.has_sink();
        let retention = if is_kept { Retention::Keep } else { Retention::Stream };
        Self { runtime, service, extract, capabilities, bounds, retention }
    }

    /// The options of a crawl or a batch with this request.
    pub(crate) fn start_options(&self, request: Value) -> StartOptions {
        StartOptions { retention: self.retention, ..StartOptions::default() }.with_request(request)
    }

    pub(crate) fn runtime(&self) -> &Arc<Runtime> {
        &self.runtime
    }

    /// The bounds that this engine checks requests against: those of the contract, and a longer `timeout` if
    /// [`Limits::max_timeout`](crate::Limits::max_timeout) allows it.
    #[must_use]
    pub fn bounds(&self) -> RequestBounds {
        self.bounds
    }

    /// Checks that this engine supports the options of a scrape or a batch.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) if it does not, and
    /// [`Request`](crate::ErrorKind::Request) if a selector is not CSS.
    pub fn check_options(&self, options: &ScrapeOptionsPlan) -> Result<(), Error> {
        self.check_within(options, &FaultPath::default())
    }

    /// Checks that this engine supports the options of a crawl's pages.
    ///
    /// # Errors
    /// Those of [`check_options`](Self::check_options).
    pub fn check_crawl(&self, plan: &CrawlPlan) -> Result<(), Error> {
        self.check_within(&plan.options, &FaultPath::key(PAGE_OPTIONS))
    }

    /// Like [`check_options`](Self::check_options), for options at the path `within` of the request.
    pub(crate) fn check_within(&self, options: &ScrapeOptionsPlan, within: &FaultPath) -> Result<(), Error> {
        check_options(options, within, self.capabilities, &self.extract)
    }

    /// Scrapes one page. Redirects are followed. A response with any HTTP status is a document, and
    /// `metadata.status_code` has the status. The wait ends with the `timeout` of the request, by default 30
    /// seconds. Dropping the future ends the work.
    ///
    /// The page is fetched, and its certificate checked, unless the request says otherwise: by `max_age`, a
    /// copy of that age is enough, and by `skip_tls_verification`, any certificate. A page that was fetched
    /// without a browser is kept in the [cache](crate::Storage::cache) for later requests with a `max_age`,
    /// unless the request has `headers`, `actions` or `zero_data_retention`, or `store_in_cache` is false.
    /// The same holds for the pages of a batch, a crawl, a map and an extract.
    ///
    /// ```no_run
    /// # async fn example(engine: gleaner::Engine) -> Result<(), gleaner::Error> {
    /// use gleaner::ScrapeRequest;
    /// use gleaner::request::Format;
    ///
    /// let request = ScrapeRequest::new("https://example.com/")
    ///     .formats([Format::Markdown, Format::Links])
    ///     .timeout(10_000); // milliseconds
    /// match engine.scrape(request).await {
    ///     Ok(page) => println!("{}", page.markdown.unwrap_or_default()),
    ///     Err(error) if error.is_timeout() => println!("slow: {error}"),
    ///     Err(error) => return Err(error),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Request`](crate::ErrorKind::Request) if the request is invalid,
    /// [`Unsupported`](crate::ErrorKind::Unsupported) if the engine lacks what it needs, and
    /// [`Page`](crate::ErrorKind::Page) if the page gave no document.
    pub async fn scrape(&self, request: ScrapeRequest) -> Result<Document, Error> {
        let options = StartOptions::default();
        let plan = request.with_defaults(Defaults::Library).check_within(self.bounds)?;
        self.check_options(&plan.options)?;
        Ok(self.runtime.scrape(plan, options).await?)
    }

    /// Scrapes a list of pages, at most 100,000. robots.txt does not apply, because the user named the URLs.
    /// Documents arrive in order of completion; `metadata.source_url` has the URL of the list.
    ///
    /// ```no_run
    /// # async fn example(engine: gleaner::Engine) -> Result<(), gleaner::Error> {
    /// use gleaner::BatchScrapeRequest;
    ///
    /// let urls = ["https://example.com/a", "https://example.com/b"];
    /// let end = engine.batch(BatchScrapeRequest::new(urls)).await?.wait().await?;
    /// println!("{} documents", end.documents.len());
    /// for failure in end.failures {
    ///     println!("{}: {}", failure.url, failure.error);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`scrape`](Self::scrape), except that a page without a document is no error:
    /// [`Job::failures`] lists it. [`Forbidden`](crate::ErrorKind::Forbidden) if the egress guard refuses the
    /// webhook, and [`RateLimited`](crate::ErrorKind::RateLimited) if too many pages wait.
    pub async fn batch(&self, request: BatchScrapeRequest) -> Result<Job, Error> {
        let request = request.with_defaults(Defaults::Library);
        let options = self.start_options(request.to_stored());
        let plan = request.check_within(self.bounds)?;
        self.check_options(&plan.options)?;
        self.service.prepare_webhook(plan.webhook.as_ref()).await?;
        Ok(self.runtime.start(plan, options).await?)
    }

    /// Lists the URLs of a site, by default at most 5,000, from its sitemaps and the links of its pages. It
    /// keeps no documents. With a `search`, the best matches come first. When its time runs out, by default
    /// after 300 seconds, the result is what was found so far.
    ///
    /// ```no_run
    /// # async fn example(engine: gleaner::Engine) -> Result<(), gleaner::Error> {
    /// use gleaner::MapRequest;
    ///
    /// let map = engine.map(MapRequest::new("https://example.com/").search("pricing").limit(100)).await?;
    /// for url in map.links {
    ///     println!("{url}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`scrape`](Self::scrape).
    pub async fn map(&self, request: MapRequest) -> Result<MapResult, Error> {
        let plan = request.with_defaults(Defaults::Library).check_within(self.bounds)?;
        Ok(self.runtime.map(plan).await?)
    }

    /// Converts a page that the program already has to a document. It uses no network and starts no
    /// threads. It blocks the thread for some milliseconds, for a large page longer. It converts a PDF within
    /// this process, even if the engine has a PDF worker.
    ///
    /// ```
    /// use gleaner::{Engine, Input, ScrapeOptions};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let engine = Engine::builder().build()?;
    /// let url = "https://example.com/".parse()?;
    /// let body = b"<h1>Tea</h1><p>Green or <b>black</b>.";
    /// let input = Input::new(&url, Some("text/html"), body);
    /// let whole_page = ScrapeOptions::new().only_main_content(false);
    /// let page = engine.convert(input, whole_page)?;
    /// assert_eq!(page.markdown.as_deref().map(str::trim), Some("# Tea\n\nGreen or **black**."));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`scrape`](Self::scrape). Options that need a browser are refused.
    pub fn convert(&self, input: Input<'_>, options: ScrapeOptions) -> Result<Document, Error> {
        let plan = options.check_within(self.bounds)?;
        check_local(&plan)?;
        check_not_rendered(&plan)?;
        self.check_options(&plan)?;
        let page = gleaner_transform::transform(input, &fields::transform_options(&plan, false))?;
        let needs_scripts = page.needs_scripts;
        let mut document = page.into_document();
        if needs_scripts {
            warn(&mut document, NEEDS_SCRIPTS);
        }
        // The text for a model is not needed: options that need one were refused above.
        fields::finish(&mut document, input.url, &plan, false, &Interrupt::never());
        if plan.formats.json.as_ref().is_some_and(|asked| asked.as_extract) {
            document.extract = document.json.take();
        }
        document.metadata.source_url = Some(input.url.as_str().to_owned());
        Ok(document)
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}
