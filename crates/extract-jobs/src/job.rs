use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use gleaner_extract::model::{
    Budgeted, Capabilities, LanguageModel, ModelAnswer, ModelRequest, Pause, ProviderError,
    ProviderErrorKind, RetryPolicy, Retrying,
};
use gleaner_extract::{Budget, ErrorKind, Extractor, Ledger, Shape, SiteMemory, Stop};
use gleaner_runtime::JobOwner;
use gleaner_types::PageError;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::shape;

/// Sent with every call, so that a provider that can gives the same answer again.
const SEED: u64 = 0;

/// One request's model, paid from one ledger, and what is learned while it is worked on.
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
    pub(super) fn begin(
        model: Option<&Arc<dyn LanguageModel>>,
        budget: Budget,
        owner: Option<Arc<dyn JobOwner>>,
    ) -> Self {
        let ledger = Ledger::new(budget);
        if let Some(owner) = &owner {
            let ledger = ledger.clone();
            owner.metered_by(Box::new(move || ledger.spent().tokens));
        }
        let begun = Instant::now();
        // A time beyond what the clock can count is no bound.
        let end = budget.time.and_then(|time| begun.checked_add(time));
        let clock = JobClock { begun, end, ledger: ledger.clone() };
        let extractor = model.map_or_else(Extractor::model_free, |model| {
            let (model, owner) = (Arc::clone(model), owner.clone());
            let paid =
                Budgeted::new(CreditLimitedModel { model, ledger: ledger.clone(), owner }, ledger.clone());
            let model = Retrying::new(paid, Sleep, RetryPolicy::default());
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

    /// Whose account it works on.
    pub(super) fn owner(&self) -> Option<&dyn JobOwner> {
        self.owner.as_deref()
    }

    pub(super) fn extractor(&self) -> &Extractor {
        &self.extractor
    }

    /// What is learned of templates; of no use where no model is spared.
    pub(super) fn memory(&self) -> Option<&Arc<SiteMemory>> {
        self.has_model.then_some(&self.memory)
    }

    /// The schema that the model makes of a prompt.
    pub(super) async fn draft_schema(&self, prompt: &str) -> Result<Value, PageError> {
        self.extractor.draft_schema(prompt).await.map_err(|error| shape::refusal(&error))
    }

    /// What a schema asks for, or where there is none, what a prompt does.
    pub(super) async fn shape(
        &self,
        schema: Option<&Value>,
        prompt: Option<&str>,
    ) -> Result<Shape, PageError> {
        match (schema, prompt) {
            (Some(schema), _) => shape::of_schema(schema),
            (None, Some(prompt)) => shape::of_schema(&self.draft_schema(prompt).await?),
            (None, None) => Err(shape::refusal(&ErrorKind::Schema("there is none".to_owned()).into())),
        }
    }

    /// Counts a page, unless pages or time are used up.
    pub(super) fn takes_page(&self) -> bool {
        self.clock.tick();
        self.ledger.take_page().is_ok()
    }

    /// Waits for work until the job's time is over.
    pub(super) async fn in_time<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.clock.in_time(work).await
    }
}

/// The time of one job, told to its ledger.
#[derive(Debug, Clone)]
struct JobClock {
    begun: Instant,
    end: Option<Instant>,
    ledger: Ledger,
}

impl JobClock {
    fn tick(&self) {
        self.ledger.set_elapsed(self.begun.elapsed());
    }

    async fn in_time<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.tick();
        let Some(end) = self.end else { return Some(work.await) };
        let done = timeout_at(end, work).await.ok();
        if done.is_none() {
            self.tick();
            self.ledger.stop(Stop::Time);
        }
        done
    }
}

/// A model whose calls are made only while the team has credits for them.
#[derive(Debug)]
struct CreditLimitedModel {
    model: Arc<dyn LanguageModel>,
    /// Has the call among what it set aside.
    ledger: Ledger,
    owner: Option<Arc<dyn JobOwner>>,
}

#[async_trait]
impl LanguageModel for CreditLimitedModel {
    fn capabilities(&self) -> Capabilities {
        self.model.capabilities()
    }

    fn count_tokens(&self, text: &str) -> u64 {
        self.model.count_tokens(text)
    }

    async fn complete(&self, request: &ModelRequest) -> Result<ModelAnswer, ProviderError> {
        if let Some(owner) = &self.owner
            && !owner.cover(self.ledger.committed_tokens()).await
        {
            self.ledger.stop(Stop::Credits);
            return Err(ProviderError::new(ProviderErrorKind::OverBudget, Stop::Credits.to_string()));
        }
        self.model.complete(request).await
    }
}

/// A model whose calls end with the job's time, so that what a page gave until then is kept.
#[derive(Debug)]
struct DeadlineModel<M> {
    model: M,
    clock: JobClock,
}

#[async_trait]
impl<M: LanguageModel> LanguageModel for DeadlineModel<M> {
    fn capabilities(&self) -> Capabilities {
        self.model.capabilities()
    }

    fn count_tokens(&self, text: &str) -> u64 {
        self.model.count_tokens(text)
    }

    async fn complete(&self, request: &ModelRequest) -> Result<ModelAnswer, ProviderError> {
        let late = || ProviderError::new(ProviderErrorKind::OverBudget, Stop::Time.to_string());
        self.clock.in_time(self.model.complete(request)).await.unwrap_or_else(|| Err(late()))
    }
}

/// Waits by the runtime's clock.
#[derive(Debug, Clone, Copy)]
struct Sleep;

#[async_trait]
impl Pause for Sleep {
    async fn pause(&self, wait: Duration) {
        tokio::time::sleep(wait).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Never answers.
    #[derive(Debug)]
    struct Silent;

    #[async_trait]
    impl LanguageModel for Silent {
        fn capabilities(&self) -> Capabilities {
            Capabilities::new("silent", 8_000)
        }

        async fn complete(&self, _: &ModelRequest) -> Result<ModelAnswer, ProviderError> {
            std::future::pending().await
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_ends_with_the_time_of_its_job_and_counts_in_full() {
        let budget = Budget { time: Some(Duration::from_secs(60)), ..Budget::default() };
        let model: Arc<dyn LanguageModel> = Arc::new(Silent);
        let job = Job::begin(Some(&model), budget, None);
        let error = job.draft_schema("the price").await.unwrap_err();
        assert!(error.message.contains("time budget"), "{}", error.message);
        assert_eq!(job.ledger.stopped(), Some(Stop::Time));
        assert!(job.ledger.spent().tokens > 0);
        assert!(!job.takes_page());
    }
}
