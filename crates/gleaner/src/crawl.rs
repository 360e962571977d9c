use gleaner_runtime::{Job, StartOptions};
use gleaner_types::request::CrawlRequest;
use url::Url;

use crate::engine::record;
use crate::extract::PromptedCrawl;
use crate::{Engine, Error};

impl Engine {
    /// Crawls a site. The events of its `webhook` are sent behind the same egress guard as all else; a
    /// program that ends with the crawl waits for them (`JobService::delivered`).
    ///
    /// Where the request has a `prompt`, the options that it leaves open are made of it first, as
    /// `Engine::compile_prompt` does; the job's `warning` says what of it set no option.
    ///
    /// # Errors
    /// As for [`scrape`](Self::scrape), but failures of pages are listed by [`Job::failures`]; for a prompt
    /// those of `Engine::compile_prompt`.
    pub async fn crawl(&self, request: CrawlRequest) -> Result<Job, Error> {
        self.crawl_explained(request, &[]).await
    }

    /// Crawls a site, and follows some addresses through the crawl: [`Job::explanations`] tells what became
    /// of each. At most [`MAX_EXPLAINED`](crate::MAX_EXPLAINED) are followed.
    ///
    /// # Errors
    /// As for [`crawl`](Self::crawl).
    pub async fn crawl_explained(&self, request: CrawlRequest, explained: &[Url]) -> Result<Job, Error> {
        let plan = request.clone().check_within(self.bounds())?;
        self.check_crawl(&plan)?;
        // Before the site is mapped for a prompt.
        self.service.open_webhook(plan.webhook.as_ref()).await?;
        let crawl = self.extract.compile(self.runtime(), request, plan).await?;
        self.start_crawl(crawl, explained).await
    }

    /// Starts a crawl whose webhook is open.
    pub(crate) async fn start_crawl(&self, crawl: PromptedCrawl, explained: &[Url]) -> Result<Job, Error> {
        let options = StartOptions { explained: explained.to_vec(), ..StartOptions::default() };
        let options = options.with_request(record(&crawl.request));
        let job = self.runtime().start(crawl.plan, options).await?;
        if let Some(warning) = &crawl.warning {
            self.runtime().warn(job.id(), warning).await?;
        }
        Ok(job)
    }
}
