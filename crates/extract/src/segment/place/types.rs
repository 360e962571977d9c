//! Recognises the types of values in a segment: dates, amounts, codes, counts.

use super::{Described, Features, flag, scaled};
use crate::segment::MAX_TEXT_BYTES;
use crate::segment::drafts::Draft;
use crate::segment::typed_spans::{TypeSet, ValueType, read_text};
use crate::segment::view::View;
use crate::segment::wording::Wording;
use crate::typed::gtin;

/// Upper bound on the words of a text that is nothing but a count: `12 customer reviews`.
const MAX_COUNT_WORDS: usize = 3;
/// Longest text with a slash that is not the address of a page or an image, in bytes.
const MAX_SLASHED_BYTES: usize = 24;
/// Lengths of a code, in characters.
const CODE_CHARS: std::ops::RangeInclusive<usize> = 3..=40;
/// Digits of a GTIN.
const GTIN_DIGITS: std::ops::RangeInclusive<usize> = 8..=14;

/// Groups of types that are numbered together, the most precise first.
const RANKED: [&[ValueType]; 9] = [
    &[ValueType::Date, ValueType::Moment],
    &[ValueType::Money],
    &[ValueType::Duration],
    &[ValueType::Rating],
    &[ValueType::Count],
    &[ValueType::Email],
    &[ValueType::Phone],
    &[ValueType::Percent],
    &[ValueType::Number],
];

/// The types of a text.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Types {
    /// Those of the whole text.
    whole: TypeSet,
    /// Those of a part of it, or of all of it.
    has: TypeSet,
    is_code: bool,
    is_gtin: bool,
    is_url: bool,
}

impl Types {
    pub(super) fn read(view: &View<'_, '_>, draft: &Draft, text: &str, wording: &Wording) -> Self {
        let mut found = Self::default();
        match &draft.range {
            Some(range) => {
                let visible = view.text(range);
                for span in view.spans.within(range) {
                    let own = span.range.start - range.start..span.range.end - range.start;
                    found.add(visible, &own, span.kind);
                }
            }
            // An address states no values, whatever its numbers look like.
            None if text.len() > MAX_SLASHED_BYTES && text.contains('/') => {}
            None => read_text(text).iter().for_each(|span| found.add(text, &span.range, span.kind)),
        }
        if text.len() > MAX_TEXT_BYTES {
            return found;
        }
        // What is counted stands beside the number.
        if found.has.has(ValueType::Count) && wording.words <= MAX_COUNT_WORDS {
            found.whole.add(ValueType::Count);
        }
        if wording.digits > 0 {
            found.add_figures(wording);
            found.is_code = CODE_CHARS.contains(&wording.chars)
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./#".contains(&byte));
            found.is_gtin =
                wording.letters == 0 && GTIN_DIGITS.contains(&wording.digits) && gtin(text).is_some();
        }
        found.is_url = !text.contains(' ')
            && ["http://", "https://", "www."].iter().any(|start| text.starts_with(start));
        found
    }

    /// Whether a part of the text, or all of it, has this type. A date with a time of day is a date.
    pub(crate) fn has(&self, kind: ValueType) -> bool {
        self.has.has(kind) || (kind == ValueType::Date && self.has.has(ValueType::Moment))
    }

    /// Whether the whole text has this type.
    pub(crate) fn is_whole(&self, kind: ValueType) -> bool {
        self.whole.has(kind)
    }

    pub(crate) const fn is_code(&self) -> bool {
        self.is_code
    }

    pub(crate) const fn is_gtin(&self) -> bool {
        self.is_gtin
    }

    /// Adds a value that stands in the text.
    fn add(&mut self, text: &str, range: &std::ops::Range<usize>, kind: ValueType) {
        self.has.add(kind);
        let is_empty = |part: Option<&str>| part.is_none_or(|part| !part.contains(char::is_alphanumeric));
        let is_short = text.len() <= MAX_TEXT_BYTES;
        if is_short && is_empty(text.get(..range.start)) && is_empty(text.get(range.end..)) {
            self.whole.add(kind);
        }
    }

