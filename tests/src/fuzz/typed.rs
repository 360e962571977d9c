//! Typed values in running text: dates, durations, ratings, counts, sums, and words around values. Input: the
//! text.

use std::ops::Range;

use gleaner_extract::fuzzing::{
    count, date_range, dates, durations, moment, money_range, only_duration, rating, shapes, without_affixes,
};

use super::values::is_date;

/// Upper bound on the dates and on the durations of a text.
const MAX_FOUND: usize = 64;
/// By how much a score may be above the best one, as scores are compared in hundredths.
const TOLERANCE: f64 = 0.01;

/// Each value has a valid form and a range with the words that state it.
pub fn typed_values(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    moments(&text);
    lengths(&text);
    scores(&text);
    let found = money_range(&text);
    found.iter().for_each(|(_, range)| assert_words(&text, range));
    let ends: Vec<f64> = found.iter().map(|(decimal, _)| number(decimal)).collect();
    assert!(ends.len() <= 2 && ends.is_sorted(), "{found:?}");
    let bare = without_affixes(&text);
    assert!(text.get(bare.clone()).is_some(), "{bare:?} of {} bytes", text.len());
    let is_shaped = shapes(&text).contains(&true);
    assert!(!is_shaped || text.contains(char::is_alphabetic), "a name without letters");
}

fn moments(text: &str) {
    let found = dates(text);
    assert!(found.len() <= MAX_FOUND, "{} dates", found.len());
    let mut start = 0;
    for (value, range) in &found {
        assert!(is_date(value), "{value:?}");
        assert_words(text, range);
        // The two ends of a range of days have the same words.
        assert!(range.start >= start, "{range:?} comes before {start}");
        start = range.start;
    }
    if let Some(found) = moment(text) {
        assert!(is_date(&found), "{found:?}");
        assert_eq!(moment(&found).as_ref(), Some(&found), "a moment does not parse to itself");
    }
    if let Some((first, last)) = date_range(text) {
        assert!(is_date(&first) && is_date(&last) && first.get(..10) <= last.get(..10), "{first} to {last}");
    }
}

fn lengths(text: &str) {
    let found = durations(text);
    assert!(found.len() <= MAX_FOUND, "{} durations", found.len());
    let mut end = 0;
    for (seconds, range) in &found {
        assert_words(text, range);
        assert!(*seconds > 0 && range.start >= end, "{seconds} seconds at {range:?}");
        end = range.end;
    }
    if let Some((seconds, range)) = only_duration(text) {
        assert_words(text, &range);
        assert!(seconds > 0, "no time at {range:?}");
    }
}

fn scores(text: &str) {
    if let Some((value, best, range)) = rating(text) {
        assert_words(text, &range);
        let best = best.map_or(f64::INFINITY, |best| number(&best));
        assert!((0.0..best + TOLERANCE).contains(&number(&value)), "{value} of {best}");
    }
    if let Some((_, range)) = count(text) {
        assert_words(text, &range);
    }
}

/// Asserts that a range is a part of a text with more than white space.
fn assert_words(text: &str, range: &Range<usize>) {
    let words = text.get(range.clone()).unwrap_or_default();
    assert!(!words.trim().is_empty(), "{range:?} of {} bytes", text.len());
}

/// The value of a decimal number.
fn number(decimal: &str) -> f64 {
    let value = decimal.parse::<f64>().unwrap_or(f64::NAN);
    assert!(value.is_finite(), "{decimal:?}");
    value
}
