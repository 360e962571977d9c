use std::collections::BTreeMap;

use gleaner_extract::{Conflict, ExecutionPlan, Leaf, LedgerEntry, Missing, Spent, Stop, TemplateDrift};
use gleaner_runtime::{Extracted, TOKENS_PER_CREDIT};
use gleaner_types::{PageError, SafeUrl};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// Structured data with its proofs.
///
/// Over the wire go `data`, `sources`, `warning` and `tokens_used`; the rest is for programs that embed the
/// engine. An extractor of the embedder's own fills those four alone.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtractResult {
    /// The data, shaped by the schema or the prompt.
    pub data: Value,
    /// Where each value was found, where the request asks for it (`showSources`): a field path such as
    /// `offers[0]` to pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources: Option<BTreeMap<String, Vec<String>>>,
    /// What the reader should know about the data: what stayed empty, what lists lack, which pages could not
    /// be read, what ended the work early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Tokens that went into it.
    pub tokens_used: u64,
    /// A proof for every value of `data`: the page, the words that state it, their place, and how it was
    /// found.
    pub leaves: Vec<Leaf>,
    /// Values that a page states otherwise than the one whose value was taken.
    pub conflicts: Vec<Conflict>,
    /// Places of the schema that no page fills, with the reason; rows of a list are written as `*`.
    pub missing: Vec<Missing>,
    /// How much of the lists was read, for each page on which records were counted.
    pub coverage: Vec<PageCoverage>,
    /// The pages, in the order of their preference: those the request names first.
    pub pages: Vec<PageReport>,
    /// What was spent.
    pub spent: Spent,
    /// The calls of the model, at most [`MAX_LEDGER_ENTRIES`](gleaner_extract::MAX_LEDGER_ENTRIES).
    pub ledger: Vec<LedgerEntry>,
    /// Which part of the budget ended the work early, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stop>,
    /// What was planned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<ExecutionPlan>,
}

/// How much of a list was read off one page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PageCoverage {
    /// The page.
    #[serde(serialize_with = "shown")]
    pub url: SafeUrl,
    /// The list: an RFC 6901 pointer.
    pub pointer: String,
    /// Rows of the page in the result.
    pub found: usize,
    /// Records on the page.
    pub counted: usize,
}

/// What became of one page.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PageReport {
    /// The page, as it was asked for.
    #[serde(serialize_with = "shown")]
    pub url: SafeUrl,
    /// Values that it states.
    pub values: usize,
    /// Those of them that were read by what other pages of its template taught.
    pub by_template: usize,
    /// Calls of the model for it.
    pub calls: usize,
    /// How it differs from what was learned of its template, where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<TemplateDrift>,
    /// Why it was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<PageError>,
}

/// Without its secrets.
fn shown<S: Serializer>(url: &SafeUrl, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(url)
}

impl ExtractResult {
    /// What it costs: a credit for every 15 tokens.
    #[must_use]
    pub const fn credits(&self) -> u64 {
        self.tokens_used.div_ceil(TOKENS_PER_CREDIT)
    }
}

impl From<Extracted> for ExtractResult {
    fn from(extracted: Extracted) -> Self {
        let Extracted { data, sources, warning, tokens_used } = extracted;
        Self { data, sources, warning, tokens_used, ..Self::default() }
    }
}

impl From<ExtractResult> for Extracted {
    fn from(result: ExtractResult) -> Self {
        let ExtractResult { data, sources, warning, tokens_used, .. } = result;
        Self { data, sources, warning, tokens_used }
    }
}
