//! The port of extraction: extract jobs, and fields read off a single page by a schema or a model.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use gleaner_types::plan::{ChangeTracking, ExtractPlan, JsonFormat};
use gleaner_types::{BoxFuture, ErrorCode, JobId, PageError};
use serde_json::Value;
use tokio::time::Instant;
use url::Url;

use crate::cancellation::Cancellation;
use crate::credits::TOKENS_PER_CREDIT;
use crate::owner::JobOwner;
use crate::ports::PageText;
use crate::session::Session;

/// Extracts structured data. `gleaner-extract-jobs` implements it with the planner of `gleaner-extract` and a
/// model.
pub trait Extract: Debug + Send + Sync + 'static {
    /// Runs an extract job. Dropping the future must end the work; `task.cancelled` reports the same to
    /// spawned tasks.
    ///
    /// # Errors
    /// Why there is no data, in the contract's codes.
    fn extract(&self, task: ExtractTask) -> BoxFuture<'_, Result<Extracted, PageError>>;

    /// Reads fields off the Markdown of one page.
    ///
    /// # Errors
    /// If the extraction fails. The default always fails with `MODEL_NOT_CONFIGURED`.
    fn extract_page<'a>(
        &'a self,
        url: &'a str,
        markdown: &'a str,
        schema: Option<&'a Value>,
        prompt: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Extracted, PageError>> {
        Box::pin(async move {
            let _ = (url, markdown, schema, prompt);
            Err(PageError {
                code: ErrorCode::ModelNotConfigured,
                message: "this engine was built without a language model".to_owned(),
            })
        })
    }

    /// Produces for one page of a scrape, a batch or a crawl what may need a language model: the formats
    /// `json` and `summary`, and the fields of change tracking in mode `json`. [`PageRead::notes`] says what
    /// is missing. Dropping the future must end the work.
    ///
    /// The default reads fields with [`extract_page`](Self::extract_page) and keeps summaries unchanged.
    fn read_page<'a>(&'a self, page: PageTask<'a>) -> BoxFuture<'a, PageRead> {
        Box::pin(async move { read_page_fields(self, page).await })
    }

    /// What was learned in the session of a job, for [`restore_session`](Self::restore_session) in another
    /// process. `None`, the default, if there is nothing to keep.
    fn save_session(&self, session: &Session) -> Option<Vec<u8>> {
        let _ = session;
        None
    }

    /// Fills the session of a job that another process began. Bytes that cannot be read are ignored. The
    /// default does nothing.
    fn restore_session(&self, session: &Session, saved: &[u8]) {
        let _ = (session, saved);
    }
}

/// An extract job to run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ExtractTask {
    /// The job.
    pub id: JobId,
    /// What to extract.
    pub plan: ExtractPlan,
    /// Cancelled with the job.
    pub cancelled: Cancellation,
    /// The account of the job; `None` without accounts. The implementation must reserve tokens before it
    /// calls a model ([`JobOwner::reserve_tokens`]), fetch pages on the owner's
    /// [account](JobOwner::page_account), take a [permit](JobOwner::lookup_permit) for each map of a site,
    /// and set a [meter](JobOwner::set_meter). A job whose process ended runs again from its start: what its
    /// earlier runs used ([`JobOwner::tokens_before`]) counts against its budget.
    pub owner: Option<Arc<dyn JobOwner>>,
}

impl ExtractTask {
    /// A job that nobody cancels, without accounts.
    #[must_use]
    pub fn new(id: JobId, plan: ExtractPlan) -> Self {
        Self { id, plan, cancelled: Cancellation::new(), owner: None }
    }
}

/// Extracted data.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Extracted {
    /// The data, shaped by the schema or the prompt.
    pub data: Value,
    /// The source pages of each value, by a field path such as `offers[0]`.
    pub sources: Option<BTreeMap<String, Vec<String>>>,
    /// A warning about the data.
    pub warning: Option<String>,
    /// Tokens used for it.
    pub tokens_used: u64,
}

