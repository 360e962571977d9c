//! Reads durations, in words and in ISO 8601.

use std::ops::Range;

use super::date_forms::{AND_WORDS, ranged};
use super::duration_amount::{Amount, amount_at, fraction};
use super::duration_units::{DAY, HOUR, MINUTE, Unit, WEEK, unit_at, weak_unit_at};
use super::token::{Kind, Tokens, digit_value};

/// Upper bound on the durations read from one text.
const MAX_DURATIONS: usize = 64;
/// Upper bound on the parts of a duration: `1 day 2 hours 30 minutes`.
const MAX_PARTS: usize = 4;
/// Longest label beside a duration that is the only value of a text, in letters and digits.
const MAX_LABEL_CHARS: usize = 32;
/// Longest duration of ISO 8601, in characters.
const MAX_ISO_CHARS: usize = 40;
/// Longest number of ISO 8601, in digits.
const MAX_ISO_DIGITS: usize = 6;

/// Words between the parts of a duration besides [`AND_WORDS`], in the form of [`fold`](super::words::fold).
const BETWEEN_WORDS: &[&str] = &["a", "dan", "де", "de"];
/// Words behind a time in the past: `3 hours ago`.
const PAST_BEHIND: &[&str] = &[
    "ago",
    "atras",
    "fa",
    "geleden",
    "sedan",
    "siden",
    "sitten",
    "temu",
    "назад",
    "тому",
    "nazaj",
    "once",
    "truoc",
    "lalu",
    "पहले",
    "zpet",
    "tagasi",
    "atpakal",
];
/// Words before a time in the past: `vor 3 Stunden`.
const PAST_BEFORE: &[&str] = &[
    "vor",
    "hace",
    "ha",
    "pred",
    "prije",
    "pries",
    "acum",
    "πριν",
    "לפני",
    "منذ",
    "przed",
    "преди",
    "fyrir",
    "pirms",
];
/// Words before a time of day: `à 20h30`.
const CLOCK_WORDS: &[&str] = &["a", "as", "las", "at", "um", "om", "ab", "kl", "des", "alle", "klo"];

/// A duration in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DurationFound {
    /// For `30–40 minutes`, those of the shorter one.
    pub(crate) seconds: u64,
    /// The words that state it.
    pub(crate) range: Range<usize>,
}

/// The durations of a text, in order; at most 64. Times in the past, such as `3 hours ago`, are none.
pub(crate) fn durations(text: &str) -> Vec<DurationFound> {
    if !text.contains(|found: char| digit_value(found).is_some() || fraction(found).is_some()) {
        return Vec::new();
    }
    let tokens = Tokens::new(text);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at).filter(|_| found.len() < MAX_DURATIONS) {
        let part = match token.kind {
            Kind::Word => iso_at(&tokens, at),
            Kind::Number { .. } if !tokens.starts_number(at) => None,
            _ => clock_at(&tokens, at).or_else(|| worded_at(&tokens, at)),
        };
        let Some(part) = part else {
            at += 1;
            continue;
        };
        if part.seconds > 0 {
            found.push(DurationFound { seconds: part.seconds, range: token.start..part.end });
        }
        at = part.next.max(at + 1);
    }
    found
}

/// The duration of a text in seconds, if it is the only value of the text and has at most a short label.
pub(crate) fn duration(text: &str) -> Option<u64> {
    only_duration(text).map(|found| found.seconds)
}

/// Like [`duration`], with the words that state it.
pub(crate) fn only_duration(text: &str) -> Option<DurationFound> {
    if let Some(found) = short_form(text) {
        return Some(found);
    }
    let mut found = durations(text).into_iter();
    let only = found.next()?;
    let others = [text.get(..only.range.start)?, text.get(only.range.end..)?];
    let others = others.iter().flat_map(|part| part.chars());
    let mut letters = 0;
    for other in others {
        if digit_value(other).is_some() {
            return None;
        }
        letters += usize::from(other.is_alphanumeric());
    }
    (found.next().is_none() && letters <= MAX_LABEL_CHARS).then_some(only)
}

/// Forms that are durations only if they are the whole text: `4:05` in minutes and seconds, `45m`.
fn short_form(text: &str) -> Option<DurationFound> {
    let trimmed = text.trim();
    // The longest form is `999:59`, the digits of some scripts have three bytes.
    if trimmed.len() > 18 {
        return None;
    }
    let tokens = Tokens::new(trimmed);
    let (value, _) = tokens.number(0).filter(|(_, digits)| *digits <= 3)?;
    let seconds = match tokens.len() {
        2 if tokens.is_word(1, &["m"]) && tokens.is_attached(1) => u64::from(value) * MINUTE,
        3 if tokens.mark(1) == Some(':') => u64::from(value) * MINUTE + u64::from(tokens.sixty(2)?),
        _ => return None,
    };
    let start = text.len() - text.trim_start().len();
    (seconds > 0).then_some(DurationFound { seconds, range: start..start + trimmed.len() })
}

