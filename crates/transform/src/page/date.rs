//! Dates as pages write them, to `YYYY-MM-DD`.

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// What follows the first three letters of a month's full name.
const MONTH_ENDS: [&str; 12] =
    ["uary", "ruary", "ch", "il", "", "e", "y", "ust", "tember", "ober", "ember", "ember"];

/// An ISO 8601 date or time as it is, anything else that can be read as a date as `YYYY-MM-DD`.
pub(super) fn normalize(text: &str) -> Option<String> {
    let text = text.trim();
    if is_iso(text) {
        return Some(text.chars().take(40).collect());
    }
    let text: String = text.chars().take(80).collect::<String>().to_ascii_lowercase();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let (mut year, mut month, mut day) = (None, None, None);
    for word in &words {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let number = digits.parse::<u32>().ok();
        match number {
            Some(number) if digits.len() == 4 && (1990..2100).contains(&number) => {
                year = year.or(Some(number));
            }
            Some(number) if digits.len() <= 2 && (1..=31).contains(&number) && !digits.is_empty() => {
                if month.is_some() || day.is_none() {
                    day = day.or(Some(number));
                }
            }
            _ => {
                let named = word.get(..3).and_then(|start| MONTHS.iter().position(|month| *month == start));
                month = month.or(named.and_then(|at| u32::try_from(at + 1).ok()));
            }
        }
    }
    match (year, month, day) {
        (Some(year), Some(month), Some(day)) => Some(format!("{year:04}-{month:02}-{day:02}")),
        _ => in_text(&text),
    }
}

/// The first date in a short text: one with the month's name, or all in numbers where the order is plain.
pub(super) fn in_text(text: &str) -> Option<String> {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).take(40).collect();
    let named = |word: &str| {
        let known =
            word.get(..3).and_then(|start| MONTHS.iter().position(|month| start.eq_ignore_ascii_case(month)));
        known.filter(|_| word.len() <= 9 && word.bytes().all(|byte| byte.is_ascii_alphabetic()))
    };
    let number = |word: &str, most: usize| {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        (!digits.is_empty() && digits.len() <= most).then(|| digits.parse::<u32>().ok())?
    };
    let year = |word: &str| number(word, 4).filter(|year| (1990..2100).contains(year) && word.len() == 4);
    let day = |word: &str| number(word, 2).filter(|day| (1..=31).contains(day));
    words.windows(3).find_map(|three| {
        let [a, b, c] = three else { return None };
        let found = match (named(a), named(b)) {
            (Some(month), _) => (year(c)?, u32::try_from(month + 1).ok()?, day(b)?),
            (_, Some(month)) => (year(c)?, u32::try_from(month + 1).ok()?, day(a)?),
            _ => match (year(a), day(b), day(c)) {
                (Some(year), Some(month), Some(day)) if month <= 12 => (year, month, day),
                _ => {
                    let (first, second, year) = (day(a)?, day(b)?, year(c)?);
                    // 31.12.2024 and 12/31/2024; dots are written with the day first.
                    let dotted = text.contains(&format!("{a}.{b}.{c}"));
                    if !dotted && !text.contains(&format!("{a}/{b}/{c}")) {
                        return None;
                    }
                    if (dotted || first > 12) && second <= 12 {
                        (year, second, first)
                    } else {
                        (year, first, second)
                    }
                }
            },
        };
        (found.1 <= 12).then(|| format!("{:04}-{:02}-{:02}", found.0, found.1, found.2))
    })
}

/// Words that stand beside the day on which a text was published.
const CONTEXT: [&str; 14] = [
    "published",
    "posted",
    "publication",
    "updated",
    "modified",
    "date",
    "dated",
    "released",
    "written",
    "created",
    "by",
    "am",
    "pm",
    "filed",
];

/// A line that is no date may hold so many words besides it.
const WORDS_BESIDE: usize = 3;

