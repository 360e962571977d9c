//! Reads ranges of money with their period, such as salaries.

use std::ops::Range;

use super::date_forms::ranged;
use super::magnitude::{magnitude, shifted};
use super::money::{Money, money_amounts, sign_at_start};
use super::pay_period::{Period, period_at};
use super::token::{Kind, Tokens, first_chars, last_chars};

/// Upper bound on the amounts of a text that are looked at.
const MAX_AMOUNTS: usize = 8;
/// Upper bound on the bytes between the two ends of a range.
const MAX_BETWEEN_BYTES: usize = 32;
/// Text beside a range in which its period stands, in characters.
const MAX_BESIDE_CHARS: usize = 48;

/// Text before a range in which such a word stands, in characters.
const MAX_WORD_CHARS: usize = 16;
/// Words before the first end of a range, in the form of [`fold`](super::words::fold).
const BETWEEN_WORDS: &[&str] = &[
    "between",
    "zwischen",
    "entre",
    "tra",
    "fra",
    "tussen",
    "mellan",
    "mellem",
    "mellom",
    "miedzy",
    "mezi",
    "medzi",
    "intre",
    "между",
];
/// Words between the ends of such a range.
const AND_WORDS: &[&str] = &["and", "und", "et", "y", "e", "en", "och", "og", "a", "si", "и"];

/// The first sum of money of a text, or the two ends of a range, and the period it is for:
/// `$50,000 - $70,000 a year`, `€45k–55k`, `50.000 bis 60.000 € brutto`.
///
/// A magnitude such as `k` is part of the amount, and both ends have the currency of either.
pub(crate) fn money_range(text: &str) -> Option<(Money, Option<Money>, Option<Period>)> {
    let sums: Vec<Sum> = money_amounts(text).take(MAX_AMOUNTS).map(|money| Sum::of(text, money)).collect();
    for (at, low) in sums.iter().enumerate() {
        let high = sums.get(at + 1).filter(|high| is_joined(text, &low.money.range, &high.money.range));
        let has_currency = [Some(low), high].into_iter().flatten().any(|sum| sum.money.currency.is_some());
        let end = high.unwrap_or(low).money.range.end;
        let behind = Period::behind(first_chars(text.get(end..).unwrap_or_default(), MAX_BESIDE_CHARS));
        // Numbers without a currency are a sum only as a range with a period.
        if !has_currency && (high.is_none() || behind.is_none()) {
            continue;
        }
        let before = text.get(..low.money.range.start).unwrap_or_default();
        let period = behind.or_else(|| Period::before(last_chars(before, MAX_BESIDE_CHARS)));
        let Some(high) = high else { return Some((low.money.clone(), None, period)) };
        let (low, high) = ends(low, high)?;
        return Some((low, Some(high), period));
    }
    None
}

/// An amount with its magnitude.
#[derive(Debug, Clone)]
struct Sum {
    money: Money,
    /// The power of ten of its magnitude.
    power: u32,
}

impl Sum {
    /// Reads the magnitude behind an amount, and the currency behind the magnitude.
    fn of(text: &str, mut money: Money) -> Self {
        let behind = text.get(money.range.end..).unwrap_or_default();
        let Some((power, bytes)) = magnitude(behind) else { return Self { money, power: 0 } };
        let Some(decimal) = shifted(&money.decimal, power) else { return Self { money, power: 0 } };
        money.decimal = decimal;
        money.range.end += bytes;
        let rest = behind.get(bytes..).unwrap_or_default().trim_start_matches('.').trim_start();
        if money.currency.is_none()
            && let Some(sign) = sign_at_start(rest)
        {
            money.currency = Some(sign.to_owned());
            money.range.end = text.len() - rest.len() + sign.len();
        }
        Self { money, power }
    }
}

