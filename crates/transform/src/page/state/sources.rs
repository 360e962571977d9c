//! Finds the states of a page: JSON in scripts and attributes, and literals in the programs of the page.
//!
//! No name of a variable or an attribute is known: the shape of a value decides whether it is a state.

use std::borrow::Cow;
use std::collections::HashMap;

use gleaner_types::Interrupt;
use memchr::{memchr, memmem};

use super::flight;
use super::literal;
use super::references::{References, resolve};
use super::value::{Kind, ValueId, Values};
use crate::names::truncate;
use crate::tree::{ContentModel, RawAttribute, Token, Tokenizer, decode_references};

/// Upper bound on the states of a page.
const MAX_STATES: usize = 200;

/// A shorter state has no text, in bytes.
const MIN_STATE_BYTES: usize = 200;

/// Bytes before an argument in which the name of a stream is looked for.
const STREAM_NAME_BYTES: usize = 60;

/// Upper bound on the parameters of a function, and on its statements before its result, in bytes.
const MAX_FUNCTION_BYTES: usize = 8_192;

/// Upper bound on the length of a `type` that is read, in bytes.
const MAX_TYPE_BYTES: usize = 100;

/// Bytes of a program that cost one unit of work.
const BYTES_PER_UNIT: usize = 64;

/// All copies of a page may repeat its text this many times.
const MAX_COPIES: usize = 4;

/// Where a state is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// In a script of data.
    Data,
    /// In a program.
    Program,
    /// In the stream of server components.
    Stream,
    /// In an attribute.
    Attribute,
}

/// A state of a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    pub(super) root: ValueId,
    pub(super) origin: Origin,
}

/// The states of a page.
#[derive(Debug, Default)]
pub(super) struct States {
    pub(super) values: Values,
    pub(super) list: Vec<State>,
}

/// Reads all states of a page from its source.
pub(super) fn read(html: &str, interrupt: &Interrupt) -> States {
    let mut reader = Reader {
        html,
        interrupt,
        states: States::default(),
        stream: String::new(),
        function_bytes: html.len().saturating_mul(2),
        text_bytes: html.len().saturating_mul(MAX_COPIES),
    };
    reader.run();
    reader.finish()
}

#[derive(Debug)]
struct Reader<'a> {
    html: &'a str,
    interrupt: &'a Interrupt,
    states: States,
    /// The pieces of the stream of server components.
    stream: String,
    /// Bytes of functions that are still tried.
    function_bytes: usize,
    /// Bytes of text that copies of values may still repeat.
    text_bytes: usize,
}

/// What a script holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Data,
    Program,
    Other,
}

impl Script {
    fn of(kind: &str) -> Self {
        let kind = truncate(kind.trim(), MAX_TYPE_BYTES).to_ascii_lowercase();
        let is = |part: &str| kind.contains(part);
        // JSON-LD is read on its own, and the other kinds of JSON direct the browser.
        if is("ld+json") || is("importmap") || is("speculationrules") {
            Self::Other
        } else if is("json") {
            Self::Data
        } else if kind.is_empty() || is("javascript") || is("ecmascript") || is("module") {
            Self::Program
        } else {
            Self::Other
        }
    }
}

