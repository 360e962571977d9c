//! Features of the value itself: length, digits, letters, case, currency.

use serde_json::Value;

use super::super::options::ValueOption;
use super::super::page_facts::text_of;
use super::{Named, count, flag, narrow};
use crate::typed::currency_sign;

/// The number of features of this part.
pub(super) const WIDTH: usize = 14;

/// The start of a value that is read, in characters.
const MAX_CHARS: usize = 240;

/// What an option's value looks like.
#[derive(Debug, Default)]
pub(super) struct ValueFacts {
    bytes: f32,
    words: f32,
    digits: f32,
    letters: f32,
    upper: f32,
    marks: f32,
    starts_upper: f32,
    starts_digit: f32,
    ends_sentence: f32,
    is_upper: f32,
    has_colon: f32,
    magnitude: f32,
    is_whole: f32,
    has_currency: f32,
}

impl ValueFacts {
    pub(super) fn read(option: &ValueOption) -> Self {
        let text = text_of(&option.value);
        let (mut all, mut digits, mut letters, mut upper, mut marks) = (0, 0, 0, 0, 0);
        for found in text.chars().take(MAX_CHARS) {
            all += 1;
            digits += usize::from(found.is_numeric());
            letters += usize::from(found.is_alphabetic());
            upper += usize::from(found.is_uppercase());
            marks += usize::from(!found.is_alphanumeric() && !found.is_whitespace());
        }
        let share = |part: usize| count(part) / count(all).max(1.0);
        let number = match &option.value {
            Value::Number(number) => number.as_f64(),
            _ => text.parse::<f64>().ok().filter(|number| number.is_finite()),
        };
        let first = text.chars().next();
        let quotes = option.choice.iter().flat_map(|choice| &choice.proofs).map(|proof| &proof.quote);
        Self {
            bytes: count(text.len()).ln_1p(),
            words: count(text.split_whitespace().take(1_000).count()).ln_1p(),
            digits: share(digits),
            letters: share(letters),
            upper: share(upper),
            marks: share(marks),
            starts_upper: flag(first.is_some_and(char::is_uppercase)),
            starts_digit: flag(first.is_some_and(char::is_numeric)),
            ends_sentence: flag(text.ends_with(['.', '!', '?', '。', '…'])),
            is_upper: flag(letters > 1 && letters == upper),
            has_colon: flag(text.contains([':', '：'])),
            magnitude: number.map_or(0.0, |number| narrow(number.abs().ln_1p())),
            is_whole: flag(number.is_some_and(|number| number.fract() == 0.0)),
            has_currency: flag(
                quotes.filter(|quote| quote.len() <= 80).any(|quote| currency_sign(quote).is_some()),
            ),
        }
    }

    pub(super) fn named(&self) -> Named<WIDTH> {
        [
            ("bytes", self.bytes),
            ("words", self.words),
            ("digits", self.digits),
            ("letters", self.letters),
            ("upper", self.upper),
            ("marks", self.marks),
            ("starts_upper", self.starts_upper),
            ("starts_digit", self.starts_digit),
            ("ends_sentence", self.ends_sentence),
            ("is_upper", self.is_upper),
            ("has_colon", self.has_colon),
            ("magnitude", self.magnitude),
            ("is_whole", self.is_whole),
            ("has_currency", self.has_currency),
        ]
    }
}
