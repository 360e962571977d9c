//! Candidates from the HTML of a page: the values that the rules and the segments propose for a field.

use std::ops::Range;

use super::candidate::{Candidate, MAX_CONTEXT_BYTES, MAX_WORDS_BYTES, MIN_NOVELTY, displayed};
use super::cues::Cues;
use crate::bind::{OfferedValue, TargetField, folded, provenance, words};
use crate::evidence::Evidence;
use crate::normalise::ValueForm;
use crate::page::{Method, Provenance, tail, truncate};

/// Upper bound on the proofs of a candidate.
const MAX_PROOFS: usize = 2;
/// Words of a text that ends like a sentence above which it is one.
const MAX_SENTENCE_WORDS: usize = 4;
/// Bytes of a line on each side of a candidate that are read.
const MAX_NEAR_BYTES: usize = 150;
/// How well a text fits at first sight if an element or a label names the field.
const NAMED_PRIOR: f32 = 1.5;

/// The candidates for a field among the values that the binder offers.
pub(super) fn candidates(
    evidence: &Evidence<'_>,
    target: &TargetField<'_>,
    cues: &Cues,
    values: Vec<OfferedValue>,
) -> Vec<Candidate> {
    values.into_iter().filter_map(|offered| candidate(evidence, target, cues, offered)).collect()
}

fn candidate(
    evidence: &Evidence<'_>,
    target: &TargetField<'_>,
    cues: &Cues,
    offered: OfferedValue,
) -> Option<Candidate> {
    let stated = offered.choice.proofs.iter().filter(|proof| {
        let is_short = proof.quote.len() <= MAX_WORDS_BYTES && !is_sentence(&proof.quote);
        is_short && proof.method != Method::Inferred
    });
    let proofs: Vec<Provenance> = stated
        .take(MAX_PROOFS)
        .map(|proof| {
            let found = provenance(evidence, &proof.quote, proof.method, proof.html_range.clone());
            // The words are the page's own, but it is the model that says what they mean.
            Provenance { method: Method::Model, ..found }
        })
        .collect();
    let shown = displayed(&proofs.first()?.quote, MAX_WORDS_BYTES);
    let line = offered.range.map(|range| line_around(evidence.tree.text(), range));
    let line = line.map_or_else(|| shown.clone(), |line| displayed(line, MAX_CONTEXT_BYTES));
    let label = offered.label.as_str();
    let label_match = cues.found_in(label.split(' '));
    let line_words = if line.len() > shown.len() { words(&line) } else { Vec::new() };
    let line_match = cues.found_in(line_words.iter().map(String::as_str));
    // Of short texts without a label a page has any number, and no reason for one of them.
    let is_plausible = target.form != ValueForm::Text
        || !label.is_empty()
        || label_match + line_match > 0.0
        || offered.choice.score > 0.0
        || offered.prior >= NAMED_PRIOR;
    if !is_plausible {
        return None;
    }
    let own = words(&shown);
    let own_match: f32 = own.iter().map(|word| cues.match_of(word)).sum();
    let count = f32::from(u16::try_from(own.len()).unwrap_or(u16::MAX)).max(1.0);
    let novelty = 1.0 - own_match / count;
    if novelty < MIN_NOVELTY {
        return None;
    }
    let by_words = label_match + 0.5 * line_match + 0.5 * novelty;
    let rank = f64::from(by_words + 0.3 * offered.prior.clamp(-1.0, 4.0)) + offered.choice.score;
    let context =
        if label.is_empty() || folded(&line).starts_with(label) { line } else { format!("{label}: {line}") };
    Some(Candidate { value: offered.choice.value, words: shown, context, proofs, rank })
}

/// Whether a text is running text rather than a value.
fn is_sentence(text: &str) -> bool {
    let ends = text.trim_end().ends_with(['.', '!', '?', '。']) || text.contains(". ");
    ends && text.split_whitespace().count() > MAX_SENTENCE_WORDS
}

/// The part of the line of a text that is near a range.
fn line_around(text: &str, range: Range<usize>) -> &str {
    let before = tail(text.get(..range.start).unwrap_or_default(), MAX_NEAR_BYTES);
    let before = before.rsplit('\n').next().unwrap_or_default();
    let after = truncate(text.get(range.end..).unwrap_or_default(), MAX_NEAR_BYTES);
    let after = after.split('\n').next().unwrap_or_default();
    text.get(range.start - before.len()..range.end + after.len()).unwrap_or_default()
}
