//! What the parser does at a limit: it stops formatting, or reads the rest of the page as text.

use html5ever::tokenizer::TokenSink;

use super::{BASE_ADDED_ELEMENTS, Ignore, MAX_DEPTH, PageParser, end_tag, raw_content, split_piece};
use crate::tree::{Attributes, NodeId, TEXT_BYTES_PER_UNIT, Tag, Token, Tokenizer, reference};

/// The formatting elements that the tree builder reconstructs in each block, except links: at most one link
/// is open.
const FORMATTING: [&str; 13] =
    ["b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];

/// Bytes of the rest of a page that are passed to the tree builder together.
const TEXT_CHUNK_BYTES: usize = 65_536;

impl PageParser<'_> {
    /// Closes all formatting elements and ignores later ones, because they were reconstructed too often. The
    /// end tags remove them from the list of active formatting elements. They reach only up to the innermost
    /// table cell, so this may happen again outside of it.
    pub(super) fn end_formatting(&mut self) {
        self.builder.sink.tree.borrow_mut().formatting_stopped = true;
        self.max_added_elements = self.added_elements + BASE_ADDED_ELEMENTS;
        self.open_formatting = 0;
        for name in FORMATTING {
            if self.interrupt.spend(usize::from(MAX_DEPTH)) {
                return;
            }
            let (_, name) = Tag::lookup(name);
            for _ in 0..MAX_DEPTH {
                self.builder.process_token(end_tag(name.clone()), 1).ignore();
            }
        }
    }

    /// Reads the rest of the page as text, with tags as white space. The text is passed on in long chunks,
    /// because the tree builder keeps text inside a table until the table ends.
    pub(super) fn rest_as_text(&mut self, tokenizer: &mut Tokenizer<'_>) {
        let mut rest = String::new();
        while let Some(token) = tokenizer.next(false) {
            match token {
                Token::Text { .. } if std::mem::take(&mut self.drop_text) => {}
                Token::Text { span, references } => {
                    let mut left = span.of(self.input);
                    while !left.is_empty() {
                        let (piece, after) = split_piece(left);
                        if self.interrupt.spend(piece.len() / TEXT_BYTES_PER_UNIT) {
                            return;
                        }
                        if references {
                            reference::decode_into(piece, false, &mut rest);
                        } else {
                            rest.push_str(piece);
                        }
                        self.append_if_long(&mut rest);
                        left = after;
                    }
                }
                Token::Start { name, source, self_closing } => {
                    let (tag, local) = self.name(name);
                    let attributes = Attributes { text: self.input, raw: tokenizer.attributes() };
                    self.link_tags.start(local.as_bytes(), source.start, self_closing, attributes);
                    if let Some(content) = raw_content(tag) {
                        tokenizer.set_content_model(content);
                        self.drop_text = true;
                    } else {
                        rest.push(' ');
                    }
                }
                Token::End { name } => {
                    let (_, local) = self.name(name);
                    self.link_tags.end(local.as_bytes());
                    self.drop_text = false;
                    rest.push(' ');
                }
                Token::Doctype { .. } => {}
            }
            self.append_if_long(&mut rest);
        }
        self.append_text(&rest);
    }

    fn append_if_long(&mut self, text: &mut String) {
        if text.len() >= TEXT_CHUNK_BYTES {
            self.append_text(text);
            text.clear();
        }
    }

    /// Counts the formatting elements that contain the current node. The running count is only an upper
    /// estimate.
    pub(super) fn recount_formatting(&mut self) {
        let sink = &self.builder.sink;
        let tree = sink.tree.borrow();
        let mut at = sink.current.get();
        let mut count = 0_u16;
        for _ in 0..MAX_DEPTH {
            count += u16::from(tree.tag(NodeId(at)).is_formatting());
            at = tree.parent_index(at);
            if at == 0 {
                break;
            }
        }
        self.open_formatting = count;
    }
}
