//! Formats of scrapes, batches and crawls that need a model: `json`, `summary`, and the fields that change
//! tracking compares.
//!
//! Rules read the page first, without cost. The model is asked for the rest, and its values need proofs on
//! the page. What is learned about templates is kept for the job, so that later pages of a crawl that are
//! alike need no model. There are two budgets: one for each page, one for the whole job.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gleaner_extract::model::{Budgeted, LanguageModel};
use gleaner_extract::{Budget, Ledger, Page, Shape, Task, TemplateMemory, UrlPatterns, empty_answer};
use gleaner_runtime::{Extract, ExtractTask, Extracted, PageRead, PageTask, PageText, Session};
use gleaner_types::{BoxFuture, Interrupt, PageError};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::Instant;

use super::blocking::{OwnedTask, blocking, is_large};
use super::job::Job;
use super::runner::{ExtractConfig, ExtractRunner, budget_or};

/// Default budget of one page of a scrape, a batch or a crawl, in tokens.
pub(super) const DEFAULT_PAGE_TOKENS: u64 = 50_000;
/// Default budget of all pages of one such job, in tokens.
const DEFAULT_JOB_TOKENS: u64 = 5_000_000;
/// Maximum attempts of a job to derive a schema from its prompt.
const MAX_DRAFTS: u32 = 3;
/// Time of a page that is reserved for the work after the last answer of the model.
const RESERVED_TIME: Duration = Duration::from_millis(250);
/// Pages with this status or a higher one are errors; no model reads them.
const FIRST_ERROR_STATUS: u16 = 400;

/// [`Extract`] by `gleaner-extract`. The [`ExtractRunner`] runs extract jobs; this type reads the pages of
/// scrapes, batches and crawls.
#[derive(Debug)]
pub struct PlannedExtract {
    runner: Arc<ExtractRunner>,
    model: Option<Arc<dyn LanguageModel>>,
    page_budget: Budget,
    job_budget: Budget,
}

impl PlannedExtract {
    /// Uses the runner for extract jobs, and the model and the budgets of `config` for other pages.
    #[must_use]
    pub fn new(runner: Arc<ExtractRunner>, config: &ExtractConfig) -> Self {
        Self {
            runner,
            model: config.model.clone(),
            page_budget: budget_or(config.page_budget, DEFAULT_PAGE_TOKENS),
            job_budget: budget_or(config.job_budget, DEFAULT_JOB_TOKENS),
        }
    }

    /// The schema, unless it has no properties and the model can derive one from the prompt.
    fn schema<'s>(&self, schema: Option<&'s Value>, prompt: Option<&str>) -> Option<&'s Value> {
        let uses_prompt = self.model.is_some() && prompt.is_some();
        schema.filter(|schema| !uses_prompt || empty_answer(schema).is_none())
    }

    /// The state of a job that has spent this much in an earlier process.
    fn new_state(&self, spent_before: Cost) -> JobExtraction {
        let left = |bound: Option<u64>, spent: u64| bound.map(|bound| bound.saturating_sub(spent));
        let mut budget = self.job_budget;
        budget.tokens = left(budget.tokens, spent_before.tokens);
        budget.micros = left(budget.micros, spent_before.micros);
        let ledger = Ledger::new(budget);
        let model = self.model.as_ref().map(|model| {
            Arc::new(Budgeted::new(Arc::clone(model), ledger.clone())) as Arc<dyn LanguageModel>
        });
        JobExtraction {
            model,
            ledger,
            spent_before,
            started: Instant::now(),
            json: FieldReader::default(),
            compared: FieldReader::default(),
        }
    }

    /// The share of one page: a ledger of its own on top of the job's, and a time that ends before the
    /// deadline of the page.
    fn page_job(&self, state: &JobExtraction, page: &PageTask<'_>) -> Job {
        state.ledger.set_elapsed(state.started.elapsed());
        let left = page.deadline.saturating_duration_since(Instant::now());
        let left = left.saturating_sub(RESERVED_TIME.min(left / 8));
        let time = self.page_budget.time.map_or(left, |time| time.min(left));
        let model = state.model.as_ref().filter(|_| page.status < FIRST_ERROR_STATUS);
        Job::new(model, self.page_budget.time(time), None)
    }
}

