use gleaner_runtime::{Job, StartOptions};
use gleaner_store::JobWarning;
use gleaner_types::request::CrawlRequest;
use url::Url;

use crate::extract::PromptedCrawl;
use crate::{Engine, Error};

impl Engine {
    /// Crawls a site. The events of its `webhook` pass the same egress guard as pages. A program that ends
    /// with the crawl has to wait for their delivery first (`JobService::wait_for_deliveries`).
    ///
    /// If the request has a `prompt`, options that the request leaves open are generated from it first, as by
    /// `Engine::compile_prompt`. The job's `warning` names the parts of the prompt that set no option.
    ///
    /// # Errors
    /// Those of [`scrape`](Self::scrape), but [`Job::failures`] lists the failures of pages; with a prompt,
    /// also those of `Engine::compile_prompt`.
    pub async fn crawl(&self, request: CrawlRequest) -> Result<Job, Error> {
        self.crawl_explained(request, &[]).await
    }

    /// Crawls a site and records what happens to some URLs, for [`Job::explanations`]. At most
    /// [`MAX_EXPLAINED_URLS`](crate::MAX_EXPLAINED_URLS) URLs are recorded. The records end with the process,
    /// also if the job goes on in another.
    ///
    /// # Errors
    /// Those of [`crawl`](Self::crawl).
    pub async fn crawl_explained(&self, request: CrawlRequest, explained: &[Url]) -> Result<Job, Error> {
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
