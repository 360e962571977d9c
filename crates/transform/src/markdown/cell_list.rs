//! Lists in cells of tables. A cell has one line, so the items are texts with marks: a dash, or the number or
//! letter of the item.

use super::Writer;
use crate::tree::{Attr, NodeId, Tag};

/// A list that is open in a cell.
#[derive(Debug)]
pub(super) struct CellList {
    ordered: bool,
    /// The `type` of the list.
    kind: char,
    /// The number of the next item.
    number: i64,
    reversed: bool,
}

impl Writer<'_> {
    pub(super) fn open_cell_list(&mut self, node: NodeId) {
        let tree = self.tree;
        let ordered = tree.tag(node) == Tag::Ol;
        let reversed = ordered && tree.has(node, Attr::Reversed);
        let start = tree.attribute(node, Attr::Start).and_then(|start| start.trim().parse().ok());
        let items = || tree.child_elements(node).filter(|item| tree.tag(*item) == Tag::Li).count();
        let number =
            start.unwrap_or_else(|| if reversed { i64::try_from(items()).unwrap_or(i64::MAX) } else { 1 });
        let kind = tree.attribute(node, Attr::Type).and_then(|kind| kind.trim().chars().next());
        self.cell_lists.push(CellList { ordered, kind: kind.unwrap_or('1'), number, reversed });
    }

    /// Writes the mark of an item.
    pub(super) fn open_cell_item(&mut self, node: NodeId) {
        self.break_in_cell();
        let value = self.tree.attribute(node, Attr::Value).and_then(|value| value.trim().parse().ok());
        let mark = match self.cell_lists.last_mut().filter(|list| list.ordered) {
            Some(list) => {
                let number = value.unwrap_or(list.number);
                list.number = if list.reversed { number.saturating_sub(1) } else { number.saturating_add(1) };
                format!("{}.", label(number, list.kind))
            }
            None => "-".to_owned(),
        };
        self.inline.raw(&mark);
        self.inline.space();
    }
}

/// The number of an item in the style of its list (HTML Standard, 4.4.5).
fn label(number: i64, kind: char) -> String {
    let text = match kind {
        'a' | 'A' => letters(number),
        'i' | 'I' => roman(number),
        _ => None,
    };
    match text {
        Some(text) if kind.is_ascii_uppercase() => text.to_ascii_uppercase(),
        Some(text) => text,
        None => number.to_string(),
    }
}

/// `a` to `z`, then `aa`.
fn letters(number: i64) -> Option<String> {
    let mut left = u32::try_from(number).ok().filter(|number| *number > 0)?;
    let mut letters = Vec::new();
    while left > 0 {
        left -= 1;
        letters.push(char::from_digit(left % 26 + 10, 36)?);
        left /= 26;
    }
    Some(letters.into_iter().rev().collect())
}

/// Roman digits, up to 3999.
fn roman(number: i64) -> Option<String> {
    const DIGITS: [(u32, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    let mut left = u32::try_from(number).ok().filter(|number| (1..4000).contains(number))?;
    let mut out = String::new();
    for (value, digits) in DIGITS {
        while left >= value {
            out.push_str(digits);
            left -= value;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::label;
    use crate::html_to_markdown;

    #[test]
    fn items_in_cells_keep_their_numbers() {
        let rows = [
            ("<ol><li>a<li>b</ol>", "1. a<br>2. b"),
            ("<ol start=3><li>a<li>b</ol>", "3. a<br>4. b"),
            ("<ol><li value=5>a<li>b</ol>", "5. a<br>6. b"),
            ("<ol reversed><li>a<li>b</ol>", "2. a<br>1. b"),
            ("<ol type=a><li>a<li>b</ol>", "a. a<br>b. b"),
            ("<ol type=I start=4><li>a<li>b</ol>", "IV. a<br>V. b"),
            ("<ul><li>a<li>b</ul>", "- a<br>- b"),
            ("<ol><li>a<ul><li>b</ul><li>c</ol>", "1. a<br>- b<br>2. c"),
            ("<ol><li>a<ol><li>b</ol><li>c</ol>", "1. a<br>1. b<br>2. c"),
            ("x<ol><li>a</ol><ol><li>b</ol>", "x<br>1. a<br>1. b"),
        ];
        for (list, cell) in rows {
            let html = format!("<table><tr><th>H<th>I<tr><td>{list}<td>z</table>");
            let markdown = html_to_markdown(&html, None);
            assert_eq!(markdown, format!("| H | I |\n| --- | --- |\n| {cell} | z |"), "{list}");
        }
    }

    #[test]
    fn numbers_are_written_in_the_style_of_the_list() {
        let labels = [
            (1, 'a', "a"),
            (26, 'A', "Z"),
            (27, 'a', "aa"),
            (0, 'a', "0"),
            (1994, 'i', "mcmxciv"),
            (-1, 'I', "-1"),
        ];
        for (number, kind, expected) in labels {
            assert_eq!(label(number, kind), expected);
        }
    }
}
