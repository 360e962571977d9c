use time::format_description::well_known::{Rfc2822, Rfc3339};
use time::{Date, Month, OffsetDateTime};

/// Names of months, by their first letters, in languages of the Latin script and Russian.
const MONTHS: [&[&str]; 12] = [
    &["jan", "ene", "gen", "sty", "янв"],
    &["feb", "fév", "fev", "lut", "фев"],
    &["mar", "mär", "mrt", "maa", "мар"],
    &["apr", "abr", "avr", "kwi", "апр"],
    &["may", "mai", "mag", "mei", "maj", "мая", "май"],
    &["jun", "juin", "giu", "cze", "июн"],
    &["jul", "juil", "lug", "lip", "июл"],
    &["aug", "aoû", "aou", "ago", "sie", "авг"],
    &["sep", "set", "wrz", "сен"],
    &["oct", "okt", "ott", "out", "paź", "окт"],
    &["nov", "lis", "ноя"],
    &["dec", "dez", "déc", "dic", "gru", "дек"],
];

/// The date of a text, as `YYYY-MM-DD`; with a time of day, as RFC 3339 has it.
///
/// Forms that two countries read differently (`03/04/2021`) are no date: null is better than a guess.
pub(crate) fn date(text: &str) -> Option<String> {
    let text = text.trim();
    if let Ok(found) =
        OffsetDateTime::parse(text, &Rfc3339).or_else(|_| OffsetDateTime::parse(text, &Rfc2822))
    {
        return found.format(&Rfc3339).ok();
    }
    let short: String = text.chars().take(80).collect();
    let tokens: Vec<&str> =
        short.split(|found: char| !found.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
    for window in tokens.windows(3) {
        let [first, second, third] = window else { continue };
        let number = |token: &str| -> Option<u32> {
            let digits = token.trim_end_matches(|found: char| found.is_alphabetic());
            let suffix = token.get(digits.len()..)?;
            let ordinal = suffix.len() <= 2 || suffix.starts_with('T');
            (ordinal && digits.len() <= 4).then(|| digits.parse().ok()).flatten()
        };
        let found = if let Some(month) = month(second) {
            // 4 March 2021
            (number(third), Some(month), number(first))
        } else if let Some(month) = month(first).filter(|_| third.len() == 4) {
            // March 4, 2021
            (number(third), Some(month), number(second))
        } else if first.len() == 4 {
            (number(first), number(second), number(third))
        } else if third.len() == 4 {
            let (Some(one), Some(two)) = (number(first), number(second)) else { continue };
            // Points are written where the day comes first; otherwise only one order may make sense.
            let pointed = short.contains(&format!("{first}.{second}."));
            if one > 12 || pointed || one == two {
                (number(third), Some(two), Some(one))
            } else if two > 12 {
                (number(third), Some(one), Some(two))
            } else {
                continue;
            }
        } else {
            continue;
        };
        if let (Some(year @ 1000..=9999), Some(month), Some(day)) = found
            && let Some(month) = u8::try_from(month).ok().and_then(|month| Month::try_from(month).ok())
            && let Ok(date) =
                Date::from_calendar_date(i32::try_from(year).ok()?, month, u8::try_from(day).ok()?)
        {
            return Some(format!("{:04}-{:02}-{:02}", date.year(), u8::from(date.month()), date.day()));
        }
    }
    None
}

fn month(token: &str) -> Option<u32> {
    let token = token.to_lowercase();
    let lettered = token.chars().count() >= 3 && token.chars().all(char::is_alphabetic);
    let known = |names: &[&str]| names.iter().any(|name| token.starts_with(name));
    (lettered.then(|| MONTHS.iter().position(|names| known(names)))?)
        .and_then(|at| u32::try_from(at + 1).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_where_they_are_plain() {
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
            ("03/04/2021", None),
            ("2021-13-40", None),
            ("soon", None),
        ];
        for (text, expected) in rows {
            assert_eq!(date(text).as_deref(), expected, "{text}");
        }
    }
}
