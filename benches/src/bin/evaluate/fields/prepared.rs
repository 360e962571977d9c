//! A page in both modes, with what it is about.

use gleaner_extract::Page;
use scraper::Html;
use url::Url;

use super::pages::SavedPage;
use super::truth::{self, Case};
use super::visible::Visible;
use super::{MODES, site, strip};
use crate::Failure;

/// A page that is ready to be judged.
#[derive(Debug)]
pub(super) struct PreparedPage {
    pub(super) id: String,
    url: Url,
    pub(super) site: String,
    /// The HTML in the modes of [`MODES`].
    html: [String; MODES.len()],
    /// Its visible text and its title.
    pub(super) on_page: Visible,
    pub(super) cases: Vec<Case>,
}

impl PreparedPage {
    pub(super) fn of(page: SavedPage) -> Result<Self, Failure> {
        let stripped =
            strip::without_structured_data(&page.html).map_err(|error| format!("{}: {error}", page.id))?;
        let tree = Html::parse_document(&page.html);
        let text = Page::new(page.url.clone(), stripped.as_str()).visible_text();
        let title =
            tree.root_element().descendent_elements().find(|element| element.value().name() == "title");
        let title = title.map(|element| element.text().collect::<String>()).unwrap_or_default();
        let on_page = Visible::new(&format!("{title}\n{text}"), &stripped);
        let cases = match truth::labelled(&page.labels).map_err(|error| format!("{}: {error}", page.id))? {
            Some(case) => vec![case],
            None => truth::cases(&tree, &Visible::new(&text, &stripped), page.url.path() == "/"),
        };
        let site = site::site(&page.url);
        let SavedPage { id, url, html, .. } = page;
        Ok(Self { id, url, site, html: [stripped, html], on_page, cases })
    }

    pub(super) fn fold(&self) -> u64 {
        site::fold(&self.site)
    }

    /// The page in each mode.
    pub(super) fn pages(&self) -> [Page; MODES.len()] {
        self.html.each_ref().map(|html| Page::new(self.url.clone(), html.as_str()))
    }
}
