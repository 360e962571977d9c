//! Which parts of a page are about other things than the page is.

use std::collections::BTreeMap;

use super::element_names::names_of;
use super::related_sections;
use crate::evidence::Evidence;
use crate::markup::NodeId;
use crate::typed::money_amounts;

/// Words of classes and ids of parts of a page that are about other things.
const UNRELATED_NAMES: [&str; 33] = [
    "related",
    "recommend",
    "recommended",
    "recommendation",
    "recommendations",
    "similar",
    "upsell",
    "crosssell",
    "cross",
    "carousel",
    "slider",
    "sponsored",
    "also",
    "recently",
    "viewed",
    "bundle",
    "accessories",
    "footer",
    "nav",
    "menu",
    "breadcrumb",
    "breadcrumbs",
    "sidebar",
    "reviews",
    "review",
    "comment",
    "comments",
    "minicart",
    "suggestion",
    "suggestions",
    "upselling",
    "others",
    "history",
];

/// Least text of a part that is named so: shorter ones are values.
const MIN_PART_BYTES: usize = 120;
/// Most text of a card.
const MAX_CARD_BYTES: usize = 600;
/// Cards side by side that are a list of other things.
const MIN_CARDS: usize = 3;

/// The parts of a page that are about other things: what its names say (`related`, `footer`), what stands below a heading that says so, and cards
/// side by side that each lead elsewhere and bear a price.
///
/// Why not the names alone: many pages name their parts by numbers that a style compiler made up.
#[derive(Debug, Default)]
pub(crate) struct UnrelatedParts {
    /// Apart from each other and in order.
    ranges: Vec<(NodeId, NodeId)>,
    /// Those of them that a heading names.
    sections: Vec<(NodeId, NodeId)>,
}

impl UnrelatedParts {
    pub(crate) fn read(evidence: &Evidence<'_>) -> Self {
        let mut found = named(evidence);
        found.extend(cards(evidence));
        let sections = related_sections::sections(evidence);
        found.extend(&sections);
        found.sort_unstable();
        let mut ranges: Vec<(NodeId, NodeId)> = Vec::with_capacity(found.len());
        for (start, end) in found {
            match ranges.last_mut() {
                Some((_, last)) if *last >= start => *last = end.max(*last),
                _ => ranges.push((start, end)),
            }
        }
        Self { ranges, sections }
    }

    pub(crate) fn holds(&self, node: NodeId) -> bool {
        is_within(&self.ranges, node)
    }

    /// Does it stand below a heading that says that it is about other things? Then no mark of it speaks for the page's own.
    pub(crate) fn in_related_section(&self, node: NodeId) -> bool {
        is_within(&self.sections, node)
    }
}

fn is_within(ranges: &[(NodeId, NodeId)], node: NodeId) -> bool {
    let before = ranges.partition_point(|(start, _)| *start <= node);
    before.checked_sub(1).and_then(|at| ranges.get(at)).is_some_and(|(_, end)| node < *end)
}

/// Parts that the page itself names so.
fn named(evidence: &Evidence<'_>) -> Vec<(NodeId, NodeId)> {
    let tree = &evidence.tree;
    let mut found = Vec::new();
    let mut until = NodeId(0);
    for node in tree.nodes() {
        let length = tree.text_of(node).len();
        if node < until || tree.name(node).is_empty() || length >= tree.text().len() / 2 {
            continue;
        }
        let furniture = tree.is(node, &["nav", "footer", "aside"]);
        if furniture
            || (length > MIN_PART_BYTES
                && names_of(evidence, node)
                    .iter()
                    .flatten()
                    .any(|word| UNRELATED_NAMES.contains(&word.as_str())))
        {
            until = tree.end(node);
            found.push((node, until));
        }
    }
    found
}

