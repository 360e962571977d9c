//! Private parsers for the fuzz targets. Not part of the API.

use std::ops::Range;

use serde_json::Value;

use crate::json;
use crate::typed::{self, NumberStyle};

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
