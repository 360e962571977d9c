//! The forms of values: what schema asks for them, and when two values are the same.

use serde_json::{Value, json};

use super::text::{folded, letters_and_digits, same_text, word_f1, words};
use super::{date, duration, number, organisation};

/// How a value is written and compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Equal after folding case and white space; long texts by their words.
    Text,
    /// One or several persons or organisations; connectives and order do not count.
    Names,
    /// The name of an organisation; its legal form, article and top-level domain do not count.
    Organisation,
    /// A name of schema.org such as `FULL_TIME`: by letters.
    Term,
    Number,
    /// A code or a sign that the currency has.
    Currency,
    /// By letters and digits.
    Code,
    /// By digits; an ISBN-10 equals its ISBN-13.
    Gtin,
    /// By day.
    Date,
    /// By day, and by minute if both state one.
    Moment,
    Duration,
    /// By the last digits.
    Phone,
    Email,
    /// By the words of an address or a place.
    Place,
    /// By the file name, whatever the size in it.
    Image,
    /// Whether a thing can be ordered.
    Stock,
}

/// Digits that two telephone numbers share at their ends, whatever the prefix.
const PHONE_DIGITS: usize = 7;
/// Lower bound on the share of the given words that the true place has.
const PLACE_PRECISION: f64 = 0.8;
/// Lower bound on the word F1 of a place.
const PLACE_F1: f64 = 0.6;

/// Signs of currencies.
const SIGNS: [(&str, &[&str]); 24] = [
    ("EUR", &["€"]),
    ("USD", &["$", "US$"]),
    ("CAD", &["$", "CA$", "C$"]),
    ("AUD", &["$", "A$", "AU$"]),
    ("NZD", &["$", "NZ$"]),
    ("MXN", &["$", "MX$"]),
    ("SGD", &["$", "S$"]),
    ("HKD", &["$", "HK$"]),
    ("GBP", &["£"]),
    ("JPY", &["¥", "￥", "円"]),
    ("CNY", &["¥", "￥", "元"]),
    ("PLN", &["zł"]),
    ("CZK", &["Kč"]),
    ("SEK", &["kr"]),
    ("NOK", &["kr"]),
    ("DKK", &["kr"]),
    ("HUF", &["Ft"]),
    ("RON", &["lei", "RON"]),
    ("RUB", &["₽", "руб"]),
    ("UAH", &["₴", "грн"]),
    ("INR", &["₹", "Rs"]),
    ("KRW", &["₩", "원"]),
    ("BRL", &["R$"]),
    ("TRY", &["₺", "TL"]),
];

impl Form {
    /// The schema of one value of this form, as a user would write it.
    pub(super) fn schema(self) -> Value {
        match self {
            Self::Number => json!({ "type": ["number", "null"] }),
            Self::Stock => json!({ "enum": ["InStock", "OutOfStock", null] }),
            _ => json!({ "type": ["string", "null"] }),
        }
    }

    /// Whether a text states a value of this form at all.
    pub(super) fn accepts(self, text: &str) -> bool {
        match self {
            Self::Number => number::number(text).is_some(),
            Self::Date | Self::Moment => date::moment(text).is_some(),
            Self::Duration => duration::duration(text).is_some(),
            Self::Gtin => !gtin(text).is_empty(),
            Self::Phone => digits(text).len() >= PHONE_DIGITS,
            Self::Email => text.contains('@'),
            Self::Stock => is_orderable(text).is_some(),
            Self::Currency => text.trim().len() == 3,
            Self::Image => !image_stem(text).is_empty(),
            Self::Text | Self::Names | Self::Organisation | Self::Term | Self::Code | Self::Place => {
                text.contains(char::is_alphanumeric)
            }
        }
    }

