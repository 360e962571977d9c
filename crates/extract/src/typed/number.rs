//! Reads numbers in the notations of several countries.

use std::ops::Range;

/// The meaning of a single separator before three digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberStyle {
    /// As people write, if nothing tells which separator is the decimal one: `24.990` and `24,990` are both
    /// 24,990.
    Prose,
    /// As people write where the point is the decimal separator: `24.990` is 24.99, `24,990` is 24,990.
    Point,
    /// As people write where the comma is the decimal separator: `24,990` is 24.99, `24.990` is 24,990.
    Comma,
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
/// Longest fraction of two numbers, such as ` 1/2`, in characters.
const MAX_RATIO_CHARS: usize = 6;

/// Fractions of one character, in thousandths. A third has no decimal form.
const FRACTIONS: [(char, u32); 11] = [
    ('¼', 250),
    ('½', 500),
    ('¾', 750),
    ('⅕', 200),
    ('⅖', 400),
    ('⅗', 600),
    ('⅘', 800),
    ('⅛', 125),
    ('⅜', 375),
    ('⅝', 625),
    ('⅞', 875),
];

/// All numbers of a text, in order.
pub(crate) fn amounts(text: &str, style: NumberStyle) -> impl Iterator<Item = Amount> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let mut start = at + first_digit(text.get(at..)?)?;
            let (mut written, mut end) = scan_number(text, start);
            // `,39` and `.068` have no whole part.
            if let Some(point) = leading_point(text, start, &written) {
                start -= point.len_utf8();
                written = format!("0.{written}");
                let decimal = signed(text, start, written);
                at = end;
                return Some(Amount { decimal, range: start..end });
            }
            let decimal = normalise_number(&written, style);
            at = end;
            if let Some(mut decimal) = decimal {
                if let Some((thousandths, behind)) = fraction_behind(text, end, &decimal) {
                    decimal = with_fraction(&decimal, thousandths);
                    end = behind;
                    at = behind;
                }
                return Some(Amount { decimal: signed(text, start, decimal), range: start..end });
            }
        }
    })
}

/// A number with the sign before it.
fn signed(text: &str, start: usize, mut decimal: String) -> String {
    if is_minus(text.get(..start).unwrap_or_default()) {
        decimal.insert(0, '-');
    }
    decimal
}

/// Whether a text ends with a minus sign for what follows. A hyphen after a letter or digit is none, nor is
/// one between two numbers.
pub(super) fn is_minus(before: &str) -> bool {
    let mut chars = before.chars();
    let Some(sign) = chars.next_back() else { return false };
    let rest = chars.as_str();
    match sign {
        '-' | '−' => {
            !rest.ends_with(char::is_alphanumeric)
                && !rest.trim_end().ends_with(|found: char| digit(found).is_some())
        }
        // A dash is a sign only where nothing else makes sense: at the start, or behind a label.
        '–' => matches!(rest.trim_end().chars().next_back(), None | Some(':' | '：' | '(')),
        _ => false,
    }
}

/// The decimal separator right before a number without a whole part.
fn leading_point(text: &str, start: usize, written: &str) -> Option<char> {
    let mut before = text.get(..start)?.chars();
    let point = before.next_back().filter(|found| matches!(found, '.' | ','))?;
    let opens =
        |found: char| found.is_whitespace() || matches!(found, '(' | '-' | '−' | '$' | '€' | '£' | '¥');
    // The comma of `10 ,20` separates two numbers.
    let is_list = before.as_str().trim_end().ends_with(|found: char| digit(found).is_some());
    let is_open = !is_list && before.next_back().is_none_or(opens);
    (is_open && written.len() <= 4 && written.bytes().all(|byte| byte.is_ascii_digit())).then_some(point)
}

/// The fraction behind a whole number, in thousandths, and its end: `2½`, `2 1/2`.
fn fraction_behind(text: &str, end: usize, whole: &str) -> Option<(u32, usize)> {
    let behind = text.get(end..)?;
    if whole.contains('.') {
        return None;
    }
    let gap = behind.len() - behind.trim_start_matches([' ', '\u{a0}', '\u{2009}', '\u{202f}']).len();
    let rest = behind.get(gap..)?;
    let sign = rest.chars().next()?;
    if let Some((_, thousandths)) = FRACTIONS.iter().find(|(known, _)| *known == sign) {
        return (gap <= 3).then_some((*thousandths, end + gap + sign.len_utf8()));
    }
    let ratio: String = rest.chars().take(MAX_RATIO_CHARS).take_while(|found| is_of_ratio(*found)).collect();
    let (over, under) = ratio.split_once(['/', '⁄'])?;
    let (over, under): (u32, u32) = (over.parse().ok()?, under.parse().ok()?);
    let is_fraction = (1..=3).contains(&gap) && over < under && [2, 4, 5, 8].contains(&under);
    is_fraction.then_some((over * 1_000 / under, end + gap + ratio.len()))
}

