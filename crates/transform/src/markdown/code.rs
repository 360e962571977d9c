//! Code blocks: their text, their language and a fence that their text cannot end.

use std::collections::HashMap;

use super::Writer;
use super::block::Leaf;
use super::language;
use crate::names::{self, has_class};
use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};
use crate::view::View;

impl Writer<'_> {
    /// Writes code within text: a span for each line of it, links around the spans of what they hold.
    pub(super) fn code_spans(&mut self, node: NodeId) {
        let tree = self.tree;
        let mut code = String::new();
        let mut link = None;
        let mut split = false;
        let mut walk = Walk::new(tree, node);
        while let Some(edge) = walk.next() {
            match edge {
                Edge::Enter(inner) if tree.kind(inner) == Kind::Text => {
                    if !self.view.hidden.contains(inner) {
                        code.push_str(tree.text(inner));
                    }
                }
                Edge::Enter(inner) if inner == node => {}
                Edge::Enter(inner) if tree.tag(inner).is_invisible() || self.view.hidden.contains(inner) => {
                    walk.skip_children();
                }
                Edge::Enter(inner) => match tree.tag(inner) {
                    Tag::Br => {
                        split = true;
                        self.code_span(&mut code);
                        self.line_break();
                    }
                    Tag::A
                        if link.is_none() && !self.inline.in_link() && tree.first_child(inner).is_some() =>
                    {
                        split = true;
                        self.code_span(&mut code);
                        self.open_link(inner);
                        link = Some(inner);
                    }
                    _ => {}
                },
                Edge::Leave(inner) if link == Some(inner) => {
                    self.code_span(&mut code);
                    self.close_link();
                    link = None;
                }
                Edge::Leave(_) => {}
            }
        }
        if split {
            self.code_span(&mut code);
        } else {
            self.inline.code(&code);
        }
    }

    /// Writes what was collected of a span, where there is a break or a link in it.
    fn code_span(&mut self, code: &mut String) {
        self.relieve();
        if code.trim().is_empty() {
            if !code.is_empty() {
                self.inline.space();
            }
        } else {
            self.inline.code(code);
        }
        code.clear();
    }

    pub(super) fn code_block(&mut self, node: NodeId) {
        let tree = self.tree;
        if !self.options.faithful && self.is_column_of_numbers(node) {
            return;
        }
        let code = text(tree, self.view, node, self.options.faithful);
        if self.in_cell() {
            // A cell is one line: a span for each line of the code.
            for line in code.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
                self.relieve();
                self.break_in_cell();
                self.inline.code(line);
            }
            return;
        }
        if self.heading.is_some() {
            self.inline.code(code.trim());
            return;
        }
        self.flush();
        let language = language::of(tree, node, &mut self.code.languages).unwrap_or_default();
        let fence = fence(&code, &language);
        self.lines.start(Leaf::Other);
        self.lines.write(&fence);
        self.lines.write(&language);
        if !code.is_empty() {
            for line in code.split('\n') {
                if self.is_full() || tree.interrupt().spend(1) {
                    break;
                }
                self.lines.next_line_with(line);
            }
        }
        self.lines.next_line_with(&fence);
        self.ended_list = None;
    }

    /// Is a `pre` nothing but the numbers of the lines of another one beside it?
    fn is_column_of_numbers(&mut self, pre: NodeId) -> bool {
        let tree = self.tree;
        let gutters = &mut self.code.gutters;
        let mut called = |node| *gutters.entry(node).or_insert_with(|| has_class(tree, node, GUTTERS));
        if has_class(tree, pre, GUTTERS) || tree.ancestors(pre).take(3).any(&mut called) {
            return is_numbers(&tree.text_content(pre));
        }
        is_beside_code(tree, pre) && counts_up(&tree.text_content(pre))
    }
}

/// What elements around code say, each read once: one element may stand around any number of blocks of code.
#[derive(Debug, Default)]
pub(super) struct Around {
    /// Is it called a column of numbers?
    gutters: HashMap<NodeId, bool>,
    languages: language::Around,
}

