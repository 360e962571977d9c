//! From text to tree: our tokenizer, html5ever's tree builder, our arena, and the limits between them.
//!
//! The limits hold on the tokens, before the tree builder sees them, because the builder walks its own stack of open
//! elements for most tags and would be quadratic in nesting however the tree is stored.

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
use memchr::{memchr, memchr2};

use super::sink::{Handle, MAX_TEXT_BYTES, Sink};
use super::tokenizer::{ContentModel, RawAttribute, Span, Token, Tokenizer};
use super::{Attr, Attribute, TEXT_BYTES_PER_UNIT, Tag, Tree, reference};
use crate::memory::page_memory;

/// Elements nested deeper than this are flattened into the last one, as browsers do.
pub(crate) const MAX_DEPTH: u16 = 512;

/// Formatting elements (`b`, `font`, ...) open at once beyond which more are ignored; their text stays.
const MAX_FORMATTING: u16 = 64;

/// A tree has at most so many nodes, and at most as many as the page has bytes.
pub(crate) const MAX_NODES: usize = 8_000_000;

/// Nodes any page may have, however short.
const BASE_NODES: usize = 4_096;

/// The tree takes at most this share of the page's memory: one half. The rest is for what is made of it.
const TREE_SHARE: usize = 2;

/// Elements that the tree builder adds of itself once there is open_formatting: one for this many bytes of the page, and some
/// more for any page. Most carry formatting that was never closed on into each block. Beyond, formatting is no longer read.
const BYTES_PER_ADDED_ELEMENT: usize = 8;
const BASE_ADDED_ELEMENTS: usize = 4_096;

/// The formatting elements that are carried on, but for links: of those one at most is.
const FORMATTING: [&str; 13] =
    ["b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];

/// Bytes that remembering the attributes of one formatting tag takes.
const CACHED_LIST_BYTES: usize = 48;

/// Text that is given to the tree builder at once where it is all that is left of a page, in bytes.
const TEXT_CHUNK_BYTES: usize = 65_536;

/// What to keep of a page.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ParseOptions {
    /// Keep attributes that only a selector or the cleaned HTML asks for.
    pub(crate) all_attributes: bool,
    /// Bytes that the page may take, the tree and all that is made of it; [`page_memory`] by default.
    pub(crate) memory: Option<usize>,
}

