//! What a request says about itself, and which of the caller's headers it may carry where.

use std::fmt;

use gleaner_types::limits::{MAX_LANGUAGE_TAG_CHARS, MAX_LANGUAGES};
use http::header::{
    ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, HOST, TE,
    TRAILER, TRANSFER_ENCODING, UPGRADE, USER_AGENT,
};
use http::{HeaderMap, HeaderName, HeaderValue};

/// The content codings that bodies are decoded from.
const CODINGS: HeaderValue = HeaderValue::from_static("gzip, deflate, br, zstd");
/// What a page is asked for as.
const PAGE: HeaderValue =
    HeaderValue::from_static("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");

/// The `User-Agent` of requests by the stealth pool: that of a common browser, in the reduced form that browsers send.
pub const STEALTH_USER_AGENT: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 \
                                      (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
/// The same on a phone.
pub const STEALTH_MOBILE_USER_AGENT: &str = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 \
                                             (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36";
/// The client hint that goes with them.
const STEALTH_BRANDS: &str = "\"Chromium\";v=\"142\", \"Google Chrome\";v=\"142\", \"Not_A Brand\";v=\"99\"";
/// What that browser asks for a page as.
const BROWSER_PAGE: &str =
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8";

/// Most headers that a caller may add to a request.
pub const MAX_REQUEST_HEADERS: usize = 128;

/// Headers of the caller that may follow a redirect to another origin: they describe the client and name nobody.
const HARMLESS: &[HeaderName] = &[ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, USER_AGENT];

/// Headers as `Debug` may show them: their names. Values hold secrets.
pub(crate) struct Names<'a>(pub(crate) &'a HeaderMap);

impl fmt::Debug for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.keys().map(HeaderName::as_str)).finish()
    }
}

/// The headers of a first request. The caller's replace those of the engine.
pub(crate) fn compose(
    user_agent: &HeaderValue,
    languages: Option<HeaderValue>,
    caller: &HeaderMap,
) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(4 + caller.len());
    headers.insert(USER_AGENT, user_agent.clone());
    headers.insert(ACCEPT, PAGE);
    headers.insert(ACCEPT_ENCODING, CODINGS);
    if let Some(languages) = languages {
        headers.insert(ACCEPT_LANGUAGE, languages);
    }
    add_callers(&mut headers, caller);
    headers
}

fn add_callers(headers: &mut HeaderMap, caller: &HeaderMap) {
    for name in caller.keys() {
        if belongs_to_connection(name) {
            continue;
        }
        headers.remove(name);
        for value in caller.get_all(name) {
            headers.append(name, value.clone());
        }
    }
}

/// As [`compose`], with the headers that a common browser sends when a reader follows no link: their names, values and
/// order belong together, and a set that does not fit is more telling than an honest one.
pub(crate) fn compose_as_browser(
    user_agent: Option<&HeaderValue>,
    mobile: bool,
    languages: Option<HeaderValue>,
    caller: &HeaderMap,
) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(16 + caller.len());
    let mut set = |name: &'static str, value: &'static str| {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    };
    if user_agent.is_none() {
        set("sec-ch-ua", STEALTH_BRANDS);
        set("sec-ch-ua-mobile", if mobile { "?1" } else { "?0" });
        set("sec-ch-ua-platform", if mobile { "\"Android\"" } else { "\"Windows\"" });
    }
    set("upgrade-insecure-requests", "1");
    set("user-agent", if mobile { STEALTH_MOBILE_USER_AGENT } else { STEALTH_USER_AGENT });
    set("accept", BROWSER_PAGE);
    set("sec-fetch-site", "none");
    set("sec-fetch-mode", "navigate");
    set("sec-fetch-user", "?1");
    set("sec-fetch-dest", "document");
    set("accept-encoding", "gzip, deflate, br, zstd");
    set("accept-language", "en-US,en;q=0.9");
    if let Some(agent) = user_agent {
        headers.insert(USER_AGENT, agent.clone());
    }
    if let Some(languages) = languages {
        headers.insert(ACCEPT_LANGUAGE, languages);
    }
    add_callers(&mut headers, caller);
    headers
}

