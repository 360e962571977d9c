//! Recognizes the kind of a body, and converts kinds other than HTML to Markdown or HTML.

pub(crate) mod delimited;
pub(crate) mod feed;
pub(crate) mod feed_page;
pub(crate) mod markdown;
#[cfg(feature = "pdf")]
pub(crate) mod pdf;
mod sniff;

pub(crate) use sniff::{Body, sniff};

use crate::markdown_fence;

/// A body of text as a fenced code block. `language` may be empty.
pub(crate) fn fenced(text: &str, language: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    let text = text.trim_matches('\n');
    let fence = markdown_fence(text, language);
    format!("{fence}{language}\n{text}{}{fence}", if text.is_empty() { "" } else { "\n" })
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
}
