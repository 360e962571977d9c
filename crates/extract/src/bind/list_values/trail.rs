//! The steps from the start page to this one, which pages show as a breadcrumb.

use super::items::html_range;
use super::{FoundItem, FoundList};
use crate::bind::words::overlap;
use crate::evidence::Evidence;
use crate::markup::{Kind, NodeId};
use crate::page::{Method, truncate};

/// Score of a breadcrumb.
const SCORE: f64 = 0.6;
/// Longest path of a start page, in bytes: `/de/`.
const MAX_START_BYTES: usize = 4;
/// Longest breadcrumb, in bytes.
const MAX_BYTES: usize = 600;
/// Upper bound on its steps.
const MAX_STEPS: usize = 12;
/// Upper bound on its nodes that are examined.
const MAX_NODES: usize = 1_000;
/// Upper bound on the elements with such a name that are examined.
const MAX_NAMED: usize = 100;
/// Attributes that name a breadcrumb.
const NAMED_BY: [&str; 4] = ["class", "id", "aria-label", "itemtype"];
/// Starts of its names.
const NAMES: [&str; 5] = ["breadcrumb", "brotkrume", "brödsmul", "brødkrumme", "okruszki"];
/// Signs between the steps.
const SEPARATORS: &str = "›»>/|→·\\•:-–—<«‹←";

/// The breadcrumb of a page, with the start page and this page.
pub(super) fn read(evidence: &Evidence<'_>) -> Option<FoundList> {
    let steps = steps(evidence, breadcrumb(evidence)?);
    let items: Vec<FoundItem> = steps.into_iter().map(|(_, item)| item).collect();
    (items.len() >= 2).then_some(FoundList { score: SCORE, method: Method::Markup, items })
}

/// The categories that the breadcrumb of a page names: its steps without the start page and this page.
pub(super) fn categories(evidence: &Evidence<'_>) -> Option<FoundList> {
    let mut steps = steps(evidence, breadcrumb(evidence)?);
    // The last step is this page if it is no link or has its name.
    if steps
        .last()
        .is_some_and(|(link, item)| link.is_none() || overlap(&item.text, evidence.headline()) > 0.8)
    {
        steps.pop();
    }
    let is_start = |link: Option<&str>| {
        let url = link.and_then(|link| evidence.url.join(link).ok());
        url.is_some_and(|url| url.path().len() <= MAX_START_BYTES)
    };
    let items: Vec<FoundItem> =
        steps.into_iter().filter(|(link, _)| !is_start(link.as_deref())).map(|(_, item)| item).collect();
    (!items.is_empty()).then_some(FoundList { score: SCORE, method: Method::Markup, items })
}

/// The first element that is named a breadcrumb and has the form of one.
fn breadcrumb(evidence: &Evidence<'_>) -> Option<NodeId> {
    let tree = &evidence.tree;
    let is_named = |node: NodeId| {
        tree.attributes(node).iter().copied().any(|(key, value)| {
            NAMED_BY.iter().any(|known| known.eq_ignore_ascii_case(key)) && {
                let value = truncate(value, 400).to_lowercase();
                NAMES.iter().any(|name| value.contains(name))
            }
        })
    };
    let holds_heading =
        |node: NodeId| evidence.heading.is_some_and(|heading| node < heading && heading < tree.end(node));
    let named = tree.nodes().filter(|node| {
        (1..=MAX_BYTES).contains(&tree.text_of(*node).len())
            && is_named(*node)
            && !tree.is_hidden(*node)
            && !holds_heading(*node)
    });
    named.take(MAX_NAMED).find(|node| steps(evidence, *node).len() >= 2)
}

/// The texts of a breadcrumb, each with the address of its link.
fn steps(evidence: &Evidence<'_>, breadcrumb: NodeId) -> Vec<(Option<String>, FoundItem)> {
    let tree = &evidence.tree;
    let mut found: Vec<(Option<String>, FoundItem)> = Vec::new();
    let mut link: Option<NodeId> = None;
    for node in tree.within(breadcrumb).take(MAX_NODES) {
        if tree.is(node, &["a"]) {
            link = Some(node);
        }
        if !matches!(tree.kind(node), Some(Kind::Text { .. })) {
            continue;
        }
        let range = tree.text_range(node);
        let text = tree.text().get(range.clone()).unwrap_or_default();
        let text = text.trim_matches(|found: char| found.is_whitespace() || SEPARATORS.contains(found));
        if !text.contains(char::is_alphanumeric) {
            continue;
        }
        if found.len() >= MAX_STEPS {
            break;
        }
        let own = link.filter(|link| node < tree.end(*link));
        let address = own.and_then(|link| tree.attribute(link, "href")).map(std::borrow::Cow::into_owned);
        let item = FoundItem {
            text: text.to_owned(),
            quote: text.to_owned(),
            html_range: html_range(tree, node, &range),
        };
        found.push((address, item));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;

    #[test]
    fn breadcrumbs_give_steps_and_categories() {
        let html = "<div class='page has-breadcrumb'><ol class=breadcrumbs><li><a href='/'>Start</a> ›\
                    <li><a href=/garten/>Garten</a> ›<li><a href=/garten/stuehle/>Stühle</a> ›<li>\
                    Roter Stuhl</ol><h1>Roter Stuhl</h1><p>Text, der lang genug ist.</div>";
        let page = Page::new("https://shop.example/garten/stuehle/rot".parse().unwrap(), html);
        let evidence = Evidence::read(&page);
        let texts = |list: FoundList| list.items.into_iter().map(|item| item.text).collect::<Vec<_>>();
        assert_eq!(texts(categories(&evidence).unwrap()), ["Garten", "Stühle"]);
        let names = ["Start", "Garten", "Stühle", "Roter Stuhl"];
        assert_eq!(read(&evidence).map(texts).unwrap(), names);
    }
}
