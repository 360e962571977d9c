//! The links of a page, by `lol_html` and by `html5ever`.

use std::cell::RefCell;

use lol_html::{HtmlRewriter, Settings, element};
use scraper::{Html, Selector};
use url::Url;

/// The absolute links of a page, read from the token stream (`lol_html`), without fragments.
#[must_use]
pub fn links_by_rewriter(base: &Url, html: &[u8]) -> Vec<Url> {
    let found = RefCell::new(Vec::with_capacity(64));
    let handler = element!("a[href]", |anchor| {
        if let Some(link) = anchor.get_attribute("href").and_then(|href| join(base, &href)) {
            found.borrow_mut().push(link);
        }
        Ok(())
    });
    let settings = Settings::new().append_element_content_handler(handler);
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    // HTML that does not parse has no links; a floor reports no errors.
    let _ = rewriter.write(html).and_then(|()| rewriter.end());
    found.into_inner()
}

/// The absolute links of a page, read from a tree (`html5ever`, through `scraper`), without fragments.
#[must_use]
pub fn links_by_tree(base: &Url, html: &str, anchors: &Selector) -> Vec<Url> {
    let tree = Html::parse_document(html);
    tree.select(anchors).filter_map(|anchor| join(base, anchor.attr("href")?)).collect()
}

fn join(base: &Url, href: &str) -> Option<Url> {
    let mut link = base.join(href).ok().filter(|link| matches!(link.scheme(), "http" | "https"))?;
    link.set_fragment(None);
    Some(link)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::pages;

    #[test]
    fn both_parsers_find_the_same_links() {
        let page = &pages(60)[7];
        let base = Url::parse(&page.url).unwrap();
        let by_rewriter = links_by_rewriter(&base, page.html.as_bytes());
        assert_eq!(by_rewriter, links_by_tree(&base, &page.html, &Selector::parse("a[href]").unwrap()));
        // Links to 47 pages, and one to the content of this page.
        assert_eq!(by_rewriter.len(), 48);
    }
}
