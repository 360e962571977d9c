//! What the lists of a page are chosen by, whatever the property: its outline, its lists, its parts.

use hashbrown::HashMap;
use std::cell::{OnceCell, RefCell};

use super::lists::{self, PageList};
use super::outline::Outline;
use crate::bind::element_names::names_of;
use crate::bind::text_nodes::TextNodes;
use crate::evidence::Evidence;
use crate::markup::NodeId;

/// Words in the classes and ids of parts with lists of the whole site.
const SITE_PARTS: [&str; 12] = [
    "nav",
    "navbar",
    "navigation",
    "menu",
    "submenu",
    "sidebar",
    "trending",
    "popular",
    "cookie",
    "modal",
    "filter",
    "filters",
];

/// The part of a page that a node is in, by the elements around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PagePlace {
    /// `main` or `article`, and no part of the site in it.
    Main,
    /// A menu, a header or another part that the pages of a site share.
    Site,
    Unknown,
}

/// A page as all list properties see it. Each part is read when it is first needed, and only once.
#[derive(Debug)]
pub(crate) struct PageView<'e, 'a> {
    pub(crate) evidence: &'e Evidence<'a>,
    outline: OnceCell<Outline>,
    texts: OnceCell<TextNodes>,
    lists: OnceCell<Vec<PageList<'a>>>,
    /// Of the nodes that are known so far.
    places: RefCell<HashMap<NodeId, PagePlace>>,
}

impl<'e, 'a> PageView<'e, 'a> {
    pub(crate) fn new(evidence: &'e Evidence<'a>) -> Self {
        Self {
            evidence,
            outline: OnceCell::new(),
            texts: OnceCell::new(),
            lists: OnceCell::new(),
            places: RefCell::default(),
        }
    }

    pub(super) fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| Outline::read(&self.evidence.tree))
    }

    pub(super) fn texts(&self) -> &TextNodes {
        self.texts.get_or_init(|| TextNodes::read(self.evidence))
    }

    /// In page order.
    pub(super) fn lists(&self) -> &[PageList<'a>] {
        self.lists.get_or_init(|| lists::read(&self.evidence.tree))
    }

    /// The part that a node is in. The names of each element are read once, however many lists it contains.
    pub(super) fn place(&self, node: NodeId) -> PagePlace {
        let tree = &self.evidence.tree;
        let mut places = self.places.borrow_mut();
        let mut place = PagePlace::Unknown;
        let mut unread = Vec::new();
        for around in std::iter::once(node).chain(tree.ancestors(node)) {
            if let Some(known) = places.get(&around) {
                place = *known;
                break;
            }
            unread.push(around);
        }
        tree.interrupt().spend(unread.len());
        for around in unread.into_iter().rev() {
            place = self.own_place(around, place);
            places.insert(around, place);
        }
        place
    }

    /// The part that an element is or, if it says nothing itself, the one that it is in.
    fn own_place(&self, node: NodeId, around: PagePlace) -> PagePlace {
        let tree = &self.evidence.tree;
        let role = tree.attribute(node, "role").unwrap_or_default();
        if tree.is(node, &["nav", "aside", "dialog", "select"])
            || matches!(&*role, "navigation" | "menu" | "menubar" | "tablist" | "complementary")
        {
            return PagePlace::Site;
        }
        if tree.is(node, &["article", "main"]) {
            return PagePlace::Main;
        }
        if around == PagePlace::Site {
            return around;
        }
        if around == PagePlace::Unknown && tree.is(node, &["header", "footer"]) {
            let heading = self.evidence.heading;
            if !heading.is_some_and(|main| node < main && main < tree.end(node)) {
                return PagePlace::Site;
            }
        }
        // A page's own classes may name its parts.
        let is_part = tree.text_of(node).len() < tree.text().len() / 2;
        let is_named = |word: &String| SITE_PARTS.contains(&word.as_str());
        if is_part && names_of(self.evidence, node).flatten().any(is_named) {
            return PagePlace::Site;
        }
        around
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;

    #[test]
    fn the_nearest_element_that_says_it_tells_the_part() {
        let filler = "Words about the thing that the page is about. ".repeat(4);
        let rows = [
            ("<div><b>x</b></div>", PagePlace::Unknown),
            ("<main><footer><b>x</b></footer></main>", PagePlace::Main),
            ("<footer><b>x</b></footer>", PagePlace::Site),
            ("<footer><article><b>x</b></article></footer>", PagePlace::Main),
            ("<main><div class=side-menu><p><b>x</b></p></div></main>", PagePlace::Site),
            ("<main><div role=tablist><p><b>x</b></p></div></main>", PagePlace::Site),
            ("<header><h1>Cup</h1><b>x</b></header>", PagePlace::Unknown),
        ];
        for (part, expected) in rows {
            let html = format!("{part}<p>{filler}</p>");
            let page = Page::new("https://site.example/".parse().unwrap(), html);
            let evidence = Evidence::read(&page);
            let tree = &evidence.tree;
            let view = PageView::new(&evidence);
            let node = tree.nodes().find(|node| tree.is(*node, &["b"])).unwrap();
            assert_eq!(view.place(node), expected, "{part}");
            assert_eq!(view.place(node), expected, "{part}, once more");
        }
    }
}
