//! The forms in which texts state days: with the name of the month, in figures, with the signs of Chinese,
//! Japanese and Korean.

use time::{Date, Month};

use super::months::month;
use super::token::{Kind, Tokens};

/// Years that dates in texts have.
const YEARS: std::ops::RangeInclusive<u32> = 1000..=2199;
/// Years of the Buddhist calendar, as Thai texts write them.
const BUDDHIST_YEARS: std::ops::RangeInclusive<u32> = 2400..=2700;
/// What the Buddhist calendar is ahead.
const BUDDHIST_AHEAD: u32 = 543;
/// Upper bound on the words and marks between two parts of a date.
const MAX_BETWEEN: usize = 4;
/// Tokens behind a month in which its day stands.
const MAX_MONTH_TOKENS: usize = 5;

/// Words between the parts of a date, in the form of [`fold`](super::words::fold).
const BETWEEN: &[&str] = &[
    "of", "the", "de", "del", "d", "di", "den", "dia", "le", "mes", "ano", "anul", "g", "gada", "m", "r",
    "rok", "roku", "goda", "года", "г", "р", "року", "nam", "tahun", "yil", "พ", "ศ", "ค", "في",
];
/// Endings of a day in figures: `4th`, `1er`, `4-го`.
const ORDINALS: &[&str] = &[
    "st", "nd", "rd", "th", "er", "re", "ere", "o", "a", "º", "ª", "e", "de", "οσ", "η", "го", "ого", "en",
    "an",
];
/// Words between the two days of a range.
const RANGE_WORDS: &[&str] = &[
    "to", "through", "thru", "until", "bis", "au", "al", "a", "ao", "tot", "till", "til", "do", "po", "по",
    "до", "εωσ", "iki", "lidz", "kuni", "fins", "den", "hingga", "sampai",
];
/// Words between two parts that belong together: `3 and 4 March`.
pub(super) const AND_WORDS: &[&str] = &[
    "and", "und", "et", "y", "e", "en", "och", "og", "ja", "i", "si", "es", "и", "та", "й", "και", "ve",
    "ir", "un", "va",
];

/// One day, or the first and the last of several.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stated {
    pub(super) first: Date,
    pub(super) last: Option<Date>,
    /// The token behind it.
    pub(super) next: usize,
    /// Its end in the text, which may be inside the last token.
    pub(super) end: usize,
}

/// Whether the day or the month comes first in figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    DayFirst,
    MonthFirst,
}

/// A date in figures with the year last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Figures {
    one: u32,
    two: u32,
    year: u32,
    /// With points, the day comes first if it can.
    is_pointed: bool,
    next: usize,
}

impl Figures {
    /// The order that the figures themselves show; `None` if both are possible.
    pub(super) fn order(&self) -> Option<Order> {
        if self.two > 12 {
            Some(Order::MonthFirst)
        } else {
            (self.is_pointed || self.one > 12).then_some(Order::DayFirst)
        }
    }

    /// Whether both orders state the same day.
    pub(super) fn is_symmetric(&self) -> bool {
        self.one == self.two
    }

    pub(super) fn read(&self, tokens: &Tokens<'_>, order: Order) -> Option<Stated> {
        let (day, month) = match order {
            Order::DayFirst => (self.one, self.two),
            Order::MonthFirst => (self.two, self.one),
        };
        one_day(tokens, calendar(self.year, month, day)?, self.next)
    }
}

/// Reads `3/4/2021`, `3.4.2021` and `3-4-2021`.
pub(super) fn figures_at(tokens: &Tokens<'_>, at: usize) -> Option<Figures> {
    let one = short_number(tokens, at)?;
    let mark = tokens.mark(at + 1).filter(|mark| matches!(mark, '.' | '/' | '-' | '‑' | '–'))?;
    let two = short_number(tokens, at + 2)?;
    let same = tokens.mark(at + 3) == Some(mark);
    let year = tokens.number(at + 4).filter(|(_, digits)| same && *digits == 4).map(|(year, _)| year)?;
    Some(Figures { one, two, year, is_pointed: mark == '.', next: at + 5 })
}

