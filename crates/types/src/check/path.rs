//! The location of a value in a body, during a check.

use std::fmt;

use crate::FaultPath;
use crate::quote::shorten;

/// A location in a body, as a linked list on the stack. It is only converted to a [`FaultPath`] for a fault.
#[derive(Clone, Copy)]
pub(crate) enum Path<'a> {
    Root,
    Key(&'a Self, &'a str),
    Index(&'a Self, usize),
}

impl<'a> Path<'a> {
    pub(crate) const fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key)
    }

    pub(crate) const fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index)
    }

    /// The path in backquotes, as the beginning of a message; "the body" for the root.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Root => "the body".to_owned(),
            _ => format!("`{self}`"),
        }
    }

    /// The path as an owned value. The recursion depth is limited by the shape of a request, not by its body.
    pub(crate) fn parts(&self) -> FaultPath {
        match self {
            Self::Root => FaultPath::default(),
            Self::Key(parent, key) => parent.parts().then(shorten(key).as_str()),
            Self::Index(parent, index) => parent.parts().then(*index),
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_json_paths() {
        let formats = Path::Root.key("formats");
        let quality = formats.index(1);
        assert_eq!(quality.key("quality").name(), "`formats[1].quality`");
        assert_eq!(Path::Root.key("a b").name(), "`[\"a b\"]`");
        assert_eq!(Path::Root.name(), "the body");
        let long = "x".repeat(1_000);
        assert!(Path::Root.key(&long).name().chars().count() < 100);
    }
}
