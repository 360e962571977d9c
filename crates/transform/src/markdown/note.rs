//! Footnotes: which elements are references to a note, and which elements are the notes.
//!
//! Page generators have only this in common: the reference is a short superscript link to a name on the same
//! page, the note is the block that has or begins with that name, and most notes link back to their
//! reference. These rules use this structure, not the classes of one generator. If either end is hidden, the
//! other end stays a link or a list item. On pages without such links, numbers alone tell ([`pairs`]).

mod lists;
mod pairs;
mod scan;
mod targets;

use std::collections::{HashMap, HashSet};

use super::Writer;
use super::lines::Container;
use crate::footnote::fragment;
use crate::names;
use crate::tree::{Attr, NodeId, Tag, Tree};
use crate::view::View;
use lists::NoteLists;
use scan::{Candidate, Scan};
use targets::Targets;

/// Maximum number of references. Further references stay links.
const MAX_REFERENCES: usize = 10_000;

/// Maximum length of the text of a reference in bytes, without brackets.
const MAX_LABEL_BYTES: usize = 12;

/// Maximum distance of the number of a note to the note, in elements.
const MAX_LABEL_DISTANCE: usize = 5;

/// Maximum number of empty nodes before the number of a note.
const MAX_EMPTY_NODES: usize = 4;

/// The footnotes of a view.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Elements that are written as references, with their labels.
    references: HashMap<NodeId, String>,
    /// Blocks that are notes, with their labels.
    definitions: HashMap<NodeId, String>,
    /// Elements in notes that repeat the label.
    label_elements: HashSet<NodeId>,
    /// Text nodes in notes that begin with the label in brackets, and the bytes before the rest.
    label_texts: HashMap<NodeId, usize>,
    /// Targets of backlinks: the names of references and of elements around them.
    backlink_targets: HashSet<String>,
}

impl Notes {
    /// Finds the footnotes of a view.
    pub(super) fn of_view(tree: &Tree, view: &View) -> Self {
        let scan = Scan::of(tree, view);
        let mut notes = Self::default();
        if !scan.candidates.is_empty() {
            notes.add_linked(tree, view, &scan.candidates);
        }
        if notes.definitions.is_empty() {
            for pair in pairs::pairs(&scan.numbers) {
                let label = pair.number.to_string();
                notes.references.insert(pair.reference, label.clone());
                notes.definitions.insert(pair.note, label);
            }
        }
        let elements = notes.definitions.iter().filter_map(|(note, label)| label_element(tree, *note, label));
        notes.label_elements = elements.collect();
        let texts = notes.definitions.iter().filter_map(|(note, label)| label_text(tree, *note, label));
        notes.label_texts = texts.collect();
        notes
    }

