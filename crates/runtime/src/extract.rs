//! The port of extraction: jobs that give one result, and what is read off a page by a schema or a model.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use gleaner_types::plan::{ChangeTracking, ExtractPlan, JsonFormat};
use gleaner_types::{ErrorCode, JobId, PageError};
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::credits::TOKENS_PER_CREDIT;
use crate::owner::JobOwner;
use crate::ports::PageText;
use crate::session::Session;

/// Extracts structured data. `gleaner-extract-jobs` implements it by the planner of `gleaner-extract` and a
/// model.
#[async_trait]
pub trait Extract: Debug + Send + Sync + 'static {
    /// Does an extract job. Dropping the future must end the work; `task.cancelled` reports the same to work
    /// that was spawned.
    ///
    /// # Errors
    /// Why there is no data, in the contract's codes.
    async fn extract(&self, task: ExtractTask) -> Result<Extracted, PageError>;

    /// Reads fields off one page of which only the Markdown is at hand.
    ///
    /// # Errors
    /// Where it cannot be done. The default cannot: `MODEL_NOT_CONFIGURED`.
    async fn extract_page(
        &self,
        url: &str,
        markdown: &str,
        schema: Option<&Value>,
        prompt: Option<&str>,
    ) -> Result<Extracted, PageError> {
        let _ = (url, markdown, schema, prompt);
        Err(PageError {
            code: ErrorCode::ModelNotConfigured,
            message: "this engine was built without a language model".to_owned(),
        })
    }

    /// Reads off one page of a scrape, a batch or a crawl what may take a language model: the formats `json`
    /// and `summary`, and the fields of change tracking in mode `json`. [`PageRead::notes`] says what is
    /// missing. Dropping the future must end the work.
    ///
    /// The default reads fields by [`extract_page`](Self::extract_page) and leaves summaries as they are.
    async fn read_page(&self, page: PageTask<'_>) -> PageRead {
        by_fields(self, page).await
    }
}

/// An extract job to do.
#[derive(Debug, Clone)]
pub struct ExtractTask {
    /// The job.
    pub id: JobId,
    /// What to extract.
    pub plan: ExtractPlan,
    /// The job was cancelled.
    pub cancelled: CancellationToken,
    /// Whose account it works on; `None` where there are no accounts. A model is to be called only while the
    /// owner [covers](JobOwner::cover) the call, pages are to be fetched on its
    /// [account](JobOwner::page_account), sites are to be mapped with its [permit](JobOwner::lookup), and it
    /// is to be given a [meter](JobOwner::metered_by).
    pub owner: Option<Arc<dyn JobOwner>>,
}

/// Data that was extracted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Extracted {
    /// The data, shaped by the schema or the prompt.
    pub data: Value,
    /// Where each value was found: a field path such as `offers[0]` to the pages.
    pub sources: Option<BTreeMap<String, Vec<String>>>,
    /// What the reader should know about the data.
    pub warning: Option<String>,
    /// Tokens that went into it.
    pub tokens_used: u64,
}

impl Extracted {
    /// What it costs: a credit for every 15 tokens (contract 1).
    #[must_use]
    pub fn credits(&self) -> u64 {
        self.tokens_used.div_ceil(TOKENS_PER_CREDIT)
    }
}

/// A page, and what is wanted of it that may take a language model.
#[derive(Debug)]
pub struct PageTask<'t> {
    /// Its address after redirects.
    pub url: &'t Url,
    /// Its title.
    pub title: Option<&'t str>,
    /// HTTP status of the answer. Error pages seldom hold what a schema asks for.
    pub status: u16,
    /// Its text.
    pub text: PageText,
    /// The format `json`, where the document does not have it yet.
    pub json: Option<&'t JsonFormat>,
    /// Change tracking in mode `json`, whose fields are wanted.
    pub compared: Option<&'t ChangeTracking>,
    /// The summary that was made without a model, where one is asked for.
    pub summary: Option<&'t str>,
    /// When reading must be over. Later results are not waited for.
    pub deadline: Instant,
    /// What the extractor keeps for the job, as long as it runs.
    pub kept: &'t Session,
}

/// What was read off a page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageRead {
    /// The format `json`.
    pub json: Option<Value>,
    /// The fields that change tracking compares.
    pub compared: Option<Value>,
    /// A better summary than the one at hand.
    pub summary: Option<String>,
    /// What the reader of the document should know.
    pub notes: Vec<String>,
    /// Tokens that went into it.
    pub tokens_used: u64,
}

impl PageRead {
    /// Nothing but a note.
    pub(crate) fn noting(note: &str) -> Self {
        Self { notes: vec![note.to_owned()], ..Self::default() }
    }

    fn take(&mut self, what: &str, found: Result<Extracted, PageError>) -> Option<Value> {
        match found {
            Ok(extracted) => {
                self.notes.extend(extracted.warning);
                self.tokens_used += extracted.tokens_used;
                Some(extracted.data)
            }
            Err(error) => {
                self.notes.push(format!("{what} could not be had: {error}"));
                None
            }
        }
    }
}

/// What [`Extract::read_page`] does unless it is implemented: each thing wanted by [`Extract::extract_page`].
async fn by_fields<E: Extract + ?Sized>(extract: &E, page: PageTask<'_>) -> PageRead {
    let mut read = PageRead::default();
    let (url, markdown) = (page.url.as_str(), page.text.markdown.as_str());
    if let Some(asked) = page.json {
        let found = extract.extract_page(url, markdown, asked.schema.as_ref(), asked.prompt.as_deref()).await;
        read.json = read.take("the format `json`", found);
    }
    if let Some(asked) = page.compared {
        let found = extract.extract_page(url, markdown, asked.schema.as_ref(), asked.prompt.as_deref()).await;
        read.compared = read.take("the fields to compare", found);
    }
    read
}
