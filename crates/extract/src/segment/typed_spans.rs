//! Dates, amounts and other typed values within longer texts. Each line is read once; what a shorter text
//! states follows from the positions.

use std::ops::Range;

use super::Origin;
use super::drafts::{Draft, Drafts};
use super::lines::Lines;
use super::tag::Tag;
use super::view::View;
use crate::markup::Tree;
use crate::typed::{count, dates, durations, email, money_amounts, phone, rating};

/// Longest line that is read, in bytes.
const MAX_LINE_BYTES: usize = 2_000;
/// Upper bound on the typed values of a page that are read.
const MAX_SPANS: usize = 3_000;
/// Upper bound on the typed values of a line that are read.
const MAX_SPANS_PER_LINE: usize = 24;
/// Upper bound on the typed values of a line that become segments.
const MAX_TYPED_PER_LINE: usize = 6;
/// Upper bound on the typed values in a segment that are examined.
const MAX_SPANS_PER_SEGMENT: usize = 64;
/// Longest line that is searched for ratings and counts, in bytes. In running text they are about other
/// things.
const MAX_SCORE_BYTES: usize = 300;
/// Fewest digits of a telephone number.
const MIN_PHONE_DIGITS: usize = 7;
/// Bytes of a line for one unit of work, as several readers go through it.
const BYTES_PER_UNIT: usize = 8;

/// The types of values that are told apart without knowing the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueType {
    Date,
    /// A date with a time of day.
    Moment,
    Duration,
    /// An amount with a currency.
    Money,
    Rating,
    Count,
    Email,
    Phone,
    Percent,
    Number,
}

/// A set of types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TypeSet(u16);

impl TypeSet {
    pub(super) const fn add(&mut self, kind: ValueType) {
        self.0 |= 1 << (kind as u16);
    }

    pub(super) const fn has(self, kind: ValueType) -> bool {
        self.0 & (1 << (kind as u16)) != 0
    }
}

/// A typed value in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TypedSpan {
    pub(super) range: Range<usize>,
    pub(super) kind: ValueType,
}

/// The typed values of the visible text, in order.
#[derive(Debug)]
pub(super) struct TypedSpans {
    spans: Vec<TypedSpan>,
}

impl TypedSpans {
    /// Reads the lines of a page, from a position on, then those before.
    pub(super) fn read(tree: &Tree<'_>, lines: &Lines, first: usize) -> Self {
        let mut spans: Vec<TypedSpan> = Vec::new();
        for number in lines.numbers_from(first) {
            let range = lines.range(number);
            if spans.len() >= MAX_SPANS || tree.interrupt().spend(1) {
                break;
            }
            let line = tree.text().get(range.clone()).unwrap_or_default();
            if line.len() > MAX_LINE_BYTES || !may_state(line) {
                continue;
            }
            tree.interrupt().spend(line.len() / BYTES_PER_UNIT);
            let found = read_text(line).into_iter().map(|span| TypedSpan {
                range: range.start + span.range.start..range.start + span.range.end,
                kind: span.kind,
            });
            spans.extend(found);
        }
        spans.sort_by_key(|span| (span.range.start, span.range.end));
        Self { spans }
    }

    /// The values that lie in a part of the visible text.
    pub(super) fn within(&self, range: &Range<usize>) -> impl Iterator<Item = &TypedSpan> {
        let start = self.spans.partition_point(|span| span.range.start < range.start);
        let end = range.end;
        let from = self.spans.get(start..).unwrap_or_default();
        from.iter()
            .take_while(move |span| span.range.start < end)
            .filter(move |span| span.range.end <= end)
            .take(MAX_SPANS_PER_SEGMENT)
    }
}

/// Whether a text may state a typed value at all: it has a digit of any script, an at sign or a star.
fn may_state(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit() || byte == b'@')
        || (!text.is_ascii()
            && text.chars().any(|found| found.is_numeric() || matches!(found, '★' | '☆' | '⭐')))
}

/// Whether a text states a rating.
pub(super) fn states_rating(text: &str) -> bool {
    rating(text).is_some()
}

/// The typed values of a text, at most [`MAX_SPANS_PER_LINE`]; nothing if it is long.
pub(super) fn read_text(text: &str) -> Vec<TypedSpan> {
    let mut found: Vec<TypedSpan> = Vec::new();
    if text.len() > MAX_LINE_BYTES || !may_state(text) {
        return found;
    }
    let mut add = |range: Range<usize>, kind: ValueType| {
        if found.len() < MAX_SPANS_PER_LINE {
            found.push(TypedSpan { range, kind });
        }
    };
    for date in dates(text) {
        let kind = if date.value.contains('T') { ValueType::Moment } else { ValueType::Date };
        add(date.range, kind);
    }
    for money in money_amounts(text).filter(|money| money.currency.is_some()) {
        add(money.range, ValueType::Money);
    }
    for duration in durations(text) {
        add(duration.range, ValueType::Duration);
    }
    if text.len() <= MAX_SCORE_BYTES {
        if let Some(rating) = rating(text) {
            add(rating.range, ValueType::Rating);
        }
        if let Some(count) = count(text) {
            add(count.range, ValueType::Count);
        }
    }
    let mut locate = |value: Option<String>, kind: ValueType| {
        if let Some(value) = value
            && let Some(at) = text.find(value.as_str())
        {
            add(at..at + value.len(), kind);
        }
    };
    if text.contains('@') {
        locate(email(text), ValueType::Email);
    }
    if text.bytes().filter(u8::is_ascii_digit).count() >= MIN_PHONE_DIGITS {
        locate(phone(text), ValueType::Phone);
    }
    found
}

/// Adds the typed values that stand in longer texts, those after the heading first.
pub(super) fn collect(view: &View<'_, '_>, drafts: &mut Drafts) {
    let spans = &view.spans.spans;
    let first = view.first_position();
    let first = spans.partition_point(|span| span.range.start < first);
    let (before, after) = spans.split_at_checked(first).unwrap_or_default();
    let mut line = (usize::MAX, 0);
    let mut end = 0;
    for span in after.iter().chain(before) {
        if drafts.is_full(Origin::Typed) || view.tree.interrupt().spend(1) {
            return;
        }
        let number = view.lines.number(span.range.start);
        if line.0 != number {
            line = (number, 0);
            end = 0;
        }
        // A value within another one is a part of it.
        if line.1 >= MAX_TYPED_PER_LINE || span.range.end <= end {
            continue;
        }
        end = span.range.end;
        let Some(node) = view.outline.element_of(view.tree, &span.range) else { continue };
        if !view.outline.facts(node).is_inside(Tag::Control) {
            line.1 += 1;
            drafts.add(Draft::visible(node, span.range.clone(), Origin::Typed));
        }
    }
}
