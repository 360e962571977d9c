//! The names that authors give an element (its class and id), read within a bound.
//!
//! An attribute may be megabytes long, and every descendant may read it again. The parser also repeats
//! unclosed formatting elements, with their attributes, in every block. So code that reads the names of
//! ancestors reads at most the prefix defined here; meaningful names are short and come first. Selectors come
//! from the caller and match against more of a class.

use crate::tree::{Attr, NodeId, Tree};

/// Upper bound on the bytes of a class or id that are read.
pub(crate) const MAX_NAME_BYTES: usize = 512;

/// Upper bound on the words of a class that are read.
const MAX_CLASSES: usize = 48;

/// The part of a class or id that is read.
pub(crate) fn prefix(value: &str) -> &str {
    truncate(value, MAX_NAME_BYTES)
}

/// The longest prefix of a value with at most `bytes` bytes.
pub(crate) fn truncate(value: &str, bytes: usize) -> &str {
    let mut end = value.len().min(bytes);
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    value.get(..end).unwrap_or_default()
}

/// The class attribute of an element, cut to [`MAX_NAME_BYTES`]; empty without one.
pub(crate) fn class(tree: &Tree, node: NodeId) -> &str {
    prefix(tree.attribute(node, Attr::Class).unwrap_or_default())
}

/// The words of a class, at most [`MAX_CLASSES`].
pub(crate) fn class_words(class: &str) -> impl Iterator<Item = &str> + Clone {
    prefix(class).split_ascii_whitespace().take(MAX_CLASSES)
}

/// True if the class of an element has one of the words.
pub(crate) fn has_class(tree: &Tree, node: NodeId, wanted: &[&str]) -> bool {
    class_words(class(tree, node)).any(|word| wanted.contains(&word))
}

/// True if a word of an element's class hides it from view but not from screen readers, as frameworks name
/// it.
pub(crate) fn is_visually_hidden(tree: &Tree, node: NodeId) -> bool {
    class_words(class(tree, node)).any(|word| {
        matches!(
            word,
            "sr-text"
                | "hidden-visually"
                | "a11y-hidden"
                | "show-for-sr"
                | "element-invisible"
                | "assistive-text"
                | "screen-reader-text"
                | "screen-reader-only"
                | "screenreader-only"
                | "screenreader"
                | "p-hidden-accessible"
                | "offscreen"
                | "off-screen"
                | "visuallyhidden"
                | "visuallyHidden"
                | "u-hiddenVisually"
        ) || word.ends_with("sr-only")
            || word.ends_with("visually-hidden")
            || word.starts_with("VisuallyHidden")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, Tag, parse};

    #[test]
    fn names_are_read_within_a_bound() {
        let rows = [
            ("no class", String::new(), false),
            ("first", "wanted other".to_owned(), true),
            ("among white space", " other\n\twanted ".to_owned(), true),
            ("only a part", "wanted-not".to_owned(), false),
            ("after many words", format!("{}wanted", "a ".repeat(MAX_CLASSES)), false),
            ("after many bytes", format!("{} wanted", "a".repeat(MAX_NAME_BYTES)), false),
            ("cut within a character", "é ".repeat(MAX_NAME_BYTES), false),
            ("before all of it", format!("wanted {}", "é ".repeat(MAX_NAME_BYTES)), true),
        ];
        for (name, class, expected) in rows {
            let tree = parse(&format!("<p class='{class}'>x"), ParseOptions::default());
            let node = tree.find(Tag::P).unwrap();
            assert_eq!(has_class(&tree, node, &["wanted"]), expected, "{name}");
        }
    }
}