/// Cards of other things: three or more elements side by side and marked up alike, each with a link to another page and a sum.
fn cards(evidence: &Evidence<'_>) -> Vec<(NodeId, NodeId)> {
    let tree = &evidence.tree;
    let mut links: Vec<NodeId> = Vec::new();
    let mut groups: BTreeMap<(NodeId, String), Vec<NodeId>> = BTreeMap::new();
    for node in tree.nodes().filter(|node| !tree.name(*node).is_empty()) {
        if tree.is(node, &["a"])
            && tree.attribute(node, "href").is_some_and(|href| leads_away(evidence, &href))
        {
            links.push(node);
        }
        let length = tree.text_of(node).len();
        if let Some(parent) = tree.parent(node).filter(|_| (1..=MAX_CARD_BYTES).contains(&length)) {
            let class = tree.attribute(node, "class").unwrap_or_default();
            let kind = class.split_whitespace().next().unwrap_or_default();
            groups.entry((parent, format!("{} {kind}", tree.name(node)))).or_default().push(node);
        }
    }
    if links.len() < MIN_CARDS {
        return Vec::new();
    }
    let mut sums: Vec<usize> = Vec::new();
    let mut at = 0;
    for line in tree.text().split_inclusive('\n') {
        if tree.interrupt().spend(1 + line.len() / 64) {
            break;
        }
        sums.extend(
            money_amounts(line).filter(|money| money.currency.is_some()).map(|money| at + money.range.start),
        );
        at += line.len();
    }
    let is_card = |node: &NodeId| {
        let end = tree.end(*node);
        let link = links.get(links.partition_point(|link| link < node)).is_some_and(|link| *link < end);
        let text = tree.text_range(*node);
        let sum = sums.get(sums.partition_point(|sum| *sum < text.start)).is_some_and(|sum| *sum < text.end);
        let own = evidence.heading.is_some_and(|heading| *node <= heading && heading < end);
        link && sum && !own
    };
    let mut found = Vec::new();
    for group in groups.into_values().filter(|group| group.len() >= MIN_CARDS) {
        let cards: Vec<NodeId> = group.into_iter().filter(is_card).collect();
        if cards.len() >= MIN_CARDS {
            found.extend(cards.into_iter().map(|card| (card, tree.end(card))));
        }
    }
    found
}

/// Does a link lead to another page?
fn leads_away(evidence: &Evidence<'_>, href: &str) -> bool {
    let href = href.trim();
    if href.is_empty() || href.starts_with(['#', '?']) {
        return false;
    }
    evidence
        .url
        .join(href)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.path() != evidence.url.path())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;

    #[test]
    fn parts_about_other_things_are_known_by_name_and_by_form() {
        let filler = "Words about the thing that the page is about, of which there are many. ".repeat(8);
        let rows = [
            (format!("<h1>A</h1><p>{filler}</p><footer><b>x</b></footer>"), true),
            (
                format!(
                    "<h1>A</h1><p>{filler}</p><div class=c7>{}</div>",
                    "<div class=k1><a href=/o><b>x</b></a> 5 €</div>".repeat(3)
                ),
                true,
            ),
            (
                format!(
                    "<h1>A</h1><p>{filler}</p><div class=c7>{}</div>",
                    "<div class=k1><a href=#o><b>x</b></a> 5 €</div>".repeat(3)
                ),
                false,
            ),
            (
                format!(
                    "<h1>A</h1><p>{filler}</p><div class=c7>{}</div>",
                    "<div class=k1><a href=/o><b>x</b></a></div>".repeat(3)
                ),
                false,
            ),
            (format!("<h1>A</h1><p>{filler}</p><div class=related><b>x</b></div>"), false),
        ];
        for (html, expected) in rows {
            let page = Page::new("https://shop.example/a".parse().unwrap(), html.as_str());
            let evidence = Evidence::read(&page);
            let unrelated = UnrelatedParts::read(&evidence);
            let node = evidence.tree.nodes().find(|node| evidence.tree.is(*node, &["b"])).unwrap();
            assert_eq!(unrelated.holds(node), expected, "{html}");
        }
    }
}
