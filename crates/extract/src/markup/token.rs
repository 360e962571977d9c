//! Splits HTML into tags, text and raw elements.

use std::ops::Range;

use memchr::{memchr, memchr3, memmem};

/// A token of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// `<name attributes>`
    Start { name: &'a str, attributes: &'a str },
    /// `</name>`
    End { name: &'a str },
    /// Text with its references, and its range in the page.
    Text { raw: &'a str, span: Range<usize> },
    /// The raw content of a script, a style or a similar element.
    Raw { name: &'a str, attributes: &'a str, text: &'a str, span: Range<usize> },
}

/// Elements whose content is text up to their end tag.
const RAW: [&str; 7] = ["script", "style", "textarea", "title", "xmp", "iframe", "noframes"];

/// Splits a page into tags and text, following the HTML Standard, 13.2.5, as far as evidence needs it.
///
/// Every byte is read a bounded number of times: a comment, tag or script without an end takes the rest of
/// the page.
#[derive(Debug)]
pub(crate) struct Tokens<'a> {
    html: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(crate) const fn new(html: &'a str) -> Self {
        Self { html, at: 0 }
    }

    fn rest(&self) -> &'a str {
        self.html.get(self.at..).unwrap_or_default()
    }

    /// Continues after `needle`, or at the end of the page.
    fn skip_past(&mut self, needle: &str) {
        let rest = self.rest();
        self.at +=
            memmem::find(rest.as_bytes(), needle.as_bytes()).map_or(rest.len(), |at| at + needle.len());
    }

    /// The name and the attributes of a tag, from the position after its `<` or `</`.
    fn tag(&mut self) -> (&'a str, &'a str) {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let name_end =
            bytes.iter().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'));
        let name_end = name_end.unwrap_or(bytes.len());
        let mut at = name_end;
        // Quotes matter only after an equals sign.
        let mut value_next = false;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'>' => break,
                b'"' | b'\'' if value_next => {
                    let behind = bytes.get(at + 1..).unwrap_or_default();
                    at += memchr(*byte, behind).map_or(behind.len(), |length| length + 1);
                    value_next = false;
                }
                b'=' => value_next = true,
                byte if byte.is_ascii_whitespace() => {}
                _ => value_next = false,
            }
            at += 1;
        }
        let end = at.min(bytes.len());
        self.at += (end + 1).min(bytes.len());
        (rest.get(..name_end).unwrap_or_default(), rest.get(name_end..end).unwrap_or_default())
    }

    /// Text up to the end tag of `name`, which is not consumed.
    fn raw_text(&mut self, name: &str) -> (&'a str, Range<usize>) {
        let start = self.at;
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let mut from = 0;
        let length = loop {
            let Some(found) = memmem::find(bytes.get(from..).unwrap_or_default(), b"</") else {
                break bytes.len();
            };
            let at = from + found;
            let behind = bytes.get(at + 2..at + 2 + name.len()).unwrap_or_default();
            if behind.eq_ignore_ascii_case(name.as_bytes()) {
                break at;
            }
            from = at + 2;
        };
        self.at += length;
        (rest.get(..length).unwrap_or_default(), start..start + length)
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let rest = self.rest();
            let bytes = rest.as_bytes();
            match (bytes.first()?, bytes.get(1)) {
                (b'<', Some(b'!')) if rest.starts_with("<!--") => {
                    self.at += 4;
                    self.skip_past("-->");
                }
                (b'<', Some(b'!' | b'?')) => self.skip_past(">"),
                (b'<', Some(b'/')) if bytes.get(2).is_some_and(u8::is_ascii_alphabetic) => {
                    self.at += 2;
                    let (name, _) = self.tag();
                    return Some(Token::End { name });
                }
                (b'<', Some(b'/')) => self.skip_past(">"),
                (b'<', Some(byte)) if byte.is_ascii_alphabetic() => {
                    self.at += 1;
                    let (name, attributes) = self.tag();
                    if RAW.iter().any(|raw| raw.eq_ignore_ascii_case(name)) {
                        let (text, span) = self.raw_text(name);
                        return Some(Token::Raw { name, attributes, text, span });
                    }
                    return Some(Token::Start { name, attributes });
                }
                _ => {
                    // Text: up to the next `<` that starts a tag, a comment or a declaration.
                    let mut length = 1;
                    while let Some(found) = memchr(b'<', bytes.get(length..).unwrap_or_default()) {
                        length += found;
                        let next = bytes.get(length + 1);
                        if next.is_some_and(|byte| {
                            byte.is_ascii_alphabetic() || memchr3(b'/', b'!', b'?', &[*byte]).is_some()
                        }) {
                            break;
                        }
                        length += 1;
                    }
                    let begins = |at: usize| bytes.get(at) == Some(&b'<') && at < bytes.len();
                    let length = if begins(length) { length } else { bytes.len() };
                    let start = self.at;
                    self.at += length;
                    let raw = rest.get(..length).unwrap_or_default();
                    return Some(Token::Text { raw, span: start..start + length });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str) -> Vec<String> {
        Tokens::new(html)
            .map(|token| match token {
                Token::Start { name, attributes } => format!("<{name}{attributes}>"),
                Token::End { name } => format!("</{name}>"),
                Token::Text { raw, .. } => raw.to_owned(),
                Token::Raw { name, text, .. } => format!("[{name}:{text}]"),
            })
            .collect()
    }

    #[test]
    fn tags_and_text_are_separated() {
        let rows: [(&str, &[&str]); 8] = [
            ("a<b x='>'>c</b>", &["a", "<b x='>'>", "c", "</b>"]),
            ("1 < 2 <b>", &["1 < 2 ", "<b>"]),
            ("<!-- <a> --><p>", &["<p>"]),
            ("<script>if(a</b)</script>x", &["[script:if(a</b)]", "</script>", "x"]),
            ("<!doctype html><br/>", &["<br/>"]),
            ("<a href=\"x", &["<a href=\"x>"]),
            ("<!-- open", &[]),
            ("a<", &["a<"]),
        ];
        for (html, expected) in rows {
            assert_eq!(read(html), expected, "{html}");
        }
    }

    #[test]
    fn spans_are_ranges_of_the_page() {
        let html = "<p>one</p><script>two</script>";
        let spans: Vec<_> = Tokens::new(html)
            .filter_map(|token| match token {
                Token::Text { span, .. } | Token::Raw { span, .. } => html.get(span),
                _ => None,
            })
            .collect();
        assert_eq!(spans, ["one", "two"]);
    }
}
