//! The pages that the benches without a network work on.

use gleaner_testkit::{Site, SiteSpec};

/// What absolute URLs of the pages begin with.
pub const ORIGIN: &str = "http://almanac.example";

/// One page.
#[derive(Debug, Clone)]
pub struct Page {
    /// Its URL.
    pub url: String,
    /// Its HTML.
    pub html: String,
}

/// So many pages of a generated site, the same on every run.
#[must_use]
pub fn pages(count: u32) -> Vec<Page> {
    let site = Site::generate(SiteSpec::pages(count));
    site.truth()
        .paths()
        .filter_map(|truth| {
            let body = site.body(&truth.path, ORIGIN)?;
            let html = String::from_utf8(body.to_vec()).ok()?;
            Some(Page { url: format!("{ORIGIN}{}", truth.path), html })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_are_those_of_the_site() {
        let pages = pages(3);
        assert_eq!(pages.len(), 3);
        assert_eq!(pages[2].url, "http://almanac.example/p/2");
        assert!(pages[2].html.ends_with("</html>\n"));
    }
}
