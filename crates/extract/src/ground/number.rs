//! Finds a claimed number in the words of a page, including scales such as `million`.

use std::ops::Range;

use super::visible_text::widened;
use crate::typed::{NumberStyle, amounts, currency_sign};

/// Words that scale the number before them, in lower case.
const SCALES: [(&str, f64); 27] = [
    ("thousand", 1e3),
    ("tausend", 1e3),
    ("tsd", 1e3),
    ("тыс", 1e3),
    ("lakh", 1e5),
    ("million", 1e6),
    ("millions", 1e6),
    ("millionen", 1e6),
    ("millones", 1e6),
    ("milioni", 1e6),
    ("milhões", 1e6),
    ("miljoen", 1e6),
    ("mio", 1e6),
    ("mln", 1e6),
    ("млн", 1e6),
    ("crore", 1e7),
    ("billion", 1e9),
    ("billions", 1e9),
    ("bn", 1e9),
    ("milliarde", 1e9),
    ("milliarden", 1e9),
    ("milliard", 1e9),
    ("milliards", 1e9),
    ("miliardi", 1e9),
    ("mrd", 1e9),
    ("mld", 1e9),
    ("млрд", 1e9),
];

/// A number stated on the page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StatedNumber {
    /// Digits with at most one point, scale applied.
    pub(super) decimal: String,
    /// As on the page; for a scaled number, the same as `decimal`.
    pub(super) written: String,
}

/// The scale of a number.
#[derive(Debug, Clone, Copy)]
struct Scale {
    factor: f64,
    /// Bytes from the number's end to the end of the scale word.
    bytes: usize,
    /// Whether the word can only be a scale: `14k` may be carats, `$14k` is fourteen thousand.
    certain: bool,
}

/// The number of a claim.
pub(super) fn claimed_number(claim: &str) -> Option<f64> {
    if let Ok(number) = claim.parse() {
        return Some(number);
    }
    let first = amounts(claim, NumberStyle::Prose).next()?;
    let number: f64 = first.decimal.parse().ok()?;
    let scale = scale(claim, &first.range).filter(|scale| scale.certain);
    Some(number * scale.map_or(1.0, |scale| scale.factor))
}

/// The number `claimed` among those that are entirely within `span` of the text.
///
/// Numbers are read from the line around the span, so `299` does not match `1,299.00`, `50` does not match
/// `12.50`, and `5` does not match `-5`. If a word after the number scales it, only the product counts.
pub(super) fn find_number(text: &str, span: &Range<usize>, claimed: f64) -> Option<StatedNumber> {
    let near = widened(text, span, |found, _| matches!(found, '\n' | '|'));
    let line = text.get(near.clone())?;
    amounts(line, NumberStyle::Prose).find_map(|amount| {
        let (start, end) = (near.start + amount.range.start, near.start + amount.range.end);
        if start < span.start || end > span.end {
            return None;
        }
        let mut found: f64 = amount.decimal.parse().ok()?;
        if is_fragment(text, span, &(start..end)) {
            return None;
        }
        if let Some(word) = minus_before(line, amount.range.start) {
            // A quote of `minus 5` must contain both words.
            if near.start + word < span.start {
                return None;
            }
            let product = format!("-{}", amount.decimal);
            found = -found;
            return close(found, claimed)
                .then(|| StatedNumber { decimal: product.clone(), written: product });
        }
        let scale = scale(line, &amount.range);
        if let Some(scale) = scale
            && end + scale.bytes <= span.end
            && close(found * scale.factor, claimed)
        {
            let product = format!("{claimed}");
            return Some(StatedNumber { decimal: product.clone(), written: product });
        }
        // `12` of `12k followers` is not twelve. With a letter that may be a scale, the bare number counts
        // only if it states carats.
        let bare = scale.is_none_or(|scale| {
            let behind = line.get(amount.range.end + scale.bytes..).unwrap_or_default();
            !scale.certain && end + scale.bytes <= span.end && is_of_carats(found, behind)
        });
        let bare = bare && close(found, claimed);
        let written = line.get(amount.range).unwrap_or_default().to_owned();
        bare.then_some(StatedNumber { decimal: amount.decimal, written })
    })
}

/// Whether a number is part of `555-1234` or `1 1/2`, with the rest outside the quote.
fn is_fragment(text: &str, span: &Range<usize>, number: &Range<usize>) -> bool {
    let joins = |found: char| matches!(found, '-' | '/');
    let mut before = text.get(..number.start).unwrap_or_default().chars().rev();
    let mut after = text.get(number.end..).unwrap_or_default().chars();
    let is_digit = |found: Option<char>| found.is_some_and(|found| found.is_ascii_digit());
    let ahead = number.start == span.start && before.next().is_some_and(joins) && is_digit(before.next());
    let behind = number.end == span.end && after.next().is_some_and(joins) && is_digit(after.next());
    ahead || behind
}

