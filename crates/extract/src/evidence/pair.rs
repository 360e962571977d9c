use std::ops::Range;

use super::{MAX_PAIRS, MAX_VALUE_BYTES, Table};
use crate::markup::{Kind, NodeId, Tree};
use crate::page::{Method, cut};

/// Longest label, in characters.
const MAX_LABEL_CHARS: usize = 48;

/// A value with the label that the page gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) label: String,
    pub(crate) value: String,
    pub(crate) method: Method,
    /// The element with the value, where there is one.
    pub(crate) node: Option<NodeId>,
    /// Where the value stands in the visible text, where it does.
    pub(crate) text: Option<Range<usize>>,
}

/// Reads `meta` elements, definition lists, tables of two columns and lines of the form `label: value`.
pub(crate) fn read(tree: &Tree<'_>, tables: &[Table]) -> Vec<Pair> {
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
    pairs: &mut Vec<Pair>,
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
        let value = cut(value, MAX_VALUE_BYTES).to_owned();
        pairs.push(Pair { label: label.to_owned(), value, method, node, text });
    }
}

fn elements(tree: &Tree<'_>, pairs: &mut Vec<Pair>) {
    let mut term: Option<NodeId> = None;
    let mut extra: Option<String> = None;
    for node in tree.nodes() {
        let Some(Kind::Element { name, .. }) = tree.kind(node) else { continue };
        if name.eq_ignore_ascii_case("meta") {
            let value = tree.attribute(node, "content").unwrap_or_default();
            for key in ["property", "name", "itemprop"] {
                let Some(label) = tree.attribute(node, key) else { continue };
                // Twitter cards carry free labels: label1 with data1.
                if label.starts_with("twitter:label") {
                    extra = Some(value.clone().into_owned());
                } else if label.starts_with("twitter:data")
                    && let Some(label) = extra.take()
                {
                    push(pairs, &label, &value, Method::Meta, Some(node), None);
                }
                push(pairs, &label, &value, Method::Meta, Some(node), None);
            }
        } else if name.eq_ignore_ascii_case("dt") {
            term = Some(node);
        } else if name.eq_ignore_ascii_case("dd")
            && let Some(term) = term.take()
        {
            push(pairs, tree.text_of(term), tree.text_of(node), Method::DefinitionList, Some(node), None);
        }
    }
}

/// `label: value` on one line, or `label:` with the value on the next.
fn lines(tree: &Tree<'_>, pairs: &mut Vec<Pair>) {
    let text = tree.text();
    let mut start = 0;
    let mut waiting: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let begin = start;
        start += line.len();
        let line = line.trim_end();
        if let Some(label) = waiting.take() {
            push(pairs, label, cut(line, 400), Method::Label, None, Some(begin..begin + line.len()));
        }
        // A line may hold several: "SKU: 12 | Brand: X". Splits only where a label could begin.
        let Some((label, value)) = line.split_once([':', '：']) else { continue };
        if value.starts_with("//") || label.chars().take(MAX_LABEL_CHARS + 1).count() > MAX_LABEL_CHARS {
            continue;
        }
        if value.trim().is_empty() {
            waiting = Some(label);
            continue;
        }
        let value_start = begin + line.len() - value.len();
        push(pairs, label, cut(value, 400), Method::Label, None, Some(value_start..begin + line.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(html: &str) -> Vec<(String, String, Method)> {
        let tree = Tree::parse(html);
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
        assert!(found("<p>see https://example.com/</p>").is_empty());
    }
}
