//! Sitemaps. Input: the file, gzipped or not.

use gleaner_frontier::sitemap::{self, MAX_ALTERNATES, MAX_SITEMAP_ENTRIES};
use url::Url;

use super::BASE;

/// Any bytes parse as a sitemap. Its entries are bounded in number, and their URLs are `http` or `https`.
pub fn sitemap(data: &[u8]) {
    let Ok(base) = Url::parse(BASE) else { return };
    let sitemap = sitemap::parse(data, &base);
    assert!(sitemap.pages.len() <= MAX_SITEMAP_ENTRIES);
    assert!(sitemap.children.len() <= MAX_SITEMAP_ENTRIES);
    if !data.starts_with(&[0x1f, 0x8b]) {
        assert!(
            sitemap.pages.len() + sitemap.children.len() <= data.len(),
            "an entry takes at least one byte"
        );
    }
    let alternates = sitemap.pages.iter().flat_map(|page| &page.alternates);
    for url in sitemap.pages.iter().map(|page| &page.url).chain(&sitemap.children).chain(alternates) {
        assert!(matches!(url.scheme(), "http" | "https") && url.has_host(), "{url}");
    }
    for page in &sitemap.pages {
        assert!(page.alternates.len() <= MAX_ALTERNATES);
        assert!(page.priority.is_none_or(|priority| priority <= 100));
    }
    for (index, warning) in sitemap.warnings.iter().enumerate() {
        assert!(
            !sitemap.warnings.iter().take(index).any(|earlier| earlier == warning),
            "{warning:?} is a duplicate"
        );
    }
    assert_eq!(sitemap, sitemap::parse(data, &base), "a second parse differs");
}