const fn is_of_ratio(found: char) -> bool {
    matches!(found, '0'..='9' | '/' | '⁄')
}

/// A whole number and thousandths.
fn with_fraction(whole: &str, thousandths: u32) -> String {
    format!("{whole}.{thousandths:03}").trim_end_matches('0').to_owned()
}

/// The position of the first digit.
fn first_digit(text: &str) -> Option<usize> {
    // Other digits start with one of three bytes.
    let mut places = text.bytes().enumerate();
    places.find_map(|(at, byte)| {
        let is_digit = match byte {
            b'0'..=b'9' => true,
            0xd9 | 0xdb | 0xef => text
                .get(at..)
                .and_then(|rest| rest.chars().next())
                .is_some_and(|found| digit(found).is_some()),
            _ => false,
        };
        is_digit.then_some(at)
    })
}

/// The decimal separator that the numbers of texts show by themselves: `1,299.00` shows a point, `12,5` a
/// comma. `None` if they show none or both. Each text has one number.
pub(crate) fn style_shown<'t>(texts: impl IntoIterator<Item = &'t str>) -> Option<NumberStyle> {
    let (mut point, mut comma) = (false, false);
    for text in texts {
        match shown_by(text) {
            Some(NumberStyle::Point) => point = true,
            Some(NumberStyle::Comma) => comma = true,
            _ => {}
        }
    }
    match (point, comma) {
        (true, false) => Some(NumberStyle::Point),
        (false, true) => Some(NumberStyle::Comma),
        _ => None,
    }
}

/// The style that the text of one number shows.
fn shown_by(text: &str) -> Option<NumberStyle> {
    let number = text.trim_matches(|found: char| !found.is_ascii_digit());
    if number.contains(|found: char| found.is_alphabetic()) {
        return None;
    }
    let points = number.matches('.').count();
    let commas = number.matches(',').count();
    let decimal = |mark: char| number.rsplit(mark).next().is_some_and(|tail| tail.len() != 3);
    let groups = |mark: char| number.split(mark).skip(1).all(|group| group.len() == 3);
    match (points, commas) {
        (1, 1..) if number.rfind('.') > number.rfind(',') => Some(NumberStyle::Point),
        (1.., 1) if number.rfind(',') > number.rfind('.') => Some(NumberStyle::Comma),
        (1, 0) if number.starts_with("0.") || decimal('.') => Some(NumberStyle::Point),
        (0, 1) if number.starts_with("0,") || decimal(',') => Some(NumberStyle::Comma),
        (2.., 0) if groups('.') => Some(NumberStyle::Comma),
        (0, 2..) if groups(',') => Some(NumberStyle::Point),
        _ => None,
    }
}

/// Languages whose decimal separator is the comma.
const COMMA_LANGUAGES: [&str; 34] = [
    "de", "fr", "es", "it", "nl", "pt", "pl", "cs", "sk", "sl", "hr", "sr", "bs", "bg", "ru", "uk", "be",
    "sv", "da", "nb", "nn", "no", "fi", "is", "et", "lv", "lt", "hu", "ro", "el", "tr", "id", "vi", "ca",
];
/// Languages whose decimal separator is the point.
const POINT_LANGUAGES: [&str; 8] = ["en", "ja", "zh", "ko", "th", "he", "hi", "ms"];
/// Regions that write otherwise than the rest of their language, or in two ways.
const POINT_REGIONS: [&str; 14] = [
    "de-ch", "de-li", "it-ch", "es-mx", "es-us", "es-pr", "es-gt", "es-hn", "es-ni", "es-pa", "es-pe",
    "es-do", "es-sv", "es-419",
];
/// Regions without one usage.
const OPEN_REGIONS: [&str; 5] = ["fr-ch", "fr-ca", "en-za", "en-eu", "en-de"];

