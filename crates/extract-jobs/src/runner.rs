use std::fmt;
use std::sync::{Arc, Weak};

use async_trait::async_trait;
use gleaner_extract::model::{LanguageModel, WebSearch};
use gleaner_extract::{Budget, ExecutionPlan, PlanningContext};
use gleaner_runtime::{Extract, ExtractTask, Extracted, JobOwner, Runtime, without_logs};
use gleaner_types::plan::ExtractPlan;
use gleaner_types::{ErrorCode, PageError};
use tokio::sync::Semaphore;

use super::blocking::MAX_LARGE_TRANSFORMS;
use super::job::Job;
use super::result::ExtractResult;
use super::run;
use super::watch::ExtractWatch;

/// Tokens that one extract job may use where the embedder sets no budget.
pub const DEFAULT_EXTRACT_TOKENS: u64 = 500_000;

/// What a [`ExtractRunner`] is made of.
#[derive(Debug)]
pub struct ExtractRunnerConfig {
    /// Asked for what pages do not say about themselves plainly; without it, requests need a schema.
    pub model: Option<Arc<dyn LanguageModel>>,
    /// Finds pages for requests without addresses.
    pub search: Option<Arc<dyn WebSearch>>,
    /// What one job may spend; [`DEFAULT_EXTRACT_TOKENS`] by default.
    pub budget: Option<Budget>,
}

/// Plans extract jobs and runs them: pages by the runtime, what they say about themselves first, then the
/// model.
pub struct ExtractRunner {
    /// Weak, because the runtime keeps its extractor.
    runtime: Weak<Runtime>,
    model: Option<Arc<dyn LanguageModel>>,
    search: Option<Arc<dyn WebSearch>>,
    budget: Budget,
    /// For large pages.
    places: Arc<Semaphore>,
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
    /// A planner of jobs on this runtime, which it does not keep alive.
    #[must_use]
    pub fn new(runtime: &Arc<Runtime>, parts: ExtractRunnerConfig) -> Self {
        let ExtractRunnerConfig { model, search, budget } = parts;
        let budget = budget.unwrap_or(Budget { tokens: Some(DEFAULT_EXTRACT_TOKENS), ..Budget::default() });
        let places = Arc::new(Semaphore::new(MAX_LARGE_TRANSFORMS));
        Self { runtime: Arc::downgrade(runtime), model, search, budget, places }
    }

    /// What a request will do and cost. Uses no network.
    ///
    /// # Errors
    /// Where the schema cannot be used, or a model or a search engine is needed and there is none.
    pub fn plan(&self, request: &ExtractPlan) -> Result<ExecutionPlan, gleaner_extract::Error> {
        let means = PlanningContext {
            model: self.model.as_deref().map(LanguageModel::capabilities),
            search: self.search.is_some(),
            budget: self.budget,
        };
        gleaner_extract::ExecutionPlanner::new(means).plan(request)
    }

    /// Does an extract job. Dropping the future ends the work.
    ///
    /// # Errors
    /// Why there is no data, in the contract's codes.
    pub async fn run(
        &self,
        request: ExtractPlan,
        owner: Option<Arc<dyn JobOwner>>,
        watch: Option<&ExtractWatch>,
    ) -> Result<ExtractResult, PageError> {
        // The sites that it lists, and their pages, are in no log then.
        without_logs(request.zero_data_retention, run::run(self, request, owner, watch)).await
    }

    pub(super) fn job(&self, owner: Option<Arc<dyn JobOwner>>) -> Job {
        Job::begin(self.model.as_ref(), self.budget, owner)
    }

    /// Where large pages are read.
    pub(super) const fn places(&self) -> &Arc<Semaphore> {
        &self.places
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

#[async_trait]
impl Extract for ExtractRunner {
    async fn extract(&self, task: ExtractTask) -> Result<Extracted, PageError> {
        self.run(task.plan, task.owner, None).await.map(Extracted::from)
    }
}
