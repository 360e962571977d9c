//! A pull tokenizer for HTML over a whole document in memory (HTML Standard, 13.2.5).
//!
//! It yields ranges of the input, skips unused parts at no cost, and serves both the tree ([`super::build`])
//! and the pass that only reads links ([`crate::page::link_pass`]). Alternative: the tokenizer of html5ever.
//! It compares every attribute name with the earlier ones of the tag, which is quadratic, interns names
//! behind a lock, and copies unused values.
//!
//! It differs from the standard without effect on the output: comments and processing instructions are
//! dropped, and the input has no NUL and only LF as newlines ([`super::prepare`]).

use gleaner_types::Interrupt;
use memchr::{memchr, memchr2, memmem};

/// Upper bound on the attributes of a tag. Browsers keep all; real pages have fewer than 60.
pub(crate) const MAX_ATTRIBUTES: usize = 128;

/// A range of the input, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Span {
    /// The text of the range.
    pub(crate) fn of(self, input: &str) -> &str {
        input.get(self.start..self.end).unwrap_or_default()
    }

    /// Whether its text is this, in any case of ASCII letters.
    pub(crate) fn is(self, input: &str, text: &str) -> bool {
        // Most names differ in their length, and reading a part of the input is not free.
        self.end.wrapping_sub(self.start) == text.len() && self.of(input).eq_ignore_ascii_case(text)
    }
}

/// The name and undecoded value of an attribute.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RawAttribute {
    pub(crate) name: Span,
    pub(crate) value: Span,
}

/// A token of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token {
    /// Text. `references` is true if it may contain character references.
    Text { span: Span, references: bool },
    /// A start tag; its attributes are in [`Tokenizer::attributes`].
    Start { name: Span, source: Span, self_closing: bool },
    /// An end tag.
    End { name: Span },
    /// The text between `<!doctype` and `>`.
    Doctype { span: Span },
}

/// How text is read after a start tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContentModel {
    /// Markup and text.
    Data,
    /// Text with character references, up to the end tag of the last start tag.
    Rcdata,
    /// Only text, up to the end tag of the last start tag.
    Rawtext,
    /// A script, up to its end tag.
    Script,
    /// Text up to the end of the input.
    Plaintext,
}

/// The tokenizer.
#[derive(Debug)]
pub(crate) struct Tokenizer<'a> {
    input: &'a str,
    position: usize,
    content: ContentModel,
    /// Name of the last start tag, as written.
    last_start: Span,
    attributes: Vec<RawAttribute>,
    interrupt: Interrupt,
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0C' | b'\r')
}

impl<'a> Tokenizer<'a> {
    /// Reads `input` from its start.
    pub(crate) fn new(input: &'a str) -> Self {
        Self {
            input,
            position: 0,
            content: ContentModel::Data,
            last_start: Span::default(),
            attributes: Vec::new(),
            interrupt: Interrupt::never(),
        }
    }

    /// Ends the tokens once the interrupt is raised. Each token costs a unit of work, and so does each
    /// attribute and each false start of a tag or of an end.
    pub(crate) fn with_interrupt(self, interrupt: &Interrupt) -> Self {
        Self { interrupt: interrupt.clone(), ..self }
    }

    /// The attributes of the last start tag, in order, including repeated names.
    pub(crate) fn attributes(&self) -> &[RawAttribute] {
        &self.attributes
    }

    /// Sets how the next text is read, up to the matching end tag.
    pub(crate) fn set_content_model(&mut self, content: ContentModel) {
        self.content = content;
    }

    /// Reads the start tag at a place where there is one, and returns its name; its attributes are in
    /// [`Self::attributes`].
    pub(crate) fn tag_at(&mut self, at: usize) -> Option<Span> {
        self.tag(at + 1, true).map(|(name, _)| name)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.input.as_bytes().get(at).copied()
    }

