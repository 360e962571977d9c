//! Tables of HTML and the Markdown that it becomes.

mod blocks;
mod code;
mod inline;
mod links;
mod lists;
mod page;
mod tables;

use crate::html_to_markdown;
use crate::resolver::Resolver;
use crate::tree::{ParseOptions, Tree, parse};
use crate::view::View;

/// `(name, html, markdown)`.
type Row = (&'static str, &'static str, &'static str);

/// Checks HTML that is converted as a fragment.
fn check(rows: &[Row]) {
    for (name, html, markdown) in rows {
        assert_eq!(html_to_markdown(html, None), *markdown, "{name}");
    }
}

/// Checks HTML that is read as part of a page.
pub(super) fn check_page(rows: &[(&str, &str, &str)]) {
    for (name, html, markdown) in rows {
        let tree = parse(html, ParseOptions::default());
        assert_eq!(page(&tree, &View::whole(&tree)), *markdown, "{name}");
    }
}

/// The Markdown of a part of a page.
fn page(tree: &Tree, view: &View) -> String {
    let resolver = Resolver::without_base();
    let options = super::Options { resolver: &resolver, remove_base64_images: true, faithful: false };
    super::write(tree, view, options).text
}
