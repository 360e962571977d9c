//! Structured data: the extractor of an engine, and what programs ask it.

use std::sync::Arc;

use gleaner_extract::model::{LanguageModel, WebSearch};
use gleaner_extract::{Budget, ExecutionPlan};
use gleaner_extract_jobs::{
    CrawlPrompts, ExtractAbilities, ExtractResult, ExtractRunner, ExtractRunnerConfig, ExtractWatch,
    PlannedExtract, Typed, with_schema_of,
};
use gleaner_runtime::{Extract, ExtractTask, Job, Runtime, new_id};
use gleaner_types::plan::{CrawlParamsPreviewPlan, CrawlPlan, ExtractPlan, ScrapeOptionsPlan};
use gleaner_types::request::{CrawlRequest, ExtractRequest};
use gleaner_types::response::CrawlParamsPreview;
use gleaner_types::{ErrorCode, FaultPath, PageError, RequestBounds};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::engine::PAGE_OPTIONS;
use crate::{Engine, EngineBuilder, Error};

pub(crate) use gleaner_extract_jobs::{PromptedCrawl, fields};

/// What an engine is to extract with.
#[derive(Debug, Default)]
pub(crate) struct ExtractSettings {
    extract: Option<Arc<dyn Extract>>,
    model: Option<Arc<dyn LanguageModel>>,
    search: Option<Arc<dyn WebSearch>>,
    extract_budget: Option<Budget>,
    page_budget: Option<Budget>,
    job_budget: Option<Budget>,
}

impl ExtractSettings {
    /// Does a model read pages, after their transform?
    pub(crate) fn by_model(&self) -> bool {
        self.model.is_some() && self.extract.is_none()
    }
}

/// The extractor of an engine.
#[derive(Clone)]
pub(crate) struct ExtractPart {
    port: Arc<dyn Extract>,
    /// Unless the embedder brought an extractor of its own.
    runner: Option<Arc<ExtractRunner>>,
    prompts: Arc<CrawlPrompts>,
    abilities: ExtractAbilities,
}

impl ExtractPart {
    pub(crate) fn new(runtime: &Arc<Runtime>, settings: ExtractSettings, bounds: RequestBounds) -> Self {
        let ExtractSettings { extract, model, search, extract_budget, page_budget, job_budget } = settings;
        let abilities = ExtractAbilities {
            reads_prompts: extract.is_some() || model.is_some(),
            searches: extract.is_some() || search.is_some(),
        };
        let prompts = Arc::new(CrawlPrompts::new(model.clone(), page_budget, bounds));
        let (port, runner): (Arc<dyn Extract>, _) = match extract {
            Some(extract) => (extract, None),
            None => {
                let config = ExtractRunnerConfig { model: model.clone(), search, budget: extract_budget };
                let runner = Arc::new(ExtractRunner::new(runtime, config));
                let port = PlannedExtract::new(Arc::clone(&runner), model, page_budget, job_budget);
                (Arc::new(port), Some(runner))
            }
        };
        Self { port, runner, prompts, abilities }
    }

    /// What the runtime and the job service extract with.
    pub(crate) fn port(&self) -> Option<Arc<dyn Extract>> {
        Some(Arc::clone(&self.port))
    }

    /// Refuses fields that nothing here reads. `within` is where the options stand in the request.
    pub(crate) fn check_fields(&self, options: &ScrapeOptionsPlan, within: &FaultPath) -> Result<(), Error> {
        Ok(gleaner_extract_jobs::check_fields(options, within, self.abilities)?)
    }

    /// Makes options of the prompt of a crawl. A request without one stays as it is. `plan` is the checked
    /// request.
    pub(crate) async fn compile(
        &self,
        runtime: &Arc<Runtime>,
        request: CrawlRequest,
        plan: CrawlPlan,
    ) -> Result<PromptedCrawl, Error> {
        Ok(self.prompts.compile(runtime, request, plan).await?)
    }
}

impl EngineBuilder {
    /// Sets the language model that is asked for what pages do not say about themselves plainly: by extract
    /// jobs, by the formats `json` and `summary` and by change tracking in mode `json` of scrapes, batches
    /// and crawls, and for the `prompt` of a crawl where rules do not understand it. By default there is
    /// none: a request with a schema is answered without, and one with a prompt alone is refused. No request
    /// and no page can name another model.
    #[must_use]
    pub fn model(mut self, model: Arc<dyn LanguageModel>) -> Self {
        self.extract.model = Some(model);
        self
    }

    /// Sets the search engine of extract jobs with `enableWebSearch` or without addresses. By default there
    /// is none.
    #[must_use]
    pub fn search(mut self, search: Arc<dyn WebSearch>) -> Self {
        self.extract.search = Some(search);
        self
    }