    /// Adds the notes that links lead to.
    fn add_linked(&mut self, tree: &Tree, view: &View, candidates: &[Candidate<'_>]) {
        let mut targets = Targets::of_view(tree, view);
        let mut referenced = referenced(&mut targets, candidates);
        if referenced.is_empty() {
            return; // most pages have no footnotes
        }
        let lists = NoteLists::of(tree, view, &referenced);
        for candidate in candidates {
            if let Some(block) = targets.block(candidate).filter(|block| lists.contains_item(tree, *block)) {
                referenced.insert(block);
            }
        }
        let unreferenced = lists.apply_majority(tree, &mut referenced);
        let mut labels: HashMap<NodeId, String> = HashMap::new();
        let mut taken = HashSet::new();
        let mut number = 1_usize;
        let mut next_free = |taken: &mut HashSet<String>| {
            while !taken.insert(number.to_string()) {
                number += 1;
            }
            number.to_string()
        };
        let mut seen = HashSet::new();
        for candidate in candidates {
            let Some(block) = targets.block(candidate) else { continue };
            if !referenced.contains(&block) {
                continue;
            }
            let label = labels.entry(block).or_insert_with(|| {
                let own = checked_label(&candidate.text);
                if !own.is_empty() && taken.insert(own.clone()) { own } else { next_free(&mut taken) }
            });
            self.references.insert(reference_element(tree, candidate), label.clone());
            let around = tree.ancestors(candidate.link).take(targets::MAX_NAME_DISTANCE);
            for node in std::iter::once(candidate.link).chain(around) {
                if seen.insert(node) {
                    self.backlink_targets.extend(targets::names(tree, node).map(str::to_owned));
                }
            }
        }
        for (item, position) in unreferenced {
            let own = position.to_string();
            let label = if taken.insert(own.clone()) { own } else { next_free(&mut taken) };
            labels.insert(item, label);
        }
        self.definitions = labels;
    }

    /// Has the view no references?
    pub(super) fn is_empty(&self) -> bool {
        self.references.is_empty()
    }

    /// The label of an element that is a reference.
    pub(super) fn reference(&self, node: NodeId) -> Option<&str> {
        self.references.get(&node).map(String::as_str)
    }

    /// The label of an element that is a note.
    pub(super) fn definition(&self, node: NodeId) -> Option<&str> {
        self.definitions.get(&node).map(String::as_str)
    }

    /// The text of a text node in a note, without the label at its start.
    pub(super) fn without_label<'s>(&self, node: NodeId, text: &'s str) -> &'s str {
        self.label_texts.get(&node).and_then(|end| text.get(*end..)).unwrap_or(text)
    }

    /// Does a link lead to a reference or an element around it?
    pub(super) fn is_backlink(&self, tree: &Tree, link: NodeId) -> bool {
        fragment(tree, link).is_some_and(|(_, fragment)| self.backlink_targets.contains(fragment))
    }
}

impl Writer<'_> {
    /// Starts a note or writes a reference. Returns true if nothing of the element is left to write.
    pub(super) fn enter_note(&mut self, node: NodeId) -> bool {
        if let Some(label) = self.notes.reference(node) {
            let reference = format!("[^{label}]");
            self.inline.raw(&reference);
            return true;
        }
        if self.is_note_label(node) {
            return true;
        }
        if !self.open_notes.is_empty()
            && self.tree.tag(node) == Tag::A
            && (self.notes.is_backlink(self.tree, node) || is_marked_backlink(self.tree, node))
        {
            return true;
        }
        if !self.in_cell()
            && let Some(label) = self.notes.definition(node)
        {
            let label = label.to_owned();
            self.flush();
            self.ended_list = None;
            self.lines.push(Container::Note { label, started: false });
            self.open_notes.push(node);
        }
        false
    }

    /// Does an element repeat the label of the open note?
    pub(super) fn is_note_label(&self, node: NodeId) -> bool {
        !self.open_notes.is_empty() && self.notes.label_elements.contains(&node)
    }

    /// Ends a note.
    pub(super) fn close_note(&mut self, node: NodeId, tag: Tag) {
        if tag == Tag::Li {
            self.flush();
        } else {
            self.leave_block(node, tag);
        }
        self.lines.pop(false);
        self.ended_list = None;
        self.open_notes.pop();
    }
}

/// May an element be a note, by its tag?
const fn may_be_note(tag: Tag) -> bool {
    matches!(tag, Tag::Li | Tag::P | Tag::Div | Tag::Aside | Tag::Dd)
}

/// The blocks that references lead to. A note has one label: if references with different texts lead to one
/// block, that block is not a note.
fn referenced(targets: &mut Targets<'_>, candidates: &[Candidate<'_>]) -> HashSet<NodeId> {
    let mut texts: HashMap<NodeId, Option<&str>> = HashMap::new();
    for candidate in candidates {
        if let Some(block) = targets.block(candidate)
            && targets.is_reference(candidate, block)
        {
            let text = texts.entry(block).or_insert(Some(&candidate.text));
            if *text != Some(candidate.text.as_str()) {
                *text = None;
            }
        }
    }
    texts.into_iter().filter(|(_, text)| text.is_some()).map(|(block, _)| block).collect()
}

