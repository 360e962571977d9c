//! Parses selectors with the `selectors` crate.

use std::fmt;

use cssparser::{ParseError, ToCss};
use html5ever::{LocalName, Namespace};
use memchr::memmem;
use precomputed_hash::PrecomputedHash;
use selectors::SelectorImpl;
use selectors::parser::{ParseRelative, SelectorList, SelectorParseErrorKind};

use crate::error::{Error, ErrorKind};

/// Upper bound on the length of a selector, in bytes.
pub const MAX_SELECTOR_BYTES: usize = 2_000;

/// Upper bound on nested brackets in a selector. The parser reads their content once for each level.
const MAX_NESTING: usize = 16;

/// The selector implementation of requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Css;

/// A string in a selector.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CssString(String);

impl From<&str> for CssString {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl AsRef<str> for CssString {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl ToCss for CssString {
    fn to_css<W: fmt::Write>(&self, out: &mut W) -> fmt::Result {
        cssparser::serialize_string(&self.0, out)
    }
}

/// A name in a selector.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CssName(LocalName);

impl CssName {
    pub(super) fn text(&self) -> &str {
        &self.0
    }
}

impl From<&str> for CssName {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl ToCss for CssName {
    fn to_css<W: fmt::Write>(&self, out: &mut W) -> fmt::Result {
        cssparser::serialize_identifier(&self.0, out)
    }
}

impl PrecomputedHash for CssName {
    fn precomputed_hash(&self) -> u32 {
        self.0.precomputed_hash()
    }
}

/// Pseudo-classes and pseudo-elements that need a browser: none is supported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoPseudo {}

impl ToCss for NoPseudo {
    fn to_css<W: fmt::Write>(&self, _: &mut W) -> fmt::Result {
        match *self {}
    }
}

impl selectors::parser::NonTSPseudoClass for NoPseudo {
    fn is_active_or_hover(&self) -> bool {
        match *self {}
    }

    fn is_user_action_state(&self) -> bool {
        match *self {}
    }
}

impl selectors::parser::PseudoElement for NoPseudo {}

impl SelectorImpl for Css {
    type ExtraMatchingData<'a> = ();
    type AttrValue = CssString;
    type Identifier = CssName;
    type LocalName = CssName;
    type NamespaceUrl = Namespace;
    type NamespacePrefix = CssName;
    type BorrowedNamespaceUrl = Namespace;
    type BorrowedLocalName = CssName;
    type NonTSPseudoClass = NoPseudo;
    type PseudoElement = NoPseudo;
}

struct CssParser;

impl<'i> selectors::Parser<'i> for CssParser {
    type Impl = Css;
    type Error = SelectorParseErrorKind;

    fn parse_is_and_where(&self) -> bool {
        true
    }

    fn parse_has(&self) -> bool {
        true
    }

    fn parse_nth_child_of(&self) -> bool {
        true
    }
}

/// Parses a selector, which may be a comma-separated list.
pub(super) fn parse(selector: &str) -> Result<SelectorList<Css>, Error> {
    let refused = |reason: String| {
        Error::from(ErrorKind::InvalidSelector { selector: selector.chars().take(200).collect(), reason })
    };
    if selector.len() > MAX_SELECTOR_BYTES {
        return Err(refused(format!(
            "it has {} bytes, at most {MAX_SELECTOR_BYTES} are allowed",
            selector.len()
        )));
    }
    if nesting(selector) > MAX_NESTING {
        return Err(refused(format!("its brackets are nested more than {MAX_NESTING} levels deep")));
    }
    let mut parser = cssparser::Parser::new(selector);
    SelectorList::parse(&CssParser, &mut parser, ParseRelative::No).map_err(|error| {
        let at = parser.position().byte_index();
        refused(reason(&error, selector, at))
    })
}

/// The depth of nested brackets, without those in strings and comments.
fn nesting(selector: &str) -> usize {
    let (mut depth, mut most) = (0_usize, 0);
    let mut rest = selector.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'\\' => rest = rest.get(1..).unwrap_or_default(),
            b'/' if rest.first() == Some(&b'*') => {
                let comment = memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2);
                rest = rest.get(comment..).unwrap_or_default();
            }
            b'"' | b'\'' => rest = after_string(rest, *byte),
            b'(' | b'[' | b'{' => {
                depth += 1;
                most = most.max(depth);
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// The rest after a string whose opening quote was read. A newline ends the string too.
fn after_string(mut rest: &[u8], quote: u8) -> &[u8] {
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'\\' => rest = rest.get(1..).unwrap_or_default(),
            b'\n' | b'\r' | b'\x0C' => break,
            byte if *byte == quote => break,
            _ => {}
        }
    }
    rest
}

fn reason(error: &ParseError<SelectorParseErrorKind>, selector: &str, at: usize) -> String {
    match &error.kind {
        _ if selector.trim().is_empty() => "it is empty".to_owned(),
        cssparser::ParseErrorKind::Custom(SelectorParseErrorKind::UnsupportedPseudoClassOrElement) => {
            "it holds a pseudo-class or pseudo-element that needs a browser".to_owned()
        }
        _ => match selector.get(..at) {
            Some("") => "it does not begin like one".to_owned(),
            Some(read) if at < selector.len() => format!("it cannot be parsed after `{read}`"),
            _ => "it ends too early, or its end cannot be parsed".to_owned(),
        },
    }
}