/// The two ends of a range with one currency; `None` if they are no range.
fn ends(low: &Sum, high: &Sum) -> Option<(Money, Money)> {
    let (mut first, mut last) = (low.money.clone(), high.money.clone());
    // The hyphen of `50,000 -70,000` is no minus sign.
    last.decimal = last.decimal.trim_start_matches('-').to_owned();
    let value = |money: &Money| money.decimal.parse::<f64>().ok();
    // `50–70k`
    if low.power == 0 && high.power > 0 && value(&first)? < 1_000.0 {
        first.decimal = shifted(&first.decimal, high.power)?;
    }
    let currency = first.currency.clone().or_else(|| last.currency.clone());
    first.currency.clone_from(&currency);
    last.currency = last.currency.or(currency);
    (value(&first)? <= value(&last)?).then_some((first, last))
}

/// Whether the text between two amounts makes them a range; the first may have its period: `$20/hr – $30/hr`.
fn is_joined(text: &str, low: &Range<usize>, high: &Range<usize>) -> bool {
    let between = text.get(low.end..high.start).unwrap_or_default();
    if between.is_empty() || between.len() > MAX_BETWEEN_BYTES {
        return false;
    }
    let tokens = Tokens::new(between);
    let mut joins = 0;
    for at in 0..tokens.len() {
        if ranged(&tokens, at).is_some() {
            joins += 1;
        } else if !matches!(tokens.kind(at), Some(Kind::Mark('/' | '.' | ',')))
            && period_at(&tokens, at).is_none()
            && !tokens.is_word(at, &["per", "pro", "par"])
            && !tokens.is_word(at, AND_WORDS)
        {
            return false;
        }
    }
    joins > 0 || is_between(text, low.start, &tokens)
}

/// Whether a range is written as `between 5 and 7`.
fn is_between(text: &str, start: usize, between: &Tokens<'_>) -> bool {
    let before = Tokens::new(last_chars(text.get(..start).unwrap_or_default(), MAX_WORD_CHARS));
    let is_word = before.len().checked_sub(1).is_some_and(|last| before.is_word(last, BETWEEN_WORDS));
    is_word && (0..between.len()).any(|at| between.is_word(at, AND_WORDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_ends_behind_its_sign_whatever_stands_between() {
        for text in ["1M\r €", "45k.\u{2003}€", "2 Mio. € net"] {
            let range = money_range(text).unwrap().0.range;
            assert!(text.get(range.clone()).is_some_and(|sum| sum.ends_with('€')), "{text:?}: {range:?}");
        }
    }

    #[test]
    fn salaries_are_read_as_ranges_with_a_period() {
        let year = Some(Period::Year);
        let rows = [
            ("$50,000 - $70,000 a year", "50000", Some("70000"), Some("$"), year),
            ("€45k–55k", "45000", Some("55000"), Some("€"), None),
            ("50-70k € p.a.", "50000", Some("70000"), Some("€"), year),
            ("50.000 bis 60.000 € brutto im Jahr", "50000", Some("60000"), Some("€"), year),
            ("£30K to £35K per annum", "30000", Some("35000"), Some("£"), year),
            ("Hourly rate: $25.50", "25.50", None, Some("$"), Some(Period::Hour)),
            ("$20/hr – $30/hr", "20", Some("30"), Some("$"), Some(Period::Hour)),
            ("10 000 – 12 000 zł / mies.", "10000", Some("12000"), Some("zł"), Some(Period::Month)),
            ("40 Tsd. € par an", "40000", None, Some("€"), year),
            ("Entre 38 000 € et 45 000 € par an", "38000", Some("45000"), Some("€"), year),
            ("15 - 20 per hour", "15", Some("20"), None, Some(Period::Hour)),
        ];
        for (text, low, high, currency, period) in rows {
            let found = money_range(text).unwrap();
            assert_eq!(found.0.decimal, low, "{text}");
            assert_eq!(found.1.as_ref().map(|high| high.decimal.as_str()), high, "{text}");
            assert_eq!((found.0.currency.as_deref(), found.2), (currency, period), "{text}");
            if let Some(high) = &found.1 {
                assert_eq!(high.currency.as_deref(), currency, "{text}");
            }
        }
        for text in ["10 - 20 people", "in 2021", "between 5 and 7 people", "$70 - $50", "8 hours"] {
            assert_eq!(money_range(text), None, "{text}");
        }
    }
}
