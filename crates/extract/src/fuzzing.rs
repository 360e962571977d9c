//! Private parsers for the fuzz targets. Not part of the API.

use std::ops::Range;

use serde_json::Value;

use crate::evidence::Evidence;
use crate::json;
use crate::page::Page;
use crate::segment;
use crate::typed::{self, NumberStyle};

/// Upper bound on the segments of a page.
pub const MAX_SEGMENTS: usize = segment::MAX_SEGMENTS;

/// A value from the front of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonPrefix {
    /// The value.
    pub value: Value,
    /// The first byte behind it.
    pub end: usize,
    /// An object had a key twice.
    pub duplicate_keys: bool,
}

/// The JSON that a text begins with, as pages and models write it.
#[must_use]
pub fn json_prefix(text: &str) -> Option<JsonPrefix> {
    let json::Parsed { value, end, duplicate_keys } = json::parse_prefix(text).ok()?;
    Some(JsonPrefix { value, end, duplicate_keys })
}

/// The date of a text.
#[must_use]
pub fn date(text: &str) -> Option<String> {
    typed::date(text)
}

/// The numbers of a text and their ranges, in prose or in data.
#[must_use]
pub fn numbers(text: &str, is_data: bool) -> Vec<(String, Range<usize>)> {
    let style = if is_data { NumberStyle::Data } else { NumberStyle::Prose };
    typed::amounts(text, style).map(|amount| (amount.decimal, amount.range)).collect()
}

/// The sums of a text: the amount, the currency sign and the range.
#[must_use]
pub fn sums(text: &str) -> Vec<(String, Option<String>, Range<usize>)> {
    typed::money_amounts(text).map(|money| (money.decimal, money.currency, money.range)).collect()
}

/// The code of the currency whose sign or code a text begins or ends with.
#[must_use]
pub fn currency(text: &str) -> Option<&'static str> {
    typed::currency_code(text)
}

/// The first e-mail address of a text.
#[must_use]
pub fn email(text: &str) -> Option<String> {
    typed::email(text)
}

/// The first telephone number of a text.
#[must_use]
pub fn phone(text: &str) -> Option<String> {
    typed::phone(text)
}

/// The GTIN that a text is.
#[must_use]
pub fn gtin(text: &str) -> Option<String> {
    typed::gtin(text)
}

/// The dates of a text, with their times of day, and the ranges of the words that state them.
#[must_use]
pub fn dates(text: &str) -> Vec<(String, Range<usize>)> {
    typed::dates(text).into_iter().map(|found| (found.value, found.range)).collect()
}

/// The date of a text with its time of day.
#[must_use]
pub fn moment(text: &str) -> Option<String> {
    typed::moment(text)
}

/// The start and the end of the first range of dates in a text.
#[must_use]
pub fn date_range(text: &str) -> Option<(String, String)> {
    typed::date_range(text)
}

/// The durations of a text in seconds, and the ranges of the words that state them.
#[must_use]
pub fn durations(text: &str) -> Vec<(u64, Range<usize>)> {
    typed::durations(text).into_iter().map(|found| (found.seconds, found.range)).collect()
}

/// The duration that is the only value of a text, in seconds, and its range.
#[must_use]
pub fn only_duration(text: &str) -> Option<(u64, Range<usize>)> {
    typed::only_duration(text).map(|found| (found.seconds, found.range))
}

/// The rating of a text: the score, the best score and the range.
#[must_use]
pub fn rating(text: &str) -> Option<(String, Option<String>, Range<usize>)> {
    typed::rating(text).map(|found| (found.value, found.best, found.range))
}

/// The count that a text states, and the range of its number.
#[must_use]
pub fn count(text: &str) -> Option<(u64, Range<usize>)> {
    typed::count(text).map(|found| (found.value, found.range))
}

/// The first sum of money of a text, or the two ends of a range, as decimal numbers with their ranges.
#[must_use]
pub fn money_range(text: &str) -> Vec<(String, Range<usize>)> {
    let ends = typed::money_range(text).into_iter().flat_map(|(low, high, _)| [Some(low), high]);
    ends.flatten().map(|money| (money.decimal, money.range)).collect()
}

/// The range of a text without a label before it and a control behind it.
#[must_use]
pub fn without_affixes(text: &str) -> Range<usize> {
    typed::strip_affixes(text)
}

/// Whether a text can be a name, a place, and a term.
#[must_use]
pub fn shapes(text: &str) -> [bool; 3] {
    [typed::is_name(text), typed::is_place(text), typed::is_term(text)]
}

/// A segment of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundSegment {
    /// The clean text.
    pub text: String,
    /// Its range in [`Page::visible_text`]; `None` if an attribute or the title states it.
    pub range: Option<Range<usize>>,
    /// The facts about its place.
    pub features: Vec<f32>,
}

/// The segments of a page, in page order.
#[must_use]
pub fn segments(page: &Page) -> Vec<FoundSegment> {
    let evidence = Evidence::read(page);
    let (segments, places) = segment::read(&evidence);
    let found = segments.into_iter().map(|segment| FoundSegment {
        features: places.of(&segment).map(|place| place.0.to_vec()).unwrap_or_default(),
        text: segment.text,
        range: segment.range,
    });
    found.collect()
}
