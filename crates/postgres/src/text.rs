//! Text for columns of PostgreSQL.

use std::borrow::Cow;

/// The text without NUL, which a column of text cannot hold.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{fffd}")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_nul_is_replaced() {
        assert_eq!(clean("a\0b\n"), "a\u{fffd}b\n");
        assert!(matches!(clean("a\u{1}"), Cow::Borrowed(_)));
    }
}
