//! Which answers are cached.

use http::HeaderMap;
use http::header::{CACHE_CONTROL, VARY};

use crate::proxy::is_bot_challenge;
use crate::response::Response;

/// Largest body that is cached, in bytes: 16 MiB. Larger ones are fetched each time.
pub const MAX_CACHED_BODY: usize = 16 * 1024 * 1024;

/// Whether this answer may be served to other requests. It may if
///
/// - its status is 200 or 203: a whole page rather than a part (206), an error or a redirect. A [`Response`]
///   is always complete;
/// - no request of its chain carried cookies;
/// - the server did not send `no-store`, `private` or `Vary: *`;
/// - it does not look like a bot challenge, which is for one visitor and for a while;
/// - it is at most [`MAX_CACHED_BODY`] long.
pub(super) fn is_storable(response: &Response) -> bool {
    matches!(response.status, 200 | 203)
        && !response.sent_cookies
        && response.body.len() <= MAX_CACHED_BODY
        && permits(&response.headers)
        && !is_bot_challenge(&response.body)
}

/// Whether the server permits caching of an answer with these headers.
pub(super) fn permits(headers: &HeaderMap) -> bool {
    let forbids = directives(headers, CACHE_CONTROL).any(|directive| {
        // `private="field"` forbids less, and is read as the stricter form (RFC 9111 section 5.2.2.7).
        let name = directive.split('=').next().unwrap_or_default().trim();
        name.eq_ignore_ascii_case("no-store") || name.eq_ignore_ascii_case("private")
    });
    !forbids && !directives(headers, VARY).any(|name| name == "*")
}

fn directives(headers: &HeaderMap, name: http::HeaderName) -> impl Iterator<Item = &str> {
    // A value that is not text is ignored, as unknown directives are.
    headers
        .get_all(name)
        .into_iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|text| text.split(','))
        .map(str::trim)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn server_directives_are_respected() {
        for (name, value, permitted) in [
            ("cache-control", "max-age=0, no-cache", true),
            ("cache-control", "public, must-revalidate", true),
            ("cache-control", "no-storeage", true),
            ("cache-control", "no-store", false),
            ("cache-control", "max-age=5,No-Store ", false),
            ("cache-control", "private", false),
            ("cache-control", "private=\"set-cookie\"", false),
            ("vary", "accept-language, cookie", true),
            ("vary", "*", false),
            ("vary", "accept, *", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.append(name, HeaderValue::from_static("x"));
            headers.append(name, HeaderValue::from_static(value));
            assert_eq!(permits(&headers), permitted, "{name}: {value}");
        }
        assert!(permits(&HeaderMap::new()));
    }
}
