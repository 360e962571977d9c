//! `Retry-After` (RFC 9110 section 10.2.3).

use std::time::{Duration, SystemTime};

use http::HeaderMap;
use http::header::{DATE, RETRY_AFTER};

use crate::date::parse_date;

/// How long the server asks to wait. A date counts from the server's own `Date` if it sent one, so that a
/// wrong clock on either side does not matter; a date in the past is a wait of zero. Invalid values are
/// `None`.
pub(crate) fn retry_after(headers: &HeaderMap, now: impl FnOnce() -> SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that does not fit is a very long time.
        return Some(Duration::from_secs(
            text.parse().unwrap_or(u64::from(u32::MAX)).min(u64::from(u32::MAX)),
        ));
    }
    let until = parse_date(text)?;
    let from = headers.get(DATE).and_then(|value| parse_date(value.to_str().ok()?)).unwrap_or_else(now);
    Some(until.duration_since(from).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn parse(value: &'static str, date: Option<&'static str>) -> Option<u64> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_static(value));
        if let Some(date) = date {
            headers.insert(DATE, HeaderValue::from_static(date));
        }
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777); // Sun, 06 Nov 1994 08:49:37 GMT
        retry_after(&headers, || now).map(|wait| wait.as_secs())
    }

    #[test]
    fn seconds_and_dates() {
        assert_eq!(parse("120", None), Some(120));
        assert_eq!(parse(" 0 ", None), Some(0));
        for date in
            ["Sun, 06 Nov 1994 08:50:37 GMT", "Sunday, 06-Nov-94 08:50:37 GMT", "Sun Nov  6 08:50:37 1994"]
        {
            assert_eq!(parse(date, None), Some(60), "{date}");
        }
        assert_eq!(parse("Sun, 06 Nov 1994 08:50:37 GMT", Some("Sun, 06 Nov 1994 08:50:07 GMT")), Some(30));
        assert_eq!(parse("Sun, 06 Nov 1994 08:00:00 GMT", None), Some(0));
        assert_eq!(parse("99999999999999999999999", None), Some(u64::from(u32::MAX)));
        for garbage in ["", "-1", "1.5", "soon", "1e9", "١٢"] {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_bytes(garbage.as_bytes()).unwrap());
            assert_eq!(retry_after(&headers, || SystemTime::UNIX_EPOCH), None, "{garbage}");
        }
    }
}
