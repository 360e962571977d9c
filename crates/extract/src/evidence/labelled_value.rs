//! Finds values with the labels that a page gives them, in lists, tables, grids and lines.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{MAX_PAIRS, MAX_VALUE_BYTES, Table};
use crate::bind::{folded, is_known};
use crate::markup::{Kind, NodeId, Tree};
use crate::page::{Method, truncate};

/// Longest label, in characters.
const MAX_LABEL_CHARS: usize = 48;
/// Upper bound on the labels of a Twitter card.
const MAX_CARD_LABELS: usize = 32;
/// Longest text of an element that consists of a label and its value, in bytes.
const MAX_PARTS_BYTES: usize = 240;
/// Characters before the first digit of a figure: `~ € 5`.
const MAX_SIGN_CHARS: usize = 4;
/// Upper bound on the elements with text of a row of labels and values.
const MAX_PARTS: usize = 12;
/// Upper bound on the elements with text of a grid: labels and values in turns, with two classes.
const MAX_GRID_PARTS: usize = 48;
/// Longest text of a grid, in bytes.
const MAX_GRID_BYTES: usize = 1_200;
/// Fewest pairs of a grid.
const MIN_GRID_PAIRS: usize = 3;
/// Fewest labels of a grid that are known names.
const MIN_GRID_NAMES: usize = 2;
/// Upper bound on the labels of one line.
const MAX_LABELS_PER_LINE: usize = 8;

/// A value with the label that the page gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LabelledValue {
    pub(crate) label: String,
    pub(crate) value: String,
    pub(crate) method: Method,
    /// The element with the value, if there is one.
    pub(crate) node: Option<NodeId>,
    /// The position of the value in the visible text, if it is visible.
    pub(crate) text: Option<Range<usize>>,
}

/// Reads `meta` elements, definition lists, tables without a header row and lines of the form `label: value`.
pub(crate) fn read(tree: &Tree<'_>, tables: &[Table]) -> Vec<LabelledValue> {
    let mut pairs = Vec::new();
    elements(tree, &mut pairs);
    for table in tables.iter().filter(|table| table.headers.is_empty()) {
        for row in &table.rows {
            // `label | value`, or several such pairs in one row.
            for cells in row.chunks(2) {
                if let [label, value] = cells {
                    push(&mut pairs, &label.text, &value.text, Method::Table, Some(value.node), None);
                }
            }
        }
    }
    lines(tree, &mut pairs);
    pairs
}

fn push(
    pairs: &mut Vec<LabelledValue>,
    label: &str,
    value: &str,
    method: Method,
    node: Option<NodeId>,
    text: Option<Range<usize>>,
) {
    let label = label.trim().trim_end_matches([':', '：']).trim();
    let value = value.trim();
    let short = !label.is_empty() && label.chars().take(MAX_LABEL_CHARS + 1).count() <= MAX_LABEL_CHARS;
    if short && !value.is_empty() && pairs.len() < MAX_PAIRS {
        let value = truncate(value, MAX_VALUE_BYTES).to_owned();
        pairs.push(LabelledValue { label: label.to_owned(), value, method, node, text });
    }
}

fn elements(tree: &Tree<'_>, pairs: &mut Vec<LabelledValue>) {
    let mut term: Option<NodeId> = None;
    // Twitter cards have free labels: `label1` with `data1`, in any order.
    let mut cards: BTreeMap<String, (String, Option<NodeId>, String)> = BTreeMap::new();
    for node in tree.nodes() {
        let Some(Kind::Element { name, .. }) = tree.kind(node) else { continue };
        if name.eq_ignore_ascii_case("meta") {
            let value = tree.attribute(node, "content").unwrap_or_default();
            for key in ["property", "name", "itemprop"] {
                let Some(label) = tree.attribute(node, key) else { continue };
                if let Some(number) =
                    label.strip_prefix("twitter:label").filter(|_| cards.len() < MAX_CARD_LABELS)
                {
                    cards.entry(number.to_owned()).or_default().0 =
                        truncate(&value, MAX_VALUE_BYTES).to_owned();
                } else if let Some(number) =
                    label.strip_prefix("twitter:data").filter(|_| cards.len() < MAX_CARD_LABELS)
                {
                    let card = cards.entry(number.to_owned()).or_default();
                    (card.1, card.2) = (Some(node), truncate(&value, MAX_VALUE_BYTES).to_owned());
                }
                push(pairs, &label, &value, Method::Meta, Some(node), None);
            }
        } else if name.eq_ignore_ascii_case("dt") {
            term = Some(node);
        } else if name.eq_ignore_ascii_case("dd")
            && let Some(term) = term.take()
        {
            push(pairs, tree.text_of(term), tree.text_of(node), Method::DefinitionList, Some(node), None);
        } else {
            for (label, value) in parts(tree, node) {
                push(pairs, tree.text_of(label), tree.text_of(value), Method::Label, Some(value), None);
            }
        }
    }
    for (label, node, value) in cards.into_values() {
        push(pairs, &label, &value, Method::Meta, node, None);
    }
}

