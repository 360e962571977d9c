//! The pages of the benches without a network.

use gleaner_testkit::{Site, SiteSpec};
use url::Url;

/// The origin of the pages.
pub const ORIGIN: &str = "http://almanac.example";

/// One page.
#[derive(Debug, Clone)]
pub struct Page {
    /// Its URL.
    pub url: String,
    /// Its HTML.
    pub html: String,
}

/// The `count` pages of a generated site, the same on every run.
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

/// The absolute links of each page of a site of `count` pages, in the order of a parser.
#[must_use]
pub fn graph(count: u32) -> Vec<Vec<Url>> {
    let site = Site::generate(SiteSpec::pages(count));
    let Ok(origin) = Url::parse(ORIGIN) else { return Vec::new() };
    let links = |id| site.truth().links(id).iter().filter_map(|path| origin.join(path).ok()).collect();
    (0..count).map(links).collect()
}

/// The number of the page at `url`: 0 is the start page.
#[must_use]
pub fn page_number(url: &Url) -> usize {
    url.path().strip_prefix("/p/").and_then(|id| id.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use gleaner_testkit::LINKS_PER_PAGE;

    use super::*;

    #[test]
    fn the_graph_has_the_links_of_the_site() {
        let graph = graph(150);
        assert_eq!((graph.len(), graph.iter().map(Vec::len).sum::<usize>()), (150, 150 * LINKS_PER_PAGE));
        assert!(graph.iter().flatten().all(|link| page_number(link) < 150));
    }

    #[test]
    fn the_pages_have_the_urls_and_bodies_of_the_site() {
        let pages = pages(3);
        assert_eq!(pages.len(), 3);
        assert_eq!(pages[2].url, "http://almanac.example/p/2");
        assert!(pages[2].html.ends_with("</html>\n"));
    }
}
