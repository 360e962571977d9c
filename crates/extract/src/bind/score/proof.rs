//! Turns a chosen option into a value with its quotes and positions.

use super::options::{ValueOption, is_structured};
use super::page_facts::PageFacts;
use crate::bind::pool::{Candidate, Choice};
use crate::evidence::Evidence;
use crate::page::Method;
use crate::segment::{LabelKind, Origin, Segment};

/// Upper bound on the proofs of a value itself; one more may state another value.
const MAX_OWN_PROOFS: usize = 3;
/// Longest element in which the place of a segment is searched, in bytes of HTML; in a longer one the
/// segment has the place of the element.
const MAX_ELEMENT_BYTES: usize = 20_000;

/// The choice of an option, with its proofs: what the rules found, then the segments that state it. An
/// option that states another value for the field is the last proof.
pub(crate) fn choice(
    page: &PageFacts<'_, '_>,
    option: &ValueOption,
    probability: f32,
    opposed: Option<&ValueOption>,
) -> Choice {
    let score = f64::from(probability);
    let mut proofs = proofs_of(page, option, score);
    // A value that is stated is not inferred.
    proofs.sort_by_key(|proof| proof.method == Method::Inferred);
    proofs.truncate(MAX_OWN_PROOFS);
    if let Some(other) = opposed {
        let all = proofs_of(page, other, score);
        let machine = all.iter().position(|proof| is_structured(proof.method));
        proofs.extend(all.into_iter().nth(machine.unwrap_or(0)));
    }
    Choice { value: option.value.clone(), score, proofs }
}

fn proofs_of(page: &PageFacts<'_, '_>, option: &ValueOption, score: f64) -> Vec<Candidate> {
    let mut proofs: Vec<Candidate> =
        option.choice.iter().flat_map(|choice| choice.proofs.iter().cloned()).collect();
    for segment in option.segments.iter().filter_map(|at| page.segments.get(*at)) {
        let html_range = html_range(page.evidence, segment);
        let method = method_of(page.evidence, segment);
        let is_known = |proof: &Candidate| {
            proof.method == method && (proof.html_range.is_none() || proof.html_range == html_range)
        };
        if !proofs.iter().any(is_known) {
            let value = option.value.clone();
            proofs.push(Candidate { value, quote: segment.text.clone(), method, score, html_range });
        }
    }
    proofs
}

/// How a segment states its value.
fn method_of(evidence: &Evidence<'_>, segment: &Segment) -> Method {
    match segment.label.as_ref().map(|label| &label.kind) {
        Some(LabelKind::Term) if evidence.tree.is(segment.node, &["td", "th", "tr"]) => Method::Table,
        Some(LabelKind::Term) => Method::DefinitionList,
        Some(LabelKind::Attribute) => Method::Markup,
        Some(_) => Method::Label,
        None if matches!(segment.origin, Origin::Attribute | Origin::Element) => Method::Markup,
        None => Method::Text,
    }
}

/// The place of a segment in the HTML: of its very text if its element has that in one piece.
fn html_range(evidence: &Evidence<'_>, segment: &Segment) -> Option<std::ops::Range<usize>> {
    segment.range.as_ref()?;
    let element = evidence.html_range_of(segment.node)?;
    if element.len() > MAX_ELEMENT_BYTES {
        return Some(element);
    }
    let html = evidence.html.as_bytes().get(element.clone())?;
    let at = memchr::memmem::find(html, segment.text.as_bytes()).map(|at| element.start + at);
    Some(at.map_or(element, |at| at..at + segment.text.len()))
}
