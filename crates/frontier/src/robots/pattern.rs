//! Patterns of `Allow` and `Disallow` (RFC 9309, sections 2.2.2 and 2.2.3).

use std::borrow::Cow;

use memchr::memmem;

use super::MAX_ROBOTS_STEPS;
use crate::percent::{is_normalised, push_normalised};

/// One rule. The pattern is stored as text with normalized percent-encoding. `*` matches anything, and a `$`
/// at the end matches the end; a literal `*` or `$` is written `%2A` or `%24`, in patterns and in paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) allow: bool,
    /// The number of its line, from 1.
    pub(super) line: u32,
    pattern: Box<str>,
}

impl Rule {
    /// `None` for a pattern that matches nothing: it is empty, or starts with neither `/` nor `*`.
    pub(super) fn new(allow: bool, value: &str, line: u32) -> Option<Self> {
        if !value.starts_with(['/', '*']) {
            return None;
        }
        let (body, end) = match value.strip_suffix('$') {
            Some(body) => (body, "$"),
            None => (value, ""),
        };
        let mut pattern = String::with_capacity(value.len());
        push_normalised(&mut pattern, body.as_bytes(), |byte| byte == b'$');
        pattern.push_str(end);
        Some(Self { allow, line, pattern: pattern.into() })
    }

    /// Whether both decide the same for every URL.
    pub(super) fn equals(&self, other: &Self) -> bool {
        (self.allow, &self.pattern) == (other.allow, &other.pattern)
    }

    pub(super) fn pattern(&self) -> &str {
        &self.pattern
    }

    /// The length that decides between several matching rules.
    pub(super) fn length(&self) -> usize {
        self.pattern.len()
    }

    /// True if the pattern matches a prefix of `path`, or all of `path` with `$`.
    ///
    /// The pieces between wildcards are searched in order, each at its first position after the previous one:
    /// if any placement matches, this one does. Nothing is scanned twice. `steps` is increased; beyond
    /// [`MAX_ROBOTS_STEPS`] the search stops and the result is meaningless.
    pub(super) fn matches(&self, path: &str, steps: &mut usize) -> bool {
        *steps += 1;
        let (body, to_end) = match self.pattern.strip_suffix('$') {
            Some(body) => (body, true),
            None => (&*self.pattern, false),
        };
        let mut pieces = body.split('*');
        let first = pieces.next().unwrap_or_default();
        let Some(mut rest) = path.strip_prefix(first) else { return false };
        let Some(last) = pieces.next_back() else { return !to_end || rest.is_empty() };
        for piece in pieces {
            match after_match(rest, piece, steps) {
                Some(found) => rest = found,
                None => return false,
            }
        }
        if to_end {
            rest.strip_suffix(last).is_some_and(|before| is_boundary(rest, before.len()))
        } else {
            after_match(rest, last, steps).is_some()
        }
    }
}

/// The text after the first `piece` in `text`.
fn after_match<'a>(text: &'a str, piece: &str, steps: &mut usize) -> Option<&'a str> {
    /// The fixed cost of a search, in steps.
    const SEARCH: usize = 16;
    *steps += SEARCH + piece.len();
    let finder = memmem::Finder::new(piece);
    let mut from = 0;
    while *steps <= MAX_ROBOTS_STEPS {
        let rest = text.as_bytes().get(from..)?;
        let found = finder.find(rest);
        *steps += SEARCH + found.unwrap_or(rest.len()) / 4;
        let at = from + found?;
        if is_boundary(text, at) {
            return text.get(at + piece.len()..);
        }
        from = at + 1;
    }
    None
}

/// False inside an escape. An escape is one octet (RFC 9309, section 2.2.2), so neither the `2` nor the `A`
/// of `%2A` is a character of the path. In normalized text every `%` begins an escape.
fn is_boundary(text: &str, at: usize) -> bool {
    let (before, _) = text.as_bytes().split_at_checked(at).unwrap_or_default();
    !matches!(before, [.., b'%'] | [.., b'%', _])
}

/// Path and query of a URL, normalized as patterns are.
pub(super) fn normalised_path(text: &str) -> Cow<'_, str> {
    let literal = |byte: u8| matches!(byte, b'*' | b'$');
    if is_normalised(text.as_bytes()) && !text.bytes().any(literal) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    push_normalised(&mut out, text.as_bytes(), literal);
    Cow::Owned(out)
}
