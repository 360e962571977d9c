//! The result of an extract job: data, proofs, conflicts, missing fields, and costs.

use std::collections::BTreeMap;

use gleaner_extract::{Conflict, ExecutionPlan, Leaf, LedgerEntry, Missing, Spent, Stop, TemplateDrift};
use gleaner_runtime::{Extracted, TOKENS_PER_CREDIT};
use gleaner_types::{PageError, SafeUrl};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// Structured data with its proofs.
///
/// Responses over HTTP have `data`, `sources`, `warning` and `tokens_used`; the rest is for programs that
/// embed the engine. An extractor of the embedder sets only those four.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExtractResult {
    /// The data, shaped by the schema or the prompt.
    pub data: Value,
    /// The pages of each value, by field path such as `offers[0]`, if the request has `showSources`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources: Option<BTreeMap<String, Vec<String>>>,
    /// Notes about the data: empty fields, incomplete lists, pages that could not be read, and what ended the
    /// work early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Tokens that the model used.
    pub tokens_used: u64,
    /// A proof for every value of `data`: the page, the words that state it, their position, and the method.
    pub leaves: Vec<Leaf>,
    /// Values of other pages that differ from the value in `data`.
    pub conflicts: Vec<Conflict>,
    /// Fields of the schema that no page fills, with the reason. The rows of a list are written as `*`.
    pub missing: Vec<Missing>,
    /// How much of the lists was read, for each page whose records were counted.
    pub coverage: Vec<PageCoverage>,
    /// The pages in the order of reading: those that the request names come first.
    pub pages: Vec<PageReport>,
    /// The used part of the budget.
    pub spent: Spent,
    /// The calls of the model, at most [`MAX_LEDGER_ENTRIES`](gleaner_extract::MAX_LEDGER_ENTRIES).
    pub ledger: Vec<LedgerEntry>,
    /// Which part of the budget ended the work early, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stop>,
    /// The plan of the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<ExecutionPlan>,
}

/// How much of a list on one page was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PageCoverage {
    /// The page.
    #[serde(serialize_with = "redacted")]
    pub url: SafeUrl,
    /// The list: an RFC 6901 pointer.
    pub pointer: String,
    /// Rows of this page in the result.
    pub found: usize,
    /// Records on the page.
    pub counted: usize,
}

/// The outcome of one page.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PageReport {
    /// The page, as requested.
    #[serde(serialize_with = "redacted")]
    pub url: SafeUrl,
    /// Values on the page.
    pub values: usize,
    /// Those of them that were found by the template that other pages taught.
    pub by_template: usize,
    /// Calls of the model for this page.
    pub calls: usize,
    /// How the page differs from its template, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<TemplateDrift>,
    /// Why the page was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<PageError>,
}

/// The URL without its secrets.
fn redacted<S: Serializer>(url: &SafeUrl, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(url)
}

impl ExtractResult {
    /// The cost: one credit for every 15 tokens.
    #[must_use]
    pub const fn credits(&self) -> u64 {
        self.tokens_used.div_ceil(TOKENS_PER_CREDIT)
    }
}

impl From<Extracted> for ExtractResult {
    fn from(extracted: Extracted) -> Self {
        let Extracted { data, sources, warning, tokens_used, .. } = extracted;
        Self { data, sources, warning, tokens_used, ..Self::default() }
    }
}

impl From<ExtractResult> for Extracted {
    fn from(result: ExtractResult) -> Self {
        let ExtractResult { data, sources, warning, tokens_used, .. } = result;
        let mut extracted = Self::new(data);
        (extracted.sources, extracted.warning, extracted.tokens_used) = (sources, warning, tokens_used);
        extracted
    }
}
