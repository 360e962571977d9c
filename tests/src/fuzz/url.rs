//! Canonical URLs, and URLs with secrets removed. Input: a URL, absolute or relative.

use gleaner_frontier::Identity;
use gleaner_types::SafeUrl;
use url::{Host, Url};

use super::BASE;

/// Bytes that canonical form may add to a URL besides percent-encoding.
const SLACK: usize = 64;

/// Under each combination of options, the canonical form of any URL is a URL, is its own canonical form, has
/// the same key, and keeps what distinguishes pages.
pub fn url_canonical(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let base = Url::parse(BASE).ok();
    let Ok(url) = Url::options().base_url(base.as_ref()).parse(&text) else { return };
    if !matches!(url.scheme(), "http" | "https") {
        return;
    }
    for (ignore_query, fold_similar) in [(false, false), (false, true), (true, false), (true, true)] {
        let identity = Identity::from_options(ignore_query, fold_similar);
        let canonical = identity.canonical(&url);
        let parsed = Url::parse(&canonical);
        assert!(parsed.is_ok(), "{url} gives {canonical}, which does not parse");
        let Ok(parsed) = parsed else { return };

        assert_eq!(parsed.as_str(), canonical, "parsing changes the canonical form of {url}");
        assert_eq!(
            identity.canonical(&parsed),
            canonical,
            "{url}: the canonical form of the canonical form differs"
        );
        assert_eq!(identity.key(&parsed), identity.key(&url), "{url} and {canonical} have the same key");
        assert!(
            parsed.username().is_empty() && parsed.password().is_none(),
            "{url}: credentials are in {canonical}"
        );
        assert!(canonical.len() <= 3 * url.as_str().len() + SLACK, "{url} grows to {canonical}");
        if !matches!(url.host(), Some(Host::Domain(_))) {
            assert_eq!(parsed.host(), url.host(), "an IP address stays the same");
        }
        if ignore_query {
            assert_eq!(parsed.query(), None, "{url}");
        }
        if !fold_similar {
            assert_eq!(parsed.scheme(), url.scheme());
            assert_eq!(parsed.port(), url.port());
            assert_eq!(segments(&parsed), segments(&url), "{url}: the number of segments stays the same");
        }
    }
}

fn segments(url: &Url) -> usize {
    url.path().matches('/').count()
}

/// A marker for each place of a URL that may hold a secret.
const SECRET: &str = "s3cr3tw0rd";

/// A shown URL is one line without user name, password, fragment and query values.
pub fn safe_url(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(mut url) = Url::parse(&text) else { return };
    let shown = SafeUrl::from(&url).to_string();
    assert!(!shown.contains(char::is_control), "{shown:?}");
    assert_eq!(format!("{:?}", SafeUrl::from(&url)), shown, "Debug and Display are the same");
    if shown.contains(SECRET) {
        return;
    }
    // URLs without a host accept no user name.
    let _ = url.set_username(SECRET);
    let _ = url.set_password(Some(SECRET));
    url.set_fragment(Some(SECRET));
    url.query_pairs_mut().append_pair("key", SECRET);
    let shown = SafeUrl::from(&url).to_string();
    assert!(!shown.contains(SECRET) && shown.contains("key=…"), "{shown}");
}
