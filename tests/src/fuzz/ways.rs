//! Links and search forms of a page, and the URL patterns learned from them. Input: the page.

use gleaner_extract::{MAX_NAVIGATION_LINKS, Page, UrlPatterns, ways};
use url::Url;

use super::BASE;

/// Search words for forms.
const WORDS: &str = "red cups";

/// Upper bound on the bytes of a link's text; a form appends the search words.
const LONGEST_ANCHOR: usize = 300 + 1 + WORDS.len();

/// Upper bound on the parts of a pattern: the host, twelve path segments, one `*` for the rest.
const MOST_PARTS: usize = 14;

/// Each link or form gives one `http` or `https` URL without duplicates, and URL patterns are bounded.
pub fn site_ways(data: &[u8]) {
    let Ok(url) = Url::parse(BASE) else { return };
    let page = Page::new(url, String::from_utf8_lossy(data));
    let found = ways(&page, WORDS);
    assert!(found.len() <= MAX_NAVIGATION_LINKS, "{} ways", found.len());
    for (nth, way) in found.iter().enumerate() {
        let address = &way.url;
        assert!(matches!(address.scheme(), "http" | "https") && address.has_host(), "{address}");
        assert_eq!(address.fragment(), None, "{address}");
        assert!(found.iter().take(nth).all(|earlier| earlier.url != *address), "{address} comes twice");
        let anchor = way.anchor.as_deref().unwrap_or("a form");
        assert!(!anchor.is_empty() && anchor.len() <= LONGEST_ANCHOR, "{anchor:?}");
    }
    assert_eq!(ways(&page, WORDS), found, "not the same twice");
    let patterns = UrlPatterns::learn(found.iter().map(|way| &way.url));
    for way in &found {
        let pattern = patterns.of(&way.url);
        let path = pattern.split('?').next().unwrap_or_default();
        assert!(path.split('/').count() <= MOST_PARTS, "{pattern} of {}", way.url);
        let host = way.url.host_str().unwrap_or_default();
        assert!(pattern.contains(host.trim_start_matches("www.")), "{pattern} of {}", way.url);
    }
}
