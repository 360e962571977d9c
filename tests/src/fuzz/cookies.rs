//! Cookies. Input: the URL that sets them, the URL requested next, then one `Set-Cookie` header per line.

use std::time::{Duration, SystemTime};

use gleaner_fetch::CookieJar;
use gleaner_fetch::fuzzing::{cookie_header, take_cookies};
use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderValue};
use url::Url;

/// Upper bound on headers read from an input.
const MAX_HEADERS: usize = 200;

/// Upper bound on the bytes of a `Cookie` header.
const MAX_HEADER_BYTES: usize = 8 * 1024;

/// The time at which cookies are set, in seconds since 1970.
const NOW: u64 = 1_700_000_000;

/// Cookies are sent only to related hosts, secure ones only over TLS, and setting them twice changes nothing.
pub fn cookies(data: &[u8]) {
    let mut lines = data.split(|byte| *byte == b'\n');
    let (Some(from), Some(to)) = (address(lines.next()), address(lines.next())) else { return };
    let mut headers = HeaderMap::new();
    for value in lines.take(MAX_HEADERS).filter_map(|line| HeaderValue::from_bytes(line).ok()) {
        headers.append(SET_COOKIE, value);
    }
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(NOW);
    let later = now + Duration::from_secs(1);
    let jar = CookieJar::new();
    take_cookies(&jar, &from, &headers, now);
    assert!(jar.len() <= headers.len(), "{} cookies of {} headers", jar.len(), headers.len());
    let sent = cookie_header(&jar, &to, later);
    if let Some(sent) = &sent {
        assert!(
            sent.len() <= MAX_HEADER_BYTES && HeaderValue::from_bytes(sent.as_bytes()).is_ok(),
            "not a valid header: {sent:?}"
        );
        assert!(are_related(&from, &to), "{to} gets a cookie of {from}: {sent}");
    }
    if headers.values().all(is_secure) {
        assert!(from.scheme() == "https" || jar.is_empty(), "a secure cookie is set without TLS");
        assert!(to.scheme() == "https" || sent.is_none(), "a secure cookie is sent without TLS: {sent:?}");
    }
    take_cookies(&jar, &from, &headers, now);
    assert_eq!(cookie_header(&jar, &to, later), sent, "the same headers twice");
}

fn address(line: Option<&[u8]>) -> Option<Url> {
    Url::parse(std::str::from_utf8(line?).ok()?).ok()
}

/// True for the same host and for hosts that share at least two labels. A single label is always a public
/// suffix.
fn are_related(one: &Url, other: &Url) -> bool {
    let host = |url| Url::host_str(url).map(|host| host.strip_suffix('.').unwrap_or(host));
    let (Some(one), Some(other)) = (host(one), host(other)) else { return false };
    let shared = one.rsplit('.').zip(other.rsplit('.')).take_while(|(one, other)| one == other).count();
    one == other || shared >= 2
}

/// True if a `Set-Cookie` header has the attribute `Secure`.
fn is_secure(header: &HeaderValue) -> bool {
    let text = String::from_utf8_lossy(header.as_bytes());
    text.split(';').skip(1).any(|attribute| attribute.trim().eq_ignore_ascii_case("secure"))
}
