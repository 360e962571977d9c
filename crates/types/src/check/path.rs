use std::fmt;

use super::text::shorten;

/// Where in a body something stands, as a list that grows on the stack. It becomes text only where there is a fault.
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

    /// The path in backquotes, to begin a message with; "the body" for the root.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Root => "the body".to_owned(),
            _ => format!("`{self}`"),
        }
    }
}

/// Recursion is as deep as the shape of a request, not as its body.
impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Key(parent, key) => {
                parent.fmt(f)?;
                if !is_plain(key) {
                    return write!(f, "[{:?}]", shorten(key));
                }
                if !matches!(parent, Self::Root) {
                    f.write_str(".")?;
                }
                f.write_str(key)
            }
            Self::Index(parent, index) => {
                parent.fmt(f)?;
                write!(f, "[{index}]")
            }
        }
    }
}

fn is_plain(key: &str) -> bool {
    !key.is_empty()
        && key.len() <= super::text::MAX_ECHO_CHARS
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'$' | b'@'))
}

/// Is what `path` points to the same as, or a part of, what `outer` points to?
pub(crate) fn is_within(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer)
        .is_some_and(|rest| outer.is_empty() || rest.is_empty() || rest.starts_with(['.', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_as_json_paths() {
        let formats = Path::Root.key("formats");
        let quality = formats.index(1);
        assert_eq!(quality.key("quality").to_string(), "formats[1].quality");
        assert_eq!(Path::Root.key("a b").to_string(), "[\"a b\"]");
        assert_eq!(Path::Root.name(), "the body");
    }

    #[test]
    fn within_respects_whole_names() {
        assert!(is_within("a.b", "a"));
        assert!(is_within("a[0]", "a"));
        assert!(is_within("a", "a"));
        assert!(is_within("a", ""));
        assert!(!is_within("ab", "a"));
        assert!(!is_within("a", "a.b"));
    }
}
