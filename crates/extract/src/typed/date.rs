//! Reads dates with or without a time of day.

use std::ops::Range;

use time::OffsetDateTime;
use time::format_description::well_known::{Rfc2822, Rfc3339};

use super::affix::is_label_word;
use super::date_forms::{Order, Stated, figures_at, ranged, stated_at};
use super::date_times::Times;
use super::token::{Kind, Tokens, digit_value, first_chars};

/// Upper bound on the dates read from one text.
const MAX_DATES: usize = 64;
/// Length of the start of a text in which its date stands, in characters.
const MAX_DATE_CHARS: usize = 80;
/// Length of `YYYY-MM-DD`.
pub(crate) const DAY_BYTES: usize = 10;
/// Upper bound on the bytes between two dates that make a range.
const MAX_RANGE_GAP_BYTES: usize = 40;

/// A date in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DateFound {
    /// `YYYY-MM-DD`; with a time of day `YYYY-MM-DDTHH:MM:SS`, with an offset from UTC only if one is stated.
    pub(crate) value: String,
    /// The words that state it. The two days of `3–5 March 2021` have the same range.
    pub(crate) range: Range<usize>,
    /// Whether the text alone states it. `03/04/2021` is read only if another date shows the order.
    pub(crate) is_certain: bool,
    /// Whether it ends the range that the date before it starts.
    pub(crate) ends_range: bool,
}

impl DateFound {
    /// The date without the time of day.
    pub(crate) fn day(&self) -> &str {
        self.value.get(..DAY_BYTES).unwrap_or(&self.value)
    }
}

/// The date of a text as `YYYY-MM-DD`; a text in the form of RFC 3339 or RFC 2822 keeps its time of day.
///
/// Forms that countries read differently (`03/04/2021`) are not dates: null is better than a guess.
pub(crate) fn date(text: &str) -> Option<String> {
    timestamp(text).or_else(|| first_date(text).map(|found| found.day().to_owned()))
}

/// The date of a text with its time of day if there is one; see [`DateFound::value`].
pub(crate) fn moment(text: &str) -> Option<String> {
    timestamp(text).or_else(|| first_date(text).map(|found| found.value))
}

/// The first range of days or moments in a text: the values of [`DateFound`] of its start and its end.
pub(crate) fn date_range(text: &str) -> Option<(String, String)> {
    let found = dates(text);
    let at = found.iter().position(|date| date.ends_range)?;
    let first = found.get(at.checked_sub(1)?)?;
    Some((first.value.clone(), found.get(at)?.value.clone()))
}

/// The dates of a text, in order; at most [`MAX_DATES`]. The cost is linear in the text.
pub(crate) fn dates(text: &str) -> Vec<DateFound> {
    if !has_year(text) {
        return Vec::new();
    }
    let tokens = Tokens::new(text);
    let mut orders = Orders::default();
    let mut found = scan(&tokens, None, &mut orders);
    // The other dates show how this text writes its figures.
    if orders.is_open
        && let Some(order) = orders.only()
    {
        found = scan(&tokens, Some(order), &mut Orders::default());
    }
    mark_ranges(text, &mut found);
    found
}

/// A text that is a time stamp of RFC 3339 or RFC 2822, in the form of RFC 3339.
fn timestamp(text: &str) -> Option<String> {
    let text = text.trim();
    let found = OffsetDateTime::parse(text, &Rfc3339).or_else(|_| OffsetDateTime::parse(text, &Rfc2822));
    found.ok()?.format(&Rfc3339).ok()
}

/// The first date at the start of a text.
fn first_date(text: &str) -> Option<DateFound> {
    dates(first_chars(text.trim(), MAX_DATE_CHARS)).into_iter().next()
}

/// Whether a run of exactly four digits occurs, which each date has.
fn has_year(text: &str) -> bool {
    let mut digits = 0;
    for found in text.chars() {
        if digit_value(found).is_some() {
            digits += 1;
        } else if digits == 4 {
            return true;
        } else {
            digits = 0;
        }
    }
    digits == 4
}

/// The orders of day and month that the figures of a text show.
#[derive(Debug, Default)]
struct Orders {
    day_first: bool,
    month_first: bool,
    /// Some figures show none.
    is_open: bool,
}

impl Orders {
    fn only(&self) -> Option<Order> {
        match (self.day_first, self.month_first) {
            (true, false) => Some(Order::DayFirst),
            (false, true) => Some(Order::MonthFirst),
            _ => None,
        }
    }
}

