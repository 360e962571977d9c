//! What pages of one site teach about each other. Input: two pages with a line `---` between them.

use gleaner_extract::{Page, extract, extract_pages};
use url::Url;

use super::extract::assert_proven;
use super::segments::shape;

/// The results are proven, do not depend on the order of the pages, and one page teaches nothing.
pub fn site_pages(data: &[u8]) {
    let Some(shape) = shape() else { return };
    let text = String::from_utf8_lossy(data);
    let (one, two) = text.split_once("\n---\n").unwrap_or((&*text, ""));
    let page = |address: &str, html: &str| Url::parse(address).ok().map(|url| Page::new(url, html));
    let pages = [page("https://example.com/cups/one", one), page("https://example.com/cups/two", two)];
    let [Some(one), Some(two)] = pages else { return };
    let found = extract_pages(&[one.clone(), two.clone()], shape);
    assert_eq!(found.len(), 2);
    for (found, page) in found.iter().zip([&one, &two]) {
        assert_proven(found, &page.html, shape);
    }
    let mut reversed = extract_pages(&[two, one.clone()], shape);
    reversed.reverse();
    assert_eq!(reversed, found, "the order of the pages counts");
    let alone = extract(&one, shape);
    assert_eq!(extract_pages(&[one], shape), [alone], "a page alone is read differently");
}