/// The day or the days that start at a token, but for [`figures_at`].
pub(super) fn stated_at(tokens: &Tokens<'_>, at: usize) -> Option<Stated> {
    match tokens.kind(at)? {
        Kind::Word => {
            // Most words are no month: a number must follow.
            let has_day = (1..MAX_MONTH_TOKENS).any(|ahead| tokens.number(at + ahead).is_some());
            if has_day { month_first(tokens, at) } else { None }
        }
        Kind::Number { digits: 4, .. } => year_first(tokens, at),
        Kind::Number { digits: 1 | 2, .. } => day_first(tokens, at).or_else(|| pointed_range(tokens, at)),
        _ => None,
    }
}

/// `4 March 2021`, `3 March – 5 April 2021`, `3–5 March 2021`.
fn day_first(tokens: &Tokens<'_>, at: usize) -> Option<Stated> {
    let first = short_number(tokens, at)?;
    let (behind, is_dotted) = behind_day(tokens, at);
    if let Some((first_month, behind)) = month(tokens, between(tokens, behind), is_dotted) {
        if let Some((year, next)) = year(tokens, behind) {
            return one_day(tokens, calendar(year, first_month, first)?, next);
        }
        let at = joined_day(tokens, joined(tokens, between_marks(tokens, behind))?);
        let (last, last_month, next) = day_and_month(tokens, at)?;
        let (year, next) = year(tokens, next)?;
        return two_days(tokens, (first_month, first), (last_month, last), year, next);
    }
    let at = joined_day(tokens, joined(tokens, behind)?);
    let (last, month, next) = day_and_month(tokens, at)?;
    let (year, next) = year(tokens, next)?;
    two_days(tokens, (month, first), (month, last), year, next)
}

/// `March 4, 2021`, `March 3–5, 2021`, `March 3 – April 5, 2021`.
fn month_first(tokens: &Tokens<'_>, at: usize) -> Option<Stated> {
    let (first_month, behind) = month(tokens, at, false)?;
    let at = between(tokens, behind);
    let first = short_number(tokens, at)?;
    let (behind, _) = behind_day(tokens, at);
    if let Some((year, next)) = year(tokens, behind) {
        return one_day(tokens, calendar(year, first_month, first)?, next);
    }
    let at = joined_day(tokens, joined(tokens, behind)?);
    let (last_month, at) = match month(tokens, at, false) {
        Some((month, behind)) => (month, between(tokens, behind)),
        None => (first_month, at),
    };
    let last = short_number(tokens, at)?;
    let (year, next) = year(tokens, behind_day(tokens, at).0)?;
    two_days(tokens, (first_month, first), (last_month, last), year, next)
}

/// `2021-03-04`, `2021年3月4日`, `2021. március 4.`, `2021. gada 4. martā`.
fn year_first(tokens: &Tokens<'_>, at: usize) -> Option<Stated> {
    let (year, _) = tokens.number(at)?;
    if let Some(found) = signed(tokens, at, year) {
        return Some(found);
    }
    if let Some(mark) = tokens.mark(at + 1).filter(|mark| matches!(mark, '-' | '/' | '.' | '‑' | '–'))
        && let (Some(month), Some(day)) = (short_number(tokens, at + 2), short_number(tokens, at + 4))
        && tokens.mark(at + 3) == Some(mark)
    {
        return one_day(tokens, calendar(year, month, day)?, at + 5);
    }
    let behind = between(tokens, at + 1);
    if (at + 1..behind).any(|at| tokens.is_word(at, &["gada"])) {
        let (day, month, next) = day_and_month(tokens, behind)?;
        return one_day(tokens, calendar(year, month, day)?, next);
    }
    let (month, behind) = month(tokens, behind, false)?;
    let at = between_marks(tokens, behind);
    let first = short_number(tokens, at)?;
    let (behind, _) = behind_day(tokens, at);
    // `In 2020. March 4, 2021` states the later year.
    if self::year(tokens, behind).is_some() {
        return None;
    }
    if let Some(at) = joined(tokens, behind)
        && let Some(last) = short_number(tokens, at)
    {
        return two_days(tokens, (month, first), (month, last), year, at + 1);
    }
    one_day(tokens, calendar(year, month, first)?, at + 1)
}

