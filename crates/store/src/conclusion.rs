use std::collections::BTreeMap;

use serde_json::Value;

/// What came of a job that gives one result in place of documents: an extract.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conclusion {
    /// The data, shaped by the schema or the prompt.
    pub data: Value,
    /// Where each value was found: a field path such as `offers[0]` to the pages.
    pub sources: Option<BTreeMap<String, Vec<String>>>,
    /// What the reader should know about the data.
    pub warning: Option<String>,
    /// Tokens that went into it.
    pub tokens_used: u64,
    /// What it cost.
    pub credits: u64,
}
