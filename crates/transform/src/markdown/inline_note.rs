//! Notes that pages write into the line and show beside it or above it. They become a remark in brackets: the
//! note belongs to the word before it, and must not run into the sentence.

use super::Writer;
use crate::names;
use crate::tree::{Attr, NodeId, Tag, Tree};

/// Classes of the notes of common style sheets and generators.
const CLASSES: &[&str] = &[
    "inline-note",
    "inline-footnote",
    "ltx_note_outer",
    "margin-note",
    "marginnote",
    "modern-footnotes-footnote__note",
    "side-note",
    "sidenote",
    "tooltiptext",
];

/// Classes of the marks that repeat the number of a note inside it.
const MARKS: &[&str] = &["ltx_note_mark", "ltx_tag_note"];

/// Maximum number of tree edges before the text of a note.
const MAX_EDGES: usize = 32;

impl Writer<'_> {
    /// Starts a note in the line, if the element is one.
    pub(super) fn open_inline_note(&mut self, node: NodeId) {
        if self.options.faithful || self.inline.is_empty() || !is_inline_note(self.tree, node) {
            return;
        }
        self.inline.space();
        self.inline.text("(");
        self.inline.join();
        self.inline_notes.push(node);
    }

    /// Ends a note in the line, if the element is one.
    pub(super) fn close_inline_note(&mut self, node: NodeId) {
        if self.inline_notes.pop_if(|note| *note == node).is_some() {
            self.inline.join();
            self.inline.text(")");
            self.separate_after(node);
        }
    }

    /// Is an element the number of the note that is open?
    pub(super) fn is_mark_of_inline_note(&self, node: NodeId) -> bool {
        !self.inline_notes.is_empty() && names::has_class(self.tree, node, MARKS)
    }
}

/// Is an inline element a note?
fn is_inline_note(tree: &Tree, node: NodeId) -> bool {
    matches!(tree.tag(node), Tag::Span | Tag::Small | Tag::Other | Tag::Label)
        && (matches!(tree.attribute(node, Attr::Role), Some("tooltip" | "note" | "doc-footnote"))
            || names::has_class(tree, node, CLASSES))
        && tree.has_text_within(node, MAX_EDGES)
}

#[cfg(test)]
mod tests {
    use crate::markdown::tests::check_page;

    #[test]
    fn notes_in_the_line_are_in_brackets() {
        check_page(&[
            (
                "beside the text",
                "<p>The winter<label class='margin-toggle sidenote-number'></label><input type=checkbox class=margin-toggle>\
                 <span class=sidenote> Told by A. </span> was long.",
                "The winter (Told by A.) was long.",
            ),
            (
                "above the text",
                "<p>The winter<sup><a href='javascript:void(0)'>2</a></sup><span role=tooltip>Told by A.</span>, was long.",
                "The winter<sup>2</sup> (Told by A.), was long.",
            ),
            (
                "with its number inside",
                "<p>Ice<span class=ltx_note><sup class=ltx_note_mark>1</sup><span class=ltx_note_outer>\
                 <sup class=ltx_note_mark>1</sup><span class='ltx_tag ltx_tag_note'>1</span>Cold.</span></span> melts.",
                "Ice<sup>1</sup> (Cold.) melts.",
            ),
            ("with markup", "<p>a<small class=marginnote>b <em>c</em></small>d", "a (b *c*) d"),
            (
                "in a cell",
                "<table><tr><th>a<span class=sidenote>b</span><th>c</table>",
                "| a (b) | c |\n| --- | --- |",
            ),
            ("a block", "<p>a</p><aside class=sidenote>b</aside><p>c", "a\n\nb\n\nc"),
            ("empty", "<p>a<span class=sidenote></span>b", "ab"),
            ("at the start of a block", "<p><span class=sidenote>a</span>", "a"),
            ("a role of a block", "<p>a</p><div role=note>b</div>", "a\n\nb"),
            ("a similar name", "<p>a<span class=sidenotes>b</span>", "ab"),
        ]);
    }
}