/// The longest run of a character.
pub(super) fn longest_run(text: &str, character: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == character { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// The text of a `pre`: as it stands, with line ends for `br`, for blocks inside and between elements that are a line
/// each; without line numbers and what is hidden.
fn text(tree: &Tree, view: &View, pre: NodeId, faithful: bool) -> String {
    let mut out = String::new();
    let numbered = is_numbered_table(tree, pre);
    let mut row = None;
    let mut walk = Walk::new(tree, pre);
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Enter(node)
                if node != pre
                    && (view.hidden.contains(node)
                        || is_gutter(tree, node)
                        || (numbered && is_first_cell(tree, node))) =>
            {
                walk.skip_children();
            }
            Edge::Enter(node) if numbered && tree.tag(node) == Tag::Tr => row = Some(out.len()),
            // A row without code is an empty line.
            Edge::Leave(node)
                if numbered
                    && tree.tag(node) == Tag::Tr
                    && (row == Some(out.len()) || !out.ends_with('\n')) =>
            {
                out.push('\n');
            }
            Edge::Enter(node) if tree.kind(node) == Kind::Text => {
                let listed = tree.tag(pre) != Tag::Pre && tree.text(node).trim().is_empty();
                if !listed || !tree.text(node).contains('\n') {
                    out.extend(
                        tree.text(node).chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')),
                    );
                }
            }
            Edge::Enter(node) if tree.tag(node) == Tag::Br => out.push('\n'),
            Edge::Leave(node)
                if node != pre
                    && ends_line(tree, node)
                    && (!out.ends_with('\n') || tree.first_child(node).is_none()) =>
            {
                out.push('\n');
            }
            Edge::Enter(node) | Edge::Leave(node)
                if node != pre && tree.tag(node).is_block() && !out.is_empty() && !out.ends_with('\n') =>
            {
                out.push('\n');
            }
            _ => {}
        }
    }
    let end = if faithful { out.strip_suffix('\n').unwrap_or(&out).len() } else { out.trim_end().len() };
    out.truncate(end);
    out
}

/// Does an element hold one line of code, with the next line right after it and no line end between?
fn ends_line(tree: &Tree, node: NodeId) -> bool {
    let is_line = |node: NodeId| match tree.tag(node) {
        Tag::Code => tree.parent(node).is_some_and(|parent| tree.tag(parent) == Tag::Pre),
        Tag::Span => has_class(tree, node, &["line", "code-line", "token-line", "view-line"]),
        _ => false,
    };
    is_line(node) && tree.next_sibling(node).is_some_and(is_line)
}

/// Is an element a listing that highlighters build without `pre`?
pub(super) fn is_listing(tree: &Tree, node: NodeId) -> bool {
    (has_class(tree, node, &["syntaxhighlighter", "crayon-syntax"]) && tree.first_child(node).is_some())
        || is_numbered_table(tree, node)
}

/// Rows that are looked at to tell what a table is.
const ROWS: usize = 16;

/// Is an element a table of two columns, one line of code in each row, after its number? The numbers count up, or stand
/// in an attribute for a style sheet to show.
fn is_numbered_table(tree: &Tree, table: NodeId) -> bool {
    if tree.tag(table) != Tag::Table {
        return false;
    }
    let rows = tree
        .elements(table)
        .filter(|part| matches!(tree.tag(*part), Tag::Thead | Tag::Tbody | Tag::Tfoot))
        .take(3)
        .flat_map(|part| tree.child_elements(part))
        .filter(|row| tree.tag(*row) == Tag::Tr);
    let mut number = None::<u32>;
    let mut any = false;
    for row in rows.take(ROWS) {
        let mut cells = tree.child_elements(row);
        let (Some(gutter), Some(code), None) = (cells.next(), cells.next(), cells.next()) else {
            return false;
        };
        if !matches!((tree.tag(gutter), tree.tag(code)), (Tag::Td, Tag::Td)) {
            return false;
        }
        let text = tree.folded_text(gutter, 12);
        if tree.has(gutter, Attr::DataLineNumber) {
            if !is_numbers(&text) {
                return false;
            }
        } else {
            let Ok(found) = text.parse::<u32>() else { return false };
            let follows = number.is_none_or(|number| found == number.saturating_add(1));
            if !follows || !holds_code(tree, code) {
                return false;
            }
            number = Some(found);
        }
        any = true;
    }
    any
}

