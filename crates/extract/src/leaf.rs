//! Extracted values with their proofs and confidence, and the reasons for missing values.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::page::{Method, Provenance};
use crate::plan::to_f64;

/// Upper bound on the empty fields that the warning lists per reason.
const MAX_NAMES: usize = 10;

/// A value with its proof.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Leaf {
    /// Its position in the result: an RFC 6901 pointer such as `/offers/0/price`.
    pub pointer: String,
    /// The value, of the type that the schema requests.
    pub value: Value,
    /// Where the page states the value, best proof first; never empty.
    ///
    /// If a page contradicts itself, because its data for machines states one value and its visible text
    /// another, the value that was not chosen is kept as the last proof, unless it is too unsure to count.
    /// The quote of that proof does not state `value`. After a merge of pages, this holds for each page.
    pub provenance: Vec<Provenance>,
    /// Confidence in the choice, 0 to 1.
    ///
    /// Where the learned score chose a single value, it estimates the probability that the value is right.
    /// Elsewhere, as for the values of lists and those that rules or a language model chose, it is a rank: of
    /// two values the higher one is surer, but it does not say how often such a value is right.
    pub confidence: f64,
}

impl Leaf {
    /// Whether the value was inferred rather than stated. Its quote is then the text that it was inferred
    /// from.
    #[must_use]
    pub fn is_inferred(&self) -> bool {
        self.provenance.first().is_some_and(|proof| proof.method == Method::Inferred)
    }

    /// A value with its proofs and the confidence in it.
    #[must_use]
    pub fn new(
        pointer: impl Into<String>,
        value: Value,
        provenance: Vec<Provenance>,
        confidence: f64,
    ) -> Self {
        Self { pointer: pointer.into(), value, provenance, confidence }
    }
}

/// A field of the schema that stays empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Missing {
    /// Its position in the result: an RFC 6901 pointer.
    pub pointer: String,
    /// Why it is empty.
    pub reason: MissingReason,
}

impl Missing {
    /// The field at this position, which is empty for this reason.
    #[must_use]
    pub fn new(pointer: impl Into<String>, reason: MissingReason) -> Self {
        Self { pointer: pointer.into(), reason }
    }
}

/// Why a field of the schema stays empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum MissingReason {
    /// The page does not state it.
    NotFound,
    /// The page may state it, but not clearly enough.
    Unsure,
    /// The model's quote is not on the page.
    QuoteNotOnPage,
    /// The model's value does not follow from its quote.
    NotInQuote,
    /// The model's value has no quote.
    NoQuote,
    /// The value found is not of the type that the schema requests.
    WrongType,
    /// The budget ran out before the field could be asked for.
    OverBudget,
    /// The model failed.
    ModelFailed,
}

impl MissingReason {
    /// The reason in words, to be followed by a colon and the names of fields.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::NotFound => "not found on the page",
            Self::Unsure => "not stated surely enough",
            Self::QuoteNotOnPage => "not on the page, though the model quoted it",
            Self::NotInQuote => "not said by what the model quoted",
            Self::NoQuote => "given by the model without a quote",
            Self::WrongType => "found, but not of the type that the schema asks for",
            Self::OverBudget => "not asked for, as the budget had ended",
            Self::ModelFailed => "not asked for, as the model failed",
        }
    }
}

/// The structured data of one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Extraction {
    /// The data in the schema's shape. An unknown value is null if the schema allows null, else left out.
    pub data: Value,
    /// A proof for every value of `data`.
    pub leaves: Vec<Leaf>,
    /// The fields that stayed empty.
    pub missing: Vec<Missing>,
}

impl Extraction {
    /// Share of the requested fields that are filled, 0 to 1. The rows of a list count as one row.
    #[must_use]
    pub fn fill_rate(&self) -> f64 {
        let field = |pointer: &str| -> String {
            let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            pointer.split('/').map(|part| if number(part) { "*" } else { part }).collect::<Vec<_>>().join("/")
        };
        let filled: BTreeSet<String> = self.leaves.iter().map(|leaf| field(&leaf.pointer)).collect();
        let all = filled.len() + self.missing.len();
        if all == 0 { 0.0 } else { to_f64(filled.len()) / to_f64(all) }
    }

    /// A sentence for the `warning` of a response: the empty fields, and the values that are inferred rather
    /// than stated.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let inferred = self.leaves.iter().filter(|leaf| leaf.is_inferred());
        let inferred = inferred.map(|leaf| leaf.pointer.trim_start_matches('/'));
        let mut parts = self.empty_fields();
        parts.extend(inferred_fields(inferred));
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// A sentence for each reason, with the names of the fields that are empty for it.
    fn empty_fields(&self) -> Vec<String> {
        let mut by_reason: Vec<(MissingReason, Vec<&str>)> = Vec::new();
        for missing in &self.missing {
            let name = match missing.pointer.trim_start_matches('/') {
                "" => "rows",
                name => name,
            };
            match by_reason.iter_mut().find(|(reason, _)| *reason == missing.reason) {
                Some((_, names)) => names.push(name),
                None => by_reason.push((missing.reason, vec![name])),
            }
        }
        let sentences = by_reason.into_iter().map(|(reason, mut names)| {
            let more = names.len().saturating_sub(MAX_NAMES);
            names.truncate(MAX_NAMES);
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            format!("{}: {}{more}", reason.text(), names.join(", "))
        });
        sentences.collect()
    }
}

/// A sentence that lists the inferred fields by their names; `None` if there are none.
///
/// Only one rule infers: a thing with a price counts as available if the page says nothing else about its
/// stock.
#[must_use]
pub fn inferred_fields<'n>(names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let mut named: Vec<&str> = names.into_iter().take(1_000).collect();
    named.sort_unstable();
    named.dedup();
    let more = named.len().saturating_sub(5);
    named.truncate(5);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    (!named.is_empty()).then(|| format!("inferred from the price, not stated: {}{more}", named.join(", ")))
}

/// The RFC 6901 pointer to a child of the value at `pointer`.
pub(crate) fn child_pointer(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_empty_field_is_listed_with_its_reason() {
        let missing = |pointer: &str, reason| Missing { pointer: pointer.to_owned(), reason };
        let empty = Extraction {
            data: Value::Null,
            leaves: Vec::new(),
            missing: vec![
                missing("/price", MissingReason::NotFound),
                missing("/architect", MissingReason::QuoteNotOnPage),
                missing("/offers/*/sku", MissingReason::NotFound),
            ],
        };
        assert_eq!(
            empty.warning().as_deref(),
            Some(
                "not found on the page: price, offers/*/sku; not on the page, though the model quoted it: \
                    architect"
            )
        );
    }
}