/// Reads the dates of a text. `shown` is the order for figures that show none.
fn scan(tokens: &Tokens<'_>, shown: Option<Order>, orders: &mut Orders) -> Vec<DateFound> {
    let mut found = Vec::new();
    let (mut at, mut from) = (0, 0);
    while at < tokens.len() && found.len() < MAX_DATES {
        let Some((stated, is_certain)) = read_at(tokens, at, shown, orders) else {
            at += 1;
            continue;
        };
        let times = Times::beside(tokens, at, &stated, from);
        let next = stated.next.max(times.next).max(at + 1);
        times.add(tokens, at, &stated, is_certain, &mut found);
        (at, from) = (next, next);
    }
    found.truncate(MAX_DATES);
    found
}

/// The date at a token, and whether the text alone states it.
fn read_at(
    tokens: &Tokens<'_>,
    at: usize,
    shown: Option<Order>,
    orders: &mut Orders,
) -> Option<(Stated, bool)> {
    let is_number = matches!(tokens.kind(at)?, Kind::Number { .. });
    if is_number && !tokens.starts_number(at) {
        return None;
    }
    if let Some(stated) = stated_at(tokens, at) {
        return Some((stated, true));
    }
    let figures = figures_at(tokens, at)?;
    if let Some(order) = figures.order() {
        let stated = figures.read(tokens, order)?;
        orders.day_first |= order == Order::DayFirst;
        orders.month_first |= order == Order::MonthFirst;
        return Some((stated, true));
    }
    if figures.is_symmetric() {
        return Some((figures.read(tokens, Order::DayFirst)?, true));
    }
    orders.is_open = true;
    Some((figures.read(tokens, shown?)?, false))
}

/// Marks the dates that end a range which the date before them starts.
fn mark_ranges(text: &str, found: &mut [DateFound]) {
    let mut at = 1;
    while let Some([before, last]) = found.get_mut(at - 1..=at) {
        let gap = text.get(before.range.end..last.range.start).unwrap_or_default();
        if !before.ends_range && !last.ends_range && before.day() <= last.day() && is_range_gap(gap) {
            last.ends_range = true;
        }
        at += 1;
    }
}

