//! Dates as data and pages write them.

use std::collections::HashSet;

use time::Date;

/// A day: year, month, day of the month.
pub(super) type Day = (u32, u32, u32);

/// A day, and the minute of that day if the text states one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) day: Day,
    pub(super) minute: Option<u32>,
}

/// Starts of the names of the months in the languages of Europe and in Turkish.
const MONTHS: [&[&str]; 12] = [
    &["jan", "jän", "ene", "gen", "янв", "січ", "sty", "led", "tammi", "ian", "oca"],
    &["feb", "fév", "fev", "фев", "лют", "lut", "úno", "helmi", "şub"],
    &["mar", "mär", "maa", "mrt", "már", "мар", "бер", "bře"],
    &["apr", "avr", "abr", "ápr", "апр", "кві", "kwi", "dub", "huhti", "nis"],
    &["may", "mai", "maj", "mag", "mei", "maí", "máj", "май", "мая", "тра", "kvě", "touko"],
    &["jun", "juin", "giu", "jún", "июн", "чер", "cze", "červen", "kesä", "iun", "haz"],
    &["jul", "juil", "lug", "júl", "июл", "лип", "lip", "červenec", "heinä", "iul", "tem"],
    &["aug", "aoû", "aou", "ago", "авг", "сер", "sie", "srp", "elo", "ağu"],
    &["sep", "set", "сен", "вер", "wrz", "zář", "syys", "szep", "eyl"],
    &["oct", "okt", "ott", "out", "окт", "жов", "paź", "říj", "loka", "eki"],
    &["nov", "ноя", "лис", "lis", "marras", "noi", "kas"],
    &["dec", "dez", "déc", "dic", "des", "дек", "гру", "gru", "pro", "joulu", "ara"],
];

/// Words between the parts of a date.
const BETWEEN: [&str; 8] = ["de", "del", "of", "the", "den", "d", "di", "г"];

#[derive(Debug, Clone, Copy)]
enum Token {
    Number { value: u32, digits: usize },
    Month(u32),
    Other,
}

impl Token {
    fn of(word: &str) -> Self {
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let suffix = word.get(digits..).unwrap_or_default();
        // `1st`, `4th`, and the time of `2024-03-01T10:00`.
        if (1..=4).contains(&digits) && (suffix.chars().count() <= 2 || suffix.starts_with('t')) {
            let value = word.get(..digits).and_then(|digits| digits.parse().ok());
            return value.map_or(Self::Other, |value| Self::Number { value, digits });
        }
        let length = word.chars().count();
        if digits > 0 || !(3..=12).contains(&length) {
            return Self::Other;
        }
        // The longest start decides: `červenec` is July, `červen` is June; `marras` is November.
        let best = MONTHS
            .iter()
            .zip(1..)
            .flat_map(|(starts, month)| starts.iter().map(move |start| (*start, month)))
            .filter(|(start, _)| word.starts_with(start))
            .max_by_key(|(start, _)| start.len());
        best.map_or(Self::Other, |(_, month)| Self::Month(month))
    }
}

/// The days that a text states; `03/04/2021` states two.
pub(super) fn days(text: &str) -> HashSet<Day> {
    let spaced: String = text
        .chars()
        .map(|found| if matches!(found, '年' | '月' | '日' | '년' | '월' | '일') { ' ' } else { found })
        .flat_map(char::to_lowercase)
        .collect();
    let tokens: Vec<Token> = spaced
        .split(|found: char| !found.is_alphanumeric())
        .filter(|word| !word.is_empty() && !BETWEEN.contains(word))
        .map(Token::of)
        .collect();
    let mut found = HashSet::new();
    let mut add = |year: (u32, usize), month: u32, day: u32| {
        let year = match year {
            (value, 2) => 2000 + value,
            (value, 4) => value,
            _ => 0,
        };
        if (1900..=2100).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day) {
            found.insert((year, month, day));
        }
    };
    for window in tokens.windows(3) {
        match window {
            [
                Token::Number { value: year, digits: 4 },
                Token::Month(month),
                Token::Number { value: day, .. },
            ] => add((*year, 4), *month, *day),
            [
                Token::Number { value: day, .. },
                Token::Month(month),
                Token::Number { value: year, digits },
            ]
            | [
                Token::Month(month),
                Token::Number { value: day, .. },
                Token::Number { value: year, digits },
            ] => add((*year, *digits), *month, *day),
            [
                Token::Number { value: year, digits: 4 },
                Token::Number { value: month, .. },
                Token::Number { value: day, .. },
            ] => add((*year, 4), *month, *day),
            [
                Token::Number { value: one, .. },
                Token::Number { value: two, .. },
                Token::Number { value: year, digits },
            ] => {
                add((*year, *digits), *two, *one);
                add((*year, *digits), *one, *two);
            }
            _ => {}
        }
    }
    found
}