    /// Sets what one extract job may spend; [`DEFAULT_EXTRACT_TOKENS`](crate::DEFAULT_EXTRACT_TOKENS) by
    /// default. It is never exceeded by what is counted: a call that does not fit is not made, and what was
    /// found until then is the answer.
    #[must_use]
    pub fn extract_budget(mut self, budget: Budget) -> Self {
        self.extract.extract_budget = Some(budget);
        self
    }

    /// Sets what the model may spend on one page of a scrape, a batch or a crawl, and on a crawl's prompt;
    /// [`DEFAULT_PAGE_TOKENS`](crate::DEFAULT_PAGE_TOKENS) by default. A page whose budget ends keeps what
    /// was found until then, and says so in its `warning`.
    #[must_use]
    pub fn page_budget(mut self, budget: Budget) -> Self {
        self.extract.page_budget = Some(budget);
        self
    }

    /// Sets what the model may spend on all pages of one scrape, batch or crawl together;
    /// [`DEFAULT_JOB_TOKENS`](crate::DEFAULT_JOB_TOKENS) by default. Once it is used up, pages go on without
    /// the model.
    #[must_use]
    pub fn job_budget(mut self, budget: Budget) -> Self {
        self.extract.job_budget = Some(budget);
        self
    }

    /// Sets what extracts structured data in place of the engine's own planner; [`model`](Self::model),
    /// [`search`](Self::search) and [`extract_budget`](Self::extract_budget) are then without effect.
    #[must_use]
    pub fn extract(mut self, extract: Arc<dyn Extract>) -> Self {
        self.extract.extract = Some(extract);
        self
    }
}

impl Engine {
    /// Reads structured data off pages: those that the request names, those of a site that are chosen for its
    /// wildcard, or those that the web search finds for its prompt. Dropping the future ends the work.
    ///
    /// Every value comes with its proof ([`ExtractResult::leaves`]); what no page states plainly stays empty,
    /// and `warning` tells. Without a model ([`EngineBuilder::model`](crate::EngineBuilder::model)) a schema
    /// is needed, and what pages say about themselves is all that is read. Within a budget
    /// ([`EngineBuilder::extract_budget`](crate::EngineBuilder::extract_budget)) whatever ends the work
    /// early, the result is what there is until then, and [`ExtractResult::stopped`] says why.
    ///
    /// # Errors
    /// [`Request`](crate::ErrorKind::Request) where the request breaks rules,
    /// [`Unsupported`](crate::ErrorKind::Unsupported) where a model or a search engine is needed and there is
    /// none, [`Page`](crate::ErrorKind::Page) where no page could be read.
    pub async fn extract(&self, request: ExtractRequest) -> Result<ExtractResult, Error> {
        self.extract_watched(request, &ExtractWatch::new()).await
    }

    /// As [`extract`](Self::extract), and `watch` reports meanwhile how far it is.
    ///
    /// # Errors
    /// Those of [`extract`](Self::extract).
    pub async fn extract_watched(
        &self,
        request: ExtractRequest,
        watch: &ExtractWatch,
    ) -> Result<ExtractResult, Error> {
        let plan = request.check_within(self.bounds())?;
        self.check_extract(&plan)?;
        if plan.webhook.is_some() {
            return Err(Error::unsupported(
                ErrorCode::UnsupportedOption,
                "`webhook` is for jobs that are handed in at the engine's job service; the result of this one is returned",
            ));
        }
        let found = match &self.extract.runner {
            Some(runner) => runner.run(plan, None, Some(watch)).await,
            None => {
                let (id, cancelled) = (new_id(), CancellationToken::new());
                let task = ExtractTask { id, plan, cancelled, owner: None };
                self.extract.port.extract(task).await.map(ExtractResult::from)
            }
        };
        Ok(found.map_err(gleaner_runtime::Error::from)?)
    }

    /// As [`extract`](Self::extract), with the schema of a Rust type, into that type. Doc comments of fields
    /// become descriptions, which help to find their values. A field that a page may lack should be an
    /// [`Option`] or have a `#[serde(default)]`.
    ///
    /// ```
    /// use gleaner::schemars::JsonSchema;
    /// use gleaner::{Engine, ExtractRequest};
    ///
    /// #[derive(serde::Deserialize, JsonSchema)]
    /// #[schemars(crate = "gleaner::schemars")]
    /// struct Product {
    ///     name: String,
    ///     /// In the shop's currency.
    ///     price: Option<f64>,
    ///     brand: Option<String>,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let body = "<h1>Red cup</h1> <p class=price>12,50 €</p> <dl><dt>Brand</dt><dd>Acme</dd></dl>";
    /// # let page = gleaner_testkit::Step::respond("200 OK", &[("content-type", "text/html; charset=utf-8")], body);
    /// # let shop = gleaner_testkit::RawServer::start([gleaner_testkit::Step::ReadRequest, page])?;
    /// # let url = shop.base_url();
    /// // The page is on this machine here, which takes leave.
    /// let engine = Engine::builder().allow_private("127.0.0.0/8".parse()?).build()?;
    /// let found = engine.extract_into::<Product>(ExtractRequest::new([&url])).await?;
    /// assert_eq!(found.value.price, Some(12.5));
    ///
    /// // Each value has its proof: the page, its words, and where they stand.
    /// let proof = &found.leaves.iter().find(|leaf| leaf.pointer == "/price").ok_or("no price")?.provenance[0];
    /// assert_eq!(proof.quote, "12,50 €");
    /// # assert_eq!((found.value.name.as_str(), found.value.brand.as_deref()), ("Red cup", Some("Acme")));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`extract`](Self::extract); [`Request`](crate::ErrorKind::Request) too where the request has
    /// a schema of its own; [`Incomplete`](crate::ErrorKind::Incomplete) where the data does not fill the
    /// type: then [`Error::found`] has it as JSON.
    pub async fn extract_into<T>(&self, request: ExtractRequest) -> Result<Typed<T>, Error>
    where
        T: DeserializeOwned + JsonSchema,
    {
        let result = self.extract(with_schema_of::<T>(request)?).await?;
        Ok(Typed::of(result)?)
    }