/// Whether the text between two dates makes them a range: a dash or a word such as `to`, and at most the day
/// of the week.
fn is_range_gap(gap: &str) -> bool {
    if gap.is_empty() || gap.len() > MAX_RANGE_GAP_BYTES {
        return false;
    }
    let tokens = Tokens::new(gap);
    let (mut joins, mut others) = (0, 0);
    for at in 0..tokens.len() {
        match tokens.kind(at) {
            _ if ranged(&tokens, at).is_some() => joins += 1,
            Some(Kind::Mark(',' | '.' | '(' | ')' | '（' | '）')) => {}
            // `– updated` starts another date.
            Some(Kind::Word) if !tokens.folded(at).is_some_and(|word| is_label_word(&word)) => others += 1,
            _ => return false,
        }
    }
    joins == 1 && others <= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unambiguous_dates_are_read() {
        let rows = [
            ("2021-03-04", Some("2021-03-04")),
            ("2021-03-04T10:00:00Z", Some("2021-03-04T10:00:00Z")),
            ("Thu, 04 Mar 2021 10:00:00 +0000", Some("2021-03-04T10:00:00Z")),
            ("March 4, 2021", Some("2021-03-04")),
            ("4th of", None),
            ("4. März 2021", Some("2021-03-04")),
            ("Published 4 mars 2021 by", Some("2021-03-04")),
            ("25/12/2020", Some("2020-12-25")),
            ("12/25/2020", Some("2020-12-25")),
            ("04.03.2021", Some("2021-03-04")),
            ("11.24.2025", Some("2025-11-24")),
            ("03/04/2021", None),
            ("2021-13-40", None),
            ("soon", None),
            ("3 markets 2021", None),
            ("2 sets 2020", None),
            ("3 decks 2021", None),
            ("2 set. 2020", Some("2020-09-02")),
            ("3 Sept 2021", Some("2021-09-03")),
            ("14 juil. 2021", Some("2021-07-14")),
            ("2 jui 2021", None),
            ("5 мая 2021", Some("2021-05-05")),
        ];
        for (text, expected) in rows {
            assert_eq!(date(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_fourth_of_march_is_read_in_many_languages() {
        for text in [
            "Thursday, 4th of March 2021",
            "Donnerstag, den 4. März 2021",
            "le jeudi 4 mars 2021",
            "4 de marzo de 2021",
            "4 d’març de 2021",
            "4 de março de 2021",
            "torsdag d. 4. marts 2021",
            "4. maaliskuuta 2021",
            "4 marca 2021 r.",
            "4. března 2021",
            "4. ožujka 2021.",
            "4 martie 2021",
            "2021. március 4.",
            "4 март 2021 г.",
            "4 марта 2021 года",
            "4 березня 2021 р.",
            "4 Μαρτίου 2021",
            "4 MART 2021",
            "2021 m. kovo 4 d.",
            "2021. gada 4. martā",
            "4. märts 2021",
            "Ngày 4 tháng 3 năm 2021",
            "4 Maret 2021",
            "2021年3月4日（木）",
            "2021년 3월 4일부터",
            "2021. 3. 4.",
            "٤ مارس ٢٠٢١",
            "4 במרץ 2021",
            "4 मार्च 2021",
            "4 มี.ค. 2564",
            "04-Mar-2021",
            "2021/03/04",
        ] {
            assert_eq!(date(text).as_deref(), Some("2021-03-04"), "{text}");
        }
    }

    #[test]
    fn times_beside_a_date_make_a_moment() {
        let rows = [
            ("4 March 2021, 10:30 pm", "2021-03-04T22:30:00"),
            ("4. März 2021 um 19:30 Uhr", "2021-03-04T19:30:00"),
            ("le 4 mars 2021 à 20h30", "2021-03-04T20:30:00"),
            ("torsdag 4. marts 2021 kl. 19.30", "2021-03-04T19:30:00"),
            ("7:30 pm on Thursday, March 4, 2021", "2021-03-04T19:30:00"),
            ("2021年3月4日午後2時30分", "2021-03-04T14:30:00"),
            ("2021-03-04T19:30", "2021-03-04T19:30:00"),
            ("2021-03-04T10:00:00Z", "2021-03-04T10:00:00Z"),
            ("4 March 2021 · 5 min read", "2021-03-04"),
            ("September 18, 2025, 2:00–3:00 PM", "2025-09-18T14:00:00"),
            ("September 18, 2025, 11:00–1:00 PM", "2025-09-18T11:00:00"),
        ];
        for (text, expected) in rows {
            assert_eq!(moment(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn ranges_have_a_start_and_an_end() {
        let rows = [
            ("3–5 March 2021", Some(("2021-03-03", "2021-03-05"))),
            ("March 3-5, 2021", Some(("2021-03-03", "2021-03-05"))),
            ("3 March – 5 April 2021", Some(("2021-03-03", "2021-04-05"))),
            ("December 30 to January 2, 2022", Some(("2021-12-30", "2022-01-02"))),
            ("du 3 au 5 mars 2021", Some(("2021-03-03", "2021-03-05"))),
            ("3.–5. März 2021", Some(("2021-03-03", "2021-03-05"))),
            ("3.3. – 5.4.2021", Some(("2021-03-03", "2021-04-05"))),
            ("from 3 March 2021 to Monday, 5 April 2021", Some(("2021-03-03", "2021-04-05"))),
            ("2021年3月4日～6日", Some(("2021-03-04", "2021-03-06"))),
            ("4 March 2021, 19:00 – 21:00", Some(("2021-03-04T19:00:00", "2021-03-04T21:00:00"))),
            ("Posted 3 March 2021 - Updated 5 March 2021", None),
            ("4 March 2021", None),
        ];
        for (text, expected) in rows {
            let found = date_range(text);
            let found = found.as_ref().map(|(first, last)| (first.as_str(), last.as_str()));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn dates_have_ranges_and_settle_each_other() {
        let text = "Opens: 4 March 2021, 10:00. Ends 25/12/2021, not 03/04/2021";
        let found = dates(text);
        let parts: Vec<(&str, &str, bool)> = found
            .iter()
            .map(|date| (date.value.as_str(), text.get(date.range.clone()).unwrap(), date.is_certain))
            .collect();
        assert_eq!(
            parts,
            [
                ("2021-03-04T10:00:00", "4 March 2021, 10:00", true),
                ("2021-12-25", "25/12/2021", true),
                ("2021-04-03", "03/04/2021", false),
            ]
        );
        assert_eq!(dates(&"1.1.2021 ".repeat(10_000)).len(), MAX_DATES);
    }
}
