//! Structured data: the settings and methods of the engine for it.

use std::sync::Arc;

use gleaner_extract::model::{LanguageModel, WebSearch};
use gleaner_extract::{Budget, ExecutionPlan};
use gleaner_extract_jobs::{
    CrawlPrompts, ExtractAbilities, ExtractConfig, ExtractResult, ExtractRunner, ExtractWatch,
    PlannedExtract, Typed, with_schema_of,
};
use gleaner_runtime::{Extract, ExtractTask, Job, Runtime, new_id};
use gleaner_types::plan::{CrawlParamsPreviewPlan, CrawlPlan, ExtractPlan, ScrapeOptionsPlan};
use gleaner_types::request::{CrawlRequest, Defaults, ExtractRequest};
use gleaner_types::response::CrawlParamsPreview;
use gleaner_types::{ErrorCode, FaultPath, RequestBounds};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use url::Url;

use crate::engine::PAGE_OPTIONS;
use crate::{Engine, EngineBuilder, Error, Limits};

pub(crate) use gleaner_extract_jobs::{PromptedCrawl, fields};

/// The settings of a builder for extraction.
#[derive(Debug, Default)]
pub(crate) struct ExtractSettings {
    /// Replaces the engine's extractor.
    extract: Option<Arc<dyn Extract>>,
    config: ExtractConfig,
}

impl ExtractSettings {
    /// Whether a model reads pages after their transformation.
    pub(crate) fn uses_model(&self) -> bool {
        self.config.model.is_some() && self.extract.is_none()
    }

    /// Sets the budgets that are given.
    pub(crate) fn set_budgets(&mut self, budgets: Budgets) {
        let config = &mut self.config;
        config.extract_budget = budgets.extract.or(config.extract_budget);
        config.page_budget = budgets.page.or(config.page_budget);
        config.job_budget = budgets.job.or(config.job_budget);
    }
}

/// The budgets of [`Limits`].
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Budgets {
    extract: Option<Budget>,
    page: Option<Budget>,
    job: Option<Budget>,
}

/// The extractor of an engine.
#[derive(Debug, Clone)]
pub(crate) struct ExtractPart {
    port: Arc<dyn Extract>,
    /// `None` if the embedder supplies the extractor.
    runner: Option<Arc<ExtractRunner>>,
    prompts: Arc<CrawlPrompts>,
    abilities: ExtractAbilities,
}

impl ExtractPart {
    pub(crate) fn new(runtime: &Arc<Runtime>, settings: ExtractSettings, bounds: RequestBounds) -> Self {
        let ExtractSettings { extract, config } = settings;
        let mut abilities = ExtractAbilities::default();
        abilities.reads_prompts = extract.is_some() || config.model.is_some();
        abilities.searches = extract.is_some() || config.search.is_some();
        let prompts = Arc::new(CrawlPrompts::new(&config, bounds));
        let (port, runner): (Arc<dyn Extract>, _) = match extract {
            Some(extract) => (extract, None),
            None => {
                let runner = Arc::new(ExtractRunner::new(runtime, &config));
                (Arc::new(PlannedExtract::new(Arc::clone(&runner), &config)), Some(runner))
            }
        };
        Self { port, runner, prompts, abilities }
    }

    /// The extractor for the runtime and the job service.
    pub(crate) fn port(&self) -> Option<Arc<dyn Extract>> {
        Some(Arc::clone(&self.port))
    }

    /// Refuses fields that need a part that the engine lacks. `within` is the path of the options in the
    /// request.
    pub(crate) fn check_fields(&self, options: &ScrapeOptionsPlan, within: &FaultPath) -> Result<(), Error> {
        Ok(gleaner_extract_jobs::check_fields(options, within, self.abilities)?)
    }

    /// Compiles the prompt of a crawl into options. A request without a prompt stays unchanged. `plan` is the
    /// checked request.
    pub(crate) async fn compile(
        &self,
        runtime: &Arc<Runtime>,
        request: CrawlRequest,
        plan: CrawlPlan,
    ) -> Result<PromptedCrawl, Error> {
        Ok(runtime.executor().run(self.prompts.compile(runtime, request, plan)).await?)
    }
}

/// Structured data and language models.
impl EngineBuilder {
    /// Sets the language model, such as `gleaner::models::HttpModel`, for values that rules do not find, and
    /// for those whose description in the schema asks for what no rule knows: in extract jobs, in the formats
    /// `json` and `summary`, in change tracking in mode `json`, and in the `prompt` of a crawl. Default: none.
    /// Without a model a request with a schema gets what rules find, and a request with only a prompt is
    /// refused. No request and no page can choose another model.
    #[must_use]
    pub fn model(mut self, model: Arc<dyn LanguageModel>) -> Self {
        self.extract.config.model = Some(model);
        self
    }

    /// Sets the search engine for extract jobs with `enableWebSearch` or without URLs. Default: none.
    #[must_use]
    pub fn search(mut self, search: Arc<dyn WebSearch>) -> Self {
        self.extract.config.search = Some(search);
        self
    }