/// The date of a line that says when something was published: one that is hardly more than a date, or that says so.
/// Dates within sentences tell of other things.
pub(super) fn in_line(text: &str) -> Option<String> {
    let date = in_text(text)?;
    let words = || text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let says_so = words().any(|word| CONTEXT.iter().any(|known| word.eq_ignore_ascii_case(known)));
    // A date takes three words.
    (says_so || words().count() <= 3 + WORDS_BESIDE).then_some(date)
}

/// Is it written as a date is in ISO 8601, but no day on which a page can have been published? Programs write such for
/// "unknown" (`0001-01-01`).
pub(super) fn is_void(text: &str) -> bool {
    let text = text.trim();
    has_iso_shape(text) && !is_iso(text)
}

fn is_iso(text: &str) -> bool {
    let number = |range: std::ops::Range<usize>| text.get(range).and_then(|part| part.parse::<u32>().ok());
    has_iso_shape(text)
        && number(0..4).is_some_and(|year| (1600..2200).contains(&year))
        && number(5..7).is_some_and(|month| (1..=12).contains(&month))
        && number(8..10).is_some_and(|day| (1..=31).contains(&day))
}

fn has_iso_shape(text: &str) -> bool {
    let bytes = text.as_bytes();
    let shape = bytes.get(..10).is_some_and(|date| {
        date.iter()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 4 | 7) { *byte == b'-' } else { byte.is_ascii_digit() })
    });
    shape && bytes.get(10).is_none_or(|byte| matches!(byte, b'T' | b't' | b' '))
}

/// The date in an address such as `/2024/05/01/title` or `/2024/may/01/title`.
pub(super) fn of_path(path: &str) -> Option<String> {
    let segments: Vec<&str> = path.split('/').collect();
    segments.windows(3).find_map(|three| {
        let [year, month, day] = three else { return None };
        let number = |text: &str, length: usize| {
            (text.len() <= length && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
                .then(|| text.parse::<u32>().ok())?
        };
        let named = || {
            let known = MONTHS.iter().zip(MONTH_ENDS).position(|(start, end)| {
                let (own, rest) = month.split_at_checked(3).unwrap_or_default();
                own.eq_ignore_ascii_case(start) && (rest.is_empty() || rest.eq_ignore_ascii_case(end))
            });
            known.and_then(|at| u32::try_from(at + 1).ok())
        };
        let (year, month, day) = (number(year, 4)?, number(month, 2).or_else(named)?, number(day, 2)?);
        ((1990..2100).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day))
            .then(|| format!("{year:04}-{month:02}-{day:02}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_people_write_them() {
        let rows = [
            ("2024-05-01", Some("2024-05-01")),
            ("2024-05-01T10:00:00+02:00", Some("2024-05-01T10:00:00+02:00")),
            ("May 1, 2024", Some("2024-05-01")),
            ("1st of September 2023 10:30", Some("2023-09-01")),
            ("Mon, 06 Sep 2021 00:00:00 GMT", Some("2021-09-06")),
            ("Thu, 09/25/2025 - 11:38", Some("2025-09-25")),
            ("0001-01-01T00:00:00Z", None),
            ("2024-13-01", None),
            ("yesterday", None),
            ("2024", None),
        ];
        for (text, expected) in rows {
            assert_eq!(normalize(text).as_deref(), expected, "{text}");
        }
        let rows = [
            ("Published on March 5th, 2025 by Ann", Some("2025-03-05")),
            ("Updated 5 Mar 2025", Some("2025-03-05")),
            ("31.12.2024", Some("2024-12-31")),
            ("12/31/2024", Some("2024-12-31")),
            ("2024/05/01", Some("2024-05-01")),
            ("from 3 to 5 of 2024 items", None),
        ];
        for (text, expected) in rows {
            assert_eq!(in_text(text).as_deref(), expected, "{text}");
        }
        assert_eq!(of_path("/blog/2024/5/1/title").as_deref(), Some("2024-05-01"));
        assert_eq!(of_path("/blog/2023/october/03/title").as_deref(), Some("2023-10-03"));
        assert_eq!(of_path("/2024/13/01/x"), None);
        assert_eq!(of_path("/2024/markets/01/x"), None);
    }
}
