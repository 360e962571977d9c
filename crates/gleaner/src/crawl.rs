//! Methods of the engine that start crawls.

use gleaner_runtime::{Job, StartOptions};
use gleaner_store::JobWarning;
use gleaner_types::request::{CrawlRequest, Defaults};
use url::Url;

use crate::extract::PromptedCrawl;
use crate::{Engine, Error};

impl Engine {
    /// Crawls a site from its start page, by default at most 10,000 documents, below the path of the start
    /// page. robots.txt and the gap between requests to a host are respected. The crawl runs from now on; the
    /// [`Job`] is a stream of its documents.
    ///
    /// ```no_run
    /// # async fn example(engine: gleaner::Engine) -> Result<(), gleaner::Error> {
    /// use gleaner::CrawlRequest;
    ///
    /// let request = CrawlRequest::new("https://example.com/docs/")
    ///     .limit(500)
    ///     .max_discovery_depth(3)
    ///     .exclude_paths(["^/docs/old/"]);
    /// let mut job = engine.crawl(request).await?;
    /// while let Some(page) = job.next().await {
    ///     println!("{:?}", page?.metadata.title); // fails if the crawl as a whole does
    /// }
    /// for (reason, links) in job.rejections() {
    ///     println!("{links} links were skipped: {reason}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The events of its `webhook` pass the same egress guard as pages. A program that ends with the crawl
    /// has to wait for their delivery first (`JobService::wait_for_deliveries`).
    ///
    /// If the request has a `prompt`, options that the request leaves open are generated from it first, as by
    /// `Engine::compile_prompt`. The job's `warning` names the parts of the prompt that set no option.
    ///
    /// # Errors
    /// Those of [`batch`](Self::batch); with a prompt, also those of `Engine::compile_prompt`.
    pub async fn crawl(&self, request: CrawlRequest) -> Result<Job, Error> {
        self.crawl_explained(request, &[]).await
    }

    /// Crawls a site and records what happens to some URLs, for [`Job::explanations`]. At most
    /// [`MAX_EXPLAINED_URLS`](crate::MAX_EXPLAINED_URLS) URLs are recorded. The records end with the process,
    /// also if the job goes on in another.
    ///
    /// ```no_run
    /// # async fn example(engine: gleaner::Engine) -> Result<(), Box<dyn std::error::Error>> {
    /// use gleaner::{CrawlRequest, url::Url};
    ///
    /// let missing: Url = "https://example.com/docs/missing".parse()?;
    /// let request = CrawlRequest::new("https://example.com/docs/");
    /// let mut job = engine.crawl_explained(request, &[missing]).await?;
    /// while job.next().await.transpose()?.is_some() {}
    /// for explanation in job.explanations().await? {
    ///     println!("{}: {}", explanation.url, explanation.verdict);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`crawl`](Self::crawl).
    pub async fn crawl_explained(&self, request: CrawlRequest, explained: &[Url]) -> Result<Job, Error> {
        let request = request.with_defaults(Defaults::Library);
        let plan = request.clone().check_within(self.bounds())?;
        self.check_crawl(&plan)?;
        // A refused webhook has to fail before the site is mapped for a prompt.
        self.service.prepare_webhook(plan.webhook.as_ref()).await?;
        let crawl = self.extract.compile(self.runtime(), request, plan).await?;
        self.start_crawl(crawl, explained).await
    }

    /// Starts a crawl. Its webhook has been opened.
    pub(crate) async fn start_crawl(&self, crawl: PromptedCrawl, explained: &[Url]) -> Result<Job, Error> {
        let options = self.start_options(crawl.request.to_stored());
        let options = StartOptions { explained: explained.to_vec(), ..options };
        let job = self.runtime().start(crawl.plan, options).await?;
        if let Some(warning) = crawl.warning.map(JobWarning::Request) {
            self.runtime().warn(job.id(), warning).await?;
        }
        Ok(job)
    }
}
