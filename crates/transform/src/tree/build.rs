//! Parses text into a tree: our tokenizer, html5ever's tree builder, our arena, and the limits between them.
//!
//! The limits apply to tokens before the tree builder sees them. For most tags the builder walks its own
//! stack of open elements, so it would be quadratic in the nesting depth however the tree is stored.

mod overflow;
mod script;

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use gleaner_types::Interrupt;
use html5ever::interface::TreeSink;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    Doctype, Tag as TagToken, TagKind, Token as BuilderToken, TokenSink, TokenSinkResult,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute as BuilderAttribute, LocalName, QualName, ns};
use memchr::memchr;

use super::link_tags::{Attributes, LinkTags};
use super::sink::{Handle, MAX_TEXT_BYTES, Sink};
use super::tokenizer::{ContentModel, RawAttribute, Span, Token, Tokenizer};
use super::{Attr, Attribute, TEXT_BYTES_PER_UNIT, Tag, Tree, reference};
use crate::memory::page_memory;

/// Upper bound on the depth of the tree. Deeper elements are flattened, as in browsers.
pub(crate) const MAX_DEPTH: u16 = 512;

/// Upper bound on the formatting elements (`b`, `font`, ...) open together. Further ones are ignored; their
/// text stays.
const MAX_FORMATTING: u16 = 64;

/// Upper bound on the nodes of a tree. There are also at most as many as the page has bytes, plus
/// [`BASE_NODES`].
pub(crate) const MAX_NODES: usize = 8_000_000;

/// Nodes that any page may have, however short.
const BASE_NODES: usize = 4_096;

/// The tree takes at most this share of the page's memory: a half. The rest is for what is made from it.
const TREE_SHARE: usize = 2;

/// The tree builder may add one element for this many bytes of a page with formatting, and
/// [`BASE_ADDED_ELEMENTS`] more. Most of these elements reconstruct unclosed formatting in each block. Beyond
/// the limit formatting is ignored.
const BYTES_PER_ADDED_ELEMENT: usize = 8;

/// Elements that the tree builder may add on any page.
const BASE_ADDED_ELEMENTS: usize = 4_096;

/// Bytes that a cached attribute list of a formatting tag takes.
const CACHED_LIST_BYTES: usize = 48;

/// Which attributes to store, and how much memory a page may take.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ParseOptions {
    /// Stores all attributes. By default only those are stored that this crate reads; selectors and the
    /// cleaned HTML need all.
    pub(crate) all_attributes: bool,
    /// Bytes that the page may take: the tree and everything made from it. The default is [`page_memory`].
    pub(crate) memory: Option<usize>,
}

/// Parses a page; never fails. `text` comes from [`super::prepare`].
pub(crate) fn parse(text: &str, options: ParseOptions) -> Tree {
    parse_within(text, options, &Interrupt::never())
}

/// Like [`parse`], with an interrupt that ends the parser and all later work on the tree.
pub(crate) fn parse_within(text: &str, options: ParseOptions, interrupt: &Interrupt) -> Tree {
    let memory = options.memory.unwrap_or_else(|| page_memory(text.len()));
    let options_of_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let tree = Tree::with_capacity(text.len(), memory, interrupt);
    let builder = TreeBuilder::new(Sink::new(tree), options_of_builder);
    let mut parser = PageParser {
        input: text,
        options,
        interrupt: interrupt.clone(),
        builder,
        link_tags: LinkTags::default(),
        formatting_lists: HashMap::new(),
        max_bytes: memory / TREE_SHARE,
        has_formatting: false,
        added_elements: 0,
        max_added_elements: text.len() / BYTES_PER_ADDED_ELEMENT + BASE_ADDED_ELEMENTS,
        dropped_formatting: 0,
        dropped_open: 0,
        open_formatting: 0,
        depth_exceeded: false,
        raw: None,
        keep_script: false,
        drop_text: false,
        scratch: String::new(),
    };
    parser.run();
    parser.builder.process_token(BuilderToken::EOFToken, 1).ignore();
    parser.builder.end();
    let link_tags = parser.link_tags;
    let mut tree = Tree { link_tags, ..parser.builder.sink.finish() };
    tree.fill_slots();
    tree
}