    /// Replaces the engine's extractor of structured data. Default: rules, and the [`model`](Self::model) if
    /// one is set. `model`, [`search`](Self::search) and [`extract_budget`](Limits::extract_budget) then have
    /// no effect on extraction; prompts of crawls still use `model`.
    #[must_use]
    pub fn extract(mut self, extract: Arc<dyn Extract>) -> Self {
        self.extract.extract = Some(extract);
        self
    }
}

/// Structured data and language models.
impl Limits {
    /// Sets the budget of one extract job. Default: 500,000 tokens. A call that would exceed it is not made;
    /// the result is then what was found before. A field that is `None` sets no limit.
    ///
    /// ```
    /// use gleaner::{Budget, Engine, Limits};
    ///
    /// # fn main() -> Result<(), gleaner::Error> {
    /// let budget = Budget::default().tokens(20_000).pages(100);
    /// let engine = Engine::builder().limits(Limits::new().extract_budget(budget)).build()?;
    /// # drop(engine);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn extract_budget(mut self, budget: Budget) -> Self {
        self.budgets.extract = Some(budget);
        self
    }

    /// Sets the model's budget for one page of a scrape, a batch or a crawl, and for the prompt of a crawl.
    /// Default: 50,000 tokens. A page whose budget is used up keeps what was found before, and its `warning`
    /// says so.
    #[must_use]
    pub fn page_budget(mut self, budget: Budget) -> Self {
        self.budgets.page = Some(budget);
        self
    }

    /// Sets the model's budget for all pages of one scrape, batch or crawl together. Default: 5,000,000
    /// tokens. When it is used up, further pages are read without the model.
    #[must_use]
    pub fn job_budget(mut self, budget: Budget) -> Self {
        self.budgets.job = Some(budget);
        self
    }
}

/// Structured data.
impl Engine {
    /// Extracts structured data from pages: those that the request names, those of a site that its wildcard
    /// selects, or those that the web search finds for its prompt. Dropping the future ends the work.
    ///
    /// ```no_run
    /// # async fn example(engine: gleaner::Engine) -> Result<(), gleaner::Error> {
    /// use gleaner::{ExtractRequest, serde_json::json};
    ///
    /// let product = json!({
    ///     "type": "object",
    ///     "properties": { "name": { "type": "string" }, "price": { "type": "number" } },
    /// });
    /// // Without the list, it would be one product for all pages.
    /// let schema = json!({
    ///     "type": "object",
    ///     "properties": { "products": { "type": "array", "items": product } },
    /// });
    /// let request = ExtractRequest::new(["https://example.com/shop/*"]).schema(schema);
    /// println!("{}", engine.plan_extract(request.clone())?); // what it would cost
    /// let found = engine.extract(request).await?;
    /// for leaf in &found.leaves {
    ///     println!("{} is {}: {:?}", leaf.pointer, leaf.value, leaf.provenance);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Every value has a proof ([`ExtractResult::leaves`]). A value that no page states plainly stays empty,
    /// and `warning` says so. Without a model ([`EngineBuilder::model`](crate::EngineBuilder::model)) the
    /// request needs a schema. If a budget ends the work early
    /// ([`Limits::extract_budget`]), the result is what was
    /// found before, and [`ExtractResult::stopped`] says why.
    ///
    /// # Errors
    /// [`Request`](crate::ErrorKind::Request) if the request is invalid,
    /// [`Unsupported`](crate::ErrorKind::Unsupported) if it needs a model or a search engine that the engine
    /// lacks, and [`Page`](crate::ErrorKind::Page) if no page could be read.
    pub async fn extract(&self, request: ExtractRequest) -> Result<ExtractResult, Error> {
        self.extract_watched(request, &ExtractWatch::new()).await
    }

    /// Like [`extract`](Self::extract), with progress in `watch`.
    ///
    /// # Errors
    /// Those of [`extract`](Self::extract).
    pub async fn extract_watched(
        &self,
        request: ExtractRequest,
        watch: &ExtractWatch,
    ) -> Result<ExtractResult, Error> {
        let plan = request.with_defaults(Defaults::Library).check_within(self.bounds())?;
        self.check_extract(&plan)?;
        if plan.webhook.is_some() {
            return Err(Error::unsupported(
                ErrorCode::UnsupportedOption,
                "`webhook` is only for jobs of the job service; this call returns its result",
            ));
        }
        let extracting = async {
            let found = match &self.extract.runner {
                Some(runner) => runner.run(plan, None, Some(watch)).await,
                None => {
                    let task = ExtractTask::new(new_id(), plan);
                    self.extract.port.extract(task).await.map(ExtractResult::from)
                }
            };
            found.map_err(gleaner_runtime::Error::from)
        };
        Ok(self.runtime().executor().run(extracting).await?)
    }

