//! Which answers are kept.

use http::HeaderMap;
use http::header::{CACHE_CONTROL, VARY};

use crate::proxy::is_wall;
use crate::response::Response;

/// Greatest body that is kept, in bytes: 16 MiB. Larger ones are fetched each time.
pub const MAX_CACHED_BODY: usize = 16 * 1024 * 1024;

/// May this answer be served to others? It may where
///
/// - its status is 200 or 203: a whole page, rather than a part (206), an error or a redirect. That it came
///   back whole is known from its being a [`Response`] at all;
/// - no request on the way to it carried cookies;
/// - the server did not say `no-store`, `private` or `Vary: *`;
/// - it does not look like a wall that a site puts before a page, which is for the one visitor and for a
///   while;
/// - it is no larger than [`MAX_CACHED_BODY`].
pub(super) fn is_storable(response: &Response) -> bool {
    matches!(response.status, 200 | 203)
        && !response.sent_cookies
        && response.body.len() <= MAX_CACHED_BODY
        && permits(&response.headers)
        && !is_wall(&response.body)
}

/// Does the server permit that an answer with these headers is kept?
pub(super) fn permits(headers: &HeaderMap) -> bool {
    let forbids = directives(headers, CACHE_CONTROL).any(|directive| {
        // `private="field"` forbids less, and is read as the stricter form (RFC 9111 section 5.2.2.7).
        let name = directive.split('=').next().unwrap_or_default().trim();
        name.eq_ignore_ascii_case("no-store") || name.eq_ignore_ascii_case("private")
    });
    !forbids && !directives(headers, VARY).any(|name| name == "*")
}

fn directives(headers: &HeaderMap, name: http::HeaderName) -> impl Iterator<Item = &str> {
    // A value that is not text is not understood, and a directive that is not understood forbids nothing.
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
    fn what_the_server_says() {
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