/// A duration, or a part of one.
#[derive(Debug, Clone, Copy)]
struct Part {
    seconds: u64,
    /// The token behind it.
    next: usize,
    /// Its end in the text.
    end: usize,
}

impl Part {
    fn of(amount: Amount, unit: Unit) -> Self {
        Self { seconds: amount.seconds(unit.seconds), next: unit.next, end: unit.end }
    }
}

/// `1:04:05` in hours, minutes and seconds; not beside a date or a half of the day.
fn clock_at(tokens: &Tokens<'_>, at: usize) -> Option<Part> {
    let (hours, _) = tokens.number(at).filter(|(_, digits)| *digits <= 2)?;
    if tokens.mark(at + 1) != Some(':') || tokens.mark(at + 3) != Some(':') {
        return None;
    }
    let (minutes, seconds) = (tokens.sixty(at + 2)?, tokens.sixty(at + 4)?);
    let seconds = u64::from(hours) * HOUR + u64::from(minutes) * MINUTE + u64::from(seconds);
    let is_beside_date = at.checked_sub(1).is_some_and(|before| tokens.number(before).is_some());
    let is_half_day = tokens.is_word(at + 5, &["am", "pm", "a", "p"]);
    let (next, end) = (at + 5, tokens.end_of(at + 4));
    (!is_beside_date && !is_half_day).then_some(Part { seconds, next, end })
}

/// A duration in words, or a range of two: `1 hr 30 min`, `30–40 minutes`, `30 min to 1 hour`.
fn worded_at(tokens: &Tokens<'_>, at: usize) -> Option<Part> {
    let (low, behind) = amount_at(tokens, at)?;
    let range = ranged(tokens, behind)
        .and_then(|high| amount_at(tokens, high))
        .and_then(|(_, behind)| unit_at(tokens, behind))
        .map(|unit| Part::of(low, unit));
    let mut found = match range {
        Some(range) => range,
        None => sum_at(tokens, at)?,
    };
    if let Some(high) = ranged(tokens, found.next).and_then(|high| sum_at(tokens, high)) {
        (found.next, found.end) = (high.next, high.end);
    }
    (!is_past(tokens, at, found.next) && !is_clock(tokens, at)).then_some(found)
}

/// `1 hr 30 min`, `1h30`, `45 minutes mins`.
fn sum_at(tokens: &Tokens<'_>, at: usize) -> Option<Part> {
    let (amount, behind) = amount_at(tokens, at)?;
    let mut unit = match unit_at(tokens, behind) {
        Some(unit) => unit,
        // `1d 4h`: a smaller part must follow.
        None => weak_unit_at(tokens, behind).filter(|unit| smaller(tokens, unit).is_some())?,
    };
    let mut sum = Part::of(amount, unit);
    for _ in 1..MAX_PARTS {
        // Pages repeat the unit for readers of the screen.
        if let Some(again) = unit_at(tokens, sum.next).filter(|again| again.seconds == unit.seconds) {
            (sum.next, sum.end) = (again.next, again.end);
        }
        unit.next = sum.next;
        if let Some((amount, part)) = smaller(tokens, &unit) {
            let part_sum = Part::of(amount, part);
            sum = Part { seconds: sum.seconds + part_sum.seconds, ..part_sum };
            unit = part;
        } else {
            break;
        }
    }
    // `1h30`, and `1 h 30` at the end of the text.
    if unit.seconds == HOUR
        && let Some((minutes, digits)) = tokens.number(sum.next)
        && digits == 2
        && minutes < 60
        && (tokens.is_attached(sum.next) || sum.next + 1 == tokens.len())
    {
        sum.seconds += u64::from(minutes) * MINUTE;
        (sum.next, sum.end) = (sum.next + 1, tokens.end_of(sum.next));
    }
    Some(sum)
}

/// The part behind a unit that has a smaller unit.
fn smaller(tokens: &Tokens<'_>, unit: &Unit) -> Option<(Amount, Unit)> {
    let mut at = unit.next;
    for _ in 0..2 {
        let is_between = tokens.is_word(at, AND_WORDS) || tokens.is_word(at, BETWEEN_WORDS);
        if is_between || matches!(tokens.mark(at), Some(',' | '.')) {
            at += 1;
        }
    }
    let (amount, behind) = amount_at(tokens, at)?;
    let part = unit_at(tokens, behind).or_else(|| weak_unit_at(tokens, behind))?;
    (part.seconds < unit.seconds).then_some((amount, part))
}

/// Whether the words around a duration put it in the past.
fn is_past(tokens: &Tokens<'_>, at: usize, next: usize) -> bool {
    let before = |words: &[&str]| at.checked_sub(1).is_some_and(|before| tokens.is_word(before, words));
    // French: `il y a`.
    let il_y_a = || before(&["a"]) && at.checked_sub(2).is_some_and(|at| tokens.is_word(at, &["y"]));
    tokens.is_word(next, PAST_BEHIND) || before(PAST_BEFORE) || il_y_a()
}

