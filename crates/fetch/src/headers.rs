//! The headers of requests, and which of the caller's headers may go to which origin.

use std::fmt;

use gleaner_types::limits::{MAX_LANGUAGE_TAG_CHARS, MAX_LANGUAGES};
use http::header::{
    ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, HOST, TE,
    TRAILER, TRANSFER_ENCODING, UPGRADE, USER_AGENT,
};
use http::{HeaderMap, HeaderName, HeaderValue};

/// The content codings that bodies are decoded from, as `Accept-Encoding`.
const CODINGS: &str = if cfg!(feature = "zstd") { "gzip, deflate, br, zstd" } else { "gzip, deflate, br" };
/// The `Accept` header.
const PAGE: HeaderValue =
    HeaderValue::from_static("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");

/// The default `User-Agent`.
pub const DEFAULT_USER_AGENT: &str =
    concat!("Mozilla/5.0 (compatible; gleaner/", env!("CARGO_PKG_VERSION"), ")");
/// The `User-Agent` of requests with [`Request::mobile`](crate::Request::mobile): what sites look for in a
/// phone's, and the name of the engine.
pub const MOBILE_USER_AGENT: &str = concat!(
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 ",
    "(compatible; gleaner/",
    env!("CARGO_PKG_VERSION"),
    ")"
);
pub(crate) const MOBILE_AGENT: HeaderValue = HeaderValue::from_static(MOBILE_USER_AGENT);

/// The `User-Agent` of requests through the stealth pool: that of a common browser, in the reduced form that
/// browsers send.
pub const STEALTH_USER_AGENT: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 \
                                      (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
/// The same for a phone.
pub const STEALTH_MOBILE_USER_AGENT: &str = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 \
                                             (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36";
/// The client hint of that browser.
const STEALTH_BRANDS: &str = "\"Chromium\";v=\"142\", \"Google Chrome\";v=\"142\", \"Not_A Brand\";v=\"99\"";
/// The `Accept` header of that browser.
const BROWSER_PAGE: &str =
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8";

/// Most headers that a caller may add to a request.
pub const MAX_REQUEST_HEADERS: usize = 128;

/// Headers of the caller that may follow a redirect to another origin: they describe the client and identify
/// nobody.
const HARMLESS: &[HeaderName] = &[ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, USER_AGENT];

/// Shows only the names of headers in `Debug`, because values may hold secrets.
pub(crate) struct Names<'a>(pub(crate) &'a HeaderMap);

impl fmt::Debug for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.keys().map(HeaderName::as_str)).finish()
    }
}

/// The headers of a first request. The caller's headers replace the engine's.
pub(crate) fn compose(
    user_agent: HeaderValue,
    languages: Option<HeaderValue>,
    caller: &HeaderMap,
) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(4 + caller.len());
    headers.insert(USER_AGENT, user_agent);
    headers.insert(ACCEPT, PAGE);
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(CODINGS));
    if let Some(languages) = languages {
        headers.insert(ACCEPT_LANGUAGE, languages);
    }
    replace_with(&mut headers, caller);
    headers
}

fn replace_with(headers: &mut HeaderMap, caller: &HeaderMap) {
    for name in caller.keys() {
        if is_connection_header(name) {
            continue;
        }
        headers.remove(name);
        for value in caller.get_all(name) {
            headers.append(name, value.clone());
        }
    }
}

/// As [`compose`], with the headers that a common browser sends when a user enters an address. Their names,
/// values and order belong together: an inconsistent set reveals more than an honest one.
pub(crate) fn compose_as_browser(
    mobile: bool,
    languages: Option<HeaderValue>,
    caller: &HeaderMap,
) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(16 + caller.len());
    let mut set = |name: &'static str, value: &'static str| {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    };
    set("sec-ch-ua", STEALTH_BRANDS);
    set("sec-ch-ua-mobile", if mobile { "?1" } else { "?0" });
    set("sec-ch-ua-platform", if mobile { "\"Android\"" } else { "\"Windows\"" });
    set("upgrade-insecure-requests", "1");
    set("user-agent", if mobile { STEALTH_MOBILE_USER_AGENT } else { STEALTH_USER_AGENT });
    set("accept", BROWSER_PAGE);
    set("sec-fetch-site", "none");
    set("sec-fetch-mode", "navigate");
    set("sec-fetch-user", "?1");
    set("sec-fetch-dest", "document");
    set("accept-encoding", CODINGS);
    set("accept-language", "en-US,en;q=0.9");
    if let Some(languages) = languages {
        headers.insert(ACCEPT_LANGUAGE, languages);
    }
    replace_with(&mut headers, caller);
    headers
}