/// `2021年3月4日`, `2021년 3월 4일`, `2021年3月4日～6日`.
fn signed(tokens: &Tokens<'_>, at: usize, year: u32) -> Option<Stated> {
    const YEAR: &[char] = &['年', '년'];
    const MONTH: &[char] = &['月', '월'];
    const DAY: &[char] = &['日', '일', '号', '號'];
    // The end of a sign, which may be the start of a longer run of letters.
    let sign = |at: usize, signs: &[char]| -> Option<usize> {
        let word = tokens.word(at).filter(|word| word.starts_with(signs))?;
        Some(tokens.get(at)?.start + word.chars().next().map_or(0, char::len_utf8))
    };
    sign(at + 1, YEAR)?;
    let month = short_number(tokens, at + 2)?;
    sign(at + 3, MONTH)?;
    let day = short_number(tokens, at + 4)?;
    let end = sign(at + 5, DAY)?;
    let first = calendar(year, month, day)?;
    let single = Stated { first, last: None, next: at + 6, end };
    // The day of the week in brackets.
    let is_bracket = matches!(tokens.mark(at + 6), Some('(' | '（'));
    let behind = if is_bracket { at + 9 } else { at + 6 };
    let last = joined(tokens, behind).and_then(|at| {
        let number = short_number(tokens, at)?;
        let (month, at) = match sign(at + 1, MONTH) {
            Some(_) => (number, at + 2),
            None => (month, at),
        };
        let end = sign(at + 1, DAY)?;
        let last = calendar(year, month, short_number(tokens, at)?)?;
        (last > first).then_some(Stated { first, last: Some(last), next: at + 2, end })
    });
    last.or(Some(single))
}

/// `3.–5.4.2021`, `3.4. – 5.4.2021`.
fn pointed_range(tokens: &Tokens<'_>, at: usize) -> Option<Stated> {
    let first = short_number(tokens, at)?;
    let mut behind = at + 1;
    if tokens.mark(behind) == Some('.') {
        behind += 1;
    }
    let mut first_month = None;
    if behind > at + 1
        && let Some(found) = short_number(tokens, behind)
    {
        first_month = Some(found);
        behind += if tokens.mark(behind + 1) == Some('.') { 2 } else { 1 };
    }
    let last = figures_at(tokens, joined_day(tokens, joined(tokens, behind)?))?;
    let month = last.is_pointed.then_some(last.two)?;
    two_days(tokens, (first_month.unwrap_or(month), first), (month, last.one), last.year, last.next)
}

/// A day of the month and its month: `5. April`.
fn day_and_month(tokens: &Tokens<'_>, at: usize) -> Option<(u32, u32, usize)> {
    let day = short_number(tokens, at)?;
    let (behind, is_dotted) = behind_day(tokens, at);
    let (month, next) = month(tokens, between(tokens, behind), is_dotted)?;
    Some((day, month, next))
}

/// A number of one or two digits.
fn short_number(tokens: &Tokens<'_>, at: usize) -> Option<u32> {
    tokens.number(at).filter(|(_, digits)| *digits <= 2).map(|(value, _)| value)
}

/// The year behind a month or a day, and the token behind it.
fn year(tokens: &Tokens<'_>, at: usize) -> Option<(u32, usize)> {
    let at = between(tokens, at);
    tokens.number(at).filter(|(_, digits)| *digits == 4).map(|(year, _)| (year, at + 1))
}

