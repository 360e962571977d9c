//! The crawl order that a sitemap suggests.

use super::{Sitemap, SitemapEntry};
use crate::queue::Candidate;

/// The importance of a page without `priority`, as defined by sitemaps.org.
const DEFAULT_IMPORTANCE: u8 = 50;

impl Sitemap {
    /// A [`Candidate::priority`] for each page, in the order of [`Sitemap::pages`].
    ///
    /// Pages that the site marks as important go first; among equally important pages, the most recently
    /// changed ones. Dates are compared with each other, not with a clock. A page without information gets
    /// [`Candidate::NORMAL`].
    #[must_use]
    pub fn crawl_priorities(&self) -> Vec<u8> {
        let mut times: Vec<i64> = self.pages.iter().filter_map(|page| page.last_modified).collect();
        times.sort_unstable();
        times.dedup();
        self.pages.iter().map(|page| priority(page, &times)).collect()
    }
}

/// The priority of one page: 100 steps of importance around the normal priority, doubled to leave space
/// between them, plus up to 27 for the rank of its last change among the sorted `times`.
fn priority(page: &SitemapEntry, times: &[i64]) -> u8 {
    let importance = page.priority.unwrap_or(DEFAULT_IMPORTANCE).min(100);
    let recency = match page.last_modified.and_then(|time| times.binary_search(&time).ok()) {
        Some(rank) if times.len() > 1 => rank * 27 / (times.len() - 1),
        _ => 0,
    };
    let base = u8::try_from(
        i32::from(Candidate::NORMAL) + 2 * (i32::from(importance) - i32::from(DEFAULT_IMPORTANCE)),
    );
    base.unwrap_or(Candidate::NORMAL)
        .saturating_add(u8::try_from(recency).unwrap_or(0))
        .min(Candidate::AUXILIARY - 1)
}

#[cfg(test)]
mod tests {
    use crate::queue::Candidate;
    use crate::sitemap;

    #[test]
    fn importance_then_recency() {
        let body = "<urlset><url><loc>/plain</loc></url><url><loc>/minor</loc><priority>0.1</priority></url>\
                    <url><loc>/main</loc><priority>1.0</priority></url>\
                    <url><loc>/old</loc><lastmod>2020-01-01</lastmod></url>\
                    <url><loc>/new</loc><lastmod>2026-01-01</lastmod></url></urlset>";
        let base = url::Url::parse("https://a.test/").unwrap();
        let priorities = sitemap::parse(body.as_bytes(), &base).crawl_priorities();
        let [plain, minor, main, old, new] = priorities[..] else { panic!("five pages") };
        assert_eq!(plain, Candidate::NORMAL);
        assert!(minor < plain && plain <= old && old < new && new < main, "{priorities:?}");
    }
}
