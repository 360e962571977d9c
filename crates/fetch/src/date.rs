//! Dates in headers, read as RFC 6265bis section 5.1.1 reads those of cookies: a time, a day, a month and a
//! year, in any order and with any separators. That includes the three forms of RFC 9110 section 5.6.7.

use std::time::{Duration, SystemTime};

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

pub(crate) fn parse_date(text: &str) -> Option<SystemTime> {
    let (mut time, mut day, mut month, mut year) = (None, None, None, None);
    let tokens = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == ':' || !c.is_ascii()));
    for token in tokens.filter(|token| !token.is_empty()) {
        if time.is_none()
            && let Some(found) = clock(token)
        {
            time = Some(found);
        } else if day.is_none()
            && let Some(found) = number(token, 1, 2)
        {
            day = Some(found);
        } else if month.is_none()
            && let Some(found) = named_month(token)
        {
            month = Some(found);
        } else if year.is_none()
            && let Some(found) = number(token, 2, 4)
        {
            year = Some(found);
        }
    }
    let ((hour, minute, second), day, month) = (time?, day?, month?);
    let year = match year? {
        year @ 70..=99 => year + 1900,
        year @ 0..=69 => year + 2000,
        year => year,
    };
    if !(1..=31).contains(&day) || year < 1601 || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = days_from_civil(i64::from(year), i64::from(month), i64::from(day));
    let seconds = days * 86_400 + i64::from(hour * 3600 + minute * 60 + second);
    // A date before 1970 is expired, just like 1970.
    Some(SystemTime::UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds).unwrap_or(0)))
}

/// The number that `token` begins with, of `least` to `most` digits.
fn number(token: &str, least: usize, most: usize) -> Option<u32> {
    let digits = token.bytes().take_while(u8::is_ascii_digit).count();
    if (least..=most).contains(&digits) { token.get(..digits)?.parse().ok() } else { None }
}

fn clock(token: &str) -> Option<(u32, u32, u32)> {
    let mut fields = token.splitn(3, ':');
    Some((number(fields.next()?, 1, 2)?, number(fields.next()?, 1, 2)?, number(fields.next()?, 1, 2)?))
}

/// The number of the month, from 1 to 12.
fn named_month(token: &str) -> Option<u32> {
    let name = token.get(..3)?.to_ascii_lowercase();
    (1..).zip(MONTHS).find_map(|(number, month)| (month == name).then_some(number))
}

/// Days from 1970-01-01 to a day of the proleptic Gregorian calendar.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March, so that the leap day comes last.
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (month * 153 + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<u64> {
        Some(parse_date(text)?.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs())
    }

    #[test]
    fn dates_parse_in_common_forms() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "06-Nov-1994 8:49:37",
            "1994 November 6th 08:49:37 anything",
        ] {
            assert_eq!(seconds(text), Some(784_111_777), "{text}");
        }
        assert_eq!(seconds("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(seconds("Thu, 29 Feb 2024 12:00:00 GMT"), Some(1_709_208_000));
        assert_eq!(seconds("Fri, 31 Dec 9999 23:59:59 GMT"), Some(253_402_300_799));
        assert_eq!(seconds("Mon, 01 Jan 1601 00:00:00 GMT"), Some(0));
        for garbage in [
            "",
            "tomorrow",
            "06 Nov 1994",
            "32 Nov 1994 08:49:37",
            "06 Nov 1994 24:00:00",
            "06 Nov 1600 00:00:00",
            "08:49:37",
        ] {
            assert_eq!(seconds(garbage), None, "{garbage}");
        }
    }
}