/// Headers that describe the connection or the message's frame: the client writes them, and what a caller copied from
/// elsewhere would contradict it.
fn belongs_to_connection(name: &HeaderName) -> bool {
    [CONNECTION, CONTENT_LENGTH, HOST, TE, TRAILER, TRANSFER_ENCODING, UPGRADE].contains(name)
        || matches!(
            name.as_str(),
            "keep-alive" | "proxy-connection" | "proxy-authorization" | "expect" | "http2-settings"
        )
}

/// Takes away what must not reach another origin: everything but what describes the client.
///
/// A list of what may stay rather than of what must go, because the secret of a service can have any name
/// (`X-Api-Key`, `Private-Token`, ...). What was taken away stays away, also if a later hop leads back.
pub(crate) fn strip_for_other_origin(headers: &mut HeaderMap) {
    let mut kept = HeaderMap::with_capacity(HARMLESS.len());
    for name in HARMLESS {
        if let Some(value) = headers.remove(name) {
            kept.insert(name, value);
        }
    }
    *headers = kept;
}

/// Adds the jar's cookies to those that the caller gave, in one header as RFC 6265bis section 5.8 has it.
pub(crate) fn add_cookies(headers: &mut HeaderMap, cookies: &str) {
    let joined = match headers.get(COOKIE).and_then(|value| value.to_str().ok()) {
        Some(given) => HeaderValue::from_str(&format!("{given}; {cookies}")),
        None => HeaderValue::from_str(cookies),
    };
    if let Ok(mut value) = joined {
        value.set_sensitive(true);
        headers.insert(COOKIE, value);
    }
}

/// Takes away what describes a body that is no longer sent.
pub(crate) fn strip_body(headers: &mut HeaderMap) {
    headers.remove(CONTENT_TYPE);
    for name in ["content-encoding", "content-language", "content-location"] {
        headers.remove(name);
    }
}

/// `Accept-Language` for these BCP 47 tags, most wanted first: `de-CH,de;q=0.9,en;q=0.8`. `None` where there are none;
/// an error names the tag that is not one.
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
    fn callers_replace_ours_but_not_the_connections() {
        let caller = map(&[
            ("user-agent", "mine"),
            ("x-a", "1"),
            ("host", "evil.example"),
            ("connection", "close"),
            ("content-length", "7"),
            ("transfer-encoding", "chunked"),
            ("proxy-authorization", "x"),
        ]);
        let headers = compose(&HeaderValue::from_static("ours"), None, &caller);
        let names: Vec<&str> = headers.keys().map(HeaderName::as_str).collect();
        assert_eq!(headers.get(USER_AGENT).unwrap(), "mine");
        assert_eq!(headers.len(), 4, "{names:?}");
        assert!(headers.contains_key("x-a"));
    }

    #[test]
    fn another_origin_sees_only_the_client() {
        let mut headers = compose(
            &HeaderValue::from_static("ours"),
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
    fn a_browser_is_consistent() {
        let none = HeaderMap::new();
        let desktop = compose_as_browser(None, false, None, &none);
        let mobile = compose_as_browser(None, true, None, &none);
        for (headers, agent, hint) in
            [(&desktop, STEALTH_USER_AGENT, "?0"), (&mobile, STEALTH_MOBILE_USER_AGENT, "?1")]
        {
            assert_eq!(headers[USER_AGENT], agent);
            assert_eq!(headers["sec-ch-ua-mobile"], hint);
            assert!(!agent.contains("gleaner"));
            let version = agent.split("Chrome/").nth(1).unwrap().split('.').next().unwrap();
            assert!(headers["sec-ch-ua"].to_str().unwrap().contains(&format!("v=\"{version}\"")));
        }
        let own = HeaderValue::from_static("Mine/1");
        let custom = compose_as_browser(Some(&own), false, None, &map(&[("accept", "x/y")]));
        assert_eq!((&custom[USER_AGENT], &custom[ACCEPT]), (&own, &HeaderValue::from_static("x/y")));
        assert!(!custom.contains_key("sec-ch-ua"), "it would contradict the user agent");
    }

    #[test]
    fn languages() {
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
