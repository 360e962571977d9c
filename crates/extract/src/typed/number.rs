//! Reads numbers in the notations of several countries.

use std::ops::Range;

/// The meaning of a single separator before three digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberStyle {
    /// As people write: `24.990` and `24,990` are both 24,990.
    Prose,
    /// As schema.org requires: the point is the decimal separator.
    Data,
}

/// A number in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Amount {
    /// Digits with at most one point, such as `1759.99`; a sign only if it is negative.
    pub(crate) decimal: String,
    /// Its range in the text.
    pub(crate) range: Range<usize>,
}

/// Longest number, in characters.
const MAX_NUMBER_CHARS: usize = 40;

/// All numbers of a text, in order.
pub(crate) fn amounts(text: &str, style: NumberStyle) -> impl Iterator<Item = Amount> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + first_digit(text.get(at..)?)?;
            let (written, end) = scan_number(text, start);
            at = end;
            // A hyphen after a letter or digit is not a minus sign.
            let before = text.get(..start).and_then(|text| text.chars().next_back());
            let negative = before.is_some_and(|found| matches!(found, '-' | '−'))
                && !text
                    .get(..start)
                    .and_then(|text| text.chars().rev().nth(1))
                    .is_some_and(char::is_alphanumeric);
            if let Some(mut decimal) = normalise_number(&written, style) {
                if negative {
                    decimal.insert(0, '-');
                }
                return Some(Amount { decimal, range: start..end });
            }
        }
    })
}

/// The position of the first digit.
fn first_digit(text: &str) -> Option<usize> {
    // Arabic-Indic digits start with one of two bytes.
    let mut places = text.bytes().enumerate();
    places.find_map(|(at, byte)| {
        let is_digit = match byte {
            b'0'..=b'9' => true,
            0xd9 | 0xdb => text
                .get(at..)
                .and_then(|rest| rest.chars().next())
                .is_some_and(|found| digit(found).is_some()),
            _ => false,
        };
        is_digit.then_some(at)
    })
}

/// The only number of a text; `None` if there are several.
pub(crate) fn decimal(text: &str, style: NumberStyle) -> Option<String> {
    let mut found = amounts(text, style);
    let first = found.next()?;
    found.next().is_none().then_some(first.decimal)
}

/// The ASCII form of a Western or Arabic-Indic digit.
fn digit(found: char) -> Option<char> {
    match found {
        '0'..='9' => Some(found),
        '\u{660}'..='\u{669}' => char::from_digit(u32::from(found) - 0x660, 10),
        '\u{6f0}'..='\u{6f9}' => char::from_digit(u32::from(found) - 0x6f0, 10),
        _ => None,
    }
}

/// A number with its separators as written, and the position after its last digit.
fn scan_number(text: &str, start: usize) -> (String, usize) {
    let mut written = String::new();
    let mut end = start;
    let mut pending: Option<char> = None;
    // `1 299` is one number, `2 12` are two.
    let chars = text.get(start..).unwrap_or_default().char_indices().take(MAX_NUMBER_CHARS);
    for (offset, found) in chars {
        if let Some(value) = digit(found) {
            if let Some(separator) = pending.take() {
                if separator == ' ' {
                    // A space groups thousands only before exactly three digits.
                    let rest = text.get(start + offset..).unwrap_or_default();
                    let run = rest.chars().take(4).take_while(|found| digit(*found).is_some()).count();
                    if run != 3 || written.len() > 12 || !may_have_groups(&written) {
                        break;
                    }
                }
                written.push(separator);
            }
            written.push(value);
            end = start + offset + found.len_utf8();
            continue;
        }
        let separator = match found {
            '.' | ',' => found,
            '٫' => '.',
            '٬' | '\'' | '’' => '\'',
            ' ' | '\u{a0}' | '\u{202f}' => ' ',
            _ => break,
        };
        if pending.is_some() {
            break;
        }
        pending = Some(separator);
    }
    (written, end)
}

/// Whether a group of thousands may follow: the first group has one to three digits.
fn may_have_groups(written: &str) -> bool {
    let first = written.split([' ', '.', ',', '\'']).next().unwrap_or_default();
    (1..=3).contains(&first.len()) && !written.contains(',')
}

/// Converts a written number to digits with at most one point.
fn normalise_number(written: &str, style: NumberStyle) -> Option<String> {
    let separators: Vec<char> = written.chars().filter(|found| !found.is_ascii_digit()).collect();
    let points = |wanted: char| separators.iter().filter(|found| **found == wanted).count();
    let last = separators.last().copied();
    let tail = last.and_then(|last| written.rsplit(last).next()).map_or(0, str::len);
    let decimal = match last {
        None | Some(' ' | '\'') => None,
        Some(last) if separators.iter().any(|found| *found != last) => {
            // With two kinds of separators, the last one is the decimal separator if it occurs once.
            (points(last) == 1).then_some(last)
        }
        Some(last) if points(last) > 1 => None,
        Some('.') if style == NumberStyle::Data => Some('.'),
        Some(last) if tail == 3 => {
            // `0.125` is a fraction; `24.990` groups thousands.
            written.starts_with('0').then_some(last)
        }
        Some(last) => Some(last),
    };
    // Groups after a thousands separator have two or three digits; otherwise it is a list or a code: `1.2.3`.
    let whole = decimal.and_then(|point| written.rsplit_once(point)).map_or(written, |(whole, _)| whole);
    let mut groups = whole.split(|found: char| !found.is_ascii_digit());
    let first = groups.next().unwrap_or_default();
    let mut grouped = false;
    for group in groups {
        grouped = true;
        if group.len() != 3 && group.len() != 2 {
            return None;
        }
    }
    if grouped && first.len() > 3 {
        return None;
    }
    let mut out = String::with_capacity(written.len());
    let fraction_at = decimal.and_then(|point| written.rfind(point));
    for (at, found) in written.char_indices() {
        if found.is_ascii_digit() {
            out.push(found);
        } else if Some(at) == fraction_at {
            out.push('.');
        }
    }
    let trimmed = out.trim_start_matches('0');
    let out = if trimmed.is_empty() || trimmed.starts_with('.') {
        format!("0{trimmed}")
    } else {
        trimmed.to_owned()
    };
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let rows = [
            ("1.759,99", "1759.99"),
            ("1,759.99", "1759.99"),
            ("24.990", "24990"),
            ("24.99", "24.99"),
            ("1 299,00 kr", "1299.00"),
            ("1'299.50", "1299.50"),
            ("0.125", "0.125"),
            ("12,34,567.00", "1234567.00"),
            ("1.234.567", "1234567"),
            ("007", "7"),
            ("-5", "-5"),
            ("١٢٫٥", "12.5"),
            ("5,-", "5"),
        ];
        for (text, expected) in rows {
            assert_eq!(decimal(text, NumberStyle::Prose).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(decimal("24.990", NumberStyle::Data).as_deref(), Some("24.990"));
        assert_eq!(decimal("1,299", NumberStyle::Data).as_deref(), Some("1299"));
    }

    #[test]
    fn several_numbers_stay_separate() {
        let found: Vec<String> =
            amounts("2 for 10.50 or 12 14", NumberStyle::Prose).map(|found| found.decimal).collect();
        assert_eq!(found, ["2", "10.50", "12", "14"]);
        assert_eq!(decimal("5 to 9", NumberStyle::Prose), None);
        assert_eq!(decimal("v1.2.3.4", NumberStyle::Prose), None);
    }
}