    /// What an extract would do and cost, without doing it: a plan that can be printed, stored and argued
    /// with. Uses no network.
    ///
    /// ```
    /// use gleaner::{Engine, ExtractRequest};
    ///
    /// # fn main() -> Result<(), gleaner::Error> {
    /// let schema = serde_json::json!({ "properties": { "founder": { "type": "string" } } });
    /// let request = ExtractRequest::new(["https://firm.example/*"]).schema(schema);
    /// let plan = Engine::builder().build()?.plan_extract(request)?;
    /// assert!(plan.to_string().starts_with("1. list the pages of https://firm.example/"));
    /// assert_eq!(plan.estimate.most_tokens, 0, "no model is configured");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As for [`extract`](Self::extract), pages aside; [`Unsupported`](crate::ErrorKind::Unsupported) too
    /// where the embedder brought an extractor of its own, whose plans the engine does not know.
    pub fn plan_extract(&self, request: ExtractRequest) -> Result<ExecutionPlan, Error> {
        let plan = request.check_within(self.bounds())?;
        self.check_extract(&plan)?;
        let Some(runner) = &self.extract.runner else {
            return Err(Error::unsupported(
                ErrorCode::UnsupportedOption,
                "the engine extracts by other means than its own, whose plans are not known",
            ));
        };
        runner.plan(&plan).map_err(|error| {
            let error = PageError { code: ErrorCode::BadRequest, message: error.to_string() };
            gleaner_runtime::Error::from(error).into()
        })
    }

    /// Holds an extract against what this engine was built with.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) where it needs a model or a search engine and there is
    /// none, else those of [`check_options`](Self::check_options).
    pub fn check_extract(&self, plan: &ExtractPlan) -> Result<(), Error> {
        gleaner_extract_jobs::check_extract(plan, self.extract.abilities)?;
        self.check_within(&plan.options, &FaultPath::key(PAGE_OPTIONS))
    }

    /// Begins a crawl whose prompt was compiled, and follows some addresses through it as
    /// [`crawl_explained`](Self::crawl_explained) does.
    ///
    /// # Errors
    /// As for [`crawl`](Self::crawl).
    pub async fn begin_crawl(&self, crawl: PromptedCrawl, explained: &[Url]) -> Result<Job, Error> {
        self.service.open_webhook(crawl.plan.webhook.as_ref()).await?;
        self.start_crawl(crawl, explained).await
    }

    /// Makes crawl options of a request's `prompt`, held against the addresses that the site really has: the
    /// site is mapped for it. Options that the request states itself win. A request without a prompt comes
    /// back as it is.
    ///
    /// Rules understand prompts that name parts of the site's paths and options of a crawl ("only blog posts,
    /// at most 50 pages"); for others the model is asked
    /// ([`EngineBuilder::model`](crate::EngineBuilder::model)).
    ///
    /// # Errors
    /// [`Request`](crate::ErrorKind::Request) where the request breaks rules or the prompt's options would
    /// take no page of the site, [`Unsupported`](crate::ErrorKind::Unsupported) where it takes a model and
    /// there is none, [`Page`](crate::ErrorKind::Page) where the site's addresses cannot be listed or the
    /// model gives no answer.
    pub async fn compile_prompt(&self, request: CrawlRequest) -> Result<PromptedCrawl, Error> {
        let plan = request.clone().check_within(self.bounds())?;
        self.check_crawl(&plan)?;
        self.extract.compile(self.runtime(), request, plan).await
    }

    /// The options of a crawl that is described in words, without a crawl.
    ///
    /// # Errors
    /// As for [`compile_prompt`](Self::compile_prompt).
    pub async fn crawl_params(&self, plan: CrawlParamsPreviewPlan) -> Result<CrawlParamsPreview, Error> {
        Ok(self.extract.prompts.preview(self.runtime(), plan).await?)
    }
}
