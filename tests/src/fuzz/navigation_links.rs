//! Links, search forms and controls of a page, and the URL patterns learned from its links. Input: the page.

use gleaner_extract::{
    MAX_CONTROLS, MAX_NAVIGATION_LINKS, Page, UrlPatterns, controls, navigation_links as extract_links,
};
use url::Url;

use super::BASE;

/// Search words for forms.
const WORDS: &str = "red cups";

/// Upper bound on the bytes of a link's text; a form appends the search words.
const MAX_ANCHOR_BYTES: usize = 300 + 1 + WORDS.len();

/// Upper bound on the bytes of a control's text.
const MAX_CONTROL_BYTES: usize = 80;

/// Upper bound on the parts of a pattern: the host, twelve path segments, one `*` for the rest.
const MAX_PARTS: usize = 14;

/// Each link or form gives one `http` or `https` URL without duplicates, and URL patterns are bounded. Each
/// control has a selector and a text of one line.
pub fn navigation_links(data: &[u8]) {
    let Ok(url) = Url::parse(BASE) else { return };
    let page = Page::new(url, String::from_utf8_lossy(data));
    let links = extract_links(&page, WORDS);
    assert!(links.len() <= MAX_NAVIGATION_LINKS, "{} links", links.len());
    for (index, link) in links.iter().enumerate() {
        let url = &link.url;
        assert!(matches!(url.scheme(), "http" | "https") && url.has_host(), "{url}");
        assert_eq!(url.fragment(), None, "{url}");
        assert!(links.iter().take(index).all(|earlier| earlier.url != *url), "{url} is a duplicate");
        let anchor = link.anchor.as_deref().unwrap_or("a form");
        assert!(!anchor.is_empty() && anchor.len() <= MAX_ANCHOR_BYTES, "{anchor:?}");
    }
    assert_eq!(extract_links(&page, WORDS), links, "a second run differs");
    let patterns = UrlPatterns::learn(links.iter().map(|link| &link.url));
    for link in &links {
        let pattern = patterns.of(&link.url);
        let path = pattern.split('?').next().unwrap_or_default();
        assert!(path.split('/').count() <= MAX_PARTS, "{pattern} for {}", link.url);
        let host = link.url.host_str().unwrap_or_default();
        assert!(pattern.contains(host.trim_start_matches("www.")), "{pattern} for {}", link.url);
    }
    let found = controls(&page);
    assert!(found.len() <= MAX_CONTROLS, "{} controls", found.len());
    for control in &found {
        let texts = control.options.iter().map(|option| &option.label).chain([&control.label]);
        for text in texts {
            let is_line = !text.contains(|found: char| found.is_control() || found == '"');
            assert!(is_line && !text.is_empty() && text.len() <= MAX_CONTROL_BYTES, "{text:?}");
        }
        let selector = &control.selector;
        assert!(!selector.is_empty() && !selector.contains(char::is_control), "{selector:?}");
    }
    assert_eq!(controls(&page), found, "a second run differs");
}
