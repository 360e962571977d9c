//! The tags and texts of an XML document, as far as metadata and forms need them. Damaged documents are read
//! as far as possible; nothing is fetched, and no entity but the predefined ones is expanded.

/// A part of a document.
#[derive(Debug, PartialEq)]
pub(super) enum Event<'x> {
    /// The name of an element without its prefix, its attributes as they are written, and whether it ends
    /// there.
    Open(&'x str, &'x str, bool),
    Text(String),
    /// The name of an element without its prefix.
    Close(&'x str),
}

/// The parts of a document, in their order. Comments and declarations are left out.
pub(super) struct Events<'x> {
    rest: &'x str,
}

impl<'x> Events<'x> {
    pub(super) const fn of(document: &'x str) -> Self {
        Self { rest: document }
    }

    /// The text before this end, which is skipped.
    fn up_to(&mut self, end: &str) -> &'x str {
        let (text, rest) = self.rest.split_once(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        text
    }

    fn tag(&mut self) -> Event<'x> {
        let mut quote = None;
        let end = self.rest.bytes().position(|byte| match quote {
            Some(open) => {
                if byte == open {
                    quote = None;
                }
                false
            }
            None if byte == b'"' || byte == b'\'' => {
                quote = Some(byte);
                false
            }
            None => byte == b'>',
        });
        let end = end.unwrap_or(self.rest.len());
        let tag = self.rest.get(..end).unwrap_or_default();
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        if let Some(name) = tag.strip_prefix('/') {
            return Event::Close(local(name.trim()));
        }
        let whole = tag.strip_suffix('/');
        let inner = whole.unwrap_or(tag);
        let (name, attributes) = inner.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((inner, ""));
        Event::Open(local(name), attributes, whole.is_some())
    }
}

impl<'x> Iterator for Events<'x> {
    type Item = Event<'x>;

    fn next(&mut self) -> Option<Event<'x>> {
        while !self.rest.is_empty() {
            if let Some(rest) = self.rest.strip_prefix("<![CDATA[") {
                self.rest = rest;
                return Some(Event::Text(self.up_to("]]>").to_owned()));
            }
            let skipped = [("<!--", "-->"), ("<?", "?>"), ("<!", ">")];
            if let Some((_, end)) = skipped.iter().find(|(start, _)| self.rest.starts_with(*start)) {
                self.up_to(end);
                continue;
            }
            if let Some(rest) = self.rest.strip_prefix('<') {
                self.rest = rest;
                return Some(self.tag());
            }
            let end = self.rest.find('<').unwrap_or(self.rest.len());
            let (text, rest) = self.rest.split_at(end);
            self.rest = rest;
            return Some(Event::Text(unescaped(text)));
        }
        None
    }
}

/// The name without its prefix.
fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, name)| name)
}

/// The names of attributes without their prefixes, and their values.
pub(super) fn attributes(attributes: &str) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    let mut rest = attributes;
    while let Some((name, behind)) = rest.split_once('=') {
        let behind = behind.trim_start();
        let Some(quote) = behind.chars().next().filter(|quote| matches!(quote, '"' | '\'')) else { break };
        let inner = behind.get(1..).unwrap_or_default();
        let Some((value, behind)) = inner.split_once(quote) else { break };
        found.push((local(name.trim()), unescaped(value)));
        rest = behind;
    }
    found
}

/// A text with its references replaced; unknown ones stay.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        out.push_str(before);
        let end = behind.bytes().take(12).position(|byte| byte == b';');
        let reference = end.and_then(|end| behind.get(..end)).and_then(character);
        match (reference, end) {
            (Some(c), Some(end)) => {
                out.push(c);
                rest = behind.get(end + 1..).unwrap_or_default();
            }
            _ => {
                out.push('&');
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
}

fn character(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}

/// The text of a document, in UTF-16 with a byte order mark or in UTF-8.
pub(super) fn decoded(bytes: &[u8]) -> String {
    let units = |read: fn([u8; 2]) -> u16| -> String {
        let pairs = bytes.chunks_exact(2).skip(1).filter_map(|pair| pair.try_into().ok());
        char::decode_utf16(pairs.map(read)).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes {
        [0xFE, 0xFF, ..] => units(u16::from_be_bytes),
        [0xFF, 0xFE, ..] => units(u16::from_le_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_texts_are_read_in_their_order() {
        let document = "<?xml?><!-- <a> --><x:a b='1>2' c:d=\"&quot;\">R&amp;D &#x41;&#66; &odd;\
                        <![CDATA[<&amp;>]]><e/></x:a><cut";
        let events: Vec<Event<'_>> = Events::of(document).collect();
        assert_eq!(
            events,
            [
                Event::Open("a", "b='1>2' c:d=\"&quot;\"", false),
                Event::Text("R&D AB &odd;".to_owned()),
                Event::Text("<&amp;>".to_owned()),
                Event::Open("e", "", true),
                Event::Close("a"),
                Event::Open("cut", "", false),
            ]
        );
        assert_eq!(
            attributes("b='1>2' c:d=\"&quot;\" e=x"),
            [("b", "1>2".to_owned()), ("d", "\"".to_owned())]
        );
    }

    #[test]
    fn documents_may_be_in_utf_16() {
        assert_eq!(decoded(b"\xFE\xFF\0<\0a\0>"), "<a>");
        assert_eq!(decoded(b"\xFF\xFE<\0a\0>\0"), "<a>");
        assert_eq!(decoded("<ä>".as_bytes()), "<ä>");
    }
}