/// Discards results of the tree builder that need no action.
trait Ignore {
    fn ignore(self);
}

impl<T> Ignore for TokenSinkResult<T> {
    fn ignore(self) {}
}

/// Writes a number in eight hexadecimal digits, which fit into a tendril without an allocation.
fn hexadecimal(number: u32) -> StrTendril {
    let digits: [u8; 8] = std::array::from_fn(|place| {
        let digit = (number >> (28 - 4 * place) & 15) as u8;
        if digit < 10 { b'0' + digit } else { b'a' + digit - 10 }
    });
    StrTendril::from_slice(std::str::from_utf8(&digits).unwrap_or_default())
}

struct PageParser<'a> {
    input: &'a str,
    options: ParseOptions,
    interrupt: Interrupt,
    builder: TreeBuilder<Handle, Sink>,
    link_tags: LinkTags,
    /// The attribute lists of formatting elements by their source, so that equal tags stay equal for the tree
    /// builder.
    formatting_lists: HashMap<&'a str, u32>,
    /// Bytes that the tree may take.
    max_bytes: usize,
    /// The page has formatting elements other than links.
    has_formatting: bool,
    /// Elements that the tree builder added by itself.
    added_elements: usize,
    max_added_elements: usize,
    /// Dropped start tags whose end tags are still to come: of formatting, and of other elements. The end tag
    /// of a block belongs to no dropped formatting, which many pages never close.
    dropped_formatting: u32,
    dropped_open: u32,
    /// An estimate of the open formatting elements; see `recount_formatting`.
    open_formatting: u16,
    /// A node was inserted deeper than allowed. From then on the depth estimate is not lowered.
    depth_exceeded: bool,
    /// An element of raw text is open, and whether the tree builder has seen it. The next end tag closes it.
    raw: Option<bool>,
    /// The current script is data, and its text is kept.
    keep_script: bool,
    /// The next text belongs to a script, a style or an iframe and is dropped.
    drop_text: bool,
    /// A buffer for lower-case names.
    scratch: String,
}

impl<'a> PageParser<'a> {
    fn run(&mut self) {
        let mut tokenizer = Tokenizer::new(self.input).with_interrupt(&self.interrupt);
        let limit = (self.input.len() + BASE_NODES).min(MAX_NODES);
        loop {
            let foreign = self.builder.adjusted_current_node_present_but_not_in_html_namespace();
            let Some(token) = tokenizer.next(foreign) else { break };
            let before = self.builder.sink.tree.borrow().len();
            match token {
                Token::Text { span, references } => self.text(span.of(self.input), references),
                Token::Start { name, source, self_closing } => {
                    let content = self.start(name, source, self_closing, tokenizer.attributes());
                    if let Some(content) = content {
                        tokenizer.set_content_model(content);
                    }
                }
                Token::End { name } => self.end(name),
                Token::Doctype { span } => self.doctype(span.of(self.input)),
            }
            if self.raw.is_some() {
                continue; // only the text of this element can come before its end tag
            }
            let new_nodes = self.builder.sink.tree.borrow().len() - before;
            self.added_elements += if self.has_formatting { new_nodes.saturating_sub(1) } else { 0 };
            if self.added_elements > self.max_added_elements {
                self.end_formatting();
            }
            if self.is_full(limit) {
                self.builder.sink.tree.borrow_mut().truncated = true;
                self.rest_as_text(&mut tokenizer);
                break;
            }
        }
    }

    /// True if the tree has reached its limit of nodes or bytes.
    fn is_full(&self, max_nodes: usize) -> bool {
        let tree = self.builder.sink.tree.borrow();
        let cached = self.formatting_lists.len() * CACHED_LIST_BYTES;
        tree.len() > max_nodes || tree.bytes() + cached > self.max_bytes
    }

