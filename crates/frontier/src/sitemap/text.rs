//! A plain list: one URL a line.

use super::{Reading, SitemapEntry, SitemapWarning};

/// A file with more lines than this before the first URL is no list of URLs.
const MAX_LINES_BEFORE: usize = 100;

pub(super) fn read(text: &str, reading: &mut Reading<'_>) {
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if reading.sitemap.pages.is_empty() && number >= MAX_LINES_BEFORE {
            break;
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // A line that is no absolute URL is prose, not a relative one.
        let absolute =
            line.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("http")) && line.contains("://");
        if !absolute {
            reading.bad_urls += 1;
            continue;
        }
        let Some(url) = reading.url(line) else { continue };
        let entry = SitemapEntry { url, last_modified: None, priority: None, alternates: Vec::new() };
        if !reading.add_page(entry) {
            break;
        }
    }
    if reading.sitemap.pages.is_empty() {
        reading.bad_urls = 0;
        reading.warn(SitemapWarning::NotASitemap);
    }
}