    /// Whether a given value is the true one.
    pub(super) fn same(self, given: &str, truth: &str) -> bool {
        let (given, truth) = (given.trim(), truth.trim());
        match self {
            Self::Text => same_text(given, truth),
            Self::Names => {
                folded(given) == folded(truth)
                    || names(given) == names(truth)
                    || organisation::same(given, truth)
            }
            Self::Organisation => same_text(given, truth) || organisation::same(given, truth),
            Self::Term | Self::Code => letters_and_digits(given) == letters_and_digits(truth),
            Self::Number => {
                let both = number::number(given).zip(number::number(truth));
                both.is_some_and(|(given, truth)| number::key(given) == number::key(truth))
            }
            Self::Currency => {
                given.eq_ignore_ascii_case(truth)
                    || signs(truth).contains(&given)
                    || signs(given).contains(&truth)
            }
            Self::Gtin => gtin(given) == gtin(truth),
            Self::Date | Self::Moment => {
                let is_one_instant = date::are_one_instant(given, truth);
                let (Some(given), Some(truth)) = (date::moment(given), date::moment(truth)) else {
                    return false;
                };
                if is_one_instant {
                    return true;
                }
                let minutes = given.minute.zip(truth.minute);
                // The day of a moment depends on the time zone in which the page shows it.
                let is_near = given.minute.is_none() && truth.minute.is_some();
                (given.day == truth.day || (is_near && date::are_adjacent(given.day, truth.day)))
                    && (self == Self::Date || minutes.is_none_or(|(given, truth)| given == truth))
            }
            Self::Duration => duration::duration(given) == duration::duration(truth),
            Self::Phone => {
                let (given, truth) = (digits(given), digits(truth));
                let shared =
                    given.bytes().rev().zip(truth.bytes().rev()).take_while(|(one, two)| one == two).count();
                shared >= PHONE_DIGITS
            }
            Self::Email => given.eq_ignore_ascii_case(truth),
            Self::Place => {
                let (given, truth) = (words(given), words(truth));
                let known = given.iter().filter(|word| truth.contains(word)).count();
                super::text::ratio(known, given.len()) >= PLACE_PRECISION
                    && word_f1(&given, &truth) >= PLACE_F1
            }
            Self::Image => image_stem(given) == image_stem(truth),
            Self::Stock => is_orderable(given).is_some() && is_orderable(given) == is_orderable(truth),
        }
    }
}

/// The signs of a currency.
pub(super) fn signs(code: &str) -> &'static [&'static str] {
    let known = SIGNS.iter().find(|(known, _)| known.eq_ignore_ascii_case(code.trim()));
    known.map_or(&[], |(_, signs)| signs)
}

/// The words of names without connectives, sorted.
fn names(text: &str) -> Vec<String> {
    const CONNECTIVES: [&str; 10] = ["and", "und", "et", "y", "e", "en", "och", "og", "i", "a"];
    let mut words = words(text);
    words.retain(|word| !CONNECTIVES.contains(&word.as_str()));
    words.sort();
    words
}

/// The digits of a text.
pub(super) fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// The digits of a GTIN or ISBN without leading zeros; an ISBN-10 as its ISBN-13 without check digit. The
/// check digit of the others is left out too.
pub(super) fn gtin(text: &str) -> String {
    let digits = digits(text);
    let is_isbn10 = digits.len() == 10 || (digits.len() == 9 && text.trim_end().ends_with(['X', 'x']));
    let body = match digits.len() {
        _ if is_isbn10 => format!("978{}", digits.get(..9).unwrap_or_default()),
        8 | 12 | 13 | 14 => digits.get(..digits.len() - 1).unwrap_or_default().to_owned(),
        _ => String::new(),
    };
    body.trim_start_matches('0').to_owned()
}

