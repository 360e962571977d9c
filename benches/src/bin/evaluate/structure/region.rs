//! The part of a page whose structure is its truth: its own `main` or `article` element, without what is not
//! in the text of the ground truth.

use std::collections::{HashMap, HashSet};

use ego_tree::{NodeId, NodeRef};
use scraper::Node;

use super::items::{self, Event, Items, Kind};
use super::normal;
use crate::{dom, render};

/// The element has at least this share of the words of the ground truth.
const MIN_RECALL: f64 = 0.8;

/// A text is in the ground truth if at least this share of its runs of three words is.
const MIN_SHARE: f64 = 0.9;

/// A text of at least this many words tells where the ground truth is.
const MIN_NEIGHBOUR_WORDS: usize = 5;

/// The `main` or `article` element that has most of the words of the ground truth and few others; `None` if
/// none has most of them.
pub(super) fn choose<'t>(root: NodeRef<'t, Node>, truth: &str) -> Option<NodeRef<'t, Node>> {
    let mut best: Option<(f64, NodeRef<'t, Node>)> = None;
    for node in root.descendants() {
        let Some(element) = node.value().as_element() else { continue };
        if !matches!(element.name(), "main" | "article") && element.attr("role") != Some("main") {
            continue;
        }
        let [_, recall, f1] = render::overlap(&dom::text_of(node, |_| false), truth);
        if recall >= MIN_RECALL && best.is_none_or(|(most, _)| f1 > most) {
            best = Some((f1, node));
        }
    }
    best.map(|(_, node)| node)
}

/// The items of a region whose text is in the ground truth. Items without a text of their own count if the
/// texts before and after them are in it.
pub(super) fn items(region: NodeRef<'_, Node>, truth: &str) -> Items {
    let truth = TruthText::of(truth);
    let neighbours = Neighbours::of(region, &truth);
    let mut items = Items::of_html(region);
    items.retain(|kind, item, node| {
        if matches!(kind, Kind::Images | Kind::Formulas) {
            return neighbours.all(node);
        }
        let words: Vec<&str> = item.text.split(' ').collect();
        let words = if matches!(kind, Kind::Code | Kind::Languages) {
            words.into_iter().filter(|word| word.chars().any(char::is_alphanumeric)).collect()
        } else {
            words
        };
        truth.has(&words) && (words.len() >= 3 || neighbours.any(node))
    });
    let figures = items::figures(region).into_iter().filter(|(_, figure)| neighbours.all(figure.id()));
    let captions: Vec<String> = figures.map(|(caption, _)| caption).collect();
    items.add_captions(region, &captions);
    items
}

/// The text of a ground truth.
struct TruthText {
    /// Its words, each between spaces.
    joined: String,
    triples: HashSet<[String; 3]>,
}

impl TruthText {
    fn of(text: &str) -> Self {
        let words = normal::words(text);
        let triple = |window: &[String]| match window {
            [a, b, c] => Some([a.clone(), b.clone(), c.clone()]),
            _ => None,
        };
        Self {
            joined: format!(" {} ", words.join(" ")),
            triples: words.windows(3).filter_map(triple).collect(),
        }
    }

    fn has(&self, words: &[&str]) -> bool {
        let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        if words.len() < 3 {
            return !words.is_empty() && self.joined.contains(&format!(" {} ", words.join(" ")));
        }
        let found = words.windows(3).filter(|window| {
            <&[String; 3]>::try_from(*window).is_ok_and(|window| self.triples.contains(window))
        });
        crate::content::ratio(found.count(), words.len() - 2) >= MIN_SHARE
    }
}

/// The longer texts of a region.
struct Neighbours {
    /// The position of each text, and whether it is in the ground truth.
    texts: Vec<(usize, bool)>,
    /// The positions of the first and of the last node of each subtree.
    positions: HashMap<NodeId, (usize, usize)>,
}

impl Neighbours {
    fn of(region: NodeRef<'_, Node>, truth: &TruthText) -> Self {
        let texts = items::events(region).into_iter().filter_map(|event| match event {
            Event::Text { words, at } if words.len() >= MIN_NEIGHBOUR_WORDS => {
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                Some((at, truth.has(&words)))
            }
            _ => None,
        });
        let texts = texts.collect();
        let mut positions = HashMap::new();
        for (at, node) in region.descendants().enumerate() {
            positions.insert(node.id(), (at + 1, at + node.descendants().count()));
        }
        Self { texts, positions }
    }

    /// Whether the texts before and after a node are in the ground truth; `None` for one that does not exist.
    fn around(&self, node: NodeId) -> [Option<bool>; 2] {
        let Some((first, last)) = self.positions.get(&node).copied() else { return [None, None] };
        let before = self.texts.iter().rev().find(|(at, _)| *at < first);
        let after = self.texts.iter().find(|(at, _)| *at > last);
        [before, after].map(|text| text.map(|(_, is_in)| *is_in))
    }

    fn any(&self, node: NodeId) -> bool {
        self.around(node).contains(&Some(true))
    }

    fn all(&self, node: NodeId) -> bool {
        self.any(node) && !self.around(node).contains(&Some(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use scraper::Html;

    #[test]
    fn items_outside_the_ground_truth_do_not_count() {
        let html = "<div><ul><li>Home</ul><main><h2>A heading</h2><p>The first long text of the page.</p>\
            <img src=a.png><p>The second long text of the page.</p><ul><li>one item</ul>\
            <p>Sign up for our weekly letter now</p><img src=b.png><ul><li>one item</ul></main></div>";
        let page = Html::parse_document(html);
        let truth = "A heading. The first long text of the page. The second long text of the page. One item";
        let region = choose(page.tree.root(), truth).unwrap();
        assert_eq!(region.value().as_element().unwrap().name(), "main");
        let items = items(region, truth);
        let texts =
            |kind| -> Vec<String> { items.get(kind).into_iter().map(|item| item.key + &item.text).collect() };
        assert_eq!(texts(Kind::Headings), ["a heading"]);
        assert_eq!(texts(Kind::Items), ["one item"]);
        assert_eq!(texts(Kind::Images), ["a.png"]);
        assert!(choose(page.tree.root(), "Something else entirely").is_none());
    }
}