    /// Like [`extract`](Self::extract), with the schema of a Rust type, and the data as that type. Doc
    /// comments of fields become descriptions, which help to find the values. A field that a page may lack
    /// should be an [`Option`] or have `#[serde(default)]`.
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
    /// # let headers = [("content-type", "text/html; charset=utf-8")];
    /// # let page = gleaner_testkit::Step::respond("200 OK", &headers, body);
    /// # let shop = gleaner_testkit::RawServer::start([gleaner_testkit::Step::ReadRequest, page])?;
    /// # let url = shop.base_url();
    /// // The page of this example is on loopback, which is refused by default.
    /// let engine = Engine::builder().allow_private("127.0.0.0/8".parse()?).build()?;
    /// let found = engine.extract_into::<Product>(ExtractRequest::new([&url])).await?;
    /// assert_eq!(found.value.price, Some(12.5));
    ///
    /// // Each value has its proof: the page, the quoted words, and their position.
    /// let price = found.leaves.iter().find(|leaf| leaf.pointer == "/price").ok_or("no price")?;
    /// assert_eq!(price.provenance[0].quote, "12,50 €");
    /// # assert_eq!(found.value.name, "Red cup");
    /// # assert_eq!(found.value.brand.as_deref(), Some("Acme"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`extract`](Self::extract); also [`Request`](crate::ErrorKind::Request) if the request has a
    /// schema, and [`Incomplete`](crate::ErrorKind::Incomplete) if the data does not fill the type:
    /// [`Error::found`] then has it as JSON.
    pub async fn extract_into<T>(&self, request: ExtractRequest) -> Result<Typed<T>, Error>
    where
        T: DeserializeOwned + JsonSchema,
    {
        let result = self.extract(with_schema_of::<T>(request)?).await?;
        Ok(Typed::of(result)?)
    }

    /// The plan of an extract, with an estimate of its cost, without running it. It uses no network.
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
    /// Those of [`extract`](Self::extract) before the first page is fetched; also
    /// [`Unsupported`](crate::ErrorKind::Unsupported) if the embedder replaced the
    /// [extractor](EngineBuilder::extract).
    pub fn plan_extract(&self, request: ExtractRequest) -> Result<ExecutionPlan, Error> {
        let plan = request.check_within(self.bounds())?;
        self.check_extract(&plan)?;
        let Some(runner) = &self.extract.runner else {
            return Err(Error::unsupported(
                ErrorCode::UnsupportedOption,
                "this engine uses another extractor, which has no plans",
            ));
        };
        Ok(runner.plan(&plan).map_err(gleaner_runtime::Error::from)?)
    }

    /// Checks that this engine supports an extract.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) if it needs a model or a search engine that the engine
    /// lacks; also those of [`check_options`](Self::check_options).
    pub fn check_extract(&self, plan: &ExtractPlan) -> Result<(), Error> {
        gleaner_extract_jobs::check_extract(plan, self.extract.abilities)?;
        self.check_within(&plan.options, &FaultPath::key(PAGE_OPTIONS))
    }

    /// Starts a crawl with a compiled prompt. `explained` is as for
    /// [`crawl_explained`](Self::crawl_explained).
    ///
    /// # Errors
    /// Those of [`crawl`](Self::crawl).
    pub async fn begin_crawl(&self, crawl: PromptedCrawl, explained: &[Url]) -> Result<Job, Error> {
        self.service.prepare_webhook(crawl.plan.webhook.as_ref()).await?;
        self.start_crawl(crawl, explained).await
    }

    /// Compiles the `prompt` of a request into crawl options. It maps the site first, to check the options
    /// against the site's URLs. Options that the request sets itself take precedence. A request without a
    /// prompt stays unchanged.
    ///
    /// Rules understand prompts that name parts of the site's paths and options of a crawl ("only blog posts,
    /// at most 50 pages"). Other prompts need a model
    /// ([`EngineBuilder::model`](crate::EngineBuilder::model)).
    ///
    /// # Errors
    /// [`Request`](crate::ErrorKind::Request) if the request is invalid or its options would match no page of
    /// the site, [`Unsupported`](crate::ErrorKind::Unsupported) if the prompt needs a model and the engine
    /// has none, and [`Page`](crate::ErrorKind::Page) if the site's URLs cannot be listed or the model fails.
    pub async fn compile_prompt(&self, request: CrawlRequest) -> Result<PromptedCrawl, Error> {
        let request = request.with_defaults(Defaults::Library);
        let plan = request.clone().check_within(self.bounds())?;
        self.check_crawl(&plan)?;
        self.extract.compile(self.runtime(), request, plan).await
    }

    /// The crawl options for a prompt, without a crawl.
    ///
    /// # Errors
    /// Those of [`compile_prompt`](Self::compile_prompt).
    pub async fn crawl_params(&self, plan: CrawlParamsPreviewPlan) -> Result<CrawlParamsPreview, Error> {
        Ok(self.runtime().executor().run(self.extract.prompts.preview(self.runtime(), plan)).await?)
    }
}