    fn rest(&self, at: usize) -> &'a [u8] {
        self.input.as_bytes().get(at..).unwrap_or_default()
    }

    /// The next token. `cdata` is true in foreign content, where `<![CDATA[` opens a CDATA section.
    pub(crate) fn next(&mut self, cdata: bool) -> Option<Token> {
        if self.interrupt.spend(1) {
            return None;
        }
        match self.content {
            ContentModel::Data => self.next_data(cdata),
            ContentModel::Plaintext => self.text_to(self.input.len(), false),
            ContentModel::Rcdata | ContentModel::Rawtext | ContentModel::Script => {
                let end = if self.content == ContentModel::Script {
                    self.script_end()
                } else {
                    self.raw_end(self.position)
                };
                let references = self.content == ContentModel::Rcdata;
                self.content = ContentModel::Data;
                self.text_to(end, references).or_else(|| self.next_data(cdata))
            }
        }
    }

    fn text_to(&mut self, end: usize, references: bool) -> Option<Token> {
        let span = Span { start: self.position, end };
        self.position = end;
        (span.start < span.end).then_some(Token::Text { span, references })
    }

    fn next_data(&mut self, cdata: bool) -> Option<Token> {
        loop {
            let start = self.position;
            let mut from = start;
            // Markup begins with `<` before a letter, `/`, `!` or `?`. Any other `<` is text.
            let markup = loop {
                match memchr(b'<', self.rest(from)) {
                    None => break self.input.len(),
                    Some(offset) => {
                        let at = from + offset;
                        match self.byte(at + 1) {
                            Some(b'/' | b'!' | b'?') => break at,
                            Some(byte) if byte.is_ascii_alphabetic() => break at,
                            _ if self.interrupt.spend(1) => break self.input.len(),
                            _ => from = at + 1,
                        }
                    }
                }
            };
            if markup > start {
                return self.text_to(markup, true);
            }
            if markup >= self.input.len() || self.interrupt.spend(1) {
                return None;
            }
            match self.byte(markup + 1) {
                Some(b'/') => match self.byte(markup + 2) {
                    Some(byte) if byte.is_ascii_alphabetic() => {
                        if let Some((name, _)) = self.tag(markup + 2, false) {
                            return Some(Token::End { name });
                        }
                    }
                    None => {
                        self.position = markup;
                        return self.text_to(self.input.len(), true);
                    }
                    _ => self.skip_past(markup + 2, b">"),
                },
                Some(b'!') => {
                    if let Some(token) = self.declaration(markup, cdata) {
                        return Some(token);
                    }
                }
                Some(b'?') => self.skip_past(markup + 2, b">"),
                _ => {
                    if let Some((name, self_closing)) = self.tag(markup + 1, true) {
                        self.last_start = name;
                        let source = Span { start: markup, end: self.position };
                        return Some(Token::Start { name, source, self_closing });
                    }
                }
            }
        }
    }

    fn skip_past(&mut self, from: usize, needle: &[u8]) {
        self.position =
            memmem::find(self.rest(from), needle).map_or(self.input.len(), |at| from + at + needle.len());
    }

    /// Reads a comment, a CDATA section or the document type. `None` if it gives no token.
    fn declaration(&mut self, markup: usize, cdata: bool) -> Option<Token> {
        let rest = self.rest(markup + 2);
        if rest.starts_with(b"--") {
            self.skip_comment(markup + 4);
            return None;
        }
        if cdata && rest.starts_with(b"[CDATA[") {
            let start = markup + 9;
            self.skip_past(start, b"]]>");
            let closed =
                self.input.as_bytes().get(..self.position).is_some_and(|read| read.ends_with(b"]]>"));
            let end = if closed && self.position >= start + 3 { self.position - 3 } else { self.position };
            return (start < end).then_some(Token::Text { span: Span { start, end }, references: false });
        }
        let doctype = rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype"));
        let start = (markup + 9).min(self.input.len());
        self.skip_past(markup + 2, b">");
        let end = self.position.saturating_sub(1).max(start);
        doctype.then_some(Token::Doctype { span: Span { start, end } })
    }

    /// Moves past a comment whose text starts at `start`.
    fn skip_comment(&mut self, start: usize) {
        let rest = self.rest(start);
        if rest.starts_with(b">") || rest.starts_with(b"->") {
            self.position = start + if rest.starts_with(b">") { 1 } else { 2 };
            return;
        }
        let mut from = start;
        loop {
            match memmem::find(self.rest(from), b"--") {
                None => {
                    self.position = self.input.len();
                    return;
                }
                Some(offset) => {
                    let after = from + offset + 2;
                    match (self.byte(after), self.byte(after + 1)) {
                        (Some(b'>'), _) => {
                            self.position = after + 1;
                            return;
                        }
                        (Some(b'!'), Some(b'>')) => {
                            self.position = after + 2;
                            return;
                        }
                        _ if self.interrupt.spend(1) => {
                            self.position = self.input.len();
                            return;
                        }
                        _ => from = after - 1,
                    }
                }
            }
        }
    }

    /// Reads a tag whose name starts at `start`. `None` if the input ends inside the tag, which is then
    /// dropped.
    fn tag(&mut self, start: usize, keep_attributes: bool) -> Option<(Span, bool)> {
        let bytes = self.input.as_bytes();
        let delimiter = |byte: u8| is_space(byte) || byte == b'/' || byte == b'>';
        let mut at = start;
        while bytes.get(at).is_some_and(|byte| !delimiter(*byte)) {
            at += 1;
        }
        let name = Span { start, end: at };
        self.attributes.clear();
        loop {
            while bytes.get(at).is_some_and(|byte| is_space(*byte)) {
                at += 1;
            }
            match bytes.get(at) {
                None => {
                    self.position = self.input.len();
                    return None;
                }
                Some(b'>') => {
                    self.position = at + 1;
                    return Some((name, false));
                }
                Some(b'/') if bytes.get(at + 1) == Some(&b'>') => {
                    self.position = at + 2;
                    return Some((name, true));
                }
                Some(b'/') => at += 1,
                Some(_) if self.interrupt.spend(1) => {
                    self.position = self.input.len();
                    return None;
                }
                Some(_) => {
                    let (attribute, after) = self.attribute(at)?;
                    if keep_attributes && self.attributes.len() < MAX_ATTRIBUTES {
                        self.attributes.push(attribute);
                    }
                    at = after;
                }
            }
        }
    }

    /// Reads the attribute whose name starts at `start`, and returns its end. `None` if the input ends inside
    /// its value.
    fn attribute(&mut self, start: usize) -> Option<(RawAttribute, usize)> {
        let bytes = self.input.as_bytes();
        let mut at = start + 1; // a leading `=` belongs to the name
        while bytes.get(at).is_some_and(|byte| !is_space(*byte) && !matches!(byte, b'/' | b'>' | b'=')) {
            at += 1;
        }
        let name = Span { start, end: at };
        let mut after = at;
        while bytes.get(after).is_some_and(|byte| is_space(*byte)) {
            after += 1;
        }
        if bytes.get(after) != Some(&b'=') {
            return Some((RawAttribute { name, value: Span::default() }, at));
        }
        after += 1;
        while bytes.get(after).is_some_and(|byte| is_space(*byte)) {
            after += 1;
        }
        let (value, end) = match bytes.get(after) {
            Some(quote @ (b'"' | b'\'')) => {
                let Some(length) = memchr(*quote, self.rest(after + 1)) else {
                    self.position = self.input.len();
                    return None;
                };
                let end = after + 1 + length;
                (Span { start: after + 1, end }, end + 1)
            }
            _ => {
                let mut end = after;
                while bytes.get(end).is_some_and(|byte| !is_space(*byte) && *byte != b'>') {
                    end += 1;
                }
                (Span { start: after, end }, end)
            }
        };
        Some((RawAttribute { name, value }, end))
    }

    /// True if an end tag of the last start tag begins at `at`.
    fn is_end_tag_at(&self, at: usize) -> bool {
        let name = self.last_start.of(self.input).as_bytes();
        let rest = self.rest(at);
        rest.starts_with(b"</")
            && rest.get(2..2 + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
            && rest.get(2 + name.len()).is_none_or(|byte| is_space(*byte) || matches!(byte, b'/' | b'>'))
    }

    fn raw_end(&self, from: usize) -> usize {
        let mut at = from;
        while let Some(offset) = memchr(b'<', self.rest(at)) {
            at += offset;
            if self.is_end_tag_at(at) {
                return at;
            }
            if self.interrupt.spend(1) {
                break;
            }
            at += 1;
        }
        self.input.len()
    }

    /// The end of a script. After `<!--` a nested `<script>` and its end tag are part of it (HTML Standard,
    /// from 13.2.5.15).
    fn script_end(&self) -> usize {
        let mut at = self.position;
        let mut escaped = false;
        let mut nested = false;
        while let Some(offset) = memchr2(b'<', b'-', self.rest(at)) {
            if self.interrupt.spend(1) {
                break;
            }
            at += offset;
            let rest = self.rest(at);
            if escaped && rest.starts_with(b"-->") {
                (escaped, nested) = (false, false);
                at += 3;
            } else if !escaped && rest.starts_with(b"<!--") {
                // `<!-->` and `<!--->` close at once: the same dashes open and close.
                escaped = true;
                at += 2;
            } else if self.is_end_tag_at(at) {
                if !nested {
                    return at;
                }
                nested = false;
                at += 1;
            } else {
                let opens = escaped
                    && rest.get(1..7).is_some_and(|word| word.eq_ignore_ascii_case(b"script"))
                    && rest.first() == Some(&b'<')
                    && rest.get(7).is_some_and(|byte| is_space(*byte) || matches!(byte, b'/' | b'>'));
                nested |= opens;
                at += 1;
            }
        }
        self.input.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens in a short notation: text bare, tags with their attributes.
    fn shown(input: &str) -> Vec<String> {
        let mut tokenizer = Tokenizer::new(input);
        let mut shown = Vec::new();
        while let Some(token) = tokenizer.next(false) {
            shown.push(match token {
                Token::Text { span, .. } => span.of(input).to_owned(),
                Token::End { name } => format!("</{}>", name.of(input)),
                Token::Doctype { span } => format!("!{}", span.of(input)),
                Token::Start { name, self_closing, .. } => {
                    let attributes: String = tokenizer
                        .attributes()
                        .iter()
                        .map(|attribute| {
                            format!(" {}={}", attribute.name.of(input), attribute.value.of(input))
                        })
                        .collect();
                    let name = name.of(input).to_owned();
                    match name.as_str() {
                        "script" => tokenizer.set_content_model(ContentModel::Script),
                        "title" => tokenizer.set_content_model(ContentModel::Rcdata),
                        _ => {}
                    }
                    format!("<{name}{attributes}{}>", if self_closing { " /" } else { "" })
                }
            });
        }
        shown
    }

    #[test]
    fn tokens_follow_the_standard() {
        let rows: &[(&str, &[&str])] = &[
            ("a < b <c>d</c>", &["a < b ", "<c>", "d", "</c>"]),
            ("<a href=x/ b='y\">' c>", &["<a href=x/ b=y\"> c=>"]),
            ("<br/><br / >", &["<br />", "<br>"]),
            ("<p =x=1>", &["<p =x=1>"]),
            ("x<!-- - -- > -->y<!-->z<!--->w", &["x", "y", "z", "w"]),
            ("<!--a--!>b", &["b"]),
            ("<!DOCTYPE html>x", &["! html", "x"]),
            ("</ x>y</>z", &["y", "z"]),
            ("<?php echo ?>x", &["x"]),
            ("<title>a<b>&amp;</TITLE >c", &["<title>", "a<b>&amp;", "</TITLE>", "c"]),
            ("<script>if(a<b)</script>c", &["<script>", "if(a<b)", "</script>", "c"]),
            (
                "<script><!--<script></script>--></script>c",
                &["<script>", "<!--<script></script>-->", "</script>", "c"],
            ),
            ("<script><!--></script>c", &["<script>", "<!-->", "</script>", "c"]),
            ("a<b", &["a"]),
            ("a<b c=\"d", &["a"]),
            ("a</", &["a", "</"]),
        ];
        for (input, expected) in rows {
            assert_eq!(shown(input), *expected, "{input}");
        }
    }

    #[test]
    fn the_attributes_of_a_tag_are_bounded() {
        let input = format!("<a {}>x", "b ".repeat(10_000));
        let mut tokenizer = Tokenizer::new(&input);
        tokenizer.next(false);
        assert_eq!(tokenizer.attributes().len(), MAX_ATTRIBUTES);
        assert!(matches!(tokenizer.next(false), Some(Token::Text { .. })));
    }
}
