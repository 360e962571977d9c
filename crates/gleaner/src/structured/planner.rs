use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt as _;
use futures_util::stream;
use gleaner_extract::model::{Budgeted, LanguageModel, Pause, RetryPolicy, Retrying, WebSearch};
use gleaner_extract::{Budget, Extraction, Extractor, Ledger, Page, PageExtraction, Shape, Task, merge};
use gleaner_jobs::{Extract, ExtractTask, Extracted, Room};
use gleaner_types::plan::{ExtractPlan, Formats, ScrapeOptionsPlan, ScrapePlan, Target};
use gleaner_types::{Document, ErrorCode, PageError};
use serde_json::Value;
use tokio::time::Instant;
use url::Url;

use super::{shape, sources};

/// Tokens that one extract job may use where the embedder sets no budget.
pub const DEFAULT_EXTRACT_TOKENS: u64 = 500_000;
/// Pages of one job that are fetched at once.
const PAGES_AT_ONCE: usize = 8;
/// Most reasons that a warning tells.
const MAX_NOTES: usize = 8;

/// What a [`Planner`] is made of.
#[derive(Debug)]
pub(crate) struct PlannerParts {
    pub(crate) model: Option<Arc<dyn LanguageModel>>,
    pub(crate) search: Option<Arc<dyn WebSearch>>,
    pub(crate) budget: Option<Budget>,
}

/// [`Extract`] by `gleaner-extract`: pages by the room, what they say about themselves first, then the model.
pub(crate) struct Planner {
    /// The room keeps its extractor, so that the extractor must not keep the room.
    room: Weak<Room>,
    model: Option<Arc<dyn LanguageModel>>,
    search: Option<Arc<dyn WebSearch>>,
    budget: Budget,
}

impl fmt::Debug for Planner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Planner").field("model", &self.model).field("search", &self.search).finish()
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

/// One job's model, paid from one ledger.
#[derive(Debug)]
struct Job {
    ledger: Ledger,
    model: Option<Arc<dyn LanguageModel>>,
    begun: Instant,
}

impl Planner {
    pub(crate) fn new(room: &Arc<Room>, parts: PlannerParts) -> Self {
        let PlannerParts { model, search, budget } = parts;
        let budget = budget.unwrap_or(Budget { tokens: Some(DEFAULT_EXTRACT_TOKENS), ..Budget::default() });
        Self { room: Arc::downgrade(room), model, search, budget }
    }

    fn job(&self) -> Job {
        let ledger = Ledger::new(self.budget);
        let model = self.model.as_ref().map(|model| {
            let paid = Budgeted::new(Arc::clone(model), ledger.clone());
            Arc::new(Retrying::new(paid, Sleep, RetryPolicy::default())) as Arc<dyn LanguageModel>
        });
        Job { ledger, model, begun: Instant::now() }
    }

    fn room(&self) -> Result<Arc<Room>, PageError> {
        self.room.upgrade().ok_or_else(|| PageError {
            code: ErrorCode::UnknownError,
            message: "the engine is shutting down".to_owned(),
        })
    }
}

impl Job {
    async fn shape(&self, schema: Option<&Value>, prompt: Option<&str>) -> Result<Shape, PageError> {
        match (schema, prompt) {
            (Some(schema), _) => shape::of_schema(schema),
            (None, prompt) => shape::of_prompt(self.model.as_deref(), prompt.unwrap_or_default()).await,
        }
    }

    fn extractor(&self) -> Extractor {
        self.model.clone().map_or_else(Extractor::model_free, Extractor::new)
    }

    /// Counts a page, unless pages or time are used up.
    fn takes_page(&self) -> bool {
        self.ledger.set_elapsed(self.begun.elapsed());
        self.ledger.take_page().is_ok()
    }
}

#[async_trait]
impl Extract for Planner {
    async fn extract(&self, task: ExtractTask) -> Result<Extracted, PageError> {
        let plan = task.plan;
        let room = self.room()?;
        let job = self.job();
        // Before any page is fetched for nothing.
        if let Some(schema) = &plan.schema {
            shape::of_schema(schema)?;
        } else if self.model.is_none() {
            return Err(shape::refusal(&gleaner_extract::ErrorKind::ModelNotConfigured.into()));
        }
        let mut found = sources::find(&room, self.search.as_deref(), &plan).await?;
        let shape = job.shape(plan.schema.as_ref(), plan.prompt.as_deref()).await?;
        let mut read = Read::default();
        let targets = std::mem::take(&mut found.targets);
        let asked = targets.len();
        let documents = scrape_all(&room, &plan, &job, targets, &mut read).await;
        let further = sources::external(&plan, self.search.is_some(), &documents);
        let room_left = sources::limit(&plan).saturating_sub(asked);
        let further = further.into_iter().take(room_left).collect();
        let mut documents = documents;
        documents.extend(scrape_all(&room, &plan, &job, further, &mut read).await);
        let task = Task {
            shape: &shape,
            prompt: plan.prompt.as_deref(),
            system_prompt: plan.system_prompt.as_deref(),
        };
        let extractor = job.extractor();
        let mut pages = Vec::new();
        for document in documents {
            job.ledger.set_elapsed(job.begun.elapsed());
            if let Some(page) = page_of(document) {
                pages.push(extractor.page(&page, task).await);
            }
        }
        if pages.is_empty() {
            return Err(read.failure.unwrap_or_else(|| PageError {
                code: ErrorCode::ScrapeSiteError,
                message: "no page could be read".to_owned(),
            }));
        }
        let mut notes = std::mem::take(&mut found.notes);
        notes.append(&mut read.notes);
        Ok(conclude(pages, &shape, notes, &job.ledger, plan.show_sources))
    }