    /// Passes text to the tree builder.
    fn append_text(&mut self, text: &str) {
        if !text.is_empty() {
            let token = BuilderToken::CharacterTokens(StrTendril::from_slice(text));
            self.builder.process_token(token, 1).ignore();
        }
    }

    fn text(&mut self, raw: &str, references: bool) {
        if std::mem::take(&mut self.drop_text) {
            return;
        }
        let mut rest = raw;
        while !rest.is_empty() {
            let (raw, after) = split_piece(rest);
            if self.interrupt.spend(raw.len() / TEXT_BYTES_PER_UNIT) {
                return;
            }
            let text = if references { reference::decode(raw, false) } else { Cow::Borrowed(raw) };
            self.append_text(&text);
            rest = after;
        }
    }

    fn doctype(&mut self, declaration: &str) {
        let lower = declaration.trim().to_ascii_lowercase();
        let mut words = lower.splitn(2, |c: char| c.is_ascii_whitespace());
        let name = words.next().filter(|name| !name.is_empty()).map(StrTendril::from_slice);
        // Public identifiers only decide on quirks mode, which affects tables inside paragraphs and no
        // output.
        let doctype = Doctype { name, ..Doctype::default() };
        self.builder.process_token(BuilderToken::DoctypeToken(doctype), 1).ignore();
    }

    /// The tag and interned name for a name as written.
    fn name(&mut self, name: Span) -> (Tag, LocalName) {
        let written = name.of(self.input);
        if written.bytes().any(|byte| byte.is_ascii_uppercase()) {
            self.scratch.clear();
            self.scratch.extend(written.chars().map(|character| character.to_ascii_lowercase()));
            Tag::lookup(&self.scratch)
        } else {
            Tag::lookup(written)
        }
    }

    fn start(
        &mut self,
        name: Span,
        source: Span,
        self_closing: bool,
        attributes: &[RawAttribute],
    ) -> Option<ContentModel> {
        let (tag, local) = self.name(name);
        let own = Attributes { text: self.input, raw: attributes };
        self.link_tags.start(local.as_bytes(), source.start, self_closing, own);
        if tag.is_formatting() && tag != Tag::A {
            if self.builder.sink.tree.borrow().formatting_stopped {
                return None; // its end tag has no effect
            }
            self.has_formatting = true;
        }
        if self.exceeds_limits(tag, self_closing) {
            let dropped = self.dropped(tag);
            *dropped = dropped.saturating_add(u32::from(!tag.is_void() && raw_content(tag).is_none()));
            self.drop_text = raw_content(tag).is_some();
            self.raw = raw_content(tag).map(|_| false);
            return raw_content(tag);
        }
        let attributes = self.attributes(tag, source, attributes);
        if tag == Tag::Script {
            self.keep_script = self.is_data_script(&attributes);
        }
        if tag.is_formatting() {
            self.open_formatting = self.open_formatting.saturating_add(1);
        }
        let token = TagToken {
            kind: TagKind::StartTag,
            name: local,
            self_closing,
            attrs: attributes,
            had_duplicate_attributes: false,
        };
        match self.builder.process_token(BuilderToken::TagToken(token), 1) {
            TokenSinkResult::RawData(kind) => {
                self.raw = Some(true);
                self.drop_text = match tag {
                    Tag::Script => !self.keep_script,
                    Tag::Title | Tag::Textarea | Tag::Xmp => false,
                    _ => true,
                };
                Some(match kind {
                    RawKind::Rcdata => ContentModel::Rcdata,
                    RawKind::Rawtext => ContentModel::Rawtext,
                    _ => ContentModel::Script,
                })
            }
            TokenSinkResult::Plaintext => Some(ContentModel::Plaintext),
            _ => None,
        }
    }

