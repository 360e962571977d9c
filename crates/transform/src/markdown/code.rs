//! Code: code spans, and code blocks with their text, their language and a fence that the text cannot close.

use std::collections::{HashMap, HashSet};

use super::Writer;
use super::code_label::CodeLabels;
use super::code_shape::{self, is_line_numbers};
use super::language;
use super::lines::BlockKind;
use crate::names::{self, has_class};
use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};
use crate::view::View;

impl Writer<'_> {
    /// Writes inline code: one code span for each line, with links around the spans that they contain.
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
                Edge::Enter(inner)
                    if tree.is_unshown(inner)
                        || self.view.hidden.contains(inner)
                        || code_shape::is_popup(tree, inner) =>
                {
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

    /// Writes the collected part of a code span that a break or a link divides.
    fn code_span(&mut self, code: &mut String) {
        self.split_long_block();
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
        if !self.options.faithful && self.is_line_number_column(node) {
            return;
        }
        let mut code = text(tree, self.view, &self.code_labels, node, self.options.faithful);
        // The indentation of the page, and the line end after the start tag.
        let indent = code.len() - code.trim_start().len();
        match tree.tag(node) {
            Tag::Code => code.replace_range(..indent, ""),
            Tag::Div => {
                let lines = code.get(..indent).and_then(|start| start.rfind('\n')).map_or(0, |end| end + 1);
                code.replace_range(..lines, "");
            }
            _ => {}
        }
        if self.in_cell() {
            // A cell is one line: write a code span for each line of the code.
            for line in code.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
                self.split_long_block();
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
        if let Some(title) = code_shape::title(tree, node) {
            self.inline.text(&tree.folded_text(title, MAX_TITLE_BYTES));
            self.flush();
        }
        let language = language::of(tree, node, &mut self.code_cache.languages)
            .or_else(|| self.code_labels.language(node).map(str::to_owned))
            .unwrap_or_default();
        let fence = fence(&code, &language);
        self.lines.start(BlockKind::Other);
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

    /// Has a `pre` only the line numbers of another `pre` beside it?
    fn is_line_number_column(&mut self, pre: NodeId) -> bool {
        let tree = self.tree;
        let gutters = &mut self.code_cache.gutters;
        let mut is_gutter = |node| *gutters.entry(node).or_insert_with(|| has_class(tree, node, GUTTERS));
        if has_class(tree, pre, GUTTERS) || tree.ancestors(pre).take(3).any(&mut is_gutter) {
            return is_line_numbers(&tree.text_content(pre));
        }
        is_beside_code(tree, pre) && is_consecutive(&tree.text_content(pre))
    }
}

/// Properties of elements around code. Each element is read once, because it may contain any number of code
/// blocks.
#[derive(Debug, Default)]
pub(super) struct Cache {
    /// Has the element a class of [`GUTTERS`]?
    gutters: HashMap<NodeId, bool>,
    pub(super) languages: language::Cache,
}

/// Maximum length of the title of a listing in bytes.
const MAX_TITLE_BYTES: usize = 400;

/// Length of the longest run of a character.
pub(super) fn longest_run(text: &str, character: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == character { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// The text of a `pre`, without line numbers and hidden elements. A `br`, a block inside and the end of an
/// element that is one line become line ends.
fn text(tree: &Tree, view: &View, labels: &CodeLabels, pre: NodeId, faithful: bool) -> String {
    let mut out = String::new();
    let numbered = is_numbered_table(tree, pre);
    let title = code_shape::title(tree, pre);
    let is_diagram = code_shape::is_diagram(tree, pre);
    let line_numbers = if faithful { HashSet::new() } else { code_shape::line_numbers(tree, pre) };
    let mut row = None;
    let mut walk = Walk::new(tree, pre);
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Enter(node)
                if node != pre
                    && (view.hidden.contains(node)
                        || title == Some(node)
                        || labels.contains(node)
                        || is_gutter(tree, node)
                        || line_numbers.contains(&node)
                        || (numbered && is_first_cell(tree, node))) =>
            {
                walk.skip_children();
            }
            Edge::Enter(node) if numbered && tree.tag(node) == Tag::Tr => {
                row = Some(out.len()).filter(|_| code_shape::only_cell(tree, node).is_none());
            }
            // A row without code is an empty line.
            Edge::Leave(node)
                if numbered
                    && tree.tag(node) == Tag::Tr
                    && (row == Some(out.len()) || !(out.is_empty() || out.ends_with('\n'))) =>
            {
                out.push('\n');
            }
            Edge::Enter(node) if tree.kind(node) == Kind::Text => {
                let is_layout_space =
                    matches!(tree.tag(pre), Tag::Div | Tag::Table) && tree.text(node).trim().is_empty();
                if !is_layout_space || !tree.text(node).contains('\n') {
                    out.extend(
                        tree.text(node).chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')),
                    );
                }
            }
            // In a diagram a break is a part of a label.
            Edge::Enter(node) if tree.tag(node) == Tag::Br && is_diagram => out.push_str("<br/>"),
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

/// Has an element one line of code, with the next line in the element right after it?
fn ends_line(tree: &Tree, node: NodeId) -> bool {
    let is_line = |node: NodeId| match tree.tag(node) {
        Tag::Code => tree.parent(node).is_some_and(|parent| tree.tag(parent) == Tag::Pre),
        Tag::Span => has_class(tree, node, &["line", "code-line", "token-line", "view-line"]),
        _ => false,
    };
    is_line(node) && tree.next_sibling(node).is_some_and(is_line)
}

/// Maximum number of tree edges before the first text of a listing.
const MAX_TEXT_EDGES: usize = 96;

/// Is an element a code listing that a highlighter builds without `pre`?
pub(super) fn is_listing(tree: &Tree, node: NodeId) -> bool {
    (has_class(tree, node, &["syntaxhighlighter", "crayon-syntax", "mermaid"])
        && tree.has_text_within(node, MAX_TEXT_EDGES)
        && !code_shape::has_other_content(tree, node))
        || is_numbered_table(tree, node)
        || code_shape::is_plain_listing(tree, node)
}

/// Maximum number of rows examined to recognise a table of code.
const MAX_ROWS: usize = 16;

/// Is an element a table of two columns, with a line number and a line of code in each row? The numbers are
/// consecutive, or are in an attribute that a style sheet shows.
fn is_numbered_table(tree: &Tree, table: NodeId) -> bool {
    if tree.tag(table) != Tag::Table {
        return false;
    }
    let rows = tree
        .child_elements(table)
        .filter(|part| matches!(tree.tag(*part), Tag::Thead | Tag::Tbody | Tag::Tfoot))
        .take(3)
        .flat_map(|part| tree.child_elements(part))
        .filter(|row| tree.tag(*row) == Tag::Tr);
    let mut number = None::<u32>;
    let mut any = false;
    for row in rows.take(MAX_ROWS) {
        if !any && code_shape::only_cell(tree, row).is_some() {
            continue; // its title
        }
        let mut cells = tree.child_elements(row);
        let (Some(gutter), Some(code), None) = (cells.next(), cells.next(), cells.next()) else {
            return false;
        };
        if !matches!((tree.tag(gutter), tree.tag(code)), (Tag::Td | Tag::Th, Tag::Td)) {
            return false;
        }
        let text = tree.folded_text(gutter, 12);
        if tree.has(gutter, Attr::DataLineNumber) {
            if !is_line_numbers(&text) {
                return false;
            }
        } else {
            let Ok(current) = text.parse::<u32>() else { return false };
            let follows = number.is_none_or(|number| current == number.saturating_add(1));
            if !follows || !has_code(tree, code) {
                return false;
            }
            number = Some(current);
        }
        any = true;
    }
    any
}

/// Does a cell have code, by its class or its first elements?
fn has_code(tree: &Tree, cell: NodeId) -> bool {
    tree.child_elements(cell).take(2).any(|inner| matches!(tree.tag(inner), Tag::Pre | Tag::Code))
        || names::class_words(names::class(tree, cell))
            .any(|word| word.split(['-', '_']).any(|part| part == "code"))
}

/// Is a node the first cell of its row?
fn is_first_cell(tree: &Tree, node: NodeId) -> bool {
    matches!(tree.tag(node), Tag::Td | Tag::Th)
        && tree.parent(node).is_some_and(|row| tree.child_elements(row).next() == Some(node))
}

/// Is a `pre` in a cell beside a cell with code?
fn is_beside_code(tree: &Tree, pre: NodeId) -> bool {
    let cell = tree.ancestors(pre).take(3).find(|node| matches!(tree.tag(*node), Tag::Td | Tag::Th));
    let Some((cell, row)) = cell.and_then(|cell| Some((cell, tree.parent(cell)?))) else { return false };
    tree.child_elements(row)
        .take(4)
        .any(|other| other != cell && tree.tag(other) == Tag::Td && has_code(tree, other))
}

/// Does a text consist of consecutive ascending numbers?
fn is_consecutive(text: &str) -> bool {
    let mut numbers = text.split_ascii_whitespace().map(|word| word.parse::<u32>().ok());
    numbers.next().flatten().is_some_and(|first| {
        numbers.zip(first.saturating_add(1)..).all(|(number, expected)| number == Some(expected))
    })
}

/// Has an element no text except line numbers? Stops at the first other text.
fn has_only_line_numbers(tree: &Tree, node: NodeId) -> bool {
    Walk::new(tree, node).all(|edge| match edge {
        Edge::Enter(node) if tree.kind(node) == Kind::Text => is_line_numbers(tree.text(node)),
        _ => true,
    })
}

/// Classes that highlighters give to line numbers and copy buttons.
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

/// Classes that highlighters give to tool bars and to copies of the code inside a listing.
const TOOL_BARS: &[&str] = &["crayon-toolbar", "crayon-info", "crayon-plain-wrap", "toolbar"];

/// Is an element a line number or a button beside code?
fn is_gutter(tree: &Tree, node: NodeId) -> bool {
    if tree.is_unshown(node) || tree.tag(node) == Tag::Button || code_shape::is_popup(tree, node) {
        return true;
    }
    if let Some(number) = tree.attribute(node, Attr::DataLineNumber) {
        // On some pages the line itself has the attribute, not its number.
        return tree.folded_text(node, 12) == number.trim();
    }
    if has_class(tree, node, TOOL_BARS) {
        return true;
    }
    (has_class(tree, node, GUTTERS) || cannot_be_selected(tree, node)) && has_only_line_numbers(tree, node)
}

/// Does the style of an element keep its text out of selections, as that of line numbers does?
fn cannot_be_selected(tree: &Tree, node: NodeId) -> bool {
    let style = tree.attribute(node, Attr::Style).map(names::prefix).unwrap_or_default();
    style.split_once("user-select:").is_some_and(|(_, value)| value.trim_start().starts_with("none"))
}

/// A fence that is longer than any run of its character at the start of a line of the code.
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