/// The position of the word `minus` before the number at this byte of the line.
fn minus_before(line: &str, number: usize) -> Option<usize> {
    let before = line.get(..number)?.trim_end_matches([' ', '\u{a0}']);
    let word = before.rsplit(|found: char| !found.is_alphabetic()).next()?;
    let signed = ["minus", "moins", "menos", "meno"].contains(&word.to_lowercase().as_str());
    signed.then(|| before.len() - word.len())
}

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() <= left.abs().max(right.abs()) * 1e-9
}

/// Whether `14k` is the fineness of the gold that the next word names.
fn is_of_carats(number: f64, behind: &str) -> bool {
    const GOLD: [&str; 12] =
        ["gold", "yellow", "white", "rose", "solid", "karat", "carat", "kt", "plated", "oro", "or", "золото"];
    let next = behind.trim_start_matches([' ', '\u{a0}', '-']);
    let next = next.split(|found: char| !found.is_alphabetic()).next().unwrap_or_default().to_lowercase();
    (8.0..=24.0).contains(&number) && GOLD.contains(&next.as_str())
}

/// The scale of the number at this position: `1.2 million`, `3 Mrd`, `$5M`, `12k`.
fn scale(line: &str, number: &Range<usize>) -> Option<Scale> {
    let after = line.get(number.end..)?;
    let word = after.trim_start_matches([' ', '\u{a0}', '\u{202f}', '-']);
    let gap = after.len() - word.len();
    let word: String = word.chars().take(16).take_while(|found| found.is_alphabetic()).collect();
    let bytes = gap + word.len();
    if let Some((_, factor)) = SCALES.iter().find(|(known, _)| *known == word.to_lowercase()) {
        return Some(Scale { factor: *factor, bytes, certain: true });
    }
    let (factor, capital) = match word.as_str() {
        "k" | "K" => (1e3, true),
        "M" => (1e6, true),
        "m" => (1e6, false),
        "b" | "B" => (1e9, false),
        _ => return None,
    };
    let sign_before = line.get(..number.start)?.trim_end().chars().next_back();
    let sign_behind = after.get(bytes..)?.trim_start().chars().next();
    let is_sign = |found: char| currency_sign(found.encode_utf8(&mut [0; 4])).is_some();
    let certain = sign_before.is_some_and(is_sign) || sign_behind.is_some_and(is_sign);
    (gap == 0 && (certain || capital)).then_some(Scale { factor, bytes, certain })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_complete_numbers_count() {
        let rows = [
            ("£1,299.00", "1,299.00", 1299.0, Some("1299.00")),
            ("£1,299.00", "299", 299.0, None),
            ("£1,299.00", "1", 1.0, None),
            ("1 299,00 kr", "299,00", 299.0, None),
            ("12.50 €", "12", 12.0, None),
            ("12.50 €", "50", 50.0, None),
            ("-5 °C", "5", 5.0, None),
            ("-5 °C", "-5", -5.0, Some("-5")),
            ("| 12 | 500 |", "500", 500.0, Some("500")),
            ("12\n500", "500", 500.0, Some("500")),
            ("5 of 9.", "9", 9.0, Some("9")),
            ("2.5 million sold", "2.5 million", 2_500_000.0, Some("2500000")),
            ("2.5 million sold", "2.5 million", 2.5, None),
            ("2.5 million sold", "2.5", 2.5, None),
            ("3 Mrd. Euro", "3 Mrd", 3e9, Some("3000000000")),
            ("$5M raised", "$5M", 5e6, Some("5000000")),
            ("$5M raised", "$5M", 5.0, None),
            ("12k followers", "12k followers", 12_000.0, Some("12000")),
            ("14k gold", "14k gold", 14.0, Some("14")),
            ("14k gold", "14", 14.0, None),
            ("12k followers", "12", 12.0, None),
            ("12k followers", "12k followers", 12.0, None),
            ("5M followers", "5M", 5.0, None),
            ("5M followers", "5M", 5_000_000.0, Some("5000000")),
            ("5 m long", "5 m long", 5.0, Some("5")),
        ];
        for (text, quote, claimed, expected) in rows {
            let at = text.find(quote).unwrap();
            let found = find_number(text, &(at..at + quote.len()), claimed).map(|found| found.decimal);
            assert_eq!(found.as_deref(), expected, "{claimed} by {quote} of {text}");
        }
    }

    #[test]
    fn claims_are_read_as_numbers() {
        let rows =
            [("2.5", Some(2.5)), ("2.5 million", Some(2_500_000.0)), ("£1,299", Some(1299.0)), ("x", None)];
        for (claim, number) in rows {
            assert_eq!(claimed_number(claim), number, "{claim}");
        }
    }
}