/// The headers of a request of a browser: its own, in their order. `Accept-Encoding` is what bodies are
/// decoded from.
///
/// Signed exchanges are not accepted: a browser unpacks such a bundle by itself, so its pages would come from
/// URLs that nobody has checked.
pub(crate) fn compose_for_browser(browser: &HeaderMap) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(1 + browser.len());
    replace_with(&mut headers, browser);
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(CODINGS));
    if let Some(accept) = headers.get(ACCEPT).and_then(|value| value.to_str().ok()) {
        let accepted: Vec<&str> = accept.split(',').filter(|range| !is_signed_exchange(range)).collect();
        if let Ok(value) = HeaderValue::from_str(&accepted.join(",")) {
            headers.insert(ACCEPT, value);
        }
    }
    headers
}

fn is_signed_exchange(range: &str) -> bool {
    range
        .split(';')
        .next()
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/signed-exchange"))
}

/// Headers that describe the connection or the framing of the message. The client writes them; a caller's
/// copy would contradict it.
fn is_connection_header(name: &HeaderName) -> bool {
    [CONNECTION, CONTENT_LENGTH, HOST, TE, TRAILER, TRANSFER_ENCODING, UPGRADE].contains(name)
        || matches!(
            name.as_str(),
            "keep-alive" | "proxy-connection" | "proxy-authorization" | "expect" | "http2-settings"
        )
}

/// Removes all headers that must not reach another origin: everything except [`HARMLESS`].
///
/// An allow list, because the secret of a service can have any name (`X-Api-Key`, `Private-Token`, ...).
/// Removed headers stay removed, also if a later hop leads back.
pub(crate) fn strip_for_other_origin(headers: &mut HeaderMap) {
    let mut kept = HeaderMap::with_capacity(HARMLESS.len());
    for name in HARMLESS {
        if let Some(value) = headers.remove(name) {
            kept.insert(name, value);
        }
    }
    *headers = kept;
}

/// Adds the jar's cookies to the caller's, in one header (RFC 6265bis section 5.8).
pub(crate) fn add_cookies(headers: &mut HeaderMap, cookies: &[u8]) {
    let mut joined = headers.get(COOKIE).map(|given| given.as_bytes().to_vec()).unwrap_or_default();
    if !joined.is_empty() {
        joined.extend_from_slice(b"; ");
    }
    joined.extend_from_slice(cookies);
    if let Ok(mut value) = HeaderValue::from_bytes(&joined) {
        value.set_sensitive(true);
        headers.insert(COOKIE, value);
    }
}

/// The text of a header: bytes beyond ASCII become the characters of their numbers (Infra Standard, "isomorphic
/// decode").
pub(crate) fn text(value: &HeaderValue) -> String {
    value.as_bytes().iter().copied().map(char::from).collect()
}

/// Removes the headers of a body that is no longer sent.
pub(crate) fn strip_body(headers: &mut HeaderMap) {
    headers.remove(CONTENT_TYPE);
    for name in ["content-encoding", "content-language", "content-location"] {
        headers.remove(name);
    }
}

