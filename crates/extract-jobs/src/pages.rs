//! What a model adds to the pages of scrapes, batches and crawls: the formats `json` and `summary`, and the
//! fields that change tracking compares.
//!
//! What a page says about itself is read first and costs nothing; the model is asked for the rest, and
//! nothing passes that the page does not bear out. What is learned of a site's templates is kept for the job,
//! so that later pages of a crawl need no model where earlier ones were alike. Two budgets hold: one for each
//! page, one for the whole job.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use gleaner_extract::model::{Budgeted, LanguageModel};
use gleaner_extract::{Budget, Ledger, Page, Shape, Task, TemplateMemory, UrlPatterns, empty_answer};
use gleaner_runtime::{Extract, ExtractTask, Extracted, PageRead, PageTask, PageText};
use gleaner_types::{Interrupt, PageError};
use serde_json::Value;
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::Instant;

use super::blocking::{Asked, blocking, is_large};
use super::job::Job;
use super::runner::ExtractRunner;

/// Tokens that one page of a scrape, a batch or a crawl may use where the embedder sets no budget.
pub const DEFAULT_PAGE_TOKENS: u64 = 50_000;
/// Tokens that all pages of one such job may use together where the embedder sets no budget.
pub const DEFAULT_JOB_TOKENS: u64 = 5_000_000;
/// How often a job asks for a schema for its prompt before it goes without.
const MAX_DRAFTS: u32 = 3;
/// Kept of a page's time for what follows the last answer of the model.
const MARGIN: Duration = Duration::from_millis(250);
/// From this status on a page is an error's, which no model is asked about.
const FIRST_ERROR: u16 = 400;

/// [`Extract`] by `gleaner-extract`: the [`ExtractRunner`] does its jobs, and pages of scrapes and crawls are read
/// here.
#[derive(Debug)]
pub struct PlannedExtract {
    jobs: Arc<ExtractRunner>,
    model: Option<Arc<dyn LanguageModel>>,
    of_page: Budget,
    of_job: Budget,
}

impl PlannedExtract {
    /// By this planner, and this model for the pages of scrapes, batches and crawls. The budgets are those of
    /// one page ([`DEFAULT_PAGE_TOKENS`] by default) and of one job ([`DEFAULT_JOB_TOKENS`]).
    #[must_use]
    pub fn new(
        jobs: Arc<ExtractRunner>,
        model: Option<Arc<dyn LanguageModel>>,
        of_page: Option<Budget>,
        of_job: Option<Budget>,
    ) -> Self {
        let most = |tokens| Budget { tokens: Some(tokens), ..Budget::default() };
        Self {
            jobs,
            model,
            of_page: of_page.unwrap_or_else(|| most(DEFAULT_PAGE_TOKENS)),
            of_job: of_job.unwrap_or_else(|| most(DEFAULT_JOB_TOKENS)),
        }
    }

    /// A schema that names no property says nothing beside words: the model makes one of these.
    fn schema<'s>(&self, schema: Option<&'s Value>, prompt: Option<&str>) -> Option<&'s Value> {
        let by_words = self.model.is_some() && prompt.is_some();
        schema.filter(|schema| !by_words || empty_answer(schema).is_none())
    }

    fn keep(&self) -> Kept {
        let ledger = Ledger::new(self.of_job);
        let model = self.model.as_ref().map(|model| {
            Arc::new(Budgeted::new(Arc::clone(model), ledger.clone())) as Arc<dyn LanguageModel>
        });
        Kept { model, ledger, begun: Instant::now(), json: Learned::default(), compared: Learned::default() }
    }

    /// One page's share of its job: its own ledger on top of the job's, and a time that ends before the
    /// page's does.
    fn begin(&self, kept: &Kept, page: &PageTask<'_>) -> Job {
        kept.ledger.set_elapsed(kept.begun.elapsed());
        let left = page.deadline.saturating_duration_since(Instant::now());
        let left = left.saturating_sub(MARGIN.min(left / 8));
        let time = Some(self.of_page.time.map_or(left, |time| time.min(left)));
        let model = kept.model.as_ref().filter(|_| page.status < FIRST_ERROR);
        // A page has its price, whatever reads it.
        Job::begin(model, Budget { time, ..self.of_page }, None)
    }
}

/// What is kept for a job as long as it runs.
#[derive(Debug)]
struct Kept {
    /// Paid from the job's ledger.
    model: Option<Arc<dyn LanguageModel>>,
    ledger: Ledger,
    begun: Instant,
    json: Learned,
    compared: Learned,
}

/// What is known of one question to all pages of a job.
#[derive(Debug, Default)]
struct Learned {
    shape: OnceCell<Shape>,
    drafts: AtomicU32,
    templates: Arc<Mutex<TemplateMemory>>,
}