/// The labels and the values of `<div><span>Brand</span><span>Acme</span></div>`: two elements that contain all
/// the text of their parent, or several such pairs one after the other, as in a grid. A known name behind a
/// figure is its label, too: `<b>25 min</b> <small>Cook</small>`.
fn parts(tree: &Tree<'_>, node: NodeId) -> Vec<(NodeId, NodeId)> {
    let all = tree.text_of(node).len();
    if !(2..=MAX_GRID_BYTES).contains(&all) || tree.is(node, &["tr", "dl", "table", "ul", "ol", "select"]) {
        return Vec::new();
    }
    let parts: Vec<NodeId> = tree
        .children(node)
        .filter(|part| {
            let text = tree.text_range(*part);
            text.end > text.start && !tree.text_of(*part).is_empty()
        })
        .take(MAX_GRID_PARTS + 1)
        .collect();
    let is_pairs = matches!(parts.len(), 2..=MAX_GRID_PARTS) && parts.len().is_multiple_of(2);
    if !is_pairs || parts.iter().any(|part| tree.name(*part).is_empty()) {
        return Vec::new();
    }
    let pairs = || parts.chunks_exact(2).filter_map(|pair| Some((*pair.first()?, *pair.last()?)));
    let is_short = |text: &str| text.chars().take(MAX_LABEL_CHARS + 1).count() <= MAX_LABEL_CHARS;
    let is_label = |part: NodeId| {
        let text = tree.text_of(part);
        is_short(text) && !text.contains(|found: char| found.is_numeric())
    };
    let is_named = |part: NodeId| is_label(part) && is_known(&folded(tree.text_of(part)));
    let is_grid = || {
        parts.len() / 2 >= MIN_GRID_PAIRS
            && has_two_styles(tree, &parts)
            && pairs().all(|(label, value)| is_short(tree.text_of(label)) && !is_named(value))
            && pairs().filter(|(label, _)| is_named(*label)).count() >= MIN_GRID_NAMES
    };
    if all > MAX_PARTS_BYTES || parts.len() > MAX_PARTS {
        return if is_grid() { pairs().collect() } else { Vec::new() };
    }
    // `Address 2` is a label, `2 hours` a value.
    let is_figure = |part: NodeId| {
        let text = tree.text_of(part);
        let is_year = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
        !is_year && text.chars().take(MAX_SIGN_CHARS).any(char::is_numeric)
    };
    if pairs().all(|(value, label)| is_figure(value) && is_named(label)) {
        return pairs().map(|(value, label)| (label, value)).collect();
    }
    if parts.len() == 2 {
        return pairs().filter(|(label, _)| is_short(tree.text_of(*label))).collect();
    }
    // Several links or words in a row are no pairs.
    let count = parts.len() / 2;
    let named = pairs().filter(|(label, _)| is_named(*label)).count();
    let figures = pairs().filter(|(_, value)| is_figure(*value)).count();
    let are_labelled = pairs().all(|(label, value)| is_label(label) && !is_named(value));
    let are_pairs = named == count || (named * 2 >= count && figures * 2 >= count);
    if (are_labelled && are_pairs) || is_grid() { pairs().collect() } else { Vec::new() }
}

/// Whether elements look alike in turns: all at even places have one name and class, all others another.
fn has_two_styles(tree: &Tree<'_>, parts: &[NodeId]) -> bool {
    let style = |part: &NodeId| (tree.name(*part), tree.attribute(*part, "class").unwrap_or_default());
    let [first, second, ..] = parts else { return false };
    let styles = [style(first), style(second)];
    styles[0] != styles[1] && parts.iter().zip(styles.iter().cycle()).all(|(part, like)| style(part) == *like)
}

