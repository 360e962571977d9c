//! Recognizes the kind of a body, and converts kinds other than HTML to Markdown or HTML.

pub(crate) mod delimited;
pub(crate) mod feed;
pub(crate) mod feed_page;
mod front_matter;
mod head;
mod json;
pub(crate) mod json_feed;
pub(crate) mod markdown;
pub(crate) mod notebook;
#[cfg(feature = "pdf")]
pub(crate) mod pdf;
pub(crate) mod rtf;
mod sniff;
pub(crate) mod xhtml;

pub(crate) use head::Head;
pub(crate) use sniff::{Body, sniff};

use crate::markdown_fence;

/// A body of text as a fenced code block. `language` may be empty.
pub(crate) fn fenced(text: &str, language: &str) -> String {
    let text = with_line_ends(text);
    let text = text.trim_matches('\n');
    let fence = markdown_fence(text, language);
    format!("{fence}{language}\n{text}{}{fence}", if text.is_empty() { "" } else { "\n" })
}

/// A text whose lines end with line feeds, without other control characters. A form feed ends a page, and so
/// a line; old programs end lines with carriage returns alone.
fn with_line_ends(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' | '\u{85}' => out.push('\n'),
            // Most pages end after a line end of their own.
            '\u{b}' | '\u{c}' if out.is_empty() || out.ends_with('\n') => {}
            '\u{b}' | '\u{c}' => out.push('\n'),
            '\n' | '\t' => out.push(c),
            _ if c.is_control() => {}
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_those_inside() {
        assert_eq!(fenced("{\"a\": 1}\n", "json"), "```json\n{\"a\": 1}\n```");
        assert_eq!(fenced("```\nx\n```", ""), "````\n```\nx\n```\n````");
        assert_eq!(fenced("a\u{1b}[31mb", ""), "```\na[31mb\n```");
    }

    #[test]
    fn lines_and_pages_stay_apart() {
        for (text, expected) in [
            ("one\u{c}two", "one\ntwo"),
            ("one\n\u{c}\ntwo", "one\n\ntwo"),
            ("one\u{c}\r\ntwo", "one\n\ntwo"),
            ("one\rtwo\r\nthree", "one\ntwo\nthree"),
            ("one\u{b}two\u{85}three", "one\ntwo\nthree"),
        ] {
            assert_eq!(fenced(text, ""), format!("```\n{expected}\n```"), "{text:?}");
        }
    }
}