/// The state of a job's extraction.
#[derive(Debug)]
struct JobExtraction {
    /// Its calls count in the job's ledger.
    model: Option<Arc<dyn LanguageModel>>,
    ledger: Ledger,
    /// In an earlier process.
    spent_before: Cost,
    started: Instant,
    json: FieldReader,
    compared: FieldReader,
}

/// Reads the same fields from all pages of a job.
#[derive(Debug, Default)]
struct FieldReader {
    shape: OnceCell<Shape>,
    drafts: AtomicU32,
    templates: Arc<Mutex<TemplateMemory>>,
}

/// The requested fields.
#[derive(Debug, Clone, Copy)]
struct FieldRequest<'r> {
    schema: Option<&'r Value>,
    prompt: Option<&'r str>,
    system_prompt: Option<&'r str>,
    /// The data gets every property of the schema.
    complete: bool,
}

impl FieldReader {
    /// The shape of the fields. Without a schema the model derives one from the prompt, once for the job;
    /// other pages wait for it.
    async fn shape(&self, job: &Job, request: FieldRequest<'_>) -> Result<&Shape, String> {
        if request.schema.is_none() && job.memory().is_none() && self.shape.get().is_none() {
            return Err("no model reads this page".to_owned());
        }
        let shape = self.shape.get_or_try_init(|| async {
            if request.schema.is_none() && self.drafts.fetch_add(1, Ordering::Relaxed) >= MAX_DRAFTS {
                return Err("no schema could be derived from the prompt".to_owned());
            }
            job.shape(request.schema, request.prompt).await.map_err(|error| error.message)
        });
        job.in_time(shape).await.unwrap_or_else(|| Err("the time ran out".to_owned()))
    }

    /// Reads the fields of a page. `notes` gets the names of empty fields.
    async fn read(
        &self,
        job: &Job,
        slots: &Arc<Semaphore>,
        page: &Arc<Page>,
        request: FieldRequest<'_>,
        notes: &mut Vec<String>,
    ) -> Result<Value, String> {
        let shape = self.shape(job, request).await?;
        if shape.asks_for_nothing()
            && let Some((data, note)) = request.schema.and_then(empty_answer)
        {
            notes.push(note);
            return Ok(data);
        }
        let task = Task { shape, prompt: request.prompt, system_prompt: request.system_prompt };
        let task = OwnedTask::new(task);
        let (extractor, page) = (job.extractor().clone(), Arc::clone(page));
        let templates = job.memory().map(|_| Arc::clone(&self.templates));
        let (is_large, interrupt) = (is_large(&page, shape), page.interrupt.clone());
        let complete = request.complete;
        let reading = async move {
            let mut found = match templates {
                None => extractor.page(&page, task.as_task()).await,
                Some(templates) => {
                    // Later URLs are unknown here, so the pattern is that of this URL alone. The template
                    // also compares the structure of pages.
                    let cluster = UrlPatterns::default().of(&page.url);
                    extractor.page_of(&templates, &cluster, &page, task.as_task()).await.page
                }
            };
            if complete {
                task.shape.complete(&mut found.extraction.data);
            }
            found
        };
        let found = if is_large {
            blocking(slots, &interrupt, reading).await.map_err(|error| error.message)?
        } else {
            reading.await
        };
        notes.extend(found.warning());
        Ok(found.extraction.data)
    }
}