/// `label: value` on one line, or `label:` with the value on the next.
fn lines(tree: &Tree<'_>, pairs: &mut Vec<LabelledValue>) {
    let text = tree.text();
    let mut start = 0;
    let mut waiting: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        if tree.interrupt().spend(1) {
            break;
        }
        let begin = start;
        start += line.len();
        let line = line.trim_end();
        if let Some(label) = waiting.take() {
            push(pairs, label, truncate(line, 400), Method::Label, None, Some(begin..begin + line.len()));
        }
        // A line may contain several: "SKU: 12 | Brand: X".
        let mut from = begin;
        for (nth, part) in line.split_inclusive(['|', '•', '·']).take(MAX_LABELS_PER_LINE).enumerate() {
            let part_range = from..from + part.len();
            from += part.len();
            if let Some((label, value)) = labelled(part).filter(|_| nth > 0)
                && !value.starts_with("//")
            {
                let value = value.trim_end_matches(['|', '•', '·']);
                push(pairs, label, truncate(value, 400), Method::Label, None, Some(part_range));
            }
        }
        let Some((label, value)) = labelled(line) else { continue };
        if value.starts_with("//") || label.chars().take(MAX_LABEL_CHARS + 1).count() > MAX_LABEL_CHARS {
            continue;
        }
        if value.trim().is_empty() {
            waiting = Some(label);
            continue;
        }
        let value_start = begin + line.len() - value.len();
        push(pairs, label, truncate(value, 400), Method::Label, None, Some(value_start..begin + line.len()));
    }
}

/// Splits a label from its value at the first colon. `10:30` is a time or a score, not a label.
fn labelled(line: &str) -> Option<(&str, &str)> {
    let (label, value) = line.split_once([':', '：'])?;
    let is_figure = label.ends_with(|last: char| last.is_ascii_digit())
        && value.starts_with(|first: char| first.is_ascii_digit());
    (!is_figure).then_some((label, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(html: &str) -> Vec<(String, String, Method)> {
        let tree = Tree::parse(html, &gleaner_types::Interrupt::never());
        let tables = super::super::table::read(&tree);
        read(&tree, &tables).into_iter().map(|pair| (pair.label, pair.value, pair.method)).collect()
    }

    #[test]
    fn labels_are_found_with_their_values() {
        let rows = [
            ("<meta property=og:title content=T>", ("og:title", "T", Method::Meta)),
            ("<dl><dt>SKU<dd>12</dl>", ("SKU", "12", Method::DefinitionList)),
            ("<table><tr><th>Brand<td>X</table>", ("Brand", "X", Method::Table)),
            ("<p><b>SKU:</b> 12</p>", ("SKU", "12", Method::Label)),
            ("<p>SKU:</p><p>12</p>", ("SKU", "12", Method::Label)),
            (
                "<meta name=twitter:label1 content=Price><meta name=twitter:data1 content=5>",
                ("Price", "5", Method::Meta),
            ),
        ];
        for (html, (label, value, method)) in rows {
            assert!(found(html).contains(&(label.to_owned(), value.to_owned(), method)), "{html}");
        }
        for html in ["<p>see https://example.com/</p>", "<p>Score 10:30</p>"] {
            assert!(found(html).is_empty(), "{html}");
        }
    }

    #[test]
    fn labels_and_values_may_stand_in_a_row_or_in_reverse() {
        let rows: [(&str, &[(&str, &str)]); 7] = [
            (
                "<div><span>Prep</span><span>10 mins</span><span>Cook</span><span>25 mins</span></div>",
                &[("Prep", "10 mins"), ("Cook", "25 mins")],
            ),
            ("<div><b>25 mins</b><small>Cook</small></div>", &[("Cook", "25 mins")]),
            ("<div><span>Address 2</span><span>Street</span></div>", &[("Address 2", "Street")]),
            (
                "<div><p class=l>Publisher<p>Acme<p class=l>Printer<p>Blue, top<p class=l>Language<p>English</div>",
                &[("Publisher", "Acme"), ("Printer", "Blue, top"), ("Language", "English")],
            ),
            ("<div><p>Publisher<p>Acme<p>Printer<p>Blue, top<p>Language<p>English</div>", &[]),
            ("<div><a>Home</a><a>News</a><a>Shop</a><a>Help</a></div>", &[]),
            ("<div><a>Author</a><a>Publisher</a><a>Price</a><a>Brand</a></div>", &[]),
        ];
        for (html, expected) in rows {
            let pairs: Vec<_> = found(html).into_iter().map(|(label, value, _)| (label, value)).collect();
            let pairs: Vec<(&str, &str)> = pairs.iter().map(|(label, value)| (&**label, &**value)).collect();
            assert_eq!(pairs, expected, "{html}");
        }
    }
}
