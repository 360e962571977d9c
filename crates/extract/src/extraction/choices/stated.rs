//! Candidates in the Markdown of a page: phrases, numbers and dates of its sentences.

use std::ops::Range;

use serde_json::Value;

use super::candidate::{Candidate, MAX_CONTEXT_BYTES, MAX_WORDS_BYTES, MIN_NOVELTY, displayed};
use super::cues::Cues;
use super::phrases::phrases;
use super::sentence::{Sentence, Word};
use crate::bind::TargetField;
use crate::ground::{ClaimOutcome, ClaimVerifier};
use crate::normalise::{ValueForm, normalise};
use crate::page::{Method, Page, PagePart, Provenance, Span};
use crate::schema::ShapeKind;
use crate::typed::{NumberStyle, amounts, dates, is_currency_sign};

/// Upper bound on the candidates of a field that are verified.
const MAX_VERIFIED: usize = 32;

/// What a candidate of a field is in running text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpanKind {
    Phrase,
    Number,
    Date,
}

impl SpanKind {
    /// `None` for fields whose values are no part of a sentence, such as addresses, or are stated by
    /// sentences as a whole, such as yes and no.
    fn of(target: &TargetField<'_>) -> Option<Self> {
        if !target.shape.choices.is_empty() {
            return None;
        }
        let is_date = matches!(target.form, ValueForm::Date | ValueForm::Moment)
            || matches!(target.shape.format.as_deref(), Some("date" | "date-time"));
        match (&target.shape.kind, target.form) {
            (ShapeKind::Number | ShapeKind::Integer, _) => Some(Self::Number),
            (ShapeKind::Text | ShapeKind::Any, _) if is_date => Some(Self::Date),
            (ShapeKind::Text | ShapeKind::Any, ValueForm::Price | ValueForm::Number | ValueForm::Count) => {
                Some(Self::Number)
            }
            (
                ShapeKind::Text | ShapeKind::Any,
                ValueForm::Text
                | ValueForm::Names
                | ValueForm::Place
                | ValueForm::Term
                | ValueForm::Duration
                | ValueForm::Code,
            ) => Some(Self::Phrase),
            _ => None,
        }
    }
}

/// A part of the Markdown that may state a value.
#[derive(Debug)]
struct StatedSpan<'s> {
    range: Range<usize>,
    /// What is claimed for the field: the words, or the number that they write.
    claim: String,
    /// What is shown: a number with its unit.
    shown: Range<usize>,
    sentence: &'s Sentence,
    rank: f32,
}

/// The candidates of the sentences for a field. Each value is what the verifier derives from the page's
/// words, as for any claim of a model.
pub(super) fn candidates(
    page: &Page,
    sentences: &[Sentence],
    verifier: &mut ClaimVerifier<'_>,
    target: &TargetField<'_>,
    cues: &Cues,
) -> Vec<Candidate> {
    let Some(kind) = SpanKind::of(target) else { return Vec::new() };
    let mut spans: Vec<StatedSpan<'_>> = Vec::new();
    for sentence in sentences {
        if page.interrupt.spend(1 + sentence.words.len()) {
            break;
        }
        let stated = cues.found_in(sentence.words.iter().map(|word| word.lower.as_str()));
        let matches: Vec<f32> = sentence.words.iter().map(|word| cues.match_of(&word.lower)).collect();
        // A sentence without a word of the question has any number of phrases. Only names may answer it.
        let only_names = stated <= 0.0;
        for span in spans_of(&page.markdown, sentence, kind, only_names) {
            if let Some(rank) = rank_within(sentence, &matches, &span.range) {
                spans.push(StatedSpan { rank: 0.5 * stated + rank, ..span });
            }
        }
    }
    spans.sort_by(|left, right| right.rank.total_cmp(&left.rank));
    spans.into_iter().take(MAX_VERIFIED).filter_map(|span| verified(page, verifier, target, &span)).collect()
}

