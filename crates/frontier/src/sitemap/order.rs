//! What a sitemap says about the order in which its pages are crawled.

use super::{Sitemap, SitemapEntry};
use crate::queue::Candidate;

/// A page of which the sitemap says nothing; see `priority` in the protocol of sitemaps.org.
const UNSAID: u8 = 50;

impl Sitemap {
    /// A [`Candidate::priority`] for each page, in the order of [`Sitemap::pages`].
    ///
    /// What the site calls important goes first, and of equally important pages those that changed last, compared
    /// with each other and not with a clock. A page of which nothing is said gets [`Candidate::NORMAL`].
    #[must_use]
    pub fn crawl_priorities(&self) -> Vec<u8> {
        let mut times: Vec<i64> = self.pages.iter().filter_map(|page| page.last_modified).collect();
        times.sort_unstable();
        times.dedup();
        self.pages.iter().map(|page| priority(page, &times)).collect()
    }
}

/// 100 steps around the normal priority by importance, doubled, so that there is room between them, and up to 27 more
/// by how recently the page changed among `times`, which are sorted.
fn priority(page: &SitemapEntry, times: &[i64]) -> u8 {
    let important = page.priority.unwrap_or(UNSAID).min(100);
    let recent = match page.last_modified.and_then(|time| times.binary_search(&time).ok()) {
        Some(rank) if times.len() > 1 => rank * 27 / (times.len() - 1),
        _ => 0,
    };
    let base = u8::try_from(i32::from(Candidate::NORMAL) + 2 * (i32::from(important) - i32::from(UNSAID)));
    base.unwrap_or(Candidate::NORMAL)
        .saturating_add(u8::try_from(recent).unwrap_or(0))
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