/// The file name of an image in lower case without its suffixes and the size at its end. A picture that was
/// converted has two suffixes: `cup.jpg.webp`.
pub(super) fn image_stem(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_lowercase();
    let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
    let is_suffix = |suffix: &str| ["jpg", "jpeg", "png", "gif", "webp"].contains(&suffix);
    let stem = stem.rsplit_once('.').filter(|(_, suffix)| is_suffix(suffix)).map_or(stem, |(stem, _)| stem);
    let is_size = |size: &str| !size.is_empty() && size.chars().all(|c| c.is_ascii_digit() || c == 'x');
    let stem = match stem.rsplit_once(['-', '_']) {
        Some((before, size)) if size.contains('x') && is_size(size) => before,
        _ => stem,
    };
    stem.to_owned()
}

/// Whether a thing in this state of schema.org's `ItemAvailability` can be ordered.
fn is_orderable(state: &str) -> Option<bool> {
    let name = state.trim().rsplit(['/', '#', ':']).next().unwrap_or_default();
    match letters_and_digits(name).as_str() {
        "instock"
        | "limitedavailability"
        | "onlineonly"
        | "instoreonly"
        | "preorder"
        | "presale"
        | "backorder" => Some(true),
        "outofstock" | "soldout" | "discontinued" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_by_form() {
        let rows = [
            (Form::Names, "Ada Holm and Bo Lind", "Bo Lind, Ada Holm", true),
            (Form::Names, "By Ada Holm", "Ada Holm", false),
            (Form::Names, "Acme", "Acme Ltd.", true),
            (Form::Organisation, "Acme", "Acme GmbH", true),
            (Form::Organisation, "Acme News", "Acme", false),
            (Form::Term, "Full-time", "FULL_TIME", true),
            (Form::Number, "12.50", "12.5", true),
            (Form::Number, "1250", "12.5", false),
            (Form::Currency, "€", "EUR", true),
            (Form::Currency, "EUR", "€", true),
            (Form::Currency, "€", "USD", false),
            (Form::Currency, "A$", "AUD", true),
            (Form::Currency, "A$", "USD", false),
            (Form::Code, "AB-12", "ab12", true),
            (Form::Gtin, "978-0-306-40615-7", "0-306-40615-2", true),
            (Form::Gtin, "4006381333931", "4006381333948", false),
            (Form::Date, "2021-03-04T10:00:00Z", "March 4, 2021", true),
            (Form::Date, "2021-03-01", "2021-02-28T22:00:00Z", true),
            (Form::Date, "2021-03-01", "2021-02-28", false),
            (Form::Date, "2021-03-02", "2021-02-28T22:00:00Z", false),
            (Form::Moment, "2021-03-04T10:00", "2021-03-04T11:00", false),
            (Form::Moment, "2021-03-04", "2021-03-04T11:00", true),
            (Form::Date, "2021-03-04T22:13:04Z", "2021-03-05T00:13:04+0200", true),
            (Form::Date, "2021-03-04T22:13:04Z", "2021-03-05T00:13:04+03:00", false),
            (Form::Moment, "2021-03-04T22:13:04.5-01:30", "2021-03-04T23:43:00Z", true),
            (Form::Duration, "20 min", "PT20M", true),
            (Form::Phone, "+44 20 7946 0958", "020 7946 0958", true),
            (Form::Phone, "020 7946 0958", "020 7946 0959", false),
            (Form::Place, "Berlin, Germany", "1 Long Street, 10115 Berlin, Germany", false),
            (Form::Place, "Long Street 1, 10115 Berlin", "1 Long Street, 10115 Berlin, Germany", true),
            (Form::Place, "9:30am GMT+8", "Singapore", false),
            (Form::Image, "https://a.example/x/Cup-300x200.jpg?v=1", "/y/cup.webp", true),
            (Form::Image, "/x/cup-300x200.jpg.webp", "/y/cup.jpg", true),
            (Form::Image, "/x/cup.2.jpg", "/y/cup.3.jpg", false),
            (Form::Stock, "InStock", "https://schema.org/LimitedAvailability", true),
            (Form::Stock, "InStock", "SoldOut", false),
        ];
        for (form, given, truth, expected) in rows {
            assert_eq!(form.same(given, truth), expected, "{form:?} {given} {truth}");
        }
    }
}
