//! The file of the model that chooses single values. Input: the part behind its head, which says how many
//! features and groups there are.

use gleaner_extract::Page;
use gleaner_extract::training::{Scorer, extract_with};
use url::Url;

use super::BASE;
use super::extract::assert_proven;
use super::segments::{model_header, shape};

/// The page that each model reads.
const PAGE: &str = "<title>Red cup | Acme</title><h1>Red cup</h1><p class=price>12.50 €</p><dl><dt>Maker<dd>\
    Acme<dt>Phone<dd>+44 20 7946 0958</dl><p>Made on 4 March 2021, sold on 5 March 2021.</p>";

/// A file is refused, or it is whole, chooses proven values and always the same.
pub fn score_model(data: &[u8]) {
    let (Ok(url), Some(shape), Some(mut bytes)) = (Url::parse(BASE), shape(), model_header()) else { return };
    let is_other = data.get(..4) != bytes.get(..4);
    assert!(!is_other || Scorer::read(data).is_none(), "a file for other features is read");
    bytes.extend_from_slice(data);
    let Some(scorer) = Scorer::read(&bytes) else { return };
    let page = Page::new(url, PAGE);
    let found = extract_with(&page, shape, &scorer);
    assert_proven(&found, PAGE, shape);
    assert_eq!(extract_with(&page, shape, &scorer), found, "a second run differs");
    let shorter = bytes.split_last().map_or(&[][..], |(_, shorter)| shorter);
    assert!(Scorer::read(shorter).is_none(), "a file that is cut is read");
    bytes.push(0);
    assert!(Scorer::read(&bytes).is_none(), "a file with something behind its end is read");
}