impl Extract for PlannedExtract {
    fn extract(&self, task: ExtractTask) -> BoxFuture<'_, Result<Extracted, PageError>> {
        self.runner.extract(task)
    }

    fn read_page<'a>(&'a self, mut task: PageTask<'a>) -> BoxFuture<'a, PageRead> {
        Box::pin(async move {
            let mut read = PageRead::default();
            let Some(state) = task.kept.get_or_init(|| self.new_state(Cost::default())) else { return read };
            let job = self.page_job(state, &task);
            let PageText { html, markdown, summary_warning, .. } = std::mem::take(&mut task.text);
            let mut page =
                Page::new(task.url.clone(), html).with_markdown(markdown).with_interrupt(&Interrupt::armed());
            page.title = task.title.map(str::to_owned);
            let (page, slots) = (Arc::new(page), self.runner.slots());
            if let Some(format) = task.json {
                let prompt = format.prompt.as_deref();
                let schema = self.schema(format.schema.as_ref(), prompt);
                let system_prompt = format.system_prompt.as_deref();
                let request = FieldRequest { schema, prompt, system_prompt, complete: true };
                match state.json.read(&job, slots, &page, request, &mut read.notes).await {
                    Ok(data) => read.json = Some(data),
                    Err(cause) => read.notes.push(format!("the format `json` failed: {cause}")),
                }
            }
            if let Some(tracking) = task.compared {
                let prompt = tracking.prompt.as_deref();
                let schema = self.schema(tracking.schema.as_ref(), prompt);
                let request = FieldRequest { schema, prompt, system_prompt: None, complete: false };
                match state.compared.read(&job, slots, &page, request, &mut read.notes).await {
                    Ok(data) => read.compared = Some(data),
                    Err(cause) => {
                        read.notes.push(format!("the fields to compare could not be read: {cause}"));
                    }
                }
            }
            if task.summary.is_some() && self.model.is_some() {
                let summary = job.extractor().summarise(&page).await;
                if summary.text.is_none() {
                    read.notes.extend(summary_warning.map(str::to_owned));
                    read.notes.extend(
                        summary.refused.map(|cause| format!("the model's summary was not used: {cause}")),
                    );
                }
                read.summary = summary.text;
            }
            read.notes.dedup();
            read.tokens_used = job.ledger.spent().tokens;
            read
        })
    }

    fn save_session(&self, session: &Session) -> Option<Vec<u8>> {
        // Without a model there is nothing to learn.
        self.model.as_ref()?;
        let state: &JobExtraction = session.get()?;
        let (json, compared) = (state.json.templates(), state.compared.templates());
        let spent = state.ledger.spent();
        let saved = SavedState {
            json: SavedFields { shape: state.json.shape.get(), templates: &*json },
            compared: SavedFields { shape: state.compared.shape.get(), templates: &*compared },
            spent: Cost {
                tokens: state.spent_before.tokens.saturating_add(spent.tokens),
                micros: state.spent_before.micros.saturating_add(spent.micros),
            },
        };
        serde_json::to_vec(&saved).ok()
    }

    fn restore_session(&self, session: &Session, saved: &[u8]) {
        let Ok(saved) = serde_json::from_slice::<SavedState<Shape, TemplateMemory>>(saved) else {
            tracing::debug!("what an earlier process learned of a site cannot be read");
            return;
        };
        session.get_or_init(|| JobExtraction {
            json: FieldReader::restored(saved.json),
            compared: FieldReader::restored(saved.compared),
            ..self.new_state(saved.spent)
        });
    }
}

/// The state of a job for another process.
#[derive(Debug, Serialize, Deserialize)]
struct SavedState<S, T> {
    json: SavedFields<S, T>,
    compared: SavedFields<S, T>,
    spent: Cost,
}

/// What was learned about the fields of pages.
#[derive(Debug, Serialize, Deserialize)]
struct SavedFields<S, T> {
    shape: Option<S>,
    templates: T,
}

/// What the model has cost.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Cost {
    tokens: u64,
    /// In millionths of a dollar.
    micros: u64,
}

impl FieldReader {
    fn templates(&self) -> MutexGuard<'_, TemplateMemory> {
        self.templates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn restored(saved: SavedFields<Shape, TemplateMemory>) -> Self {
        let SavedFields { shape, templates } = saved;
        let templates = Arc::new(Mutex::new(templates));
        Self { shape: OnceCell::new_with(shape), drafts: AtomicU32::new(0), templates }
    }
}
