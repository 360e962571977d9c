//! Code that is shown as a block although it is not in a `pre`, and code whose lines begin with their numbers.

use std::collections::HashSet;

use crate::names;
use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};

/// How a `code` element is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// In its line.
    Span,
    /// As a block.
    Block,
    /// Its content is written: it only wraps a `pre`.
    Wrapper,
}

/// Maximum number of tree edges before the `pre` in a wrapper.
const MAX_WRAPPER_EDGES: usize = 24;

/// Maximum number of blank nodes beside code.
const MAX_BLANK_NODES: usize = 2;

/// Maximum distance of the lines to their block of code, in elements.
const MAX_LINE_DISTANCE: usize = 4;

/// Maximum number of tree edges before the title of a listing.
const MAX_TITLE_EDGES: usize = 32;

/// Maximum number of children examined for what is no text.
const MAX_CHILDREN: usize = 16;

/// Maximum length of a line number in bytes.
const MAX_NUMBER_BYTES: usize = 8;

/// How a `code` element of a page is written.
pub(super) fn of(tree: &Tree, code: NodeId) -> Shape {
    let wraps_pre = Walk::new(tree, code)
        .take(MAX_WRAPPER_EDGES)
        .any(|edge| matches!(edge, Edge::Enter(node) if tree.tag(node) == Tag::Pre));
    if wraps_pre {
        Shape::Wrapper
    } else if stands_alone(tree, code) && is_shown_as_block(tree, code) {
        Shape::Block
    } else {
        Shape::Span
    }
}

/// Is there no text in the block before or after an element? Other code may be there.
fn stands_alone(tree: &Tree, code: NodeId) -> bool {
    let in_block = tree
        .parent(code)
        .is_some_and(|parent| tree.kind(parent) == Kind::Document || tree.tag(parent).is_block());
    let ends = |next: fn(&Tree, NodeId) -> Option<NodeId>| {
        let beside = std::iter::successors(next(tree, code), |node| next(tree, *node));
        let text = beside
            .take(MAX_BLANK_NODES)
            .find(|node| tree.is_element(*node) || !tree.text(*node).trim().is_empty());
        text.is_none_or(|node| tree.tag(node) == Tag::Code || tree.tag(node).is_block())
    };
    in_block && ends(Tree::previous_sibling) && ends(Tree::next_sibling)
}

/// Has code several lines, or a class or a style of a block?
fn is_shown_as_block(tree: &Tree, code: NodeId) -> bool {
    let named = names::has_class(tree, code, &["block", "code-block", "codeblock"]);
    let styled = tree.attribute(code, Attr::Style).is_some_and(|style| {
        names::prefix(style).split(';').filter_map(|declaration| declaration.split_once(':')).any(
            |(property, value)| match property.trim() {
                "white-space" => value.trim().starts_with("pre"),
                "display" => value.trim() == "block",
                _ => false,
            },
        )
    });
    named || styled || tree.text_content(code).trim().contains('\n')
}

/// Is an element a listing by its attributes: a `div` of text with a language?
pub(super) fn is_plain_listing(tree: &Tree, node: NodeId) -> bool {
    tree.tag(node) == Tag::Div
        && (tree.has(node, Attr::DataLang) || tree.has(node, Attr::DataLanguage))
        && names::class(tree, node).contains("code")
        && tree.first_child(node).is_some()
        && tree.child_elements(node).all(|child| tree.tag(child) == Tag::Span)
}

/// The title of a listing: its caption, or the only cell of its first row.
pub(super) fn title(tree: &Tree, listing: NodeId) -> Option<NodeId> {
    if !matches!(tree.tag(listing), Tag::Table | Tag::Div) {
        return None;
    }
    for edge in Walk::new(tree, listing).take(MAX_TITLE_EDGES) {
        let Edge::Enter(node) = edge else { continue };
        match tree.tag(node) {
            Tag::Caption => return Some(node),
            Tag::Tr => {
                let spans = |cell: &NodeId| tree.tag(*cell) == Tag::Th || tree.has(*cell, Attr::Colspan);
                return only_cell(tree, node).filter(spans);
            }
            _ if names::has_class(tree, node, &["crayon-title"]) => return Some(node),
            _ => {}
        }
    }
    None
}

