//! The unit and the currency that the name or the description of a property asks for: a condition on its
//! values.

use serde::{Deserialize, Serialize};

use crate::typed::Unit;

/// Currencies in names of properties and in descriptions. Codes that are English words, such as `all` and
/// `top`, are none here.
const CURRENCIES: [(&str, &str); 35] = [
    ("usd", "USD"),
    ("eur", "EUR"),
    ("euro", "EUR"),
    ("euros", "EUR"),
    ("gbp", "GBP"),
    ("chf", "CHF"),
    ("jpy", "JPY"),
    ("yen", "JPY"),
    ("cny", "CNY"),
    ("inr", "INR"),
    ("aud", "AUD"),
    ("nzd", "NZD"),
    ("sek", "SEK"),
    ("nok", "NOK"),
    ("dkk", "DKK"),
    ("pln", "PLN"),
    ("czk", "CZK"),
    ("huf", "HUF"),
    ("rub", "RUB"),
    ("uah", "UAH"),
    ("brl", "BRL"),
    ("mxn", "MXN"),
    ("zar", "ZAR"),
    ("krw", "KRW"),
    ("idr", "IDR"),
    ("sgd", "SGD"),
    ("hkd", "HKD"),
    ("thb", "THB"),
    ("aed", "AED"),
    ("ils", "ILS"),
    ("twd", "TWD"),
    ("php", "PHP"),
    ("myr", "MYR"),
    ("vnd", "VND"),
    ("cad", "CAD"),
];
/// Last words of names that ask for hundredths of the currency.
const HUNDREDTHS: [&str; 2] = ["cents", "pence"];
/// Ends of the names of identifiers with this many characters.
const LENGTHS: [(&str, usize); 8] = [
    ("isbn10", 10),
    ("isbn13", 13),
    ("ean8", 8),
    ("ean13", 13),
    ("gtin8", 8),
    ("gtin12", 12),
    ("gtin13", 13),
    ("gtin14", 14),
];
/// Longest name that is read, in characters.
const MAX_NAME_CHARS: usize = 200;
/// Words after which a unit belongs to a rate: `price_per_m2`.
const RATE_WORDS: [&str; 4] = ["per", "pro", "par", "por"];
/// Units that are also other words in names: the year of an event is no length of time.
const OTHER_WORDS: [&str; 30] = [
    "year", "month", "day", "week", "hour", "minute", "second", "min", "foot", "mile", "mes", "mois", "ano",
    "an", "anno", "jahr", "monat", "tag", "jour", "dia", "stone", "ac", "std", "lat", "ore", "mi", "jaar",
    "sec", "pk", "kilo",
];

/// What a property asks of the unit of its values.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Asked {
    /// The name of the unit, as the property writes it.
    unit: Option<String>,
    /// An ISO 4217 code.
    currency: Option<String>,
    /// Whether amounts of money are counted in hundredths.
    pub(crate) is_hundredths: bool,
    /// The characters of an identifier: ten of `isbn10`.
    pub(crate) length: Option<usize>,
}

impl Asked {
    /// What a property's name and its description ask for.
    pub(crate) fn of(name: &str, description: &str) -> Self {
        let name = words(name);
        let text = description.to_lowercase();
        let first = |words: &str| currency(words.split(' ').next()?);
        let longest = |words: &str| longest_unit(&words.split(' ').collect::<Vec<_>>());
        let currency =
            name.iter().find_map(|word| currency(word)).or_else(|| asked_in(&text).find_map(first));
        let is_hundredths = text.contains("in cents")
            || (name.len() > 1 && name.last().is_some_and(|last| HUNDREDTHS.contains(&last.as_str())));
        Self {
            unit: unit_of_name(&name).or_else(|| asked_in(&text).find_map(longest)),
            currency: currency.map(str::to_owned),
            is_hundredths,
            length: LENGTHS.iter().find(|(end, _)| name.concat().ends_with(end)).map(|(_, length)| *length),
        }
    }

    /// Whether it asks for nothing.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The unit that a number must have.
    pub(crate) fn unit(&self) -> Option<Unit> {
        Unit::named(self.unit.as_deref()?)
    }

    /// The currency that an amount of money must have.
    pub(crate) fn currency(&self) -> Option<&str> {
        self.currency.as_deref()
    }
}

