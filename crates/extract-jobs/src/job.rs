//! The state of one extract job: budget, model, deadline, and learned templates.

use std::sync::Arc;
use std::time::Duration;

use gleaner_extract::model::{
    Budgeted, Capabilities, LanguageModel, ModelAnswer, ModelRequest, Pause, ProviderError,
    ProviderErrorKind, RetryPolicy, Retrying,
};
use gleaner_extract::{Budget, ErrorKind, Extractor, Ledger, Shape, SiteMemory, Stop};
use gleaner_runtime::JobOwner;
use gleaner_types::{BoxFuture, PageError};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::shape;

/// Sent with every call, so that providers with seeds repeat their answers.
const SEED: u64 = 0;

/// One request: its budget, its model, and what is learned about templates.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) ledger: Ledger,
    memory: Arc<SiteMemory>,
    clock: JobClock,
    extractor: Extractor,
    has_model: bool,
    owner: Option<Arc<dyn JobOwner>>,
}

impl Job {
    pub(super) fn new(
        model: Option<&Arc<dyn LanguageModel>>,
        budget: Budget,
        owner: Option<Arc<dyn JobOwner>>,
    ) -> Self {
        let ledger = Ledger::new(budget);
        if let Some(owner) = &owner {
            let ledger = ledger.clone();
            owner.set_meter(Box::new(move || ledger.spent().tokens));
        }
        let started = Instant::now();
        // A time that the clock cannot represent sets no bound.
        let end = budget.time.and_then(|time| started.checked_add(time));
        let clock = JobClock { started, end, ledger: ledger.clone() };
        let extractor = model.map_or_else(Extractor::model_free, |model| {
            let (model, owner) = (Arc::clone(model), owner.clone());
            let limited = CreditLimitedModel { model, ledger: ledger.clone(), owner };
            let budgeted = Budgeted::new(limited, ledger.clone());
            let model = Retrying::new(budgeted, Sleep, RetryPolicy::default());
            Extractor::new(Arc::new(DeadlineModel { model, clock: clock.clone() })).with_seed(SEED)
        });
        Self {
            ledger,
            memory: Arc::new(SiteMemory::new()),
            clock,
            extractor,
            has_model: model.is_some(),
            owner,
        }
    }

    /// The owner, whose account pays.
    pub(super) fn owner(&self) -> Option<&dyn JobOwner> {
        self.owner.as_deref()
    }

    pub(super) fn extractor(&self) -> &Extractor {
        &self.extractor
    }

    /// What is learned about templates. Without a model there are no calls to save, so there is none.
    pub(super) fn memory(&self) -> Option<&Arc<SiteMemory>> {
        self.has_model.then_some(&self.memory)
    }

    /// The schema that the model derives from a prompt.
    pub(super) async fn draft_schema(&self, prompt: &str) -> Result<Value, PageError> {
        self.extractor.draft_schema(prompt).await.map_err(|error| shape::page_error(&error))
    }

    /// The shape of the schema, or of the schema that the model derives from the prompt.
    pub(super) async fn shape(
        &self,
        schema: Option<&Value>,
        prompt: Option<&str>,
    ) -> Result<Shape, PageError> {
        match (schema, prompt) {
            (Some(schema), _) => shape::from_schema(schema),
            (None, Some(prompt)) => shape::from_schema(&self.draft_schema(prompt).await?),
            (None, None) => Err(shape::page_error(&ErrorKind::Schema("there is none".to_owned()).into())),
        }
    }

    /// Counts a page. Returns false if the budget of pages or time is used up.
    pub(super) fn try_count_page(&self) -> bool {
        self.clock.tick();
        self.ledger.take_page().is_ok()
    }

    /// Runs work until the job's time is over; `None` if it is.
    pub(super) async fn in_time<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.clock.in_time(work).await
    }
}

/// The time of one job. It updates the ledger.
#[derive(Debug, Clone)]
struct JobClock {
    started: Instant,
    end: Option<Instant>,
    ledger: Ledger,
}

impl JobClock {
    fn tick(&self) {
        self.ledger.set_elapsed(self.started.elapsed());
    }

    async fn in_time<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.tick();
        let Some(end) = self.end else { return Some(work.await) };
        let output = timeout_at(end, work).await.ok();
        if output.is_none() {
            self.tick();
            self.ledger.stop(Stop::Time);
        }
        output
    }
}

/// A model that is called only while the team has credits for it.
#[derive(Debug)]
struct CreditLimitedModel {
    model: Arc<dyn LanguageModel>,
    /// Its committed tokens include the call.
    ledger: Ledger,
    owner: Option<Arc<dyn JobOwner>>,
}

impl LanguageModel for CreditLimitedModel {
    fn capabilities(&self) -> Capabilities {
        self.model.capabilities()
    }

    fn count_tokens(&self, text: &str) -> u64 {
        self.model.count_tokens(text)
    }

    fn complete<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxFuture<'a, Result<ModelAnswer, ProviderError>> {
        Box::pin(async move {
            if let Some(owner) = &self.owner
                && !owner.reserve_tokens(self.ledger.committed_tokens()).await
            {
                self.ledger.stop(Stop::Credits);
                return Err(ProviderError::new(ProviderErrorKind::OverBudget, Stop::Credits.to_string()));
            }
            self.model.complete(request).await
        })
    }
}

/// A model whose calls end with the job's time, so that the values found before are kept.
#[derive(Debug)]
struct DeadlineModel<M> {
    model: M,
    clock: JobClock,
}

impl<M: LanguageModel> LanguageModel for DeadlineModel<M> {
    fn capabilities(&self) -> Capabilities {
        self.model.capabilities()
    }

    fn count_tokens(&self, text: &str) -> u64 {
        self.model.count_tokens(text)
    }

    fn complete<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxFuture<'a, Result<ModelAnswer, ProviderError>> {
        Box::pin(async move {
            let late = || ProviderError::new(ProviderErrorKind::OverBudget, Stop::Time.to_string());
            self.clock.in_time(self.model.complete(request)).await.unwrap_or_else(|| Err(late()))
        })
    }
}

/// Waits by tokio's clock.
#[derive(Debug, Clone, Copy)]
struct Sleep;

impl Pause for Sleep {
    fn pause(&self, wait: Duration) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            tokio::time::sleep(wait).await;
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model that never answers.
    #[derive(Debug)]
    struct Silent;

    impl LanguageModel for Silent {
        fn capabilities(&self) -> Capabilities {
            Capabilities::new("silent", 8_000)
        }

        fn complete<'a>(&'a self, _: &'a ModelRequest) -> BoxFuture<'a, Result<ModelAnswer, ProviderError>> {
            Box::pin(std::future::pending())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_ends_with_the_job_and_counts_in_full() {
        let budget = Budget::default().time(Duration::from_secs(60));
        let model: Arc<dyn LanguageModel> = Arc::new(Silent);
        let job = Job::new(Some(&model), budget, None);
        let error = job.draft_schema("the price").await.unwrap_err();
        assert!(error.message.contains("time budget"), "{}", error.message);
        assert_eq!(job.ledger.stopped(), Some(Stop::Time));
        assert!(job.ledger.spent().tokens > 0);
        assert!(!job.try_count_page());
    }
}
