//! Plain lists with one URL per line.

use super::{SitemapBuilder, SitemapEntry, SitemapWarning};

/// A file with more lines than this before the first URL is not a list of URLs.
const MAX_LEADING_LINES: usize = 100;

pub(super) fn read(text: &str, builder: &mut SitemapBuilder<'_>) {
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if builder.sitemap.pages.is_empty() && number >= MAX_LEADING_LINES {
            break;
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // A line that is not an absolute URL is prose, not a relative URL.
        let absolute =
            line.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("http")) && line.contains("://");
        if !absolute {
            builder.bad_urls += 1;
            continue;
        }
        let Some(url) = builder.url(line) else { continue };
        let entry = SitemapEntry { url, last_modified: None, priority: None, alternates: Vec::new() };
        if !builder.add_page(entry) {
            break;
        }
    }
    if builder.sitemap.pages.is_empty() {
        builder.bad_urls = 0;
        builder.warn(SitemapWarning::NotASitemap);
    }
}