impl Reader<'_> {
    fn run(&mut self) {
        let html = self.html;
        let mut tokenizer = Tokenizer::new(html).with_interrupt(self.interrupt);
        let mut script = None;
        while let Some(token) = tokenizer.next(false) {
            match token {
                Token::Start { name, .. } => {
                    let name = name.of(html);
                    let content = content_model(name);
                    if let Some(content) = content {
                        tokenizer.set_content_model(content);
                    }
                    script = name.eq_ignore_ascii_case("script").then(|| {
                        let kind = attribute(html, tokenizer.attributes(), "type");
                        Script::of(&decode_references(kind, true))
                    });
                    if script.is_none() {
                        self.attributes(tokenizer.attributes());
                    }
                }
                Token::Text { span, .. } => match script {
                    Some(Script::Data) => self.data(span.of(html)),
                    Some(Script::Program) => self.program(span.of(html)),
                    Some(Script::Other) | None => {}
                },
                Token::End { .. } => script = None,
                Token::Doctype { .. } => {}
            }
            if self.states.list.len() >= MAX_STATES || self.states.values.is_full() {
                break;
            }
        }
    }

    fn add(&mut self, root: ValueId, references: &References, origin: Origin) {
        let values = &mut self.states.values;
        let root = resolve(values, root, references, &mut self.text_bytes, self.interrupt);
        self.states.list.push(State { root, origin });
    }

    /// Adds a value that was just parsed.
    fn add_parsed(&mut self, root: ValueId, origin: Origin) {
        let mut root = root;
        // A string that holds JSON.
        if self.states.values.kind(root) == Kind::Text {
            let values = &mut self.states.values;
            root = resolve(values, root, &References::None, &mut self.text_bytes, self.interrupt);
        }
        if !matches!(self.states.values.kind(root), Kind::List | Kind::Object) {
            return;
        }
        let references = References::of(&self.states.values, root);
        self.add(root, &references, origin);
    }

    /// Reads a script of data. Some frameworks put a comment around it, or write references for its quotes.
    fn data(&mut self, text: &str) {
        let text = text.trim();
        let text = text.strip_prefix("<!--").unwrap_or(text).trim_start();
        if text.len() < MIN_STATE_BYTES {
            return;
        }
        let inner = text.get(1..).unwrap_or_default().trim_start();
        let text = if inner.starts_with("&quot;") {
            decode_references(text, true)
        } else if inner.starts_with("&q;") {
            // Angular writes references of its own.
            let references = [("&q;", "\""), ("&s;", "'"), ("&l;", "<"), ("&g;", ">"), ("&a;", "&")];
            let decoded = references.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
            Cow::Owned(decoded)
        } else {
            Cow::Borrowed(text)
        };
        if let Ok(parsed) = literal::parse(&text, &mut self.states.values, self.interrupt) {
            self.add_parsed(parsed.root, Origin::Data);
        }
    }

    /// Reads the attributes of an element: some frameworks write the properties of a component there.
    fn attributes(&mut self, attributes: &[RawAttribute]) {
        for attribute in attributes {
            let raw = attribute.value.of(self.html);
            if raw.len() < MIN_STATE_BYTES || !raw.trim_start().starts_with(['{', '[']) {
                continue;
            }
            let text = decode_references(raw, true);
            if let Ok(parsed) = literal::parse(&text, &mut self.states.values, self.interrupt) {
                self.add_parsed(parsed.root, Origin::Attribute);
            }
        }
    }

    /// Reads the values that a program assigns to a variable or passes to a function. After a failure, the
    /// search goes on where the parser stopped, so that the program is read at most twice.
    fn program(&mut self, text: &str) {
        if self.interrupt.spend(text.len() / BYTES_PER_UNIT) {
            return;
        }
        let bytes = text.as_bytes();
        let mut at = 0;
        let mut before = b'=';
        while let Some(byte) = bytes.get(at).copied() {
            if self.states.list.len() >= MAX_STATES || self.states.values.is_full() {
                return;
            }
            let rest = text.get(at..).unwrap_or_default();
            let is_value = match byte {
                b'{' | b'[' => matches!(before, b'=' | b'(' | b',' | b':'),
                b'"' | b'\'' | b'`' => before == b'(',
                b'J' => before == b'=' && rest.starts_with("JSON.parse("),
                b'f' if matches!(before, b'=' | b'(') && self.function_bytes > 0 => {
                    let read = rest.strip_prefix("function(").and_then(|function| self.function(function));
                    if let Some(read) = read {
                        at += "function(".len() + read;
                        before = b')';
                        continue;
                    }
                    false
                }
                _ => false,
            };
            if !is_value {
                if !byte.is_ascii_whitespace() {
                    before = byte;
                }
                at += 1;
                continue;
            }
            before = b')';
            let mark = (self.states.values.len(), self.states.values.text_bytes());
            match literal::parse(rest, &mut self.states.values, self.interrupt) {
                Ok(parsed) => {
                    let is_piece = self.stream_piece(text.get(..at).unwrap_or_default(), parsed.root);
                    if is_piece || parsed.end < MIN_STATE_BYTES {
                        self.states.values.truncate(mark.0, mark.1);
                    } else {
                        self.add_parsed(parsed.root, Origin::Program);
                    }
                    at += parsed.end.max(1);
                }
                Err(_) if self.interrupt.is_raised() => return,
                Err(stop) => at += stop.max(1),
            }
        }
    }

    /// Takes `[1, "..."]` as a piece of the stream if the call before names it.
    fn stream_piece(&mut self, before: &str, value: ValueId) -> bool {
        let mut start = before.len().saturating_sub(STREAM_NAME_BYTES);
        while !before.is_char_boundary(start) {
            start += 1;
        }
        let values = &self.states.values;
        let call = before.get(start..).unwrap_or_default();
        if values.kind(value) != Kind::List || !call.contains("__next_f") {
            return false;
        }
        let mut children = values.children(value);
        if children.next().is_some_and(|kind| values.text(kind) == "1")
            && let Some(piece) = children.next().and_then(|piece| values.string(piece))
        {
            self.stream.push_str(piece);
        }
        true
    }

    /// Reads the result of a function that is called where it stands: `(a,b){return {...}}(1,"x")`. Returns
    /// the bytes read, from the names of its parameters on.
    fn function(&mut self, text: &str) -> Option<usize> {
        let head = truncate(text, MAX_FUNCTION_BYTES);
        self.function_bytes = self.function_bytes.saturating_sub(head.len());
        let head_end = memchr(b')', head.as_bytes())?;
        let parameters = head.get(..head_end)?;
        let body = text.get(head_end + 1..)?.trim_start().strip_prefix('{')?;
        let statements = truncate(body, MAX_FUNCTION_BYTES);
        let result = memmem::find(statements.as_bytes(), b"return")? + "return".len();
        let result = body.get(result..)?.trim_start();
        let values = &mut self.states.values;
        let mark = (values.len(), values.text_bytes());
        let parsed = literal::parse(result, values, self.interrupt);
        let read = parsed.map_or_else(|stop| stop, |parsed| parsed.end);
        self.function_bytes = self.function_bytes.saturating_sub(read);
        let parsed = parsed.ok()?;
        let is_close = |c: char| c.is_whitespace() || matches!(c, ';' | '}' | ')');
        let call = result.get(parsed.end..)?.trim_start_matches(is_close);
        let arguments = call.strip_prefix('(');
        let arguments =
            arguments.and_then(|text| Some((text, literal::arguments(text, values, self.interrupt).ok()?)));
        let Some((arguments, passed)) = arguments.filter(|_| parsed.end >= MIN_STATE_BYTES) else {
            values.truncate(mark.0, mark.1);
            return None;
        };
        let names: HashMap<String, ValueId> = parameters
            .split(',')
            .map(|name| name.trim().to_owned())
            .zip(values.children(passed.root))
            .collect();
        self.add(parsed.root, &References::Names(names), Origin::Program);
        Some(text.len() - arguments.len() + passed.end)
    }

    /// Adds the stream of server components as the last state.
    fn finish(mut self) -> States {
        let stream = std::mem::take(&mut self.stream);
        let values = &mut self.states.values;
        if let Some((first, rows)) = flight::rows(&stream, values, self.interrupt) {
            self.add(first, &References::Rows(rows), Origin::Stream);
        }
        self.states
    }
}

/// How the text of an element is read.
fn content_model(name: &str) -> Option<ContentModel> {
    let is = |names: &[&str]| names.iter().any(|other| other.eq_ignore_ascii_case(name));
    if is(&["script"]) {
        Some(ContentModel::Script)
    } else if is(&["style", "xmp", "iframe", "noembed", "noframes"]) {
        Some(ContentModel::Rawtext)
    } else if is(&["title", "textarea"]) {
        Some(ContentModel::Rcdata)
    } else {
        is(&["plaintext"]).then_some(ContentModel::Plaintext)
    }
}

/// The undecoded value of an attribute; empty without one.
fn attribute<'h>(html: &'h str, attributes: &[RawAttribute], wanted: &str) -> &'h str {
    let is_wanted = |attribute: &&RawAttribute| attribute.name.of(html).eq_ignore_ascii_case(wanted);
    attributes.iter().find(is_wanted).map_or("", |attribute| attribute.value.of(html))
}
