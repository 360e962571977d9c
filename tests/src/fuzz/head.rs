//! Response headers and the first bytes of the body. Input: header lines, an empty line, the body.

use std::time::{Duration, SystemTime};

use gleaner_fetch::fuzzing::{media_type, redirect_target, refresh_target, retry_after};
use gleaner_frontier::asks_nofollow;
use gleaner_types::Refresh;
use http::header::{CONTENT_TYPE, LOCATION, REFRESH, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use url::Url;

use super::BASE;

/// Upper bound on headers read from an input.
const MAX_HEADERS: usize = 200;

/// Bytes that media type sniffing reads (WHATWG MIME Sniffing, 5.2).
const SNIFFED_BYTES: usize = 1_445;

/// The last second of the year 9999, the latest HTTP date.
const LAST_SECOND: u64 = 253_402_300_799;

/// Redirects, refreshes, waiting times, media types and robots directives stay in their bounds and do not
/// depend on bytes past the documented prefix.
pub fn response_head(data: &[u8]) {
    let (head, body) = match data.windows(2).position(|pair| pair == b"\n\n") {
        Some(end) => data.split_at(end + 2),
        None => (data, &[][..]),
    };
    let mut headers = HeaderMap::new();
    for line in head.split(|byte| *byte == b'\n').take(MAX_HEADERS) {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        let (name, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value).trim_ascii();
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(value)) {
            headers.append(name, value);
        }
    }
    let Ok(url) = Url::parse(&format!("{BASE}#part")) else { return };
    redirects(&headers, &url);
    refreshes(&headers, &url, body);
    waits(&headers);
    types(&headers, body);
    robots(&headers);
}

fn redirects(headers: &HeaderMap, url: &Url) {
    assert_eq!(redirect_target(StatusCode::OK, headers, url), None, "status 200 does not redirect");
    let target = redirect_target(StatusCode::FOUND, headers, url);
    assert_eq!(
        target.is_some(),
        headers.get_all(LOCATION).iter().any(|value| !value.is_empty()),
        "{target:?}"
    );
    let Some(target) = target.flatten() else { return };
    assert!(target.fragment().is_some(), "{target}: the fragment is inherited (RFC 9110, 10.2.2)");
    if !matches!(target.scheme(), "http" | "https") {
        return;
    }
    assert!(without_credentials(&target), "{target}");
    let Ok(location) = HeaderValue::from_str(target.as_str()) else { return };
    let again = HeaderMap::from_iter([(LOCATION, location)]);
    assert_eq!(redirect_target(StatusCode::FOUND, &again, url), Some(Some(target)), "round trip");
}

fn refreshes(headers: &HeaderMap, url: &Url, body: &[u8]) {
    let target = refresh_target(url, headers, body, true);
    if let Some(target) = &target {
        assert!(matches!(target.scheme(), "http" | "https") && without_credentials(target), "{target}");
        assert_ne!(plain(target), plain(url), "a page does not redirect to itself");
    }
    let header = headers.get(REFRESH).and_then(|value| value.to_str().ok());
    if header.is_some_and(|text| Refresh::parse(text).is_some()) {
        assert_eq!(refresh_target(url, headers, b"", false), target, "the header wins over the body");
    }
}

fn waits(headers: &HeaderMap) {
    let wait = retry_after(headers, SystemTime::UNIX_EPOCH);
    assert!(wait.is_none_or(|wait| wait.as_secs() <= LAST_SECOND), "{wait:?}");
    let text = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()).unwrap_or_default().trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let digits = text.bytes().map(|digit| u64::from(digit - b'0'));
        let seconds = digits.fold(0_u64, |sum, digit| sum.saturating_mul(10).saturating_add(digit));
        assert_eq!(wait, Some(Duration::from_secs(seconds.min(u64::from(u32::MAX)))), "{text}");
    }
}

fn types(headers: &HeaderMap, body: &[u8]) {
    let kind = media_type(headers, body);
    let start = body.get(..SNIFFED_BYTES).unwrap_or(body);
    assert_eq!(media_type(headers, start), kind, "later bytes do not count");
    let mut declared = headers.get_all(CONTENT_TYPE).iter().map(|value| value.to_str().unwrap_or_default());
    // Of a list, the last valid type counts.
    let is_text = declared.all(|value| value.starts_with("text/") && !value.contains(','));
    if is_text && body.starts_with(b"%PDF-") {
        assert_eq!(kind, "application/pdf", "content wins over the declared type");
    }
}

fn robots(headers: &HeaderMap) {
    let values = headers.get_all("x-robots-tag");
    let values: Vec<&str> = values.iter().filter_map(|value| value.to_str().ok()).collect();
    let has_nofollow = asks_nofollow(values.iter().copied(), "gleaner");
    let one_by_one = values.iter().any(|value| asks_nofollow([*value], "gleaner"));
    assert_eq!(has_nofollow, one_by_one, "each header counts separately: {values:?}");
    let uppercase: Vec<String> = values.iter().map(|value| value.to_ascii_uppercase()).collect();
    let uppercase = asks_nofollow(uppercase.iter().map(String::as_str), "GLEANER/1.0");
    assert_eq!(has_nofollow, uppercase, "neither case nor version counts: {values:?}");
}

fn without_credentials(url: &Url) -> bool {
    url.username().is_empty() && url.password().is_none()
}

fn plain(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    url
}
