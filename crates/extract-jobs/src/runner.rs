//! Implements the runtime's port for extraction, and configures its model, search and budgets.

use gleaner_types::BoxFuture;
use std::fmt;
use std::sync::{Arc, Weak};

use gleaner_extract::model::{LanguageModel, WebSearch};
use gleaner_extract::{Budget, ExecutionPlan, ExecutionPlanner, PlanningContext};
use gleaner_runtime::{Extract, ExtractTask, Extracted, JobOwner, Runtime, without_logs};
use gleaner_types::plan::ExtractPlan;
use gleaner_types::{ErrorCode, PageError};
use tokio::sync::Semaphore;

use super::blocking::MAX_LARGE_READS;
use super::job::Job;
use super::result::ExtractResult;
use super::run;
use super::shape;
use super::watch::ExtractWatch;

/// Default budget of one extract job, in tokens.
const DEFAULT_EXTRACT_TOKENS: u64 = 500_000;

/// The settings of extraction. The default has neither a model nor a search engine.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ExtractConfig {
    /// The language model for values that rules do not find; without it, requests need a schema.
    pub model: Option<Arc<dyn LanguageModel>>,
    /// The search engine for requests without URLs.
    pub search: Option<Arc<dyn WebSearch>>,
    /// Budget of one extract job. Default: 500,000 tokens.
    pub extract_budget: Option<Budget>,
    /// The model's budget for one page of a scrape, a batch or a crawl, and for the prompt of a crawl.
    /// Default: 50,000 tokens.
    pub page_budget: Option<Budget>,
    /// The model's budget for all pages of one scrape, batch or crawl. Default: 5,000,000 tokens.
    pub job_budget: Option<Budget>,
}

/// `budget`, or one of this many tokens.
pub(crate) fn budget_or(budget: Option<Budget>, tokens: u64) -> Budget {
    budget.unwrap_or(Budget::default().tokens(tokens))
}

/// Plans and runs extract jobs. The runtime fetches the pages; rules read them first, then the model.
pub struct ExtractRunner {
    /// Weak, because the runtime owns its extractor.
    runtime: Weak<Runtime>,
    model: Option<Arc<dyn LanguageModel>>,
    search: Option<Arc<dyn WebSearch>>,
    budget: Budget,
    /// For large pages.
    slots: Arc<Semaphore>,
}

impl fmt::Debug for ExtractRunner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ExtractRunner")
            .field("model", &self.model)
            .field("search", &self.search)
            .finish()
    }
}

impl ExtractRunner {
    /// A runner of jobs on this runtime, which it does not keep alive.
    #[must_use]
    pub fn new(runtime: &Arc<Runtime>, config: &ExtractConfig) -> Self {
        Self {
            runtime: Arc::downgrade(runtime),
            model: config.model.clone(),
            search: config.search.clone(),
            budget: budget_or(config.extract_budget, DEFAULT_EXTRACT_TOKENS),
            slots: Arc::new(Semaphore::new(MAX_LARGE_READS)),
        }
    }

    /// The steps of a request and their estimated cost. It uses no network.
    ///
    /// # Errors
    /// If the schema is invalid, or the request needs a model or a search engine that is not configured.
    pub fn plan(&self, request: &ExtractPlan) -> Result<ExecutionPlan, PageError> {
        let context = PlanningContext {
            model: self.model.as_deref().map(LanguageModel::capabilities),
            search: self.search.is_some(),
            browser: self.runtime.upgrade().is_some_and(|runtime| runtime.has_browser()),
            budget: self.budget,
        };
        let planned = ExecutionPlanner::new(context).plan(request);
        planned.map_err(|error| shape::page_error(&error))
    }

    /// Runs an extract job. Dropping the future ends the work.
    ///
    /// # Errors
    /// Why there is no data, with the contract's code.
    pub fn run<'a>(
        &'a self,
        request: ExtractPlan,
        owner: Option<Arc<dyn JobOwner>>,
        watch: Option<&'a ExtractWatch>,
    ) -> BoxFuture<'a, Result<ExtractResult, PageError>> {
        Box::pin(async move {
            // Jobs without data retention leave no URLs in logs.
            without_logs(request.zero_data_retention, run::run(self, request, owner, watch)).await
        })
    }

    pub(super) fn job(&self, owner: Option<Arc<dyn JobOwner>>) -> Job {
        let used = owner.as_ref().map_or(0, |owner| owner.tokens_before());
        let mut budget = self.budget;
        budget.tokens = budget.tokens.map(|tokens| tokens.saturating_sub(used));
        Job::new(self.model.as_ref(), budget, owner)
    }

    /// The slots for large pages.
    pub(super) const fn slots(&self) -> &Arc<Semaphore> {
        &self.slots
    }

    pub(super) fn has_model(&self) -> bool {
        self.model.is_some()
    }

    pub(super) fn search(&self) -> Option<&dyn WebSearch> {
        self.search.as_deref()
    }

    pub(super) fn runtime(&self) -> Result<Arc<Runtime>, PageError> {
        self.runtime.upgrade().ok_or_else(|| PageError {
            code: ErrorCode::UnknownError,
            message: "the engine is shutting down".to_owned(),
        })
    }
}

impl Extract for ExtractRunner {
    fn extract(&self, task: ExtractTask) -> BoxFuture<'_, Result<Extracted, PageError>> {
        Box::pin(async move { self.run(task.plan, task.owner, None).await.map(Extracted::from) })
    }
}
