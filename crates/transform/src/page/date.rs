//! Parses dates as pages write them, to `YYYY-MM-DD`.

use super::month::month_number;

/// Upper bound on the words of a text that are read.
const MAX_WORDS: usize = 40;

/// The order of day and month in an all-numeric date that allows both (`5/3/2024`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DateOrder {
    MonthFirst,
    DayFirst,
}

impl DateOrder {
    /// The order of a language (Unicode CLDR, short dates). American English puts the month first; pages in
    /// English without a region, and pages without a language, count as American English.
    pub(super) fn of_language(tag: Option<&str>) -> Self {
        let tag = tag.unwrap_or("en").replace('_', "-").to_ascii_lowercase();
        let mut parts = tag.split('-');
        match (parts.next(), parts.next_back()) {
            (Some("en"), None | Some("us" | "ca" | "ph")) => Self::MonthFirst,
            _ => Self::DayFirst,
        }
    }
}

/// Returns an ISO 8601 date or time unchanged, and any other readable date as `YYYY-MM-DD`.
pub(super) fn normalize(text: &str, order: DateOrder) -> Option<String> {
    let text = text.trim();
    if is_iso(text) {
        return Some(text.chars().take(40).collect());
    }
    let text: String = text.chars().take(80).collect();
    compact(&text).or_else(|| in_text(&text, order)).or_else(|| scattered(&text))
}

/// True for a plausible date or time in ISO 8601, the format of schema.org.
pub(super) fn is_iso(text: &str) -> bool {
    let number = |range: std::ops::Range<usize>| text.get(range).and_then(|part| part.parse::<u32>().ok());
    has_iso_shape(text)
        && number(0..4).is_some_and(|year| (1600..2200).contains(&year))
        && number(5..7).is_some_and(|month| (1..=12).contains(&month))
        && number(8..10).is_some_and(|day| (1..=31).contains(&day))
}

/// True for a date in the form of ISO 8601 on which no page can have been published. Programs write such
/// dates for "unknown" (`0001-01-01`).
pub(super) fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    has_iso_shape(text) && !is_iso(text)
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