impl Extracted {
    /// Its price: a credit for every 15 tokens.
    #[must_use]
    pub fn credits(&self) -> u64 {
        self.tokens_used.div_ceil(TOKENS_PER_CREDIT)
    }

    /// This data, with neither sources nor a warning nor usage.
    #[must_use]
    pub fn new(data: Value) -> Self {
        Self { data, ..Self::default() }
    }

    /// Sets the source pages of each value.
    #[must_use]
    pub fn sources(mut self, sources: BTreeMap<String, Vec<String>>) -> Self {
        self.sources = Some(sources);
        self
    }

    /// Sets the warning.
    #[must_use]
    pub fn warning(mut self, warning: impl Into<String>) -> Self {
        self.warning = Some(warning.into());
        self
    }

    /// Sets the tokens used.
    #[must_use]
    pub fn tokens_used(mut self, tokens_used: u64) -> Self {
        self.tokens_used = tokens_used;
        self
    }
}

/// A page, and the results to produce for it that may need a language model.
#[derive(Debug)]
#[non_exhaustive]
pub struct PageTask<'t> {
    /// Its URL after redirects.
    pub url: &'t Url,
    /// Its title.
    pub title: Option<&'t str>,
    /// HTTP status of the answer. Error pages rarely contain the fields of a schema.
    pub status: u16,
    /// Its text.
    pub text: PageText,
    /// The format `json`, if the document does not have it yet.
    pub json: Option<&'t JsonFormat>,
    /// Change tracking in mode `json`, if its fields are needed.
    pub compared: Option<&'t ChangeTracking>,
    /// The summary made without a model, if the request asks for a summary.
    pub summary: Option<&'t str>,
    /// When reading must end. Later results are dropped.
    pub deadline: Instant,
    /// State that the implementation keeps for the job while it runs.
    pub kept: &'t Session,
}

/// The results for a [`PageTask`].
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct PageRead {
    /// The format `json`.
    pub json: Option<Value>,
    /// The fields that change tracking compares.
    pub compared: Option<Value>,
    /// A better summary than that of the task.
    pub summary: Option<String>,
    /// Warnings for the document.
    pub notes: Vec<String>,
    /// Tokens used for it.
    pub tokens_used: u64,
}

impl PageRead {
    /// No results, with a note.
    pub(crate) fn with_note(note: &str) -> Self {
        Self { notes: vec![note.to_owned()], ..Self::default() }
    }

    /// Adds the notes and tokens of a result and returns its data. `what` names the data in a note if there
    /// is none.
    fn add_result(&mut self, what: &str, result: Result<Extracted, PageError>) -> Option<Value> {
        match result {
            Ok(extracted) => {
                self.notes.extend(extracted.warning);
                self.tokens_used += extracted.tokens_used;
                Some(extracted.data)
            }
            Err(error) => {
                self.notes.push(format!("{what} could not be extracted: {error}"));
                None
            }
        }
    }
}

/// The default of [`Extract::read_page`]: one call of [`Extract::extract_page`] per result.
async fn read_page_fields<E: Extract + ?Sized>(extract: &E, page: PageTask<'_>) -> PageRead {
    let mut read = PageRead::default();
    let (url, markdown) = (page.url.as_str(), page.text.markdown.as_str());
    if let Some(json) = page.json {
        let (schema, prompt) = (json.schema.as_ref(), json.prompt.as_deref());
        let result = extract.extract_page(url, markdown, schema, prompt).await;
        read.json = read.add_result("the format `json`", result);
    }
    if let Some(tracking) = page.compared {
        let (schema, prompt) = (tracking.schema.as_ref(), tracking.prompt.as_deref());
        let result = extract.extract_page(url, markdown, schema, prompt).await;
        read.compared = read.add_result("the fields to compare", result);
    }
    read
}
