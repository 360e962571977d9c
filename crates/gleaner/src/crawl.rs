use gleaner_runtime::Job;
use gleaner_types::plan::CrawlParamsPreviewPlan;
use gleaner_types::request::CrawlRequest;
use gleaner_types::response::CrawlParamsPreview;
use url::Url;

use crate::engine::record;
use crate::structured::PromptedCrawl;
use crate::{Engine, Error};

impl Engine {
    /// Crawls a site. The events of its `webhook` are sent behind the same egress guard as all else; a program that ends with
    /// the crawl waits for them ([`JobService::delivered`](crate::service::JobService::delivered)).
    ///
    /// Where the request has a `prompt`, the options that it leaves open are made of it first, as
    /// [`compile_prompt`](Self::compile_prompt) does; what of it set no option is told in the job's `warning`.
    ///
    /// # Errors
    /// As for [`scrape`](Self::scrape), but failures of pages are listed by [`Job::failures`]; for a prompt those of
    /// [`compile_prompt`](Self::compile_prompt).
    pub async fn crawl(&self, request: CrawlRequest) -> Result<Job, Error> {
        self.crawl_explained(request, &[]).await
    }

    /// Crawls a site, and follows some addresses through the crawl: [`Job::explanations`] tells what became of each. At
    /// most [`MAX_EXPLAINED`](crate::MAX_EXPLAINED) are followed.
    ///
    /// # Errors
    /// As for [`crawl`](Self::crawl).
    pub async fn crawl_explained(&self, request: CrawlRequest, explained: &[Url]) -> Result<Job, Error> {
        // Before the site is mapped in vain.
        self.open_webhook(request.clone().check_within(self.bounds())?.webhook.as_ref()).await?;
        let prompted = self.compile_prompt(request).await?;
        self.begin_crawl(prompted, explained).await
    }

    /// Begins a crawl whose prompt was compiled, and follows some addresses through it as
    /// [`crawl_explained`](Self::crawl_explained) does.
    ///
    /// # Errors
    /// As for [`crawl`](Self::crawl).
    pub async fn begin_crawl(&self, crawl: PromptedCrawl, explained: &[Url]) -> Result<Job, Error> {
        self.open_webhook(crawl.plan.webhook.as_ref()).await?;
        let record = record(&crawl.request);
        let job = self.runtime().crawl_explained(crawl.plan, record, explained).await?;
        if let Some(warning) = &crawl.warning {
            self.runtime().warn(job.id(), warning).await?;
        }
        Ok(job)
    }

    /// Makes crawl options of a request's `prompt`, held against the addresses that the site really has: the site is
    /// mapped for it. Options that the request states itself win. A request without a prompt comes back as it is.
    ///
    /// Rules understand prompts that name parts of the site's paths and options of a crawl ("only blog posts, at most 50
    /// pages"); for others the model is asked ([`EngineBuilder::model`](crate::EngineBuilder::model)).
    ///
    /// # Errors
    /// [`Request`](crate::ErrorKind::Request) where the request breaks rules or the prompt's options would take no page
    /// of the site, [`Unsupported`](crate::ErrorKind::Unsupported) where it takes a model and there is none,
    /// [`Page`](crate::ErrorKind::Page) where the site's addresses cannot be had or the model gives no answer.
    pub async fn compile_prompt(&self, request: CrawlRequest) -> Result<PromptedCrawl, Error> {
        let plan = request.clone().check_within(self.bounds())?;
        self.check_crawl(&plan)?;
        self.prompts.compile(self.runtime(), request, plan).await
    }

    /// The options of a crawl that is described in words, without a crawl.
    ///
    /// # Errors
    /// As for [`compile_prompt`](Self::compile_prompt).
    pub async fn crawl_params(&self, plan: CrawlParamsPreviewPlan) -> Result<CrawlParamsPreview, Error> {
        self.prompts.preview(self.runtime(), plan).await
    }
}
