//! Finds values in JSON that scripts of a page contain.

use hashbrown::HashMap;
use serde_json::{Map, Value};

use super::entity::scalar;
use super::pool::{Candidate, Pool};
use super::target::{NameIndex, TargetField};
use super::words::{TextWords, folded};
use crate::evidence::Evidence;
use crate::normalise::{ValueForm, normalise};
use crate::page::Method;
use crate::typed::NumberStyle;

/// Upper bound on the objects of embedded JSON on one page.
pub const MAX_STATE_OBJECTS: usize = 50_000;
/// Trust in an object that is related to the page, but less than the best one.
const RELATED_SCORE: f64 = 0.37;
/// Upper bound on the values of an object that are read.
const MAX_VALUES: usize = 400;
/// Upper bound on the objects that take part, best first.
const MAX_KEPT: usize = 12;

/// Adds the values of embedded JSON: of the objects with at least two of the requested names, first those
/// that also contain the page's headline or an identifier of its URL.
pub(crate) fn collect(
    evidence: &Evidence<'_>,
    targets: &[TargetField<'_>],
    names: &NameIndex,
    pools: &mut [Pool],
) {
    let mut rated: Vec<(f64, &Map<String, Value>)> = Vec::new();
    let mut waiting: Vec<&Value> = evidence.state.iter().rev().collect();
    let mut seen = 0;
    let mut page = PageWords::new(evidence, names);
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(list) => waiting.extend(list.iter().rev().take(MAX_STATE_OBJECTS)),
            Value::Object(object) => {
                seen += 1;
                if seen > MAX_STATE_OBJECTS
                    || evidence.tree.interrupt().spend(1 + object.len().min(MAX_VALUES))
                {
                    break;
                }
                if let Some(rating) = page.rate(object) {
                    rated.push((rating, object));
                }
                waiting.extend(object.values().rev().filter(|value| value.is_object() || value.is_array()));
            }
            _ => {}
        }
    }
    // The sort is stable: between equals the first on the page counts.
    rated.sort_by(|left, right| right.0.total_cmp(&left.0));
    let best = rated.first().map_or(0.0, |(rating, _)| *rating);
    for (rating, object) in rated.into_iter().take(MAX_KEPT) {
        // An object without a relation to the page may be any of the site's things.
        let is_related = rating >= 10.0;
        let score = if !is_related {
            0.2
        } else if best - rating < 1.0 {
            0.5
        } else {
            RELATED_SCORE
        };
        for (key, value) in object.iter().flat_map(|(key, value)| parts(key, value)) {
            for (at, weight) in names.exactly(&key) {
                if evidence.tree.interrupt().spend(1) {
                    return;
                }
                let (Some(target), Some(pool)) = (targets.get(*at), pools.get_mut(*at)) else { continue };
                let Some(text) = scalar(value) else { continue };
                let style = if value.is_number() { NumberStyle::Data } else { NumberStyle::Prose };
                let style = if text.contains([',', ' ']) {
                    NumberStyle::Prose
                } else if target.form == ValueForm::Price {
                    NumberStyle::Data
                } else {
                    style
                };
                let Some(value) = normalise(&text, target.form, target.shape, style) else { continue };
                if target.form == ValueForm::Price && matches!(value.as_str(), Some("0" | "-1")) {
                    continue;
                }
                pool.add(Candidate {
                    value,
                    quote: text,
                    method: Method::EmbeddedState,
                    score: score * weight,
                    html_range: None,
                });
            }
        }
    }
}

/// A key with its value. A price that is an object, such as `{"value": 5, "currency": "EUR"}`, becomes its
/// parts.
fn parts<'v>(key: &str, value: &'v Value) -> Vec<(String, &'v Value)> {
    let key = folded(key);
    match value.as_object() {
        Some(inner) if ["price", "prices", "pricing"].contains(&key.as_str()) => {
            let amount = ["current", "final price", "sale", "now", "amount", "value"];
            let parts = inner.iter().take(40).map(|(name, value)| (folded(name), value));
            let parts = parts.map(|(name, value)| match amount.contains(&name.as_str()) {
                true => ("price".to_owned(), value),
                false => (name, value),
            });
            parts.collect()
        }
        _ => vec![(key, value)],
    }
}

/// What a key says, whatever its value.
#[derive(Debug, Clone, Copy)]
struct KeyFacts {
    is_requested: bool,
    is_title: bool,
}

/// The words of a page that its own objects share, and the keys of objects, each read once.
#[derive(Debug)]
struct PageWords<'p, 'v> {
    names: &'p NameIndex,
    headline: TextWords,
    title: TextWords,
    /// The URL in folded words.
    address: String,
    keys: HashMap<&'v str, KeyFacts>,
}

impl<'p, 'v> PageWords<'p, 'v> {
    fn new(evidence: &Evidence<'_>, names: &'p NameIndex) -> Self {
        Self {
            names,
            headline: TextWords::new(evidence.headline()),
            title: TextWords::new(&evidence.title),
            address: folded(evidence.url.as_str()),
            keys: HashMap::new(),
        }
    }

    fn key(&mut self, key: &'v str) -> KeyFacts {
        *self.keys.entry(key).or_insert_with(|| {
            let key = folded(key);
            let is_title = key.ends_with("name") || key.ends_with("title");
            KeyFacts { is_requested: !self.names.exactly(&key).is_empty(), is_title }
        })
    }

    /// The relevance of an object to the page; `None` if it has fewer than two requested names.
    fn rate(&mut self, object: &'v Map<String, Value>) -> Option<f64> {
        let values = || object.iter().take(MAX_VALUES);
        let requested = values().filter(|(key, value)| self.key(key).is_requested && scalar(value).is_some());
        let requested = u32::try_from(requested.count()).unwrap_or(u32::MAX);
        if requested < 2 {
            return None;
        }
        let mut relation: f64 = 0.0;
        for (key, value) in values() {
            let Some(text) = scalar(value) else { continue };
            if self.key(key).is_title && text.len() > 3 {
                let words = TextWords::new(&text);
                let like = f64::max(words.overlap_of(&self.headline), words.overlap_of(&self.title));
                if like > 0.8 {
                    relation = f64::max(relation, 10.0);
                }
            } else if (5..=40).contains(&text.len())
                && text.bytes().any(|byte| byte.is_ascii_digit())
                && self.address.split(' ').any(|part| part.eq_ignore_ascii_case(&text))
            {
                relation = f64::max(relation, 11.0);
            }
        }
        Some(f64::from(requested) + relation)
    }
}
