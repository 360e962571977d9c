//! Numbers with their units: the one reader of figures that people write.

use super::magnitude::{magnitude, shifted};
use super::number::{NumberStyle, amounts};
use super::unit::Unit;

/// Upper bound on the quantities of a text that are read.
const MAX_QUANTITIES: usize = 16;
/// Upper bound on the bytes between the parts of one quantity: `5 ft 11 in`.
const MAX_PART_GAP_BYTES: usize = 3;

/// Starts of words behind `14k` if it is gold.
const GOLD: [&str; 7] = ["gold", "yellow", "white", "rose", "solid", "karat", "carat"];

/// A number in a text, with its magnitude and its unit.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Quantity {
    decimal: String,
    unit: Option<Unit>,
    start: usize,
    /// The end of its unit.
    end: usize,
}

/// The quantities of a text, in order. The digits of a unit such as `m2` are none.
fn quantities(text: &str, style: NumberStyle) -> Vec<Quantity> {
    let mut found: Vec<Quantity> = Vec::new();
    for amount in amounts(text, style) {
        if found.last().is_some_and(|last| amount.range.start < last.end) {
            continue;
        }
        let (mut decimal, mut end) = (amount.decimal, amount.range.end);
        let behind = text.get(end..).unwrap_or_default();
        let mut unit = Unit::behind(&decimal, behind);
        if unit.is_none()
            && !is_of_carats(behind)
            && let Some((power, bytes)) = magnitude(behind, false)
            && let Some(product) = shifted(&decimal, power)
        {
            decimal = product;
            end += bytes;
            unit = Unit::behind(&decimal, text.get(end..).unwrap_or_default());
        }
        end += unit.map_or(0, |(_, bytes)| bytes);
        found.push(Quantity { decimal, unit: unit.map(|(unit, _)| unit), start: amount.range.start, end });
        if found.len() == MAX_QUANTITIES {
            break;
        }
    }
    found
}

/// Whether `k` behind a number is the fineness of gold.
fn is_of_carats(behind: &str) -> bool {
    let word = behind.strip_prefix(['k', 'K']).map(str::trim_start);
    word.is_some_and(|word| GOLD.iter().any(|known| word.to_lowercase().starts_with(known)))
}

/// The only number of a text, with its magnitude and whatever its unit; `None` if there are several.
///
/// The brackets of bookkeeping are a minus sign: `(1,234.50)`.
pub(crate) fn only_number(text: &str, style: NumberStyle) -> Option<String> {
    let found = quantities(text, style);
    let [only] = found.as_slice() else { return None };
    let inner = text.trim().strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let is_of_books = inner.is_some_and(|inner| inner.trim().len() == only.end - only.start)
        && only.decimal.split_once('.').is_some_and(|(_, cents)| cents.len() == 2)
        && !only.decimal.starts_with('-');
    Some(if is_of_books { format!("-{}", only.decimal) } else { only.decimal.clone() })
}

/// The number of a text in a unit: of the only quantity with exactly this unit, else of the only one that
/// converts to it. A range, and a quantity without a unit, state none.
pub(crate) fn number_in_unit(text: &str, style: NumberStyle, unit: Unit) -> Option<String> {
    let found = quantities(text, style);
    let mut exact: Vec<String> = Vec::new();
    let mut converted: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(first) = found.get(at) {
        at += 1;
        let Some(own) = first.unit.filter(|own| own.kind == unit.kind) else { continue };
        // `5 ft 11 in` is one length.
        if let Some(second) = found.get(at)
            && let Some(other) = second.unit.filter(|other| other.kind == unit.kind && *other != own)
            && joins(text, first, second)
        {
            at += 1;
            converted.push(sum(&first.decimal, own, &second.decimal, other, unit)?);
            continue;
        }
        if ends_range(text, first) {
            return None;
        }
        let Some(number) = own.convert(&first.decimal, unit) else { continue };
        if own == unit { exact.push(number) } else { converted.push(number) }
    }
    let stated = if exact.is_empty() { converted } else { exact };
    let first = stated.first()?;
    stated.iter().all(|other| other == first).then(|| first.clone())
}

/// Whether two quantities are the parts of one.
fn joins(text: &str, first: &Quantity, second: &Quantity) -> bool {
    let between = text.get(first.end..second.start).unwrap_or_default();
    between.len() <= MAX_PART_GAP_BYTES && between.chars().all(|found| found.is_whitespace() || found == ',')
}

/// The sum of two parts in a unit.
fn sum(first: &str, own: Unit, second: &str, other: Unit, unit: Unit) -> Option<String> {
    // In the smaller unit both are exact.
    let smaller = own.convert(first, other)?;
    let (left, right): (u64, u64) = (smaller.parse().ok()?, second.parse().ok()?);
    other.convert(&left.checked_add(right)?.to_string(), unit)
}

/// Whether a quantity is the end of a range: `5–7 kg`.
fn ends_range(text: &str, quantity: &Quantity) -> bool {
    let before = text.get(..quantity.start).unwrap_or_default().trim_end();
    let before =
        ["-", "–", "—", "~", " to", " bis", " à", " a"].iter().find_map(|mark| before.strip_suffix(mark));
    before.is_some_and(|before| before.trim_end().ends_with(char::is_numeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_belong_to_their_number() {
        let rows = [
            ("65 m2", Some("65")),
            ("65 m²", Some("65")),
            ("8,100 people", Some("8100")),
            ("2.5 million", Some("2500000")),
            ("12.8万人", Some("128000")),
            ("2½", Some("2.5")),
            ("–12 m", Some("-12")),
            ("(1,234.50)", Some("-1234.50")),
            ("(1,234)", Some("1234")),
            ("14k gold", Some("14")),
            ("5 to 9", None),
            ("none", None),
        ];
        for (text, expected) in rows {
            assert_eq!(only_number(text, NumberStyle::Prose).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_unit_that_is_asked_for_is_a_condition() {
        let rows = [
            ("31 kg", "g", Some("31000")),
            ("31 kg", "kg", Some("31")),
            ("31", "kg", None),
            ("31 kg", "m", None),
            ("65 m² (700 sq ft)", "m2", Some("65")),
            ("65 m² (700 sq ft)", "sqft", Some("700")),
            ("5 ft 11 in", "in", Some("71")),
            ("5 ft 11 in", "ft", None),
            ("5–7 kg", "kg", None),
            ("2 m x 3 m", "m", None),
            ("2 m x 2 m", "m", Some("2")),
            ("1 h 30 min", "min", Some("90")),
        ];
        for (text, unit, expected) in rows {
            let found = number_in_unit(text, NumberStyle::Prose, Unit::named(unit).unwrap());
            assert_eq!(found.as_deref(), expected, "{text} in {unit}");
        }
    }
}
