//! The lists of a page: list elements, rows, repeated siblings and lines of a paragraph.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use std::ops::Range;

use super::outline::trimmed;
use crate::markup::{NodeId, Tree};

/// Upper bound on the groups of siblings of a page, most of which have one member.
const MAX_GROUPS: usize = 50_000;
/// Upper bound on the lists of a page that are rated.
const MAX_LISTS: usize = 4_000;
/// Upper bound on the items of a list that are read.
const MAX_ITEMS: usize = 400;
/// Longest item, in bytes.
const MAX_ITEM_BYTES: usize = 3_000;
/// Lower bound on repeated siblings that are no list elements.
pub(super) const MIN_SIBLINGS: usize = 3;
/// Lower bound on the lines of a paragraph that is a list.
const MIN_LINES: usize = 2;

/// How a list is marked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListForm {
    /// `ol`
    Ordered,
    /// `ul`
    Unordered,
    /// `tr`
    Rows,
    /// `dd` of one `dt`
    Values,
    /// Blocks with the same name and class.
    Siblings,
    /// Links or spans with the same name and class and no words between them.
    Inline,
    /// Lines between `br`.
    Lines,
}

/// An item with its element and its range in [`Tree::text`].
#[derive(Debug, Clone)]
pub(super) struct ListItem {
    pub(super) node: NodeId,
    pub(super) text: Range<usize>,
}

/// A list of a page; never without items.
#[derive(Debug)]
pub(super) struct PageList<'a> {
    pub(super) form: ListForm,
    /// The element whose children or lines are the items.
    pub(super) parent: NodeId,
    /// The name of the items' elements and their first class.
    pub(super) markup: (&'a str, &'a str),
    pub(super) items: Vec<ListItem>,
}

impl PageList<'_> {
    /// The part of the visible text from the first item to the last.
    pub(super) fn text(&self) -> Range<usize> {
        let start = self.items.first().map_or(0, |item| item.text.start);
        start..self.items.last().map_or(start, |item| item.text.end)
    }

    /// The element of the first item.
    pub(super) fn first(&self) -> NodeId {
        self.items.first().map_or(self.parent, |item| item.node)
    }
}

/// The lists of a page, in page order.
pub(super) fn read<'a>(tree: &Tree<'a>) -> Vec<PageList<'a>> {
    let mut lists: Vec<PageList<'a>> = Vec::new();
    let mut open: HashMap<(NodeId, &'a str, &'a str), usize> = HashMap::new();
    let mut breaks: BTreeMap<NodeId, usize> = BTreeMap::new();
    for node in tree.nodes() {
        let Some(parent) = tree.parent(node).filter(|_| !tree.is_hidden(node)) else { continue };
        if tree.is(node, &["br"]) {
            *breaks.entry(parent).or_default() += 1;
            continue;
        }
        let Some(form) = form(tree, node, parent) else { continue };
        let text = trimmed(tree, tree.text_range(node));
        if text.is_empty() || text.len() > MAX_ITEM_BYTES {
            continue;
        }
        let markup = markup(tree, node, form);
        let key = (parent, markup.0, markup.1);
        if let Some(list) = open.get(&key).and_then(|at| lists.get_mut(*at))
            && (is_element(form) || !has_words_between(tree, list, &text))
        {
            if list.items.len() < MAX_ITEMS {
                list.items.push(ListItem { node, text });
            }
        } else if lists.len() < MAX_GROUPS {
            open.insert(key, lists.len());
            lists.push(PageList { form, parent, markup, items: vec![ListItem { node, text }] });
        }
    }
    lists.retain(|list| list.items.len() >= least(list));
    let paragraphs = breaks.into_iter().filter(|(_, count)| *count + 1 >= MIN_LINES);
    lists.extend(paragraphs.take(MAX_LISTS).filter_map(|(parent, _)| lines(tree, parent)));
    lists.sort_by_key(PageList::first);
    lists.truncate(MAX_LISTS);
    lists
}

/// Lower bound on the items of a list.
fn least(list: &PageList<'_>) -> usize {
    match list.form {
        ListForm::Ordered | ListForm::Unordered => 1,
        ListForm::Inline if is_relation(list.markup.1) => 1,
        ListForm::Rows | ListForm::Values | ListForm::Inline => 2,
        ListForm::Siblings => MIN_SIBLINGS,
        ListForm::Lines => MIN_LINES,
    }
}