fn format_date(year: u32, month: u32, day: u32) -> Option<String> {
    let fits = (1990..2100).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    fits.then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// A date of eight digits, also at the start of a time in the basic format of ISO 8601 (`20240501T1000`).
fn compact(text: &str) -> Option<String> {
    let (date, rest) = text.split_at_checked(8)?;
    if !date.bytes().all(|byte| byte.is_ascii_digit()) || rest.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let number = |range: std::ops::Range<usize>| date.get(range).and_then(|part| part.parse().ok());
    format_date(number(0..4)?, number(4..6)?, number(6..8)?)
}

/// Day, month and year in any order with other words between them (`Mon Sep 6 10:30:00 2021`).
fn scattered(text: &str) -> Option<String> {
    let (mut year, mut month, mut day) = (None, None, None);
    for word in words(text) {
        if let Some(found) = year_of(word) {
            year = year.or(Some(found));
        } else if let Some(found) = day_of(word) {
            day = day.or(Some(found));
        } else if let Some(found) = month_number(word) {
            month = month.or(Some(found));
        }
    }
    format_date(year?, month?, day?)
}

/// The words of a text, without those that join the parts of a date (`5 de mayo de 2024`).
fn words(text: &str) -> impl Iterator<Item = &str> {
    const BETWEEN: [&str; 9] = ["de", "del", "of", "the", "den", "le", "el", "di", "года"];
    text.split(|c: char| !c.is_alphanumeric() || is_unit(c))
        .filter(|word| !word.is_empty() && !BETWEEN.contains(word))
        .take(MAX_WORDS)
}

/// The units that Chinese, Japanese and Korean write after a year, a month and a day (`2024年3月5日`).
const fn is_unit(c: char) -> bool {
    matches!(c, '年' | '月' | '日' | '号' | '號' | '년' | '월' | '일')
}

/// A number of at most `max_digits` digits, with at most the letters of an ordinal after it (`5th`).
fn number(word: &str, max_digits: usize) -> Option<u32> {
    let digits = word.trim_end_matches(char::is_alphabetic);
    let fits = !digits.is_empty() && digits.len() <= max_digits && word.len() <= digits.len() + 4;
    fits.then(|| digits.parse::<u32>().ok())?
}

fn year_of(word: &str) -> Option<u32> {
    number(word, 4).filter(|year| (1990..2100).contains(year) && word.len() == 4)
}

fn day_of(word: &str) -> Option<u32> {
    number(word, 2).filter(|day| (1..=31).contains(day))
}

/// The first date in a short text, with the name of its month or all-numeric.
pub(super) fn in_text(text: &str, order: DateOrder) -> Option<String> {
    let words: Vec<&str> = words(text).collect();
    words.windows(3).find_map(|three| {
        let [a, b, c] = three else { return None };
        let (first, second, year) = match (year_of(a), month_number(a), month_number(b)) {
            (Some(year), _, Some(month)) => return format_date(year, month, day_of(c)?),
            (Some(year), _, None) => return format_date(year, day_of(b)?, day_of(c)?),
            (None, Some(month), _) => return format_date(year_of(c)?, month, day_of(b)?),
            (None, None, Some(month)) => return format_date(year_of(c)?, month, day_of(a)?),
            (None, None, None) => (day_of(a)?, day_of(b)?, year_of(c)?),
        };
        let joined = |with: char| text.contains(&format!("{a}{with}{b}{with}{c}"));
        // With dots the day always comes first; with slashes and dashes both orders occur.
        let day_first = if joined('.') {
            true
        } else if joined('/') || (joined('-') && (order == DateOrder::DayFirst || first.max(second) > 12)) {
            first > 12 || order == DateOrder::DayFirst
        } else {
            return None;
        };
        let (day, month) = if day_first && second <= 12 { (first, second) } else { (second, first) };
        format_date(year, month, day)
    })
}

/// Words that occur beside the publication date of a text.
const CONTEXT: [&str; 46] = [
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
    "started",
    "submitted",
    "veröffentlicht",
    "erstellt",
    "aktualisiert",
    "datum",
    "stand",
    "publié",
    "publiée",
    "mis",
    "publicado",
    "publicada",
    "fecha",
    "actualizado",
    "data",
    "atualizado",
    "pubblicato",
    "pubblicata",
    "aggiornato",
    "geplaatst",
    "gepubliceerd",
    "opublikowano",
    "publicerad",
    "publisert",
    "yayınlanma",
    "yayın",
    "tarih",
    "опубликовано",
    "дата",
    "опубліковано",
    "نشر",
    "تاريخ",
];

/// The same in scripts without spaces.
const UNSPACED_CONTEXT: [&str; 9] = ["发布", "發布", "发表", "發表", "更新", "日期", "时间", "公開", "投稿"];

/// Upper bound on the other words of a line that is little more than a date.
const MAX_OTHER_WORDS: usize = 3;

/// The date of a line that tells when the page was published: the line is little more than a date, or it has
/// a word for publishing. Dates within sentences refer to other events.
pub(super) fn in_line(text: &str, order: DateOrder) -> Option<String> {
    let date = in_text(text, order)?;
    let words = || text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let has_context = words().any(|word| {
        let word = word.to_lowercase();
        CONTEXT.contains(&word.as_str()) || UNSPACED_CONTEXT.iter().any(|context| word.contains(context))
    });
    // The date itself has three words.
    (has_context || words().count() <= 3 + MAX_OTHER_WORDS).then_some(date)
}

/// True if a text marks its date as that of a later version.
pub(super) fn marks_update(text: &str) -> bool {
    const CHANGES: [&str; 14] = [
        "updated",
        "modified",
        "revised",
        "reviewed",
        "edited",
        "changed",
        "aktualisiert",
        "geändert",
        "mis",
        "actualizado",
        "atualizado",
        "aggiornato",
        "bijgewerkt",
        "обновлено",
    ];
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|word| CHANGES.contains(&word.to_lowercase().as_str())) || text.contains("更新")
}

/// True if a text marks its date as that of the first publication.
pub(super) fn marks_first_publication(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["originally published", "first published", "originally posted"]
        .iter()
        .any(|phrase| lower.contains(phrase))
}

/// True if a text marks the next date as unrelated to the page, such as that of a member or of a copyright.
pub(super) fn marks_unrelated(text: &str) -> bool {
    const OTHERS: [&str; 12] = [
        "joined",
        "join",
        "founded",
        "registered",
        "member",
        "since",
        "born",
        "copyright",
        "expires",
        "deadline",
        "ends",
        "valid",
    ];
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|word| OTHERS.contains(&word.to_lowercase().as_str())) || text.contains('©')
}