/// The candidate that a span is, if the verifier accepts it.
fn verified(
    page: &Page,
    verifier: &mut ClaimVerifier<'_>,
    target: &TargetField<'_>,
    span: &StatedSpan<'_>,
) -> Option<Candidate> {
    let markdown = page.markdown.as_str();
    let quote = markdown.get(span.range.clone())?;
    // A name must look like one, and a place like a place.
    if matches!(target.form, ValueForm::Names | ValueForm::Place | ValueForm::Duration | ValueForm::Code) {
        normalise(quote, target.form, target.shape, NumberStyle::Prose)?;
    }
    let claim = Value::from(span.claim.as_str());
    let ClaimOutcome::Verified { value, quote, span: found } =
        verifier.verify(target, &claim, Some(quote), span.range.start)
    else {
        return None;
    };
    let words = displayed(markdown.get(span.shown.clone())?, MAX_WORDS_BYTES);
    let context = displayed(markdown.get(span.sentence.range.clone())?, MAX_CONTEXT_BYTES);
    let span_found = Some(Span::new(PagePart::Markdown, found));
    let url = page.url.as_str().to_owned();
    let proofs = vec![Provenance { url, quote, span: span_found, method: Method::Model }];
    Some(Candidate { value, words, context, proofs, rank: f64::from(span.rank) })
}

/// The parts of a sentence that may state a value; of its phrases perhaps only those with a name.
fn spans_of<'s>(
    markdown: &str,
    sentence: &'s Sentence,
    kind: SpanKind,
    only_names: bool,
) -> Vec<StatedSpan<'s>> {
    let mut out: Vec<StatedSpan<'s>> = Vec::new();
    let start = sentence.range.start;
    let text = markdown.get(sentence.range.clone()).unwrap_or_default();
    let mut add = |range: Range<usize>, shown: Range<usize>, claim: String| {
        out.push(StatedSpan { range, claim, shown, sentence, rank: 0.0 });
    };
    match kind {
        SpanKind::Phrase => {
            for phrase in phrases(sentence) {
                // The first word of a sentence is a capital in any case.
                let is_name = || {
                    let inner = sentence.words.get(phrase.start.max(1)..phrase.end);
                    inner.is_some_and(|words| words.iter().any(|word| word.is_capitalised))
                };
                if only_names && !is_name() {
                    continue;
                }
                let words = sentence.words.get(phrase).unwrap_or_default();
                let (Some(first), Some(last)) = (words.first(), words.last()) else { continue };
                let range = first.range.start..last.range.end;
                let claim = markdown.get(range.clone()).unwrap_or_default().to_owned();
                add(range.clone(), range, claim);
            }
        }
        SpanKind::Number => {
            for amount in amounts(text, NumberStyle::Prose).take(sentence.words.len()) {
                let range = start + amount.range.start..start + amount.range.end;
                add(range.clone(), with_unit(markdown, sentence, &range), amount.decimal);
            }
        }
        SpanKind::Date => {
            for date in dates(text) {
                let range = start + date.range.start..start + date.range.end;
                add(range.clone(), range, date.value);
            }
        }
    }
    out
}

/// The range of a number with the currency sign before it and the word after it.
fn with_unit(markdown: &str, sentence: &Sentence, number: &Range<usize>) -> Range<usize> {
    let before = markdown.get(sentence.range.start..number.start).unwrap_or_default();
    let sign = before.chars().next_back().filter(|found| is_currency_sign(*found));
    let start = number.start - sign.map_or(0, char::len_utf8);
    let next = sentence.words.partition_point(|word| word.range.end <= number.end);
    let unit = sentence.words.get(next).filter(|word| {
        let is_word = !word.is_separated && !word.is_function && !word.lower.starts_with(char::is_numeric);
        is_word && word.range.start >= number.end
    });
    start..unit.map_or(number.end, |word| word.range.end)
}

/// How likely a part of a sentence is the answer, by the words around it: a value mostly follows a word of
/// the question. `None` if it only repeats the question.
fn rank_within(sentence: &Sentence, matches: &[f32], range: &Range<usize>) -> Option<f32> {
    let is_own = |word: &Word| word.range.start >= range.start && word.range.end <= range.end;
    let first = sentence.words.partition_point(|word| word.range.start < range.start);
    let after = sentence.words.partition_point(|word| word.range.end <= range.end);
    let mut near: f32 = 0.0;
    let mut own = 0_u16;
    let mut own_match: f32 = 0.0;
    for (at, (word, found)) in sentence.words.iter().zip(matches).enumerate() {
        if is_own(word) {
            own = own.saturating_add(1);
            own_match += *found;
        } else if *found > 0.0 {
            let (between, weight) =
                if at < first { (first - at - 1, 1.0_f32) } else { (at.saturating_sub(after), 0.8) };
            let between = f32::from(u16::try_from(between).unwrap_or(u16::MAX));
            near = near.max(weight * *found / (1.0 + 0.3 * between));
        }
    }
    let novelty = if own == 0 { 1.0 } else { 1.0 - own_match / f32::from(own) };
    (novelty >= MIN_NOVELTY).then_some(near + 0.5 * novelty)
}