    async fn extract_page(
        &self,
        url: &str,
        markdown: &str,
        schema: Option<&Value>,
        prompt: Option<&str>,
    ) -> Result<Extracted, PageError> {
        let job = self.job();
        let shape = job.shape(schema, prompt).await?;
        let url = Url::parse(url)
            .map_err(|error| PageError { code: ErrorCode::BadRequest, message: error.to_string() })?;
        let page = Page::new(url, "").with_markdown(markdown);
        let task = Task { shape: &shape, prompt, system_prompt: None };
        let found = job.extractor().page(&page, task).await;
        Ok(conclude(vec![found], &shape, Vec::new(), &job.ledger, false))
    }
}

/// What became of the pages that gave no document.
#[derive(Debug, Default)]
struct Read {
    failure: Option<PageError>,
    notes: Vec<String>,
}

async fn scrape_all(
    room: &Arc<Room>,
    plan: &ExtractPlan,
    job: &Job,
    targets: Vec<Target>,
    read: &mut Read,
) -> Vec<Document> {
    let options = options(plan);
    let scrapes = targets.into_iter().take_while(|_| job.takes_page()).map(|target| {
        let (room, url) = (Arc::clone(room), target.url.clone());
        let options = options.clone();
        let plan = ScrapePlan { target, options, zero_data_retention: plan.zero_data_retention };
        async move { (url, room.scrape(plan, Value::Null).await) }
    });
    let scraped: Vec<_> = stream::iter(scrapes).buffered(PAGES_AT_ONCE).collect().await;
    let mut documents = Vec::new();
    for (url, outcome) in scraped {
        let failure = match outcome {
            Ok(document) => match document.metadata.status_code {
                Some(status) if status >= 400 => {
                    PageError { code: ErrorCode::ScrapeSiteError, message: format!("HTTP {status}") }
                }
                _ => {
                    documents.push(document);
                    continue;
                }
            },
            Err(error) => PageError { code: error.code(), message: error.to_string() },
        };
        let url = gleaner_types::SafeUrl::from(url);
        read.notes.push(format!("{url} was not read: {}", failure.message));
        read.failure.get_or_insert(failure);
    }
    documents
}

/// How each page is scraped: what extraction reads, and nothing else.
fn options(plan: &ExtractPlan) -> ScrapeOptionsPlan {
    let links = plan.allow_external_links || plan.enable_web_search;
    let formats = Formats { markdown: true, raw_html: true, links, ..Formats::default() };
    ScrapeOptionsPlan { formats, ..plan.options.clone() }
}

fn page_of(document: Document) -> Option<Page> {
    let url = document.metadata.url.as_deref().or(document.metadata.source_url.as_deref())?;
    let mut page = Page::new(Url::parse(url).ok()?, document.raw_html.unwrap_or_default())
        .with_markdown(document.markdown.unwrap_or_default());
    page.title = document.metadata.title;
    Some(page)
}

/// The answer of a job: the pages as one, and what its reader should know.
fn conclude(
    pages: Vec<PageExtraction>,
    shape: &Shape,
    mut notes: Vec<String>,
    ledger: &Ledger,
    show_sources: bool,
) -> Extracted {
    let several = pages.len() > 1;
    if !several {
        notes.extend(pages.first().and_then(PageExtraction::warning));
    } else {
        notes.extend(nowhere(&pages));
        for list in pages.iter().flat_map(|page| &page.coverage).filter(|list| list.found < list.counted) {
            notes.push(format!(
                "{}: {} of {} rows of a page",
                list.pointer.trim_start_matches('/'),
                list.found,
                list.counted
            ));
        }
        notes.extend(pages.iter().find_map(|page| page.stopped.as_ref()).map(ToString::to_string));
    }
    notes.extend(ledger.stopped().filter(|_| several).map(|stop| stop.to_string()));
    notes.dedup();
    let more = notes.len().saturating_sub(MAX_NOTES);
    notes.truncate(MAX_NOTES);
    if more > 0 {
        notes.push(format!("and {more} more remarks"));
    }
    let extractions: Vec<Extraction> = pages.into_iter().map(|page| page.extraction).collect();
    let merged = merge(extractions, shape);
    Extracted {
        sources: show_sources.then(|| merged.sources()),
        data: merged.data,
        warning: (!notes.is_empty()).then(|| notes.join("; ")),
        tokens_used: ledger.spent().tokens,
    }
}

/// A sentence on what no page states.
fn nowhere(pages: &[PageExtraction]) -> Option<String> {
    let (first, others) = pages.split_first()?;
    let everywhere = |pointer: &str| {
        others.iter().all(|page| page.extraction.missing.iter().any(|missing| missing.pointer == pointer))
    };
    let missing = first.extraction.missing.iter().map(|missing| missing.pointer.as_str());
    let names: Vec<&str> = missing
        .filter(|pointer| everywhere(pointer))
        .map(|pointer| pointer.trim_start_matches('/'))
        .take(10)
        .collect();
    (!names.is_empty()).then(|| format!("not found on any page: {}", names.join(", ")))
}