/// The date in a URL path such as `/2024/05/01/title`, `/2024/may/01/title`, `/2024-05-01-title`,
/// `/2024-05/01/` or `/20240501/`.
pub(super) fn of_path(path: &str) -> Option<String> {
    let digits = |text: &str, length: usize| {
        (text.len() <= length && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| text.parse::<u32>().ok())?
    };
    let segments = || path.split('/').take(MAX_WORDS);
    let days = segments().zip(segments().skip(1)).zip(segments().skip(2));
    let in_three = days.into_iter().find_map(|((year, month), day)| {
        let year = digits(year, 4).filter(|_| year.len() == 4)?;
        format_date(year, digits(month, 2).or_else(|| month_number(month))?, digits(day, 2)?)
    });
    let in_two = || {
        segments().zip(segments().skip(1)).find_map(|(month, day)| {
            let (year, month) = month.split_once('-')?;
            format_date(digits(year, 4)?, digits(month, 2)?, digits(day, 2)?)
        })
    };
    let in_one = || {
        segments().find_map(|segment| {
            if segment.len() == 8 {
                return compact(segment);
            }
            let (date, rest) = segment.split_at_checked(10)?;
            let ends = rest.is_empty() || rest.starts_with(['-', '_', '.']);
            (ends && is_iso(date)).then(|| date.to_owned())
        })
    };
    in_three.or_else(in_two).or_else(in_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_parsed_in_common_formats() {
        let rows = [
            ("2024-05-01", Some("2024-05-01")),
            ("2024-05-01T10:00:00+02:00", Some("2024-05-01T10:00:00+02:00")),
            ("May 1, 2024", Some("2024-05-01")),
            ("1st of September 2023 10:30", Some("2023-09-01")),
            ("Mon, 06 Sep 2021 00:00:00 GMT", Some("2021-09-06")),
            ("Mon Sep  6 10:30:00 2021", Some("2021-09-06")),
            ("Thu, 09/25/2025 - 11:38", Some("2025-09-25")),
            ("20240501", Some("2024-05-01")),
            ("20240501T103000Z", Some("2024-05-01")),
            ("202405011", None),
            ("0001-01-01T00:00:00Z", None),
            ("2024-13-01", None),
            ("yesterday", None),
            ("2024", None),
        ];
        for (text, expected) in rows {
            assert_eq!(normalize(text, DateOrder::MonthFirst).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn dates_are_parsed_in_many_languages() {
        let rows = [
            ("Published on March 5th, 2025 by Ann", Some("2025-03-05")),
            ("Updated 5 Mar 2025", Some("2025-03-05")),
            ("5. März 2024", Some("2024-03-05")),
            ("1er août 2024", Some("2024-08-01")),
            ("5 de marzo de 2024", Some("2024-03-05")),
            ("1º de março de 2024", Some("2024-03-01")),
            ("5 marzo 2024", Some("2024-03-05")),
            ("5 maart 2024", Some("2024-03-05")),
            ("5 marca 2024", Some("2024-03-05")),
            ("5 марта 2024 г.", Some("2024-03-05")),
            ("5 березня 2024", Some("2024-03-05")),
            ("5 Mart 2024", Some("2024-03-05")),
            ("5 مارس 2024", Some("2024-03-05")),
            ("2024年3月5日", Some("2024-03-05")),
            ("发布时间：2024年03月05日 10:20", Some("2024-03-05")),
            ("2024년 3월 5일", Some("2024-03-05")),
            ("2024. 3. 5.", Some("2024-03-05")),
            ("2024 March 5", Some("2024-03-05")),
            ("31.12.2024", Some("2024-12-31")),
            ("12/31/2024", Some("2024-12-31")),
            ("12-31-2024", Some("2024-12-31")),
            ("12-11-2024", None),
            ("2024/05/01", Some("2024-05-01")),
            ("from 3 to 5 of 2024 items", None),
            ("Laptop Pro 15 2023", None),
        ];
        for (text, expected) in rows {
            assert_eq!(in_text(text, DateOrder::MonthFirst).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_language_decides_the_order_of_day_and_month() {
        let rows = [
            (None, "2024-03-05"),
            (Some("en"), "2024-03-05"),
            (Some("en_US"), "2024-03-05"),
            (Some("en-GB"), "2024-05-03"),
            (Some("fr"), "2024-05-03"),
            (Some("pt-BR"), "2024-05-03"),
        ];
        for (tag, expected) in rows {
            assert_eq!(
                in_text("3/5/2024", DateOrder::of_language(tag)).as_deref(),
                Some(expected),
                "{tag:?}"
            );
        }
    }

    #[test]
    fn dates_are_found_in_paths() {
        let rows = [
            ("/blog/2024/5/1/title", Some("2024-05-01")),
            ("/blog/2023/october/03/title", Some("2023-10-03")),
            ("/news/2024-05-01-title", Some("2024-05-01")),
            ("/n1/2024-05/01/content_1.htm", Some("2024-05-01")),
            ("/a/20240501/x.html", Some("2024-05-01")),
            ("/a/20249901/x.html", None),
            ("/2024/13/01/x", None),
            ("/2024/markets/01/x", None),
            ("/1/2/3", None),
        ];
        for (path, expected) in rows {
            assert_eq!(of_path(path).as_deref(), expected, "{path}");
        }
    }
}