/// A question to a page.
#[derive(Debug, Clone, Copy)]
struct Question<'q> {
    schema: Option<&'q Value>,
    prompt: Option<&'q str>,
    system_prompt: Option<&'q str>,
    /// Is each property to be there?
    is_completed: bool,
}

impl Learned {
    /// What is asked for. Where only words say it, the model makes a schema of them, once for the job: pages
    /// that come meanwhile wait for it.
    async fn shape(&self, job: &Job, question: Question<'_>) -> Result<&Shape, String> {
        if question.schema.is_none() && job.memory().is_none() && self.shape.get().is_none() {
            return Err("no model is asked about this page".to_owned());
        }
        let making = self.shape.get_or_try_init(|| async {
            if question.schema.is_none() && self.drafts.fetch_add(1, Ordering::Relaxed) >= MAX_DRAFTS {
                return Err("no schema could be made of the prompt".to_owned());
            }
            job.shape(question.schema, question.prompt).await.map_err(|error| error.message)
        });
        job.in_time(making).await.unwrap_or_else(|| Err("the time for it was over".to_owned()))
    }

    /// Reads a page's fields, and tells what stayed empty.
    async fn read(
        &self,
        job: &Job,
        places: &Arc<Semaphore>,
        page: &Arc<Page>,
        question: Question<'_>,
        notes: &mut Vec<String>,
    ) -> Result<Value, String> {
        let shape = self.shape(job, question).await?;
        if shape.asks_for_nothing()
            && let Some((data, note)) = question.schema.and_then(empty_answer)
        {
            notes.push(note);
            return Ok(data);
        }
        let task = Task { shape, prompt: question.prompt, system_prompt: question.system_prompt };
        let asked = Asked::of(task);
        let (extractor, page) = (job.extractor().clone(), Arc::clone(page));
        let templates = job.memory().map(|_| Arc::clone(&self.templates));
        let (is_large, interrupt) = (is_large(&page, shape), page.interrupt.clone());
        let is_completed = question.is_completed;
        let reading = async move {
            let mut found = match templates {
                None => extractor.page(&page, asked.task()).await,
                Some(templates) => {
                    // Of the addresses to come nothing is known; a template tells its pages by their
                    // structure too.
                    let cluster = UrlPatterns::default().of(&page.url);
                    extractor.page_of(&templates, &cluster, &page, asked.task()).await.page
                }
            };
            if is_completed {
                asked.shape.complete(&mut found.extraction.data);
            }
            found
        };
        let found = if is_large {
            blocking(places, &interrupt, reading).await.map_err(|error| error.message)?
        } else {
            reading.await
        };
        notes.extend(found.warning());
        Ok(found.extraction.data)
    }
}

#[async_trait]
impl Extract for PlannedExtract {
    async fn extract(&self, task: ExtractTask) -> Result<Extracted, PageError> {
        self.jobs.extract(task).await
    }

    async fn read_page(&self, mut task: PageTask<'_>) -> PageRead {
        let mut read = PageRead::default();
        let Some(kept) = task.kept.get_or_init(|| self.keep()) else { return read };
        let job = self.begin(kept, &task);
        let PageText { html, markdown, summary_warning } = std::mem::take(&mut task.text);
        let mut page =
            Page::new(task.url.clone(), html).with_markdown(markdown).with_interrupt(&Interrupt::armed());
        page.title = task.title.map(str::to_owned);
        let (page, places) = (Arc::new(page), self.jobs.places());
        if let Some(asked) = task.json {
            let prompt = asked.prompt.as_deref();
            let schema = self.schema(asked.schema.as_ref(), prompt);
            let system_prompt = asked.system_prompt.as_deref();
            let question = Question { schema, prompt, system_prompt, is_completed: true };
            match kept.json.read(&job, places, &page, question, &mut read.notes).await {
                Ok(data) => read.json = Some(data),
                Err(why) => read.notes.push(format!("the format `json` could not be had: {why}")),
            }
        }
        if let Some(asked) = task.compared {
            let prompt = asked.prompt.as_deref();
            let schema = self.schema(asked.schema.as_ref(), prompt);
            let question = Question { schema, prompt, system_prompt: None, is_completed: false };
            match kept.compared.read(&job, places, &page, question, &mut read.notes).await {
                Ok(data) => read.compared = Some(data),
                Err(why) => read.notes.push(format!("the fields to compare could not be had: {why}")),
            }
        }
        if task.summary.is_some() && self.model.is_some() {
            let made = job.extractor().summarise(&page).await;
            if made.text.is_none() {
                read.notes.extend(summary_warning.map(str::to_owned));
                read.notes.extend(made.refused.map(|why| format!("the model's summary was not used: {why}")));
            }
            read.summary = made.text;
        }
        read.notes.dedup();
        read.tokens_used = job.ledger.spent().tokens;
        read
    }
}
