//! Candidates for a property, and the choice among those that agree on a value.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;

use crate::page::Method;

/// A candidate for the value of a property.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) value: Value,
    /// The page's own words.
    pub(crate) quote: String,
    pub(crate) method: Method,
    /// How likely the value is on its own, 0 to 1.
    pub(crate) score: f64,
    /// Its range in the HTML, if known.
    pub(crate) html_range: Option<Range<usize>>,
}

/// Upper bound on the candidates for one property.
const MAX_CANDIDATES: usize = 500;

/// Upper bound on the repetitions of a value that count.
const MAX_REPETITIONS: u32 = 4;

/// Candidates for one property.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    candidates: Vec<Candidate>,
}

/// A value with the candidates that agree on it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Choice {
    pub(crate) value: Value,
    pub(crate) score: f64,
    /// Best first, one of each method.
    pub(crate) proofs: Vec<Candidate>,
}

impl Pool {
    pub(crate) fn add(&mut self, candidate: Candidate) {
        if self.candidates.len() < MAX_CANDIDATES && candidate.score > 0.0 {
            self.candidates.push(candidate);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.candidates.is_empty()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Candidate> {
        self.candidates.iter_mut()
    }

    /// The candidate with the highest score of its own; between equals the first.
    pub(crate) fn best(&self) -> Option<&Candidate> {
        self.candidates.iter().rev().max_by(|left, right| left.score.total_cmp(&right.score))
    }

    /// The groups of candidates that agree, best first.
    ///
    /// Independent methods that lead to the same value add up like independent evidence, with one candidate
    /// per method: the group is wrong only if all of them are. Between equals the first on the page wins.
    pub(crate) fn choices(self) -> Vec<Choice> {
        let mut order: Vec<String> = Vec::new();
        let mut groups: BTreeMap<String, Vec<(Candidate, u32)>> = BTreeMap::new();
        for candidate in self.candidates {
            let key = agreement_key(&candidate.value);
            let group = groups.entry(key.clone()).or_default();
            if group.is_empty() {
                order.push(key);
            }
            match group.iter_mut().find(|known| known.0.method == candidate.method) {
                Some((known, repetitions)) => {
                    *repetitions += 1;
                    if known.score < candidate.score {
                        *known = candidate;
                    }
                }
                None => group.push((candidate, 0)),
            }
        }
        let mut choices: Vec<Choice> = order
            .into_iter()
            .filter_map(|key| groups.remove(&key))
            .filter_map(|group| {
                // A value that the page repeats is slightly more likely.
                let with_repetitions = |(proof, repetitions): (Candidate, u32)| Candidate {
                    score: proof.score + 0.02 * f64::from(repetitions.min(MAX_REPETITIONS)),
                    ..proof
                };
                let mut proofs: Vec<Candidate> = group.into_iter().map(with_repetitions).collect();
                proofs.sort_by(|left, right| right.score.total_cmp(&left.score));
                let doubt: f64 = proofs.iter().map(|proof| 1.0 - proof.score.clamp(0.0, 0.99)).product();
                let value = proofs.first()?.value.clone();
                Some(Choice { value, score: 1.0 - doubt, proofs })
            })
            .collect();
        choices.sort_by(|left, right| right.score.total_cmp(&left.score));
        choices
    }
}

/// A key that is equal for values that differ only in notation: `24.50` and `24.5`, `ACME` and `Acme`.
pub(crate) fn agreement_key(value: &Value) -> String {
    match value {
        Value::String(text) => {
            if let Some((whole, fraction)) = text.split_once('.')
                && !whole.is_empty()
                && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
                && !fraction.contains('.')
            {
                let fraction = fraction.trim_end_matches('0');
                return if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") };
            }
            text.to_lowercase()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(value: &str, method: Method, score: f64) -> Candidate {
        Candidate { value: Value::from(value), quote: value.to_owned(), method, score, html_range: None }
    }

    #[test]
    fn methods_add_up_and_repetitions_do_not() {
        let mut pool = Pool::default();
        for _ in 0..9 {
            pool.add(candidate("9", Method::Markup, 0.5));
        }
        pool.add(candidate("5.00", Method::Meta, 0.4));
        pool.add(candidate("5", Method::Label, 0.4));
        let choices = pool.choices();
        assert_eq!(choices[0].value, "5.00");
        assert!((choices[0].score - 0.64).abs() < 1e-9 && (choices[1].score - 0.58).abs() < 1e-9);
    }
}
