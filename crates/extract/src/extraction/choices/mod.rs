//! Candidates for the fields that the page's own evidence leaves open, for a model to choose from.
//!
//! A small model cannot quote a page reliably, but it can tell which of a few words answers a question. So
//! it is offered values that are proved already: what the rules and the segments of the page propose for the
//! field ([`bound`]), and the phrases, numbers and dates of its sentences ([`stated`]). They are ranked by
//! how they fit the field and by the words of the question around them ([`cues`]), and only the best are
//! offered. The model answers with the words of a candidate, not with a number or a letter for it: a model
//! with few parameters knows what words mean, but not which of them was called "B".

mod bound;
mod candidate;
mod cues;
mod function_words;
mod offer;
mod phrases;
mod sentence;
mod stated;

use hashbrown::HashSet;

pub(super) use self::candidate::Candidate;
pub(super) use self::function_words::is_function_word;
pub(super) use self::offer::{Offer, OfferedField};

use self::cues::Cues;
use self::sentence::sentences;
use crate::bind::{PageSegments, TargetField, is_long_text, offered_values};
use crate::evidence::Evidence;
use crate::ground::{ClaimVerifier, LinkTable};
use crate::leaf::Missing;
use crate::normalise::ValueForm;
use crate::page::Page;
use crate::schema::{Shape, ShapeKind};

/// Upper bound on the calls in which the fields of one page are offered.
pub(super) const MAX_CHOICE_CALLS: usize = 12;
/// Upper bound on the fields of one call. With few fields, each has a call of its own.
const MAX_FIELDS_PER_CALL: usize = 4;
/// Upper bound on the fields of a page that are offered. Further ones are read from the page.
const MAX_FIELDS: usize = MAX_CHOICE_CALLS * MAX_FIELDS_PER_CALL;

/// The missing single fields that have candidates.
pub(super) fn offered_fields(
    page: &Page,
    evidence: &Evidence<'_>,
    shape: &Shape,
    missing: &[Missing],
) -> Vec<OfferedField> {
    let open: HashSet<&str> = missing.iter().map(|missing| missing.pointer.as_str()).collect();
    if !crate::bind::leaf_targets(shape).iter().any(|target| open.contains(target.pointer.as_str())) {
        return Vec::new();
    }
    let sentences = sentences(&page.markdown);
    // Links are no candidates, so none has an id.
    let links = LinkTable::default();
    let mut verifier = ClaimVerifier::new(&page.markdown, &links);
    let mut out = Vec::new();
    for (target, values) in offered_values(&PageSegments::new(evidence), shape) {
        if out.len() >= MAX_FIELDS {
            break;
        }
        if !open.contains(target.pointer.as_str()) || !is_choosable(&target) {
            continue;
        }
        let cues = Cues::of(&target);
        let mut candidates = bound::candidates(evidence, &target, &cues, values);
        candidates.extend(stated::candidates(page, &sentences, &mut verifier, &target, &cues));
        let candidates = candidate::best(candidates);
        if !candidates.is_empty() {
            out.push(OfferedField { question: question(&target), pointer: target.pointer, candidates });
        }
    }
    out
}

/// The fields in groups of one call each.
pub(super) fn offers(fields: Vec<OfferedField>, chunk: usize) -> Vec<Offer> {
    let per_call = fields.len().div_ceil(MAX_CHOICE_CALLS).clamp(1, MAX_FIELDS_PER_CALL);
    let mut out: Vec<Offer> = Vec::new();
    for field in fields {
        match out.last_mut() {
            Some(last) if last.len() < per_call && last.bytes() + field.bytes() <= chunk => last.push(field),
            _ => out.push(Offer::new(field)),
        }
    }
    out.truncate(MAX_CHOICE_CALLS);
    out
}

/// Whether a few words of the page can be the value of a field. Yes and no are stated by what is around them,
/// addresses are behind links, and a description is longer.
fn is_choosable(target: &TargetField<'_>) -> bool {
    target.shape.kind != ShapeKind::Boolean && target.form != ValueForm::Url && !is_long_text(target)
}

/// What a field asks for: its description, else its name.
fn question(target: &TargetField<'_>) -> String {
    let description = target.shape.description.trim();
    if !description.is_empty() {
        return description.to_owned();
    }
    let names = target.scope.iter().map(|name| crate::bind::folded(name));
    names.chain([target.folded.clone()]).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
