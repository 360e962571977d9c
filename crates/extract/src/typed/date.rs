use time::format_description::well_known::{Rfc2822, Rfc3339};
use time::{Date, Month, OffsetDateTime};

/// Month names in languages of the Latin script and in Russian, with abbreviations that are not their first
/// three letters.
const MONTHS: [&[&str]; 12] = [
    &[
        "january",
        "januar",
        "jänner",
        "januari",
        "janvier",
        "janv",
        "enero",
        "gennaio",
        "janeiro",
        "január",
        "januára",
        "ianuarie",
        "stycznia",
        "styczeń",
        "января",
        "январь",
    ],
    &[
        "february",
        "februar",
        "februari",
        "février",
        "févr",
        "fevrier",
        "febrero",
        "febbraio",
        "fevereiro",
        "február",
        "februára",
        "februarie",
        "lutego",
        "luty",
        "февраля",
        "февраль",
    ],
    &[
        "march",
        "märz",
        "mars",
        "marts",
        "marzo",
        "março",
        "maart",
        "mrt",
        "marec",
        "marca",
        "március",
        "martie",
        "mart",
        "marzec",
        "марта",
        "март",
    ],
    &[
        "april",
        "avril",
        "abril",
        "aprile",
        "apríl",
        "apríla",
        "aprila",
        "április",
        "aprilie",
        "kwietnia",
        "kwiecień",
        "апреля",
        "апрель",
    ],
    &["may", "mai", "mayo", "maggio", "maio", "mei", "maj", "maja", "maí", "мая", "май"],
    &[
        "june", "juni", "juin", "junio", "giugno", "junho", "junij", "juna", "iunie", "czerwca", "czerwiec",
        "июня", "июнь",
    ],
    &[
        "july", "juli", "juillet", "juil", "julio", "luglio", "julho", "julij", "jula", "iulie", "lipca",
        "lipiec", "июля", "июль",
    ],
    &[
        "august",
        "août",
        "aout",
        "agosto",
        "augustus",
        "augusti",
        "augusta",
        "augusztus",
        "sierpnia",
        "sierpień",
        "августа",
        "август",
    ],
    &[
        "september",
        "sept",
        "septembre",
        "septiembre",
        "setiembre",
        "settembre",
        "setembro",
        "septembra",
        "septembrie",
        "września",
        "wrzesień",
        "сентября",
        "сентябрь",
    ],
    &[
        "october",
        "oktober",
        "octobre",
        "octubre",
        "ottobre",
        "outubro",
        "október",
        "októbra",
        "oktobra",
        "octombrie",
        "października",
        "październik",
        "октября",
        "октябрь",
    ],
    &[
        "november",
        "novembre",
        "noviembre",
        "novembro",
        "novembra",
        "noiembrie",
        "listopada",
        "listopad",
        "ноября",
        "ноябрь",
    ],
    &[
        "december",
        "dezember",
        "décembre",
        "decembre",
        "diciembre",
        "dicembre",
        "dezembro",
        "decembra",
        "decembrie",
        "desember",
        "grudnia",
        "grudzień",
        "декабря",
        "декабрь",
    ],
];

/// The date of a text as `YYYY-MM-DD`; with a time of day, in the form of RFC 3339.
///
/// Forms that countries read differently (`03/04/2021`) are not dates: null is better than a guess.
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
            // With points the day comes first. Otherwise only one order must be possible.
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

/// The month of a name, an abbreviation, or the first three letters if only one month has them; `markets`
/// names none.
fn month(token: &str) -> Option<u32> {
    let token = token.to_lowercase();
    let short = token.chars().count() == 3;
    let known = |names: &[&str]| names.contains(&token.as_str());
    let begun = |names: &[&str]| names.iter().any(|name| name.starts_with(&token));
    let at = MONTHS.iter().position(|names| known(names)).or_else(|| {
        let mut begun = MONTHS.iter().enumerate().filter(|(_, names)| short && begun(names));
        let (first, _) = begun.next()?;
        begun.next().is_none().then_some(first)
    });
    at.and_then(|at| u32::try_from(at + 1).ok())
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
}