/// The cell of a row that has no other.
pub(super) fn only_cell(tree: &Tree, row: NodeId) -> Option<NodeId> {
    let mut cells = tree.child_elements(row);
    cells.next().filter(|_| cells.next().is_none())
}

/// Is an element a text that a page shows over code when a reader points at a part of it, such as the type of
/// a name? It is no part of the program.
pub(super) fn is_popup(tree: &Tree, node: NodeId) -> bool {
    /// Parts of classes of elements that a popup belongs to.
    const OWNERS: &[&str] = &["anchor", "has", "owner", "target", "toggle", "trigger"];
    if tree.attribute(node, Attr::Role) == Some("tooltip") {
        return true;
    }
    names::class_words(names::class(tree, node)).any(|word| {
        let parts = || word.split(['-', '_']);
        match word {
            "v-popper__popper" | "twoslash-completion-list" => true,
            "tooltip" => tree.tag(node) == Tag::A,
            _ if parts().any(|part| OWNERS.contains(&part)) => false,
            _ => {
                let has = |wanted: &[&str]| parts().any(|part| wanted.contains(&part));
                has(&["popup", "popover", "hovercard", "tooltiptext"])
                    || (has(&["tooltip"]) && has(&["body", "box", "content", "inner", "text"]))
            }
        }
    })
}

/// Is an element a diagram as text, which a script draws?
pub(super) fn is_diagram(tree: &Tree, node: NodeId) -> bool {
    names::has_class(tree, node, &["mermaid"])
}

/// Has an element a child that is not part of a text: what is drawn, or the code itself?
pub(super) fn has_other_content(tree: &Tree, node: NodeId) -> bool {
    const OTHERS: &[Tag] = &[Tag::Canvas, Tag::Figure, Tag::Img, Tag::Object, Tag::Pre, Tag::Svg];
    tree.child_elements(node).take(MAX_CHILDREN).any(|child| OTHERS.contains(&tree.tag(child)))
}

/// Does a text consist of digits, white space and the separators of line numbers?
pub(super) fn is_line_numbers(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit() || c.is_whitespace() || matches!(c, '.' | ':' | '|'))
}

/// The elements with the line numbers of code whose lines are elements that each begin with their number.
pub(super) fn line_numbers(tree: &Tree, block: NodeId) -> HashSet<NodeId> {
    let mut lines = block;
    for _ in 0..MAX_LINE_DISTANCE {
        let mut inner = tree.child_elements(lines);
        match (inner.next(), inner.next()) {
            (Some(only), None) => lines = only,
            _ => break,
        }
    }
    let mut numbers = HashSet::new();
    let mut expected = None;
    for line in tree.child_elements(lines) {
        let number = tree
            .first_child(line)
            .filter(|first| tree.is_element(*first) && is_apart(tree, *first))
            .and_then(|first| Some((first, tree.folded_text(first, MAX_NUMBER_BYTES).parse::<u32>().ok()?)));
        let Some((first, number)) = number.filter(|(_, number)| expected.is_none_or(|next| next == *number))
        else {
            return HashSet::new();
        };
        numbers.insert(first);
        expected = Some(number.saturating_add(1));
    }
    // One number at the start of one line may be part of the code.
    if numbers.len() > 1 { numbers } else { HashSet::new() }
}

/// Is a number at the start of a line apart from the code after it: an element beside an element, or named as
/// the number of a line? Otherwise it may be a part of the code, such as `1 + 1` or `1st`.
fn is_apart(tree: &Tree, number: NodeId) -> bool {
    const LITERALS: &[&str] = &["number", "hljs-number", "literal", "mi", "mf", "m", "pl-c1"];
    let Some(next) = tree.next_sibling(number) else { return false };
    let class = names::class(tree, number);
    ["line", "gutter"].iter().any(|name| class.contains(name))
        || (tree.is_element(next) && !names::has_class(tree, number, LITERALS))
}
