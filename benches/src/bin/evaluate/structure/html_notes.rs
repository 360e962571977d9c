//! Footnotes of HTML: short links to a block of the same page.

use std::collections::{HashMap, HashSet};

use ego_tree::{NodeId, NodeRef};
use scraper::Node;

use super::normal;
use crate::dom;

/// Maximum length of the text of a reference, in characters.
const MAX_LABEL: usize = 12;

/// The footnotes of a tree.
#[derive(Debug, Default)]
pub(super) struct HtmlNotes<'t> {
    /// The element of each reference, and its note.
    pub(super) references: Vec<(NodeRef<'t, Node>, NodeRef<'t, Node>)>,
}

impl<'t> HtmlNotes<'t> {
    pub(super) fn of(root: NodeRef<'t, Node>) -> Self {
        let mut targets: HashMap<&str, NodeRef<'t, Node>> = HashMap::new();
        for node in root.descendants() {
            let Some(element) = node.value().as_element() else { continue };
            for name in [element.attr("id"), element.attr("name")].into_iter().flatten() {
                targets.entry(name).or_insert(node);
            }
        }
        let links = root.descendants().filter(|node| is_reference(*node));
        let references = links.filter_map(|link| {
            let fragment = link.value().as_element()?.attr("href")?.strip_prefix('#')?;
            let target = *targets.get(fragment)?;
            let note = std::iter::once(target).chain(target.ancestors()).find(|node| is_note_block(*node))?;
            let inside = link.ancestors().any(|around| around.id() == note.id());
            (!inside).then(|| (whole_reference(link), note))
        });
        Self { references: references.collect() }
    }

    /// The notes, without repeats.
    pub(super) fn notes(&self) -> Vec<NodeRef<'t, Node>> {
        let mut seen = HashSet::new();
        self.references.iter().map(|(_, note)| *note).filter(|note| seen.insert(note.id())).collect()
    }

    /// The nodes of the references.
    pub(super) fn reference_nodes(&self) -> HashSet<NodeId> {
        let nodes = self.references.iter().flat_map(|(reference, _)| reference.descendants());
        nodes.map(|node| node.id()).collect()
    }

    /// The nodes of the notes.
    pub(super) fn note_nodes(&self) -> HashSet<NodeId> {
        self.notes().into_iter().flat_map(|note| note.descendants()).map(|node| node.id()).collect()
    }
}

/// The text of a note, without its number and its links back.
pub(super) fn text(note: NodeRef<'_, Node>) -> String {
    let text = dom::text_of(note, |inner| {
        let leads_back = inner
            .value()
            .as_element()
            .filter(|element| element.name() == "a")
            .and_then(|element| element.attr("href"))
            .is_some_and(|href| href.starts_with('#'));
        leads_back && dom::text_of(inner, |_| false).chars().filter(|c| c.is_alphabetic()).count() < 2
    });
    let words = normal::words(&text);
    let is_number = |word: &String| word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_digit());
    let skipped = usize::from(words.len() > 1 && words.first().is_some_and(is_number));
    words.into_iter().skip(skipped).collect::<Vec<_>>().join(" ")
}

fn name_of(node: NodeRef<'_, Node>) -> &str {
    node.value().as_element().map_or("", scraper::node::Element::name)
}

fn is_note_block(node: NodeRef<'_, Node>) -> bool {
    matches!(name_of(node), "li" | "p" | "div" | "dd" | "aside")
}

/// Is a node a short link within the page that is superscript, bracketed or named as a reference?
fn is_reference(node: NodeRef<'_, Node>) -> bool {
    let Some(element) = node.value().as_element().filter(|element| element.name() == "a") else {
        return false;
    };
    if !element.attr("href").is_some_and(|href| href.starts_with('#') && href.len() > 1) {
        return false;
    }
    let text = dom::text_of(node, |_| false);
    let text = text.trim();
    if text.is_empty() || text.chars().count() > MAX_LABEL {
        return false;
    }
    let class = element.attr("class").unwrap_or_default().to_ascii_lowercase();
    let bracketed = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    node.parent().is_some_and(|parent| name_of(parent) == "sup")
        || node.children().any(|child| name_of(child) == "sup")
        || element.attr("role") == Some("doc-noteref")
        || ["footnote-ref", "footnoteref", "noteref"].iter().any(|name| class.contains(name))
        || bracketed.is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The `sup` around a link if it has no other text, or else the link.
fn whole_reference(link: NodeRef<'_, Node>) -> NodeRef<'_, Node> {
    let own = |node: NodeRef<'_, Node>| dom::text_of(node, |_| false).trim().to_owned();
    link.parent().filter(|parent| name_of(*parent) == "sup" && own(*parent) == own(link)).unwrap_or(link)
}

#[cfg(test)]
mod tests {
    use super::*;
    use scraper::Html;

    #[test]
    fn notes_are_found_by_their_references() {
        let page = Html::parse_fragment(
            "<p>A<sup><a href='#n1'>1</a></sup> b<a href='#n2'>[2]</a> <a href='#s'>part 2</a></p>\
             <ol><li id=n1>One <a href='#r1'>↩</a></li><li><a id=n2></a>2 Two</li></ol><h2 id=s>x</h2>",
        );
        let notes = HtmlNotes::of(page.tree.root());
        let texts: Vec<String> = notes.notes().into_iter().map(text).collect();
        assert_eq!(texts, ["one", "two"]);
        let references: Vec<&str> = notes.references.iter().map(|(node, _)| name_of(*node)).collect();
        assert_eq!(references, ["sup", "a"]);
    }
}