/// The style of a language tag such as `de` or `en-GB`; [`NumberStyle::Prose`] if it tells none.
pub(crate) fn style_of_language(tag: &str) -> NumberStyle {
    let tag = tag.trim().replace('_', "-").to_ascii_lowercase();
    let language = tag.split('-').next().unwrap_or_default();
    if OPEN_REGIONS.contains(&tag.as_str()) {
        NumberStyle::Prose
    } else if POINT_REGIONS.contains(&tag.as_str()) || POINT_LANGUAGES.contains(&language) {
        NumberStyle::Point
    } else if COMMA_LANGUAGES.contains(&language) {
        NumberStyle::Comma
    } else {
        NumberStyle::Prose
    }
}

/// The only number of a text; `None` if there are several.
pub(crate) fn decimal(text: &str, style: NumberStyle) -> Option<String> {
    let mut found = amounts(text, style);
    let first = found.next()?;
    found.next().is_none().then_some(first.decimal)
}

/// The ASCII form of a Western, Arabic-Indic or full-width digit.
fn digit(found: char) -> Option<char> {
    match found {
        '0'..='9' => Some(found),
        '\u{660}'..='\u{669}' => char::from_digit(u32::from(found) - 0x660, 10),
        '\u{6f0}'..='\u{6f9}' => char::from_digit(u32::from(found) - 0x6f0, 10),
        '\u{ff10}'..='\u{ff19}' => char::from_digit(u32::from(found) - 0xff10, 10),
        _ => None,
    }
}

/// A number with its separators as written, and the position after its last digit.
fn scan_number(text: &str, start: usize) -> (String, usize) {
    let mut written = String::new();
    let mut end = start;
    let mut pending: Option<char> = None;
    // `1 299` is one number, `2 12` are two; so with the full-width comma, which also separates words.
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
            ' ' | '\u{a0}' | '\u{202f}' | '，' => ' ',
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
        Some('.') if matches!(style, NumberStyle::Data | NumberStyle::Point) => Some('.'),
        Some(',') if style == NumberStyle::Comma => Some(','),
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
    fn signs_fractions_and_missing_whole_parts_belong_to_the_number() {
        let rows = [
            (",39 €", "0.39"),
            ("£.068", "0.068"),
            ("2½", "2.5"),
            ("2 ½ baths", "2.5"),
            ("3 1/4 in", "3.25"),
            ("–12 m", "-12"),
            ("Elevation: –12 m", "-12"),
            ("−7", "-7"),
            ("１２，８００円", "12800"),
            ("no. 5", "5"),
        ];
        for (text, expected) in rows {
            assert_eq!(decimal(text, NumberStyle::Prose).as_deref(), Some(expected), "{text}");
        }
        let found: Vec<String> = amounts("10 -20", NumberStyle::Prose).map(|found| found.decimal).collect();
        assert_eq!(found, ["10", "20"]);
        assert_eq!(decimal("1/2", NumberStyle::Prose), None);
    }

    #[test]
    fn the_locale_decides_a_lone_separator() {
        let rows = [
            ("1,789", NumberStyle::Comma, "1.789"),
            ("1.789", NumberStyle::Comma, "1789"),
            ("53.796", NumberStyle::Point, "53.796"),
            ("53,796", NumberStyle::Point, "53796"),
            ("1.234.567", NumberStyle::Point, "1234567"),
        ];
        for (text, style, expected) in rows {
            assert_eq!(decimal(text, style).as_deref(), Some(expected), "{text} {style:?}");
        }
        let tags = ["de", "en-GB", "de-CH", "es_MX", "fr-CH", "xx", ""];
        let (point, comma, prose) = (NumberStyle::Point, NumberStyle::Comma, NumberStyle::Prose);
        assert_eq!(tags.map(style_of_language), [comma, point, point, point, prose, prose, prose]);
    }

    #[test]
    fn numbers_show_their_separator() {
        let (point, comma) = (Some(NumberStyle::Point), Some(NumberStyle::Comma));
        let rows: [(&[&str], Option<NumberStyle>); 8] = [
            (&["1.085", "0.842", "163.250"], point),
            (&["€ 12,50"], comma),
            (&["1.250.000 Rp"], comma),
            (&["$1,299.00", "$5"], point),
            (&["1.299"], None),
            (&["12,5", "12.5"], None),
            (&["12.05.2024"], None),
            (&[], None),
        ];
        for (texts, expected) in rows {
            assert_eq!(style_shown(texts.iter().copied()), expected, "{texts:?}");
        }
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