/// The moment that data states: an ISO 8601 date with or without a time, else the only day of the text.
pub(super) fn moment(text: &str) -> Option<Moment> {
    let text = text.trim();
    if let Some(day) = iso_day(text) {
        let time = text.get(10..).unwrap_or_default().strip_prefix(['T', 't', ' ']).unwrap_or_default();
        let part = |range: std::ops::Range<usize>| time.get(range).and_then(|part| part.parse::<u32>().ok());
        let minute = part(0..2).zip(part(3..5)).map(|(hours, minutes)| hours * 60 + minutes);
        return Some(Moment { day, minute });
    }
    let mut found = days(text).into_iter();
    let day = found.next()?;
    found.next().is_none().then_some(Moment { day, minute: None })
}

/// Whether one day follows the other.
pub(super) fn are_adjacent(one: Day, other: Day) -> bool {
    day_number(one).zip(day_number(other)).is_some_and(|(one, other)| one.abs_diff(other) == 1)
}

/// Whether two texts state one moment in different time zones.
pub(super) fn are_one_instant(one: &str, other: &str) -> bool {
    instant(one).zip(instant(other)).is_some_and(|(one, other)| one == other)
}

/// The minute of a moment with a time zone, from a fixed day on.
fn instant(text: &str) -> Option<i32> {
    let Moment { day, minute } = moment(text)?;
    let minute = i32::try_from(minute?).ok()?;
    let zone = text.trim().get(16..)?;
    let offset = match zone.rfind(['+', '-']) {
        Some(at) => {
            let digits: String = zone.get(at + 1..)?.chars().filter(char::is_ascii_digit).collect();
            let hours: i32 = digits.get(..2)?.parse().ok()?;
            let minutes: i32 = digits.get(2..4).unwrap_or("0").parse().ok()?;
            (hours * 60 + minutes) * if zone.get(at..)?.starts_with('-') { -1 } else { 1 }
        }
        None if zone.ends_with(['Z', 'z']) => 0,
        None => return None,
    };
    Some(day_number(day)? * 24 * 60 + minute - offset)
}

fn day_number((year, month, day): Day) -> Option<i32> {
    let month = time::Month::try_from(u8::try_from(month).ok()?).ok()?;
    let date = Date::from_calendar_date(i32::try_from(year).ok()?, month, u8::try_from(day).ok()?);
    // Days from 1970 on, so that minutes fit.
    date.ok().map(|date| date.to_julian_day() - 2_440_588)
}

fn iso_day(text: &str) -> Option<Day> {
    let mut parts = text.get(..10)?.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let lengths = (year.len(), month.len(), day.len());
    (lengths == (4, 2, 2)).then_some((year.parse().ok()?, month.parse().ok()?, day.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_found_in_texts() {
        let rows = [
            "Published March 4, 2021 by",
            "4 mars 2021",
            "den 4. März 2021",
            "4 de março de 2021",
            "04.03.2021",
            "2021-03-04T10:00",
            "2021年3月4日",
            "4 марта 2021 г.",
            "04/03/21",
            "4th of March 2021",
            "Mar 4 2021",
        ];
        for text in rows {
            assert!(days(text).contains(&(2021, 3, 4)), "{text}");
        }
        assert!(days("3 of 5 stars, 2021 reviews").is_empty());
    }

    #[test]
    fn data_states_moments() {
        let rows = [
            ("2021-03-04", Some(((2021, 3, 4), None))),
            ("2021-03-04T10:30:00+01:00", Some(((2021, 3, 4), Some(630)))),
            ("March 4, 2021", Some(((2021, 3, 4), None))),
            ("03/04/2021", None),
            ("soon", None),
        ];
        for (text, expected) in rows {
            let expected = expected.map(|(day, minute)| Moment { day, minute });
            assert_eq!(moment(text), expected, "{text}");
        }
    }
}