/// Makes text fit for the tokenizer: line ends are LF, NUL is gone.
pub(crate) fn prepare(text: Cow<'_, str>) -> Cow<'_, str> {
    if memchr2(b'\r', 0, text.as_bytes()).is_none() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = memchr2(b'\r', 0, rest.as_bytes()) {
        let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        if after.starts_with('\r') && !after.starts_with("\r\n") {
            out.push('\n');
        }
        rest = after.get(1..).unwrap_or_default();
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Parses a page; never fails. `text` is as [`prepare`] leaves it.
pub(crate) fn parse(text: &str, options: ParseOptions) -> Tree {
    parse_within(text, options, &Interrupt::never())
}

/// As [`parse`], until the work is to end; so does all work on the tree.
pub(crate) fn parse_within(text: &str, options: ParseOptions, interrupt: &Interrupt) -> Tree {
    let memory = options.memory.unwrap_or_else(|| page_memory(text.len()));
    let options_of_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let tree = Tree::with_capacity(text.len(), memory, interrupt);
    let builder = TreeBuilder::new(Sink::new(tree), options_of_builder);
    let mut build = PageParser {
        input: text,
        options,
        interrupt: interrupt.clone(),
        builder,
        formatting_lists: HashMap::new(),
        max_bytes: memory / TREE_SHARE,
        has_formatting: false,
        added_elements: 0,
        max_added_elements: text.len() / BYTES_PER_ADDED_ELEMENT + BASE_ADDED_ELEMENTS,
        dropped_open: 0,
        open_formatting: 0,
        depth_exceeded: false,
        raw: None,
        keep_script: false,
        drop_text: false,
        scratch: String::new(),
    };
    build.run();
    build.builder.process_token(BuilderToken::EOFToken, 1).ignore();
    build.builder.end();
    build.builder.sink.finish()
}

/// The tree builder's answers that need no action here.
trait Ignore {
    fn ignore(self);
}

impl<T> Ignore for TokenSinkResult<T> {
    fn ignore(self) {}
}

/// A number in eight digits, which a tendril holds without an allocation.
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
    /// Attribute lists of formatting elements by source, so that equal tags stay equal for the tree builder.
    formatting_lists: HashMap<&'a str, u32>,
    /// Bytes that the tree may take.
    max_bytes: usize,
    /// There was formatting, links left out.
    has_formatting: bool,
    /// Elements that the tree builder added of itself, and how many it may.
    added_elements: usize,
    max_added_elements: usize,
    /// Start tags dropped for depth whose end tags are still to come.
    dropped_open: u32,
    /// Formatting elements open at once, at least.
    open_formatting: u16,
    /// A node was put in deeper than allowed: the estimate of the depth is no longer trusted to fall.
    depth_exceeded: bool,
    /// An element of raw text is open, and whether the tree builder was told of it. The next end tag is its own.
    raw: Option<bool>,
    /// The text of the script being read is data.
    keep_script: bool,
    /// The next text is that of a script, a style or a frame, which nobody reads.
    drop_text: bool,
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
                continue; // nothing but the text of this element comes before its end tag
            }
            let made = self.builder.sink.tree.borrow().len() - before;
            self.added_elements += if self.has_formatting { made.saturating_sub(1) } else { 0 };
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

    /// Has the tree as many nodes, or as many bytes, as it may have?
    fn is_full(&self, most_nodes: usize) -> bool {
        let tree = self.builder.sink.tree.borrow();
        let cached = self.formatting_lists.len() * CACHED_LIST_BYTES;
        tree.len() > most_nodes || tree.bytes() + cached > self.max_bytes
    }

    /// Closes all formatting, and reads none from here on: it was carried on too often. End tags take it off the list of
    /// what is carried on. They reach no further than the innermost table cell, so what is around it may call for this again.
    fn end_formatting(&mut self) {
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

    /// Reads the rest of the page as text: tags are white space. In long pieces, since the tree builder keeps those within a
    /// table until it ends.
    fn rest_as_text(&mut self, tokenizer: &mut Tokenizer<'_>) {
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
                Token::Start { name, .. } => {
                    let (tag, _) = self.name(name);
                    if let Some(content) = raw_content(tag) {
                        tokenizer.set_content_model(content);
                        self.drop_text = true;
                    } else {
                        rest.push(' ');
                    }
                }
                Token::End { .. } => {
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

    /// Gives text to the tree builder.
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
        // Public identifiers matter only for tables inside paragraphs in quirks mode, which changes no reader's view.
        let doctype = Doctype { name, ..Doctype::default() };
        self.builder.process_token(BuilderToken::DoctypeToken(doctype), 1).ignore();
    }

    /// The tag and interned name of a tag as written.
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
        if tag.is_formatting() && tag != Tag::A {
            if self.builder.sink.tree.borrow().formatting_stopped {
                return None; // its end tag closes nothing
            }
            self.has_formatting = true;
        }
        if self.exceeds_limits(tag, self_closing) {
            self.dropped_open =
                self.dropped_open.saturating_add(u32::from(!tag.is_void() && raw_content(tag).is_none()));
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

    /// Is a start tag dropped because too much is open already?
    fn exceeds_limits(&mut self, tag: Tag, self_closing: bool) -> bool {
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

    /// Counts the formatting elements around the current node; the running count never falls by itself.
    fn recount_formatting(&mut self) {
        let sink = &self.builder.sink;
        let tree = sink.tree.borrow();
        let mut at = sink.current.get();
        let mut count = 0_u16;
        for _ in 0..MAX_DEPTH {
            count += u16::from(tree.tag(super::NodeId(at)).is_formatting());
            at = tree.parent_index(at);
            if at == 0 {
                break;
            }
        }
        self.open_formatting = count;
    }

    fn end(&mut self, name: Span) {
        self.drop_text = false;
        let (tag, local) = self.name(name);
        match self.raw.take() {
            Some(true) => {}
            Some(false) => return,
            None if self.dropped_open > 0 && !tag.is_void() => {
                self.dropped_open -= 1;
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

    /// The tree builder does not tell of every element it closes: look for the one that this end tag closes.
    fn lower_depth_estimate(&mut self, tag: Tag, name: &LocalName) {
        if self.depth_exceeded {
            return;
        }
        let sink = &self.builder.sink;
        let tree = sink.tree.borrow();
        let mut at = sink.current.get();
        if tree.depth(at) < MAX_DEPTH / 2 {
            return; // far from the limit the estimate may lag behind
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

    /// Stores the attributes that are kept, and gives the synthetic one that stands for them.
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
        // What the tree builder itself reads.
        let read: &[&str] = match tag {
            Tag::Input => &["type"],
            Tag::Other => &["encoding"],
            Tag::Font => &["color", "face", "size"],
            _ => &[],
        };
        for attribute in raw.iter().filter(|_| !read.is_empty()) {
            let name = attribute.name.of(self.input);
            if let Some(known) = read.iter().find(|known| known.eq_ignore_ascii_case(name)) {
                let value = reference::decode(attribute.value.of(self.input), true);
                attributes.push(BuilderAttribute {
                    name: QualName::new(None, ns!(), LocalName::from(*known)),
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
            // Right before the value, whose start is its end.
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
        // Of what may be hidden it counts whether there is anything that a script could find it by.
        if others && !self.options.all_attributes && seen & (Attr::Hidden.bit() | Attr::Style.bit()) != 0 {
            let empty = Attribute { name: Attr::Other, name_start: 0, value_start: 0, value_end: 0 };
            tree.attributes.push(empty);
        }
        tree.push_extra(offset(start), offset(tree.attributes.len()), LocalName::default())
    }

    /// Does a script hold data that is read later (JSON, TeX) rather than code?
    fn is_data_script(&self, attributes: &[BuilderAttribute]) -> bool {
        let Some(number) =
            attributes.first().and_then(|attribute| usize::from_str_radix(&attribute.value, 16).ok())
        else {
            return false;
        };
        let tree = self.builder.sink.tree.borrow();
        let range = tree.extras.get(number).map_or(0..0, |extra| extra.start as usize..extra.end as usize);
        let list = tree.attributes.get(range).unwrap_or_default();
        list.iter().filter(|attribute| attribute.name == Attr::Type).any(|attribute| {
            let value = tree.slice(attribute.value_start, attribute.value_end);
            value.contains("json") || value.starts_with("math/")
        })
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

/// As much of a text as is read at once, and the rest. Neither a character nor a reference is cut.
fn split_piece(raw: &str) -> (&str, &str) {
    let most = MAX_TEXT_BYTES as usize;
    if raw.len() <= most {
        return (raw, "");
    }
    let mut end = most;
    while !raw.is_char_boundary(end) {
        end -= 1;
    }
    let piece = raw.get(..end).unwrap_or(raw);
    // A reference holds no white space, and none is longer than half a piece.
    let fits = |at: &usize| *at > most / 2;
    let space = piece.rfind(|c: char| c.is_ascii_whitespace()).filter(fits);
    let at = space.or_else(|| piece.rfind('&').filter(fits));
    raw.split_at_checked(at.unwrap_or(end)).unwrap_or((raw, ""))
}

/// The range of `text` that `write` appended.
fn append(text: &mut String, write: impl FnOnce(&mut String)) -> (u32, u32) {
    let start = offset(text.len());
    write(text);
    (start, offset(text.len()))
}

/// Positions fit 32 bits: bodies are limited to far less ([`crate::MAX_BODY_BYTES`]).
fn offset(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

/// How the text of an element is read that the tree builder was not told of.
const fn raw_content(tag: Tag) -> Option<ContentModel> {
    match tag {
        Tag::Script => Some(ContentModel::Script),
        Tag::Style | Tag::Xmp | Tag::Iframe | Tag::Noembed | Tag::Noframes => Some(ContentModel::Rawtext),
        Tag::Title | Tag::Textarea => Some(ContentModel::Rcdata),
        _ => None,
    }
}
