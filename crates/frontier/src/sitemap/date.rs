//! The two date formats of sitemaps and feeds.

/// Seconds since 1970-01-01 UTC of a W3C date (the ISO 8601 profile of the W3C note: `2026-01-31`,
/// `2026-01-31T12:30:00+01:00`, also year or month only) or of an RFC 2822 date (`Sat, 31 Jan 2026 12:30:00
/// GMT`). A date without a time means midnight; a time without a zone means UTC.
pub(super) fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    // No date is longer, so all work below is bounded.
    if text.len() > 64 {
        return None;
    }
    w3c(text).or_else(|| rfc2822(text))
}

fn w3c(text: &str) -> Option<i64> {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let year = parts.next().filter(|year| year.len() == 4).and_then(number)?;
    let month = parts.next().map_or(Some(1), number)?;
    let day = parts.next().map_or(Some(1), number)?;
    if parts.next().is_some() {
        return None;
    }
    let midnight = days(year, month, day)? * 86_400;
    match time {
        Some(time) => Some(midnight + time_of_day(time)?),
        None => Some(midnight),
    }
}

/// Seconds since midnight UTC of `12:30`, `12:30:00.5Z`, `12:30:00+01:00`.
fn time_of_day(text: &str) -> Option<i64> {
    let text = text.trim();
    let (time, offset) = match text.find(['Z', 'z', '+', '-']) {
        Some(at) => (text.get(..at)?, zone(text.get(at..)?)?),
        None => (text, 0),
    };
    let mut parts = time.trim().split(':');
    let hours = parts.next().and_then(number).filter(|hours| *hours < 24)?;
    let minutes = parts.next().and_then(number).filter(|minutes| *minutes < 60)?;
    let seconds = match parts.next() {
        Some(text) => text.split('.').next().and_then(number).filter(|seconds| *seconds <= 60)?,
        None => 0,
    };
    Some(hours * 3600 + minutes * 60 + seconds - offset)
}

/// Seconds east of UTC of `Z`, `GMT`, `+01:00`, `-0800`.
fn zone(text: &str) -> Option<i64> {
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ if ["Z", "z", "GMT", "UT", "UTC"].contains(&text) => return Some(0),
        // Zone names of North America (RFC 2822, section 4.3); other names are read as UTC.
        _ => {
            let hours = match text {
                "EDT" => -4,
                "EST" | "CDT" => -5,
                "CST" | "MDT" => -6,
                "MST" | "PDT" => -7,
                "PST" => -8,
                _ => 0,
            };
            return Some(hours * 3600);
        }
    };
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let (hours, minutes) = digits.split_at_checked(2)?;
    let minutes = if minutes.is_empty() { 0 } else { number(minutes)? };
    Some(sign * (number(hours)? * 3600 + minutes * 60))
}

fn rfc2822(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let text = text.split_once(',').map_or(text, |(_, rest)| rest);
    let mut words = text.split_whitespace();
    let day = number(words.next()?)?;
    let name = words.next()?.get(..3)?.to_ascii_lowercase();
    let month = i64::try_from(MONTHS.iter().position(|month| *month == name)?).ok()? + 1;
    let year = match number(words.next()?)? {
        short @ 0..50 => 2000 + short,
        short @ 50..100 => 1900 + short,
        year => year,
    };
    let midnight = days(year, month, day)? * 86_400;
    let Some(time) = words.next() else { return Some(midnight) };
    Some(midnight + time_of_day(time)? - words.next().map_or(Some(0), zone)?)
}

fn number(text: &str) -> Option<i64> {
    if text.is_empty() || text.len() > 4 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// Days from 1970-01-01 to a date in the Gregorian calendar. Years start in March here, so the leap day is
/// the last day of its year.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    let shifted = year - i64::from(month <= 2);
    let months = (month + 9) % 12;
    Some(
        365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + (153 * months + 2) / 5 + day
            - 1
            - 719_468,
    )
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn dates() {
        for (text, seconds) in [
            ("1970-01-01", Some(0)),
            ("2000-02-29", Some(951_782_400)),
            ("2026-01-31T00:00:00Z", Some(1_769_817_600)),
            ("2026-01-31T01:30:00+01:30", Some(1_769_817_600)),
            ("2026-01-30T16:00:00.123-08:00", Some(1_769_817_600)),
            ("2026-01-31T00:00+0000", Some(1_769_817_600)),
            ("2026-01-31 00:00:00", Some(1_769_817_600)),
            (" 2026-01 ", Some(1_767_225_600)),
            ("2026", Some(1_767_225_600)),
            ("Sat, 31 Jan 2026 00:00:00 GMT", Some(1_769_817_600)),
            ("31 Jan 2026 01:00:00 +0100", Some(1_769_817_600)),
            ("Fri, 30 Jan 26 19:00 EST", Some(1_769_817_600)),
            ("2100-02-29", None),
            ("2026-13-01", None),
            ("2026-00-10", None),
            ("2026-01-31T25:00", None),
            ("yesterday", None),
            ("", None),
            ("-", None),
            ("2026-01-31T", None),
        ] {
            assert_eq!(parse(text), seconds, "{text}");
        }
        assert_eq!(parse(&"9".repeat(100)), None);
    }
}