/// Does a cell hold code, by its name or what stands in it?
fn holds_code(tree: &Tree, cell: NodeId) -> bool {
    tree.child_elements(cell).take(2).any(|inner| matches!(tree.tag(inner), Tag::Pre | Tag::Code))
        || names::class_words(names::class(tree, cell))
            .any(|word| word.split(['-', '_']).any(|part| part == "code"))
}

/// Is a node the first cell of its row?
fn is_first_cell(tree: &Tree, node: NodeId) -> bool {
    tree.tag(node) == Tag::Td
        && tree.parent(node).is_some_and(|row| tree.child_elements(row).next() == Some(node))
}

/// Does a `pre` stand in a cell beside one with code?
fn is_beside_code(tree: &Tree, pre: NodeId) -> bool {
    let cell = tree.ancestors(pre).take(3).find(|node| tree.tag(*node) == Tag::Td);
    let Some((cell, row)) = cell.and_then(|cell| Some((cell, tree.parent(cell)?))) else { return false };
    tree.child_elements(row)
        .take(4)
        .any(|other| other != cell && tree.tag(other) == Tag::Td && holds_code(tree, other))
}

/// Is a text nothing but numbers that count up?
fn counts_up(text: &str) -> bool {
    let mut numbers = text.split_ascii_whitespace().map(|word| word.parse::<u32>().ok());
    numbers.next().flatten().is_some_and(|first| {
        numbers.zip(first.saturating_add(1)..).all(|(found, expected)| found == Some(expected))
    })
}

/// Is there no text but numbers? Read no further than to the first that is none.
fn holds_numbers(tree: &Tree, node: NodeId) -> bool {
    Walk::new(tree, node).all(|edge| match edge {
        Edge::Enter(node) if tree.kind(node) == Kind::Text => is_numbers(tree.text(node)),
        _ => true,
    })
}

fn is_numbers(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit() || c.is_whitespace() || matches!(c, '.' | ':' | '|'))
}

/// What highlighters call the numbers beside the lines, and the buttons above them.
const GUTTERS: &[&str] = &[
    "line-numbers-rows",
    "linenos",
    "linenodiv",
    "lineno",
    "linenumber",
    "line-number",
    "line-numbers",
    "gutter",
    "lnt",
    "ln",
    "hljs-ln-numbers",
    "rouge-gutter",
    "crayon-nums",
    "crayon-num",
    "react-syntax-highlighter-line-number",
    "copy",
    "copy-button",
];

/// Line numbers and buttons beside code.
fn is_gutter(tree: &Tree, node: NodeId) -> bool {
    if tree.tag(node).is_invisible() || tree.tag(node) == Tag::Button {
        return true;
    }
    if let Some(number) = tree.attribute(node, Attr::DataLineNumber) {
        // On some pages it is the line itself that has the attribute, and not its number.
        return tree.folded_text(node, 12) == number.trim();
    }
    has_class(tree, node, GUTTERS) && holds_numbers(tree, node)
}

/// A fence longer than any run of its character at the start of a line of the code.
pub(super) fn fence(code: &str, language: &str) -> String {
    let character = if language.contains('`') { '~' } else { '`' };
    let longest = code
        .lines()
        .map(str::trim_start)
        .filter(|line| line.starts_with(character))
        .map(|line| line.chars().take_while(|c| *c == character).count())
        .max()
        .unwrap_or(0);
    character.to_string().repeat((longest + 1).max(3))
}