/// Is a link marked as a backlink from a note to the text? It must be a symbol: words are content, and a
/// number is what a reader finds the note by.
pub(super) fn is_marked_backlink(tree: &Tree, link: NodeId) -> bool {
    const TARGETS: &[&str] = &["cite_ref", "fnref", "_ftnref", "_ednref", "footnote-ref", "noteref"];
    const CLASSES: &[&str] = &["backref", "backlink", "reversefootnote"];
    let Some((_, fragment)) = fragment(tree, link) else { return false };
    let class = || names::class(tree, link);
    let named = TARGETS.iter().any(|start| fragment.starts_with(start))
        || CLASSES.iter().any(|name| class().contains(name))
        || tree.attribute(link, Attr::Role) == Some("doc-backlink");
    named && !tree.folded_text(link, 16).contains(char::is_alphanumeric)
}

/// Trims brackets and white space.
fn without_brackets(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '[' | ']' | '(' | ')'))
}

/// The label for a reference with this text: letters, digits and dashes; empty if the text has other
/// characters.
fn checked_label(text: &str) -> String {
    let fits = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | ' '));
    if fits { text.replace(' ', "-") } else { String::new() }
}

/// The element that the reference replaces: the outermost `sup` or `span` around the link that has nothing
/// else, or else the link.
fn reference_element(tree: &Tree, candidate: &Candidate<'_>) -> NodeId {
    let around = tree.ancestors(candidate.link).take(targets::MAX_NAME_DISTANCE);
    let same = around.take_while(|node| {
        matches!(tree.tag(*node), Tag::Sup | Tag::Span)
            && without_brackets(&tree.folded_text(*node, MAX_LABEL_BYTES * 2)) == candidate.text
    });
    same.last().unwrap_or(candidate.link)
}

/// The element at the start of a note that has only its label.
fn label_element(tree: &Tree, note: NodeId, label: &str) -> Option<NodeId> {
    let mut node = note;
    for _ in 0..MAX_LABEL_DISTANCE {
        let first = tree
            .children(node)
            .take(MAX_EMPTY_NODES)
            .find(|child| !tree.folded_text(*child, 1).is_empty())
            .filter(|child| tree.is_element(*child))?;
        let text = tree.folded_text(first, MAX_LABEL_BYTES * 2);
        let text = without_brackets(&text).trim_end_matches(['.', ':', ')', ']']);
        if text == label && !tree.tag(first).is_block() {
            return Some(first);
        }
        node = first;
    }
    None
}