/// The unit or the currency that a label states for the value behind it: `Weight (kg)`, `Price in EUR`.
pub(crate) fn stated_by_label(label: &str, is_money: bool) -> Option<String> {
    let label = words(label);
    if is_money {
        return label.iter().find_map(|word| currency(word)).map(str::to_owned);
    }
    unit_of_name(&label)
}

/// The words of a name in lower case; a capital letter starts one.
fn words(name: &str) -> Vec<String> {
    let mut out = String::new();
    let mut was_lower = false;
    for found in name.chars().take(MAX_NAME_CHARS) {
        let is_part = found.is_alphanumeric() || matches!(found, '²' | '³');
        if !is_part || (was_lower && found.is_uppercase()) {
            out.push(' ');
        }
        if is_part {
            out.extend(found.to_lowercase());
        }
        was_lower = found.is_lowercase() || found.is_ascii_digit();
    }
    out.split_whitespace().map(str::to_owned).collect()
}

/// The currency that a word names.
fn currency(word: &str) -> Option<&'static str> {
    CURRENCIES.iter().find(|(known, _)| *known == word).map(|(_, code)| *code)
}

/// The unit that ends the name of a property: `living_area_m2`, `lot size sq ft`.
fn unit_of_name(name: &[String]) -> Option<String> {
    let count = (1..=2).rev().find(|count| {
        let Some(start) = name.len().checked_sub(*count).filter(|start| *start > 0) else { return false };
        let (before, unit) = name.split_at_checked(start).unwrap_or_default();
        let is_rate = before.last().is_some_and(|last| RATE_WORDS.contains(&last.as_str()));
        !is_rate && unit_of(unit).is_some()
    })?;
    unit_of(name.get(name.len() - count..)?)
}

/// The unit that all words together name; `kW` is cut into two.
fn unit_of(words: &[String]) -> Option<String> {
    let is_unit = |name: &String| !OTHER_WORDS.contains(&name.as_str()) && Unit::named(name).is_some();
    [words.join(" "), words.concat()].into_iter().find(is_unit)
}

/// The texts of a description in which a unit stands: behind `in`, and in brackets.
fn asked_in(text: &str) -> impl Iterator<Item = &str> {
    let behind = text.match_indices("in ").filter_map(move |(at, found)| {
        let is_word =
            text.get(..at).is_some_and(|before| before.is_empty() || before.ends_with([' ', '(', ',']));
        is_word.then(|| text.get(at + found.len()..)).flatten()
    });
    let inside = text.split('(').skip(1).filter_map(|inner| inner.split_once(')').map(|(inner, _)| inner));
    behind.chain(inside).map(|words| {
        let end = words.find(['.', ',', ';', ')', ':']).unwrap_or(words.len());
        words.get(..end).unwrap_or_default().trim()
    })
}

/// The longest unit at the start of words, of at most two.
fn longest_unit(words: &[&str]) -> Option<String> {
    let owned: Vec<String> = words.iter().take(2).map(|word| (*word).to_owned()).collect();
    (1..=owned.len()).rev().find_map(|count| unit_of(owned.get(..count)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_descriptions_ask_for_units_and_currencies() {
        let rows = [
            ("living area m2", "", Some("m2"), None),
            ("lot size sqft", "", Some("sqft"), None),
            ("lot size sq ft", "", Some("sqft"), None),
            ("weight lbs", "", Some("lb"), None),
            ("warranty months", "", Some("months"), None),
            ("price usd", "", None, Some("USD")),
            ("weight", "weight in grams", Some("g"), None),
            ("length", "Length (cm), without the handle", Some("cm"), None),
            ("area", "in square metres", Some("m2"), None),
            ("prc", "The current price in euros", None, Some("EUR")),
            ("price per m2", "", None, None),
            ("birth year", "", None, None),
            ("m", "", None, None),
            ("top price", "listed in the shop", None, None),
        ];
        for (name, description, unit, code) in rows {
            let asked = Asked::of(name, description);
            assert_eq!(asked.unit(), unit.and_then(Unit::named), "{name} {description}");
            assert_eq!(asked.currency(), code, "{name} {description}");
        }
        assert_eq!(stated_by_label("Weight (kg)", false).as_deref(), Some("kg"));
        assert_eq!(stated_by_label("Price in EUR", true).as_deref(), Some("EUR"));
        assert_eq!(stated_by_label("Weight", false), None);
        assert_eq!(Asked::of("enginePower_kW", "").unit(), Unit::named("kw"));
    }
}
