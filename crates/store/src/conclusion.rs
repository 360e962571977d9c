//! The result of an extract job.

use std::collections::BTreeMap;

use serde_json::Value;

/// The result of a job with one result instead of documents, such as an extract job.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conclusion {
    /// The data, in the form that the schema or the prompt asks for.
    pub data: Value,
    /// The pages of each value, by field path such as `offers[0]`.
    pub sources: Option<BTreeMap<String, Vec<String>>>,
    /// A warning about the data for the reader.
    pub warning: Option<String>,
    /// Tokens used.
    pub tokens_used: u64,
    /// The price, in credits.
    pub credits: u64,
}