    fn dropped(&mut self, tag: Tag) -> &mut u32 {
        if tag.is_formatting() { &mut self.dropped_formatting } else { &mut self.dropped_open }
    }

    /// True for the tag of a link. It is never dropped: at most one link is open, so it makes no page deeper.
    fn is_link(&self, tag: Tag) -> bool {
        tag == Tag::A && !self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }

    /// True if a start tag is dropped because too many elements are open.
    fn exceeds_limits(&mut self, tag: Tag, self_closing: bool) -> bool {
        if self.is_link(tag) {
            return false;
        }
        let sink = &self.builder.sink;
        let depth = sink.tree.borrow().depth(sink.current.get());
        if depth > MAX_DEPTH {
            self.depth_exceeded = true;
        }
        let deep = depth >= MAX_DEPTH - 2;
        (deep && !tag.is_void() && !self_closing)
            || (tag.is_formatting() && self.open_formatting >= MAX_FORMATTING && {
                self.recount_formatting();
                self.open_formatting >= MAX_FORMATTING
            })
    }

    fn end(&mut self, name: Span) {
        self.drop_text = false;
        let (tag, local) = self.name(name);
        self.link_tags.end(local.as_bytes());
        match self.raw.take() {
            Some(true) => {}
            Some(false) => return,
            None if !tag.is_void() && !self.is_link(tag) && *self.dropped(tag) > 0 => {
                *self.dropped(tag) -= 1;
                return;
            }
            None => {}
        }
        self.lower_depth_estimate(tag, &local);
        if tag.is_formatting() {
            self.open_formatting = self.open_formatting.saturating_sub(1);
        }
        self.builder.process_token(end_tag(local), 1).ignore();
    }

    /// Finds the element that an end tag closes, because the tree builder does not report every element that
    /// it closes.
    fn lower_depth_estimate(&mut self, tag: Tag, name: &LocalName) {
        if self.depth_exceeded {
            return;
        }
        let sink = &self.builder.sink;
        let tree = sink.tree.borrow();
        let mut at = sink.current.get();
        if tree.depth(at) < MAX_DEPTH / 2 {
            return; // far from the limit the estimate may be inexact
        }
        for _ in 0..MAX_DEPTH {
            if at == 0 {
                return;
            }
            if tree.is_named(at, tag, name) {
                sink.current.set(tree.parent_index(at));
                return;
            }
            at = tree.parent_index(at);
        }
    }

    /// Stores the attributes of a tag, and returns a synthetic attribute that refers to them.
    fn attributes(&mut self, tag: Tag, source: Span, raw: &[RawAttribute]) -> Vec<BuilderAttribute> {
        if raw.is_empty() {
            return Vec::new();
        }
        let number = if tag.is_formatting() {
            match self.formatting_lists.entry(source.of(self.input)) {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(_) => {
                    let number = self.store_attributes(raw);
                    self.formatting_lists.insert(source.of(self.input), number);
                    number
                }
            }
        } else {
            self.store_attributes(raw)
        };
        let mut attributes = Vec::with_capacity(1);
        attributes.push(BuilderAttribute {
            name: QualName::new(None, ns!(), LocalName::default()),
            value: hexadecimal(number),
        });
        // Attributes that the tree builder itself reads.
        let read: &[&str] = match tag {
            Tag::Input => &["type"],
            Tag::Other => &["encoding"],
            Tag::Font => &["color", "face", "size"],
            _ => &[],
        };
        for attribute in raw.iter().filter(|_| !read.is_empty()) {
            let name = attribute.name.of(self.input);
            if let Some(listed) = read.iter().find(|listed| listed.eq_ignore_ascii_case(name)) {
                let value = reference::decode(attribute.value.of(self.input), true);
                attributes.push(BuilderAttribute {
                    name: QualName::new(None, ns!(), LocalName::from(*listed)),
                    value: StrTendril::from_slice(&value),
                });
            }
        }
        attributes
    }

