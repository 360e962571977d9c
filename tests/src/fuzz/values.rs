//! Dates, numbers, amounts of money and contact details in text. Input: the text.

use gleaner_extract::fuzzing::{currency, date, email, gtin, numbers, phone, sums};

/// Digits of a telephone number (E.164).
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 7..=15;

/// Each value is in the text, has a valid form, and parses to itself.
pub fn values(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Some(found) = date(&text) {
        assert!(is_date(&found), "{found:?}");
        assert_eq!(date(&found).as_ref(), Some(&found), "a date does not parse to itself");
    }
    for is_data in [true, false] {
        let mut end = 0;
        for (decimal, range) in numbers(&text, is_data) {
            assert!(is_decimal(&decimal), "{decimal:?}");
            let written = text.get(range.clone()).unwrap_or_default();
            assert!(range.start >= end && !written.is_empty(), "{range:?} of {} bytes", text.len());
            end = range.end;
            let again: Vec<String> =
                numbers(&decimal, true).into_iter().map(|(decimal, _)| decimal).collect();
            assert_eq!(again, [decimal], "a number does not parse to itself");
        }
    }
    for (decimal, sign, range) in sums(&text) {
        let written = text.get(range.clone()).unwrap_or_default();
        assert!(is_decimal(&decimal) && !written.is_empty(), "{decimal:?} at {range:?}");
        let sign = sign.unwrap_or_default();
        assert!(
            written.starts_with(&sign) || written.ends_with(&sign),
            "{sign:?} is not at an end of {written:?}"
        );
    }
    let code = currency(&text);
    assert!(code.is_none_or(|code| code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase())));
    contacts(&text);
}

/// E-mail addresses, phone numbers and product codes.
fn contacts(text: &str) {
    if let Some(found) = email(text) {
        assert!(text.contains(&found) && found.matches('@').count() == 1, "{found:?}");
        assert!(!found.contains(char::is_whitespace), "{found:?}");
    }
    if let Some(found) = phone(text) {
        let digits = found.bytes().filter(u8::is_ascii_digit).count();
        assert!(text.contains(&found) && PHONE_DIGITS.contains(&digits), "{found:?}");
        assert_eq!(phone(&found).as_ref(), Some(&found), "a phone number does not parse to itself");
    }
    if let Some(found) = gtin(text) {
        assert!(matches!(found.len(), 8 | 12 | 13 | 14), "{found:?}");
        assert_eq!(gtin(&found).as_ref(), Some(&found), "a product code does not parse to itself");
    }
}

/// `YYYY-MM-DD`, optionally followed by a time as in RFC 3339.
pub(super) fn is_date(text: &str) -> bool {
    let (day, time) = text.split_at_checked(10).unwrap_or_default();
    let shape = day.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    day.len() == 10 && shape && (time.is_empty() || time.starts_with('T'))
}

/// Digits with at most one point inside and one minus in front.
fn is_decimal(text: &str) -> bool {
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let whole = whole.strip_prefix('-').unwrap_or(whole);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    is_number(whole) && fraction.is_none_or(is_number) && (whole == "0" || !whole.starts_with('0'))
}