/// The token behind a day with its ending, and whether a point is the ending.
fn behind_day(tokens: &Tokens<'_>, at: usize) -> (usize, bool) {
    let next = at + 1;
    if !tokens.is_attached(next) {
        return (next, false);
    }
    match tokens.kind(next) {
        Some(Kind::Mark('.')) => (next + 1, true),
        Some(Kind::Mark('°')) => (next + 1, false),
        Some(Kind::Mark('-')) if tokens.is_attached(next + 1) && tokens.is_word(next + 1, ORDINALS) => {
            (next + 2, false)
        }
        Some(Kind::Word) if tokens.is_word(next, ORDINALS) => (next + 1, false),
        _ => (next, false),
    }
}

/// Skips words and marks between the parts of a date.
fn between(tokens: &Tokens<'_>, at: usize) -> usize {
    skip(tokens, at, true)
}

/// Skips marks between the parts of a date, but for dashes between words.
fn between_marks(tokens: &Tokens<'_>, at: usize) -> usize {
    skip(tokens, at, false)
}

fn skip(tokens: &Tokens<'_>, at: usize, all: bool) -> usize {
    let is_between = |at: &usize| match tokens.kind(*at) {
        Some(Kind::Mark('.' | ',' | '،' | '、')) => true,
        Some(Kind::Mark('/' | '-' | '‑' | '–' | '\'' | '’')) => all && tokens.is_attached(*at),
        Some(Kind::Word) => all && tokens.is_word(*at, BETWEEN),
        _ => false,
    };
    at + (at..at + MAX_BETWEEN).take_while(is_between).count()
}

/// The token behind a word or mark that joins two days.
fn joined(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    let joins = match tokens.kind(at)? {
        Kind::Mark(mark) => is_dash(mark) || matches!(mark, '/' | '&' | '+'),
        Kind::Word => tokens.is_word(at, RANGE_WORDS) || tokens.is_word(at, AND_WORDS),
        Kind::Number { .. } => false,
    };
    joins.then_some(at + 1)
}

/// The token behind a word or mark that makes a range of what is before and behind it.
pub(super) fn ranged(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    let ranges = match tokens.kind(at)? {
        Kind::Mark(mark) => is_dash(mark),
        Kind::Word => tokens.is_word(at, RANGE_WORDS),
        Kind::Number { .. } => false,
    };
    ranges.then_some(at + 1)
}

const fn is_dash(mark: char) -> bool {
    matches!(mark, '-' | '‑' | '–' | '—' | '−' | '~' | '～' | '〜' | '→')
}

/// Skips the day of the week in front of the second day of a range.
fn joined_day(tokens: &Tokens<'_>, at: usize) -> usize {
    for next in at..at + MAX_BETWEEN {
        match tokens.kind(next) {
            Some(Kind::Number { .. }) => return next,
            Some(Kind::Word) if month(tokens, next, false).is_none() => {}
            Some(Kind::Mark('.' | ',')) => {}
            _ => return next,
        }
    }
    at
}

fn one_day(tokens: &Tokens<'_>, day: Date, next: usize) -> Option<Stated> {
    Some(Stated { first: day, last: None, next, end: tokens.end_of(next.checked_sub(1)?) })
}

/// Two days, each a month and a day; the second one is in this year.
fn two_days(
    tokens: &Tokens<'_>,
    first: (u32, u32),
    last: (u32, u32),
    year: u32,
    next: usize,
) -> Option<Stated> {
    let last_day = calendar(year, last.0, last.1)?;
    // `30 December – 2 January 2022` starts in the year before.
    let first_year = if first.0 > last.0 { year.checked_sub(1)? } else { year };
    let first = calendar(first_year, first.0, first.1).filter(|first| *first < last_day)?;
    Some(Stated { last: Some(last_day), ..one_day(tokens, first, next)? })
}

/// The day of the calendar, if there is such a day.
fn calendar(year: u32, month: u32, day: u32) -> Option<Date> {
    let year = if BUDDHIST_YEARS.contains(&year) { year - BUDDHIST_AHEAD } else { year };
    if !YEARS.contains(&year) {
        return None;
    }
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    Date::from_calendar_date(i32::try_from(year).ok()?, month, u8::try_from(day).ok()?).ok()
}