    /// Adds numbers and percentages, which have no words.
    fn add_figures(&mut self, wording: &Wording) {
        self.has.add(ValueType::Number);
        let is_whole = wording.letters == 0 && wording.words > 0;
        if wording.has_percent {
            self.has.add(ValueType::Percent);
        }
        if is_whole && wording.has_percent {
            self.whole.add(ValueType::Percent);
        } else if is_whole && !wording.has_currency {
            self.whole.add(ValueType::Number);
        }
    }

    /// The first group of [`RANKED`] that the whole text belongs to.
    fn group(&self) -> Option<usize> {
        RANKED.iter().position(|group| group.iter().any(|kind| self.whole.has(*kind)))
    }
}

/// The rank of a segment among those of its type.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TypeRank {
    /// From 1 for the first at or after the main heading, and for the last before it; 0 without a type.
    nth: usize,
    is_before: bool,
    /// Segments of the type on the page.
    count: usize,
}

/// The ranks of segments in page order. Segments that overlap have the same rank.
pub(super) fn ranks(view: &View<'_, '_>, described: &[Described]) -> Vec<TypeRank> {
    let own = view.heading_start();
    let mut ranks = vec![TypeRank::default(); described.len()];
    // For each group: how many there are at or after the heading, and before it; and the end of the last one.
    let mut after = [(0_usize, 0_usize); RANKED.len()];
    for (found, rank) in described.iter().zip(&mut ranks).filter(|(found, _)| found.draft.anchor >= own) {
        if let Some(last) = found.types.group().and_then(|group| after.get_mut(group)) {
            if last.0 == 0 || found.draft.anchor >= last.1 {
                last.0 += 1;
                last.1 = found.draft.end();
            }
            rank.nth = last.0;
        }
    }
    let mut before = [(0_usize, usize::MAX); RANKED.len()];
    let in_reverse = described.iter().zip(&mut ranks).rev();
    for (found, rank) in in_reverse.filter(|(found, _)| found.draft.anchor < own) {
        if let Some(last) = found.types.group().and_then(|group| before.get_mut(group)) {
            if last.0 == 0 || found.draft.end() <= last.1 {
                last.0 += 1;
                last.1 = found.draft.anchor;
            }
            (rank.nth, rank.is_before) = (last.0, true);
        }
    }
    for (found, rank) in described.iter().zip(&mut ranks) {
        let Some(group) = found.types.group() else { continue };
        let of = |counts: &[(usize, usize)]| counts.get(group).map_or(0, |(count, _)| *count);
        rank.count = of(&after) + of(&before);
    }
    ranks
}

/// The types of its text, and its rank among the values of its type.
pub(super) fn write(types: &Types, rank: Option<&TypeRank>, to: &mut Features) {
    let whole = |kind: ValueType| flag(types.whole.has(kind));
    let has = |kind: ValueType| flag(types.has.has(kind));
    to.whole_moment = whole(ValueType::Moment);
    to.has_moment = has(ValueType::Moment);
    to.whole_date = f32::max(whole(ValueType::Date), to.whole_moment);
    to.has_date = f32::max(has(ValueType::Date), to.has_moment);
    to.whole_duration = whole(ValueType::Duration);
    to.has_duration = has(ValueType::Duration);
    to.whole_money = whole(ValueType::Money);
    to.has_money = has(ValueType::Money);
    to.whole_number = whole(ValueType::Number);
    to.has_number = has(ValueType::Number);
    to.whole_percent = whole(ValueType::Percent);
    to.has_percent = has(ValueType::Percent);
    to.whole_rating = whole(ValueType::Rating);
    to.has_rating = has(ValueType::Rating);
    to.whole_count = whole(ValueType::Count);
    to.has_count = has(ValueType::Count);
    to.whole_email = whole(ValueType::Email);
    to.has_email = has(ValueType::Email);
    to.whole_phone = whole(ValueType::Phone);
    to.has_phone = has(ValueType::Phone);
    to.is_code = flag(types.is_code);
    to.is_gtin = flag(types.is_gtin);
    to.is_url = flag(types.is_url);
    let Some(rank) = rank else { return };
    to.type_nth = if rank.is_before { -scaled(rank.nth) } else { scaled(rank.nth) };
    to.type_count = scaled(rank.count);
}
