use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::page::Provenance;
use crate::plan::real;

/// A value with its proof.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Leaf {
    /// Its place in the result: an RFC 6901 pointer such as `/offers/0/price`.
    pub pointer: String,
    /// The value, of the type the schema asks for.
    pub value: Value,
    /// Where the page states it, best proof first; never empty.
    pub provenance: Vec<Provenance>,
    /// How sure the choice is, 0 to 1; a rank, not a probability.
    pub confidence: f64,
}

/// A place of the schema that stays empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Missing {
    /// Its place in the result: an RFC 6901 pointer.
    pub pointer: String,
    /// Why.
    pub reason: Reason,
}

/// Why a place of the schema stays empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Reason {
    /// Nothing on the page says it.
    NotFound,
    /// Something may say it, but not surely enough.
    Unsure,
    /// The model gave a quote that the page does not have.
    QuoteNotOnPage,
    /// The model gave a value that does not follow from its quote.
    NotInQuote,
    /// The model gave a value without a quote.
    NoQuote,
    /// What was found is not of the type the schema asks for.
    WrongType,
    /// The budget ended before it could be asked for.
    OverBudget,
    /// The model failed.
    ModelFailed,
}

/// The structured data of one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Extraction {
    /// The data in the schema's shape. Unknown values are null where the schema allows it and left out where not.
    pub data: Value,
    /// A proof for every value of `data`.
    pub leaves: Vec<Leaf>,
    /// What stayed empty.
    pub missing: Vec<Missing>,
}

impl Extraction {
    /// Share of the places asked for that are filled, 0 to 1; the rows of a list count as one.
    #[must_use]
    pub fn fill_rate(&self) -> f64 {
        let place = |pointer: &str| -> String {
            let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            pointer.split('/').map(|part| if number(part) { "*" } else { part }).collect::<Vec<_>>().join("/")
        };
        let filled: BTreeSet<String> = self.leaves.iter().map(|leaf| place(&leaf.pointer)).collect();
        let all = filled.len() + self.missing.len();
        if all == 0 { 0.0 } else { real(filled.len()) / real(all) }
    }

    /// A sentence for the `warning` of an answer, where something stayed empty.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        if self.missing.is_empty() {
            return None;
        }
        let named: Vec<&str> =
            self.missing.iter().map(|missing| missing.pointer.trim_start_matches('/')).take(10).collect();
        let more = self.missing.len().saturating_sub(named.len());
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        Some(format!("not found on the page: {}{more}", named.join(", ")))
    }
}

/// Adds a step to an RFC 6901 pointer.
pub(crate) fn step(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}
