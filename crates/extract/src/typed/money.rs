//! Reads amounts of money with their currency.

use std::ops::Range;
use std::sync::LazyLock;

use super::currency::iso_code;
use super::number::{NumberStyle, amounts};

/// An amount of money in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Money {
    pub(crate) decimal: String,
    /// The sign or code as written; `None` if there is none.
    pub(crate) currency: Option<String>,
    /// The range of the number with its sign.
    pub(crate) range: Range<usize>,
}

/// Currency signs as shops write them, with the ISO 4217 code if it is unique.
const SIGNS: [(&str, Option<&str>); 62] = [
    ("US$", Some("USD")),
    ("AU$", Some("AUD")),
    ("NZ$", Some("NZD")),
    ("CA$", Some("CAD")),
    ("HK$", Some("HKD")),
    ("NT$", Some("TWD")),
    ("MX$", Some("MXN")),
    ("S$", Some("SGD")),
    ("A$", Some("AUD")),
    ("C$", Some("CAD")),
    ("R$", Some("BRL")),
    ("$", None),
    ("€", Some("EUR")),
    ("£", Some("GBP")),
    ("¥", None),
    ("￥", None),
    ("₽", Some("RUB")),
    ("руб.", Some("RUB")),
    ("руб", Some("RUB")),
    ("₴", Some("UAH")),
    ("грн", Some("UAH")),
    ("₹", Some("INR")),
    ("Rs.", None),
    ("Rs", None),
    ("₪", Some("ILS")),
    ("₺", Some("TRY")),
    ("₩", Some("KRW")),
    ("원", Some("KRW")),
    ("元", None),
    ("円", Some("JPY")),
    ("₫", Some("VND")),
    ("đ", Some("VND")),
    ("฿", Some("THB")),
    ("₦", Some("NGN")),
    ("₱", Some("PHP")),
    ("₸", Some("KZT")),
    ("₼", Some("AZN")),
    ("₾", Some("GEL")),
    ("zł", Some("PLN")),
    ("Kč", Some("CZK")),
    ("Kn", Some("HRK")),
    ("kn", Some("HRK")),
    ("Ft", Some("HUF")),
    ("лв.", Some("BGN")),
    ("лв", Some("BGN")),
    ("lei", Some("RON")),
    ("Lei", Some("RON")),
    ("kr.", None),
    ("kr", None),
    ("Fr.", Some("CHF")),
    ("SFr.", Some("CHF")),
    ("RM", Some("MYR")),
    ("Rp", Some("IDR")),
    ("S/", Some("PEN")),
    ("ر.س.", Some("SAR")),
    ("ر.س", Some("SAR")),
    ("ريال", Some("SAR")),
    ("د.إ", Some("AED")),
    ("درهم", None),
    ("ج.م", Some("EGP")),
    ("تومان", None),
    ("TL", Some("TRY")),
];

/// Whether a character is a currency sign in use, and not a letter (Unicode category Sc).
pub(crate) const fn is_currency_sign(found: char) -> bool {
    matches!(
        found,
        '$' | '\u{a2}'..='\u{a5}' | '\u{e3f}' | '\u{20a0}'..='\u{20cf}' | '\u{ff04}' | '\u{ffe1}' | '\u{ffe5}'
    )
}

/// Upper bound on the gap between a number and its sign, in bytes.
const MAX_GAP_BYTES: usize = 3;

/// Whether a sign starts with a byte, and whether one ends with it.
static SIGN_EDGES: LazyLock<[(bool, bool); 256]> = LazyLock::new(|| {
    let mut edges = [(false, false); 256];
    for (sign, _) in SIGNS {
        if let Some(edge) = sign.bytes().next().and_then(|first| edges.get_mut(usize::from(first))) {
            edge.0 = true;
        }
        if let Some(edge) = sign.bytes().next_back().and_then(|last| edges.get_mut(usize::from(last))) {
            edge.1 = true;
        }
    }
    edges
});

/// Whether a sign starts with this byte, and whether one ends with it.
fn edges_of(byte: Option<u8>) -> (bool, bool) {
    byte.and_then(|byte| SIGN_EDGES.get(usize::from(byte))).copied().unwrap_or_default()
}

/// The currency sign or code at the start of a text, as written.
pub(super) fn sign_at_start(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let may_start = edges_of(text.bytes().next()).0;
    let signs = SIGNS.iter().map(|(sign, _)| *sign).filter(|sign| may_start && text.starts_with(sign));
    let sign = signs.max_by_key(|sign| sign.len());
    if let Some(sign) = sign {
        // A sign of letters ends where the word ends.
        let next = text.get(sign.len()..).and_then(|rest| rest.chars().next());
        let lettered = sign.chars().next_back().is_some_and(char::is_alphabetic);
        return (!lettered || !next.is_some_and(char::is_alphabetic)).then_some(sign);
    }
    let code = text.get(..3)?;
    let bounded = !text.get(3..).and_then(|rest| rest.chars().next()).is_some_and(char::is_alphanumeric);
    (bounded && iso_code(code).is_some()).then_some(code)
}