/// The form of the list that an element may be an item of.
fn form(tree: &Tree<'_>, node: NodeId, parent: NodeId) -> Option<ListForm> {
    let is = |names: &[&str]| tree.is(node, names);
    if is(&["li"]) {
        let list = if tree.is(parent, &["ol"]) {
            ListForm::Ordered
        } else if tree.is(parent, &["ul", "menu"]) {
            ListForm::Unordered
        } else {
            ListForm::Siblings
        };
        Some(list)
    } else if is(&["a", "span"]) {
        Some(ListForm::Inline)
    } else if is(&["div", "p", "section", "article", "label", "figure"]) {
        Some(ListForm::Siblings)
    } else if is(&["tr"]) {
        Some(ListForm::Rows)
    } else {
        is(&["dd"]).then_some(ListForm::Values)
    }
}

/// Whether the items are the children of one element, whatever their classes.
const fn is_element(form: ListForm) -> bool {
    matches!(form, ListForm::Ordered | ListForm::Unordered | ListForm::Rows)
}

/// The name of an element, and its first class or, if that says more, its relation to the page.
fn markup<'a>(tree: &Tree<'a>, node: NodeId, form: ListForm) -> (&'a str, &'a str) {
    let name = tree.name(node);
    if is_element(form) || form == ListForm::Values {
        return (name, "");
    }
    let mut first_class = "";
    for (key, value) in tree.attributes(node).iter().copied() {
        if form == ListForm::Inline && key.eq_ignore_ascii_case("rel") && is_relation(value) {
            return (name, value);
        }
        if key.eq_ignore_ascii_case("class") {
            first_class = value.split_ascii_whitespace().next().unwrap_or_default();
        }
    }
    (name, first_class)
}

/// Whether a `rel` says that a link leads to a term or a person of the page.
pub(super) fn is_relation(rel: &str) -> bool {
    rel.split_ascii_whitespace()
        .any(|word| ["tag", "author"].iter().any(|known| word.eq_ignore_ascii_case(known)))
}

fn has_words_between(tree: &Tree<'_>, list: &PageList<'_>, next: &Range<usize>) -> bool {
    let between = tree.text().get(list.text().end..next.start);
    between.is_none_or(|text| text.chars().any(char::is_alphanumeric))
}

/// The lines of a paragraph with `br`; `None` if it contains blocks.
fn lines<'a>(tree: &Tree<'a>, parent: NodeId) -> Option<PageList<'a>> {
    let blocks = ["div", "p", "ul", "ol", "table", "section", "h1", "h2", "h3", "h4", "h5", "h6", "form"];
    let all = tree.text_range(parent);
    let is_paragraph = tree.is(parent, &["p", "div", "td", "span", "section", "dd", "blockquote"]);
    if !is_paragraph || all.len() > MAX_ITEM_BYTES * 4 {
        return None;
    }
    if tree.children(parent).any(|child| tree.is(child, &blocks)) {
        return None;
    }
    let mut items = Vec::new();
    let mut start = all.start;
    let text = tree.text().get(all).unwrap_or_default();
    for line in text.split_inclusive('\n').take(MAX_ITEMS) {
        let text = trimmed(tree, start..start + line.len());
        start += line.len();
        if !text.is_empty() {
            items.push(ListItem { node: parent, text });
        }
    }
    (items.len() >= MIN_LINES).then_some(PageList {
        form: ListForm::Lines,
        parent,
        markup: (tree.name(parent), "br"),
        items,
    })
}

#[cfg(test)]
mod tests {
    use super::super::outline::text_at;
    use super::*;
    use gleaner_types::Interrupt;

    #[test]
    fn lists_are_found_in_any_markup() {
        let rows: [(&str, &[&[&str]]); 6] = [
            ("<ol><li>a<li>b</ol>", &[&["a", "b"]]),
            (
                "<div class='s x'>a</div><div class=s>b</div><div class=s>c</div><div class=t>d</div>",
                &[&["a", "b", "c"]],
            ),
            ("<p>Tags: <a href=1>a</a>, <a href=2>b</a> in <a href=3>c</a>", &[&["a", "b"]]),
            ("<p>1 egg<br>2 cups <b>milk</b><br>salt", &[&["1 egg", "2 cups milk", "salt"]]),
            (
                "<p>one</p><p>two</p><h2>x</h2><p>three</p><p>four</p><p>five</p>",
                &[&["three", "four", "five"]],
            ),
            ("<p><a rel=tag href=1>only</a>", &[&["only"]]),
        ];
        for (html, expected) in rows {
            // An element without an end tag around them, as every item needs a parent.
            let html = format!("<main>{html}");
            let tree = Tree::parse(&html, &Interrupt::never());
            let found: Vec<Vec<&str>> = read(&tree)
                .iter()
                .map(|list| list.items.iter().map(|item| text_at(&tree, &item.text)).collect())
                .collect();
            assert_eq!(found, expected, "{html}");
        }
    }
}