    fn store_attributes(&mut self, raw: &[RawAttribute]) -> u32 {
        let mut tree = self.builder.sink.tree.borrow_mut();
        let tree = &mut *tree;
        let start = tree.attributes.len();
        let mut seen = 0_u128;
        let mut others = false;
        for attribute in raw {
            let written = attribute.name.of(self.input);
            let name = if written.bytes().any(|byte| byte.is_ascii_uppercase()) {
                self.scratch.clear();
                self.scratch.extend(written.chars().map(|character| character.to_ascii_lowercase()));
                &self.scratch
            } else {
                written
            };
            let known = Attr::lookup(name);
            if known == Attr::Other {
                others = true;
                if !self.options.all_attributes {
                    continue;
                }
                let own = tree.attributes.get(start..).unwrap_or_default();
                if own.iter().any(|other| {
                    other.name == Attr::Other && tree.slice(other.name_start, other.value_start) == name
                }) {
                    continue;
                }
            } else if seen & known.bit() != 0 {
                continue;
            }
            seen |= known.bit();
            // The name is stored right before the value and ends where the value starts.
            let name_start = offset(tree.text.len());
            if known == Attr::Other {
                tree.text.push_str(name);
            }
            let value = attribute.value.of(self.input);
            let (value_start, value_end) = append(&mut tree.text, |text| {
                if memchr(b'&', value.as_bytes()).is_some() {
                    reference::decode_into(value, true, text);
                } else {
                    text.push_str(value);
                }
            });
            tree.attributes.push(Attribute { name: known, name_start, value_start, value_end });
        }
        // For elements that may be hidden, main content needs to know whether a script could find them by
        // some attribute.
        if others && !self.options.all_attributes && seen & (Attr::Hidden.bit() | Attr::Style.bit()) != 0 {
            let placeholder = Attribute { name: Attr::Other, name_start: 0, value_start: 0, value_end: 0 };
            tree.attributes.push(placeholder);
        }
        tree.push_extra(offset(start), offset(tree.attributes.len()), LocalName::default())
    }
}

fn end_tag(name: LocalName) -> BuilderToken {
    BuilderToken::TagToken(TagToken {
        kind: TagKind::EndTag,
        name,
        self_closing: false,
        attrs: Vec::new(),
        had_duplicate_attributes: false,
    })
}

/// Splits off at most [`MAX_TEXT_BYTES`] of a text. Neither a character nor a character reference is cut.
fn split_piece(raw: &str) -> (&str, &str) {
    let max = MAX_TEXT_BYTES as usize;
    if raw.len() <= max {
        return (raw, "");
    }
    let mut end = max;
    while !raw.is_char_boundary(end) {
        end -= 1;
    }
    let piece = raw.get(..end).unwrap_or(raw);
    // A reference contains no white space and is shorter than half a piece.
    let fits = |at: &usize| *at > max / 2;
    let space = piece.rfind(|c: char| c.is_ascii_whitespace()).filter(fits);
    let at = space.or_else(|| piece.rfind('&').filter(fits));
    raw.split_at_checked(at.unwrap_or(end)).unwrap_or((raw, ""))
}

/// Runs `write`, and returns the range of `text` that it appended.
fn append(text: &mut String, write: impl FnOnce(&mut String)) -> (u32, u32) {
    let start = offset(text.len());
    write(text);
    (start, offset(text.len()))
}

/// Converts a position to 32 bits. Bodies are far shorter ([`crate::MAX_BODY_BYTES`]).
fn offset(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

/// How the text of an element is read if the tree builder has not seen its start tag.
const fn raw_content(tag: Tag) -> Option<ContentModel> {
    match tag {
        Tag::Script => Some(ContentModel::Script),
        Tag::Style | Tag::Xmp | Tag::Iframe | Tag::Noembed | Tag::Noframes => Some(ContentModel::Rawtext),
        Tag::Title | Tag::Textarea => Some(ContentModel::Rcdata),
        _ => None,
    }
}
