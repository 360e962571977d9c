//! What authors call an element: its class and its id, read within a bound.
//!
//! An attribute may be megabytes long and stand around any number of elements that each ask for it; formatting elements
//! that nobody closes are repeated in every block with their attributes. So whoever reads the names of what is around an
//! element reads no more than the bounds here, and names that mean something are short and stand early. Selectors are the
//! caller's own words and are matched against more of a class.

use crate::tree::{Attr, NodeId, Tree};

/// So many bytes of a class or an id are looked at.
pub(crate) const MAX_NAME_BYTES: usize = 512;

/// So many words of a class are looked at.
const MAX_CLASSES: usize = 48;

/// The part of a value that is looked at.
pub(crate) fn start(value: &str) -> &str {
    start_of(value, MAX_NAME_BYTES)
}

/// The first bytes of a value, whole characters.
pub(crate) fn start_of(value: &str, bytes: usize) -> &str {
    let mut end = value.len().min(bytes);
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    value.get(..end).unwrap_or_default()
}

/// The class of an element as it is written, as far as it is looked at; empty where there is none.
pub(crate) fn class(tree: &Tree, node: NodeId) -> &str {
    start(tree.attribute(node, Attr::Class).unwrap_or_default())
}

/// The words of a class, as far as they are looked at.
pub(crate) fn words(class: &str) -> impl Iterator<Item = &str> + Clone {
    start(class).split_ascii_whitespace().take(MAX_CLASSES)
}

/// Is one of the words in the class of an element?
pub(crate) fn has_class(tree: &Tree, node: NodeId, wanted: &[&str]) -> bool {
    words(class(tree, node)).any(|word| wanted.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, Tag, parse};

    #[test]
    fn names_are_read_within_a_bound() {
        let rows = [
            ("none", String::new(), false),
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