/// The text node at the start of a note that begins with its label in brackets, and the bytes before the
/// rest.
fn label_text(tree: &Tree, note: NodeId, label: &str) -> Option<(NodeId, usize)> {
    let mut node = note;
    for _ in 0..MAX_LABEL_DISTANCE {
        node = tree
            .children(node)
            .take(MAX_EMPTY_NODES)
            .find(|child| !tree.folded_text(*child, 1).is_empty())?;
        if !tree.is_element(node) {
            let text = tree.text(node);
            let start = text.trim_start();
            let rest = start.strip_prefix('[').and_then(|inner| inner.strip_prefix(label)?.strip_prefix(']'));
            return Some((node, text.len() - rest?.trim_start().len()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::html_to_markdown;

    #[test]
    fn notes_are_found_by_their_links() {
        let rows = [
            (
                "a formula as the note, in a quote in a list item",
                "<p>A<sup><a href='#e'>1</a></sup></p><ul><li>i<blockquote>q<div id=e class=katex-display><math><mi>x</mi></math></div><p>r</p></blockquote></ul>",
                "A[^1]\n\n- i\n  > q\n  >\n  > [^1]: $$x$$\n  >\n  > r",
            ),
            (
                "list at the end",
                "<p>A<sup id=r1><a href='#n1'>1</a></sup>.</p><ol><li id=n1>Note <a href='#r1'>↩</a></li></ol>",
                "A[^1].\n\n[^1]: Note",
            ),
            (
                "link around the superscript number",
                "<p>A<a href='#n1' id=r1><sup>1</sup></a></p><section><ol><li id=n1><p>One.</p><p>Two. <a href='#r1'>back</a></p></li></ol></section>",
                "A[^1]\n\n[^1]: One.\n\n    Two.",
            ),
            (
                "number in brackets, backlink first",
                "<p>A<sup id=cite_ref-1><a href='#note-1'>[1]</a></sup></p><ol><li id=note-1><a href='#cite_ref-1'>^</a> <span>Text</span></li></ol>",
                "A[^1]\n\n[^1]: Text",
            ),
            (
                "paragraphs as notes",
                "<p>A<sup><a id=a href='#b'>*</a></sup></p><p id=b><a href='#a'>*</a> Star</p>",
                "A[^1]\n\n[^1]: Star",
            ),
            (
                "two references to one note",
                "<p>A<sup><a href='#n'>1</a></sup> B<sup><a href='#n'>1</a></sup></p><ol><li id=n>N</ol>",
                "A[^1] B[^1]\n\n[^1]: N",
            ),
            (
                "several in one sup",
                "<p>A<sup><a href='#m'>1</a>, <a href='#n'>2</a></sup></p><ol><li id=m>M<li id=n>N</ol>",
                "A<sup>[^1], [^2]</sup>\n\n[^1]: M\n\n[^2]: N",
            ),
            (
                "without a note it stays a link",
                "<p>A<sup><a href='#n1'>1</a></sup>.</p>",
                "A<sup>[1](#n1)</sup>.",
            ),
            (
                "several references to one block",
                "<p>A<sup><a href='#n'>1</a></sup><sup><a href='#n'>2</a></sup></p><div id=n>Notes</div>",
                "A<sup>[1](#n)</sup><sup>[2](#n)</sup>\n\nNotes",
            ),
            ("not superscript", "<p><a href='#n'>1</a></p><p id=n>N</p>", "[1](#n)\n\nN"),
            (
                "not superscript, but to a list of notes",
                "<p>A<sup><a href='#n2'>[2]</a></sup> b<a href='#n1'>[1]</a><ol><li id=n1>One<li id=n2>Two</ol>",
                "A[^2] b[^1]\n\n[^1]: One\n\n[^2]: Two",
            ),
            (
                "a note without a reference",
                "<p>A<sup><a href='#n1'>1</a></sup> B<sup><a href='#n3'>3</a></sup><ol><li id=n1>One<li id=n2>Two<li id=n3>Three</ol>",
                "A[^1] B[^3]\n\n[^1]: One\n\n[^2]: Two\n\n[^3]: Three",
            ),
            (
                "numbers that are taken",
                "<p>A<sup><a href='#n1'>2</a></sup><ol><li id=n1>One<li id=n2>Two</ol>",
                "A[^2]\n\n[^2]: One\n\n[^1]: Two",
            ),
            (
                "one item of a list of other things",
                "<p>A<sup><a href='#n1'>1</a></sup><ol><li id=n1>One<li>Two<li>Three</ol>",
                "A<sup>[1](#n1)</sup>\n\n1. One\n2. Two\n3. Three",
            ),
            (
                "backlink by its target's name",
                "<p>A<sup><a href='#n1'>1</a></sup><ol><li id=n1><b><a href='#cite_ref-1'>^</a></b> One</ol>",
                "A[^1]\n\n[^1]: One",
            ),
            (
                "a superscript link in a span",
                "<p>A<span role=doc-noteref><sup><span><a href='#n'>[1]</a></span></sup></span>.<ol><li id=n>N</ol>",
                "A[^1].\n\n[^1]: N",
            ),
            (
                "the name at the start of the note",
                "<p>A<sup><a href='#n'>1</a></sup>.<div><a id=n href='#r'>1</a><div><p>N</p></div></div>",
                "A[^1].\n\n[^1]: N",
            ),
            (
                "each links to the other",
                "<p>A<a name=r1 href='#n1'><span>1</span></a>.<div><p><a name=n1 href='#r1'>1</a> N</p></div>",
                "A[^1].\n\n[^1]: N",
            ),
            (
                "numbers in brackets, and a numbered list",
                "<p>A <a href='#n1'>[1]</a>, b <a href='#n2'>[2]</a>.<ol><li><a id=n1></a>One<li><a id=n2></a>Two</ol>",
                "A [^1], b [^2].\n\n[^1]: One\n\n[^2]: Two",
            ),
            (
                "numbers in brackets, and numbered blocks",
                "<p>A <a href='#n1'>[1]</a>.<div><div><a id=n1>1.</a><div>One</div></div></div>",
                "A [^1].\n\n[^1]: One",
            ),
            (
                "citations by the address of the page",
                "<p>A <cite>B <a href='https://example.org/p#n2'>2</a> C</cite>.<ul><li id=n2><span>[2]</span> <span>Two</span></ul>",
                "A *B [^2] C*.\n\n[^2]: Two",
            ),
            (
                "a number that leads to a part of the text",
                "<p>See <a id=r href='#s1'>1</a>.<div><a id=s1 href='#r'>1</a> <h2>One</h2><p>Text</div>",
                "See [1](#s1).\n\n[1](#r)\n\n## One\n\nText",
            ),
            (
                "a label as text in the note",
                "<p>A <a href='#n1'>[1]</a>.<div id=n1>[1] See there</div>",
                "A [^1].\n\n[^1]: See there",
            ),
            (
                "another page",
                "<p>A<sup><a href='/other#n'>1</a></sup><p id=n>Text",
                "A<sup>[1](/other#n)</sup>\n\nText",
            ),
        ];
        for (name, html, markdown) in rows {
            assert_eq!(html_to_markdown(html, None), markdown, "{name}");
        }
    }

    #[test]
    fn notes_without_links_are_found_by_their_numbers() {
        let rows = [
            (
                "superscript numbers",
                "<p>A<sup>1</sup> b<sup>2</sup>.</p><hr><p><sup>1</sup> One</p><p><sup>2</sup> Two</p>",
                "A[^1] b[^2].\n\n---\n\n[^1]: One\n\n[^2]: Two",
            ),
            (
                "in bold, and after each paragraph",
                "<p>A<sup>1</sup>.<p><b><sup>1</sup> Note:</b> One<p>B<sup>2</sup>.<p class=footnote><sup>2</sup>Two",
                "A[^1].\n\n[^1]: **Note:** One\n\nB[^2].\n\n[^2]: Two",
            ),
            (
                "bold numbers after the text",
                "<p>A<sup>1</sup>.<p>B<sup>2</sup>.<p><strong>1</strong> One<p><strong>2</strong> Two",
                "A[^1].\n\nB[^2].\n\n[^1]: One\n\n[^2]: Two",
            ),
            (
                "a list of notes",
                "<p>A<sup>1</sup> b<sup>2</sup>.</p><div class=x__footnotes><ol><li>One<li>Two</ol></div>",
                "A[^1] b[^2].\n\n[^1]: One\n\n[^2]: Two",
            ),
            (
                "lists beside the text",
                "<p>A<sup>1</sup><aside><ol start=1><li>One</ol></aside><p>b<sup>2</sup><aside><ol start=2><li>Two</ol></aside>",
                "A[^1]\n\n[^1]: One\n\nb[^2]\n\n[^2]: Two",
            ),
            (
                "links without a target",
                "<p>A<sup><a href='#_ftn1'>[1]</a></sup>.<p><span><sup><a href='//x#_ftnref1'>[1]</a> </sup>One</span>",
                "A[^1].\n\n[^1]: One",
            ),
            (
                "numbers linked by a script",
                "<p>A<sup><a href='javascript:;'>1</a></sup>.<div><a href='javascript:;'>1</a> One</div>",
                "A[^1].\n\n[^1]: One",
            ),
            (
                "powers",
                "<p>2<sup>2</sup> m<sup>2</sup><p><sup>2</sup> is a power",
                "2<sup>2</sup> m<sup>2</sup>\n\n<sup>2</sup> is a power",
            ),
            (
                "numbered steps",
                "<p>m<sup>1</sup><p><b>1</b> Do<p>s<sup>2</sup><p><b>2</b> Go",
                "m<sup>1</sup>\n\n**1** Do\n\ns<sup>2</sup>\n\n**2** Go",
            ),
            (
                "a list with more items than references",
                "<p>A<sup>1</sup><div class=footnotes><ol><li>One<li>Two</ol></div>",
                "A<sup>1</sup>\n\n1. One\n2. Two",
            ),
        ];
        for (name, html, markdown) in rows {
            assert_eq!(html_to_markdown(html, None), markdown, "{name}");
        }
    }
}
