//! The port through which structured data comes.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use gleaner_types::plan::ExtractPlan;
use gleaner_types::{ErrorCode, JobId, PageError};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::credit_reservation::CreditReservation;
use crate::reading::{PageRead, PageTask, by_fields};

/// Tokens that one credit pays (contract 1).
pub const TOKENS_PER_CREDIT: u64 = 15;

/// Extracts structured data. The facade fits the planner of `gleaner-extract` and a model to it.
#[async_trait]
pub trait Extract: Debug + Send + Sync + 'static {
    /// Does an extract job. Dropping the future must end the work; `task.cancelled` tells the same to work that was
    /// spawned.
    ///
    /// # Errors
    /// Why there is no data, in the contract's codes.
    async fn extract(&self, task: ExtractTask) -> Result<Extracted, PageError>;

    /// Reads fields off one page of which nothing but its Markdown is at hand.
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

    /// Reads off one page of a scrape, a batch or a crawl what may take a language model: the formats `json` and
    /// `summary`, and the fields of change tracking in mode `json`. What cannot be had is told in
    /// [`PageRead::notes`]. Dropping the future must end the work.
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
    /// Whose account it works on; `None` where nobody asks. A model is to be called only while it
    /// [covers](CreditReservation::cover) the call, pages are to be fetched [on it](crate::Runtime::scrape_for) and sites to be
    /// [mapped](crate::Runtime::map_for), and it is to be [told](CreditReservation::metered_by) what was used.
    pub reservation: Option<Arc<CreditReservation>>,
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