/// Whether `20h30` is a time of day.
fn is_clock(tokens: &Tokens<'_>, at: usize) -> bool {
    tokens.is_word(at + 1, &["h", "u"])
        && at.checked_sub(1).is_some_and(|before| tokens.is_word(before, CLOCK_WORDS))
}

/// `PT1H30M`: the form of ISO 8601.
fn iso_at(tokens: &Tokens<'_>, at: usize) -> Option<Part> {
    tokens.word(at).filter(|word| matches!(*word, "P" | "PT") && tokens.is_attached(at + 1))?;
    let start = tokens.get(at)?.start;
    let (mut seconds, mut digits, mut in_time) = (0_u64, 0, false);
    let mut amount = Amount { numerator: 0, denominator: 1 };
    let mut is_fraction = false;
    let mut end = start;
    for (offset, found) in tokens.text.get(start..)?.char_indices().skip(1).take(MAX_ISO_CHARS) {
        if let Some(digit) = found.to_digit(10) {
            digits += 1;
            if digits > MAX_ISO_DIGITS {
                return None;
            }
            amount.numerator = amount.numerator * 10 + u64::from(digit);
            amount.denominator *= if is_fraction { 10 } else { 1 };
            continue;
        }
        let unit = match found {
            'T' if digits == 0 => {
                in_time = true;
                continue;
            }
            '.' | ',' if digits > 0 && !is_fraction => {
                is_fraction = true;
                continue;
            }
            'Y' if !in_time => 365 * DAY,
            'M' if !in_time => 30 * DAY,
            'W' => WEEK,
            'D' => DAY,
            'H' => HOUR,
            'M' => MINUTE,
            'S' => 1,
            _ => break,
        };
        if digits == 0 {
            return None;
        }
        seconds += amount.seconds(unit);
        (amount, digits, is_fraction) = (Amount { numerator: 0, denominator: 1 }, 0, false);
        end = start + offset + 1;
    }
    let next = (at..tokens.len())
        .find(|at| tokens.get(*at).is_some_and(|token| token.start >= end))
        .unwrap_or(tokens.len());
    let is_whole = tokens.text.get(end..)?.chars().next().is_none_or(|found| !found.is_alphanumeric());
    (end > start && is_whole).then_some(Part { seconds, next, end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_in_many_languages() {
        let rows = [
            ("1 hr 30 min", 5_400),
            ("1 hour and 30 minutes", 5_400),
            ("Total time: 45 Minuten", 2_700),
            ("2 h", 7_200),
            ("1½ hours", 5_400),
            ("1 1/2 hours", 5_400),
            ("1,5 Std.", 5_400),
            ("1h30", 5_400),
            ("1h 30m", 5_400),
            ("45m", 2_700),
            ("2d 4h", 187_200),
            ("1:30:00", 5_400),
            ("4:05", 245),
            ("PT1H30M", 5_400),
            ("P0DT0H20M", 1_200),
            ("a 30-minute recipe", 1_800),
            ("30–40 minutes", 1_800),
            ("30 min to 1 hour", 1_800),
            ("45 minutes mins", 2_700),
            ("1時間30分", 5_400),
            ("约90分钟", 5_400),
            ("1시간 30분", 5_400),
            ("1 час 20 минут", 4_800),
            ("1 godz. 15 min", 4_500),
            ("1 time og 20 minutter", 4_800),
            ("2 tuntia", 7_200),
            ("1 saat 30 dakika", 5_400),
            ("1 giờ 30 phút", 5_400),
            ("20 دقيقة", 1_200),
            ("1 घंटा 30 मिनट", 5_400),
            ("30 นาที", 1_800),
            ("3 hours ago", 0),
            ("vor 3 Stunden", 0),
            ("il y a 2 heures", 0),
            ("3時間前", 0),
            ("à 20h30", 0),
            ("Prep 20 min, cook 1 hr", 0),
            ("30 m of rope", 0),
            ("iPhone 5s", 0),
            ("soon", 0),
        ];
        for (text, expected) in rows {
            assert_eq!(duration(text).unwrap_or(0), expected, "{text}");
        }
    }

    #[test]
    fn durations_have_ranges() {
        let text = "Prep 20 min, cook 1–2 hrs. Serves 4 in 10 bowls";
        let found: Vec<(u64, Option<&str>)> =
            durations(text).into_iter().map(|found| (found.seconds, text.get(found.range))).collect();
        assert_eq!(found, [(1_200, Some("20 min")), (3_600, Some("1–2 hrs"))]);
        assert_eq!(durations(&"1 min; ".repeat(1_000)).len(), MAX_DURATIONS);
    }
}