/// The currency sign or code at the end of a text, as written.
fn sign_at_end(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let may_end = edges_of(text.bytes().next_back()).1;
    let signs = SIGNS.iter().map(|(sign, _)| *sign).filter(|sign| may_end && text.ends_with(sign));
    let sign = signs.max_by_key(|sign| sign.len());
    if let Some(sign) = sign {
        let before = text.get(..text.len() - sign.len()).and_then(|rest| rest.chars().next_back());
        let lettered = sign.chars().next().is_some_and(char::is_alphabetic);
        return (!lettered || !before.is_some_and(char::is_alphabetic)).then_some(sign);
    }
    let code = text.get(text.len().checked_sub(3)?..)?;
    let before = text.get(..text.len() - 3).and_then(|rest| rest.chars().next_back());
    (!before.is_some_and(char::is_alphanumeric) && iso_code(code).is_some()).then_some(code)
}

/// The currency sign or code at the start or the end of a text.
pub(crate) fn currency_sign(text: &str) -> Option<&str> {
    sign_at_start(text).or_else(|| sign_at_end(text))
}

/// The ISO 4217 code of a sign, a code or a text with one at its start or end; `None` if several currencies
/// share the sign.
pub(crate) fn currency_code(text: &str) -> Option<&'static str> {
    let sign = currency_sign(text)?;
    if let Some((_, code)) = SIGNS.iter().find(|(known, _)| *known == sign) {
        return *code;
    }
    iso_code(sign)
}

/// The numbers of a text with the currency beside them; percentages are skipped.
pub(crate) fn money_amounts(text: &str) -> impl Iterator<Item = Money> + '_ {
    amounts(text, NumberStyle::Prose).filter_map(move |amount| {
        let before = text.get(..amount.range.start).unwrap_or_default();
        let after = text.get(amount.range.end..).unwrap_or_default();
        if after.trim_start().starts_with('%') {
            return None;
        }
        // `5,-` and `5.–` are whole amounts.
        let gap = after.trim_start_matches([',', '.', '-', '–', '—', '~', ' ', '\u{a0}']);
        let gap = if after.len() - gap.len() <= MAX_GAP_BYTES + 2 { gap } else { after };
        // The range ends behind the sign, so white space before it counts.
        let gap = gap.trim_start();
        let near_before = before.len() - before.trim_end().len() <= MAX_GAP_BYTES;
        let prefix = near_before.then(|| sign_at_end(before)).flatten();
        let suffix = sign_at_start(gap);
        let mut range = amount.range.clone();
        let currency = if let Some(sign) = prefix {
            range.start = before.trim_end().len() - sign.len();
            Some(sign)
        } else if let Some(sign) = suffix {
            range.end = text.len() - gap.len() + sign.len();
            Some(sign)
        } else {
            None
        };
        Some(Money { decimal: amount.decimal, currency: currency.map(str::to_owned), range })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_found_with_their_currency() {
        let rows = [
            ("£48.99", "48.99", Some("£")),
            ("1.759,99 €", "1759.99", Some("€")),
            ("CHF 19.50", "19.50", Some("CHF")),
            ("R$ 5,00", "5.00", Some("R$")),
            ("30,000원~", "30000", Some("원")),
            ("270,00 Kn", "270.00", Some("Kn")),
            ("99 ر.س", "99", Some("ر.س")),
            ("99 pieces", "99", None),
            ("12 krone", "12", None),
        ];
        for (text, decimal, currency) in rows {
            let found = money_amounts(text).next().unwrap();
            assert_eq!((found.decimal.as_str(), found.currency.as_deref()), (decimal, currency), "{text}");
        }
        assert_eq!(money_amounts("25% off").count(), 0);
    }

    #[test]
    fn a_sum_ends_behind_its_sign_whatever_stands_between() {
        for text in ["48\n€", "48\u{2003}€", "48 € each", "48,- € each"] {
            let range = money_amounts(text).next().unwrap().range;
            assert!(text.get(range.clone()).is_some_and(|sum| sum.ends_with('€')), "{text:?}: {range:?}");
        }
    }

    #[test]
    fn unique_signs_have_a_code() {
        let rows =
            [("€", Some("EUR")), ("zł", Some("PLN")), ("$", None), ("12 usd", None), ("USD", Some("USD"))];
        for (text, code) in rows {
            assert_eq!(currency_code(text), code, "{text}");
        }
    }

    #[test]
    fn signs_that_are_no_letters_are_currency_signs() {
        for (sign, _) in SIGNS.iter().filter(|(sign, _)| sign.chars().count() == 1) {
            assert!(sign.contains(|found: char| found.is_alphabetic() || is_currency_sign(found)), "{sign}");
        }
        assert!(!"%°#".contains(is_currency_sign));
    }
}
