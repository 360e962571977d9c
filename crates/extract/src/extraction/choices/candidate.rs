//! A value that a model may choose, and the selection of the best ones.

use hashbrown::HashSet;

use serde_json::Value;

use super::offer::NONE;
use crate::normalise::fold_spaces;
use crate::page::{Provenance, truncate};

/// Upper bound on the candidates of a field that are offered.
pub(super) const MAX_CANDIDATES: usize = 8;
/// Candidates that rank this much below the best one are not offered: they would only distract.
const MAX_RANK_GAP: f64 = 0.8;
/// Share of a candidate's words that are not words of the question, below which it repeats the question.
pub(super) const MIN_NOVELTY: f32 = 0.3;
/// Longest words of a candidate, in bytes. A longer text is no short answer.
pub(super) const MAX_WORDS_BYTES: usize = 80;
/// Longest text around a candidate that is shown, in bytes.
pub(super) const MAX_CONTEXT_BYTES: usize = 200;

/// A value that is offered for a field, with its proof.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) value: Value,
    /// What the model sees and answers: words of the page on one line.
    pub(super) words: String,
    /// The sentence or the labelled line that states it, on one line.
    pub(super) context: String,
    /// Never empty.
    pub(crate) proofs: Vec<Provenance>,
    /// Higher for likelier candidates.
    pub(super) rank: f64,
}

/// Cleans a text of the page for display: one line, no marks of Markdown, at most this many bytes.
pub(super) fn displayed(text: &str, bytes: usize) -> String {
    let visible: String = truncate(text, bytes.saturating_mul(4))
        .chars()
        .map(|found| if matches!(found, '*' | '`' | '|' | '#' | '[' | ']' | '\\') { ' ' } else { found })
        .collect();
    truncate(&fold_spaces(&visible), bytes).trim_end().to_owned()
}

/// The best candidates, best first. Of those with one value or the same words, only the best stays.
pub(super) fn best(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    // The sort is stable: between equals the first on the page wins.
    candidates.sort_by(|left, right| right.rank.total_cmp(&left.rank));
    let least = candidates.first().map_or(0.0, |best| best.rank - MAX_RANK_GAP);
    let mut values: HashSet<String> = HashSet::new();
    let mut words: HashSet<String> = HashSet::new();
    candidates.retain(|candidate| {
        let is_answer = !candidate.words.is_empty() && !candidate.words.eq_ignore_ascii_case(NONE);
        is_answer
            && candidate.rank >= least
            && values.insert(candidate.value.to_string().to_lowercase())
            && words.insert(candidate.words.to_lowercase())
    });
    candidates.truncate(MAX_CANDIDATES);
    candidates
}
