//! Splits the text of a tag into attributes.

use memchr::memchr;

use super::MAX_ATTRIBUTES;

/// The attributes of a tag.
#[derive(Debug, Clone)]
pub(super) struct Attributes<'a> {
    rest: &'a str,
    left: usize,
}

impl<'a> Attributes<'a> {
    /// `raw` is the text of a tag after its name.
    pub(super) const fn new(raw: &'a str) -> Self {
        Self { rest: raw, left: MAX_ATTRIBUTES }
    }
}

impl<'a> Iterator for Attributes<'a> {
    /// Name and value, both as written.
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let blank = |found: u8| found.is_ascii_whitespace() || found == b'/';
        let start = self.rest.bytes().position(|found| !blank(found))?;
        let text = self.rest.get(start..)?;
        // A leading equals sign belongs to the name.
        let is_end = |found: u8| found == b'=' || blank(found);
        let end = text.bytes().skip(1).position(is_end).map_or(text.len(), |at| at + 1);
        let (name, after) = text.split_at_checked(end)?;
        let Some(value) = after.trim_start().strip_prefix('=') else {
            self.rest = after;
            return Some((name, ""));
        };
        let value = value.trim_start();
        let quote = value.bytes().next().filter(|byte| matches!(byte, b'"' | b'\''));
        let (found, rest) = if let Some(quote) = quote {
            let inner = value.get(1..)?;
            let end = memchr(quote, inner.as_bytes()).unwrap_or(inner.len());
            (inner.get(..end)?, inner.get(end + 1..).unwrap_or_default())
        } else {
            let end = value.bytes().position(|found| found.is_ascii_whitespace()).unwrap_or(value.len());
            value.split_at_checked(end)?
        };
        self.rest = rest;
        Some((name, found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_parsed_as_in_browsers() {
        let found: Vec<_> = Attributes::new(r#" a=1 b = "x y" c='&amp;' d e="" /f=/g/ "#).collect();
        assert_eq!(found, [("a", "1"), ("b", "x y"), ("c", "&amp;"), ("d", ""), ("e", ""), ("f", "/g/")]);
        assert_eq!(Attributes::new("a=\"open").collect::<Vec<_>>(), [("a", "open")]);
        assert_eq!(Attributes::new(&"x ".repeat(100_000)).count(), MAX_ATTRIBUTES);
    }
}