/// `Accept-Language` for these BCP 47 tags, in order of preference: `de-CH,de;q=0.9,en;q=0.8`. `None` without
/// tags; the error is the invalid tag.
pub(crate) fn accept_language(tags: &[String]) -> Result<Option<HeaderValue>, String> {
    let mut text = String::new();
    for (index, tag) in tags.iter().take(MAX_LANGUAGES).enumerate() {
        let fits = !tag.is_empty()
            && tag.len() <= MAX_LANGUAGE_TAG_CHARS
            && tag
                .split('-')
                .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        if !fits && tag != "*" {
            return Err(tag.chars().filter(|c| !c.is_control()).take(MAX_LANGUAGE_TAG_CHARS).collect());
        }
        match index {
            0 => text.push_str(tag),
            _ => {
                let tenths = 10_usize.saturating_sub(index).max(1);
                text.push_str(&format!(",{tag};q=0.{tenths}"));
            }
        }
    }
    if text.is_empty() { Ok(None) } else { HeaderValue::from_str(&text).map(Some).map_err(|_| text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(rows: &[(&'static str, &'static str)]) -> HeaderMap {
        rows.iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn callers_headers_replace_ours_except_connection_headers() {
        let caller = map(&[
            ("user-agent", "mine"),
            ("x-a", "1"),
            ("host", "evil.example"),
            ("connection", "close"),
            ("content-length", "7"),
            ("transfer-encoding", "chunked"),
            ("proxy-authorization", "x"),
        ]);
        let headers = compose(HeaderValue::from_static("ours"), None, &caller);
        let names: Vec<&str> = headers.keys().map(HeaderName::as_str).collect();
        assert_eq!(headers.get(USER_AGENT).unwrap(), "mine");
        assert_eq!(headers.len(), 4, "{names:?}");
        assert!(headers.contains_key("x-a"));
    }

    #[test]
    fn another_origin_gets_only_harmless_headers() {
        let mut headers = compose(
            HeaderValue::from_static("ours"),
            accept_language(&["de".to_owned()]).unwrap(),
            &map(&[
                ("authorization", "s"),
                ("cookie", "s"),
                ("x-api-key", "s"),
                ("x-mine", "s"),
                ("referer", "s"),
            ]),
        );
        strip_for_other_origin(&mut headers);
        assert!(headers.values().all(|value| value != "s"));
        assert_eq!(headers.len(), 4);
    }

    #[test]
    fn browser_headers_are_consistent() {
        let none = HeaderMap::new();
        let desktop = compose_as_browser(false, None, &none);
        let mobile = compose_as_browser(true, None, &none);
        for (headers, agent, hint) in
            [(&desktop, STEALTH_USER_AGENT, "?0"), (&mobile, STEALTH_MOBILE_USER_AGENT, "?1")]
        {
            assert_eq!(headers[USER_AGENT], agent);
            assert_eq!(headers["sec-ch-ua-mobile"], hint);
            assert!(!agent.contains("gleaner"));
            let version = agent.split("Chrome/").nth(1).unwrap().split('.').next().unwrap();
            assert!(headers["sec-ch-ua"].to_str().unwrap().contains(&format!("v=\"{version}\"")));
        }
        let custom = compose_as_browser(false, None, &map(&[("accept", "x/y")]));
        assert_eq!(custom[ACCEPT], "x/y");
    }

    #[test]
    fn headers_of_a_browser_stay_as_they_are() {
        let accept = "text/html,image/avif,application/signed-exchange;v=b3;q=0.7,*/*;q=0.8";
        let browser = map(&[
            ("accept", accept),
            ("accept-encoding", "gzip, deflate, br, zstd, x-new"),
            ("user-agent", "theirs"),
            ("connection", "keep-alive"),
            ("sec-fetch-dest", "image"),
        ]);
        let headers = compose_for_browser(&browser);
        let expected = map(&[
            ("accept", "text/html,image/avif,*/*;q=0.8"),
            ("accept-encoding", "gzip, deflate, br, zstd"),
            ("user-agent", "theirs"),
            ("sec-fetch-dest", "image"),
        ]);
        assert_eq!(headers, expected);
        assert_eq!(compose_for_browser(&HeaderMap::new()).len(), 1);
    }

    #[test]
    fn accept_language_of_tags() {
        let tags = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(accept_language(&tags("de-CH de en")).unwrap().unwrap(), "de-CH,de;q=0.9,en;q=0.8");
        assert_eq!(accept_language(&[]).unwrap(), None);
        for bad in ["de;q=1", "en\r\nX: y", "-", "de--CH", "ä"] {
            assert!(accept_language(&[bad.to_owned()]).is_err(), "{bad}");
        }
        let many: Vec<String> = (0..50).map(|n| format!("a{n}")).collect();
        assert!(accept_language(&many).unwrap().unwrap().len() < 200);
    }
}
