//! Which tags of a page link to another, and which tell how links are read.
//!
//! The parser of the tree and the pass without a tree give their tags here, so that the links of a page are
//! the same whatever formats are requested. The limits of the tree lose no link: a tag counts even if the
//! tree has no place for its element.

use std::borrow::Cow;

use super::attribute::is_shadow_mode;
use super::reference::decode;
use super::tokenizer::RawAttribute;

/// Upper bound on the tags that are marked: a page may repeat each of [`MAX_LINKS`](crate::MAX_LINKS) links
/// five times.
const MAX_MARKS: usize = 500_000;

/// Upper bound on the drawings, formulas and their texts that are open inside each other. Deeper ones count
/// as their parents.
const MAX_SPACES: usize = 64;

/// The length of the longest tag name with a meaning here.
pub(crate) const LONGEST_NAME: usize = 13;

/// The attributes of a start tag.
#[derive(Clone, Copy)]
pub(crate) struct Attributes<'t, 'a> {
    pub(crate) text: &'t str,
    pub(crate) raw: &'a [RawAttribute],
}

impl<'t> Attributes<'t, '_> {
    /// The first of this name, references decoded.
    pub(crate) fn get(&self, wanted: &str) -> Option<Cow<'t, str>> {
        let found = self.raw.iter().find(|attribute| attribute.name.is(self.text, wanted));
        found.map(|attribute| decode(attribute.value.of(self.text), true))
    }

    fn has(&self, wanted: &str) -> bool {
        self.raw.iter().any(|attribute| attribute.name.is(self.text, wanted))
    }
}

/// Finds the tags with links among the tags of a page.
#[derive(Debug, Default)]
pub(crate) struct LinkTags {
    /// The places of tags with links, which [`links::collect`](crate::page::links::collect) reads.
    marks: Vec<u32>,
    base: Option<String>,
    /// Open templates whose content is not part of the page.
    templates: u32,
    spaces: Vec<Space>,
}

/// The language that tags belong to (HTML Standard, 13.2.6.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Space {
    Svg,
    Math,
    /// HTML inside the element of this place in [`INTEGRATION_POINTS`].
    Html(usize),
}

/// Elements of SVG and MathML whose content is HTML.
const INTEGRATION_POINTS: [&[u8]; 8] =
    [b"foreignobject", b"desc", b"title", b"mi", b"mo", b"mn", b"ms", b"mtext"];

/// The first of [`INTEGRATION_POINTS`] of MathML.
const FIRST_OF_MATH: usize = 3;

/// Tags that end a drawing or a formula, because only HTML has them.
const BREAKOUTS: &str = "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr \
    i img li listing menu meta nobr ol p pre ruby s small span strike strong sub sup table tt u ul var";

fn is_breakout(name: &[u8]) -> bool {
    BREAKOUTS.split(' ').any(|known| known.as_bytes() == name)
}

impl LinkTags {
    /// Reads the start tag at a place of the text; its name is in lower case.
    pub(crate) fn start(
        &mut self,
        name: &[u8],
        at: usize,
        self_closing: bool,
        attributes: Attributes<'_, '_>,
    ) {
        self.enter(name, self_closing);
        let in_svg = self.spaces.last() == Some(&Space::Svg);
        let has_link = match name {
            b"template" => {
                // The content of a declarative shadow tree is shown.
                let is_shown = attributes.get("shadowrootmode").is_some_and(|mode| is_shadow_mode(&mode));
                self.templates += u32::from(self.templates > 0 || !is_shown);
                false
            }
            _ if self.templates > 0 => false,
            b"a" if in_svg => attributes.has("href") || attributes.has("xlink:href"),
            _ if self.is_foreign() => false,
            b"a" | b"area" => attributes.has("href"),
            // A browser shows the document in `srcdoc` in place of the other.
            b"iframe" => attributes.has("src") && !attributes.has("srcdoc"),
            b"frame" => attributes.has("src"),
            b"link" => attributes.has("rel") && attributes.has("href"),
            b"meta" => attributes.has("content"),
            // The first with an `href` counts (HTML Standard, 4.2.3): others only name a target.
            b"base" if self.base.is_none() => {
                self.base = attributes.get("href").map(Cow::into_owned);
                false
            }
            _ => false,
        };
        if has_link
            && self.marks.len() < MAX_MARKS
            && let Ok(at) = u32::try_from(at)
        {
            self.marks.push(at);
        }
    }

    /// Reads an end tag; its name is in lower case.
    pub(crate) fn end(&mut self, name: &[u8]) {
        if name == b"template" {
            self.templates = self.templates.saturating_sub(1);
        }
        match self.spaces.last().copied() {
            Some(Space::Html(point)) if INTEGRATION_POINTS.get(point).is_some_and(|known| *known == name) => {
                self.spaces.pop();
            }
            Some(Space::Svg) if name == b"svg" => {
                self.spaces.pop();
            }
            Some(Space::Math) if name == b"math" => {
                self.spaces.pop();
            }
            Some(Space::Svg | Space::Math) if is_breakout(name) => self.leave_foreign(),
            _ => {}
        }
    }

    fn enter(&mut self, name: &[u8], self_closing: bool) {
        let around = self.spaces.last().copied();
        let point = || INTEGRATION_POINTS.iter().position(|point| *point == name);
        let opened = match (around, name) {
            (_, b"svg") => Some(Space::Svg),
            (_, b"math") => Some(Space::Math),
            (None | Some(Space::Html(_)), _) => None,
            (Some(_), _) if is_breakout(name) => {
                self.leave_foreign();
                None
            }
            (Some(Space::Svg), _) => point().filter(|point| *point < FIRST_OF_MATH).map(Space::Html),
            (Some(Space::Math), _) => point().filter(|point| *point >= FIRST_OF_MATH).map(Space::Html),
        };
        if !self_closing && self.spaces.len() < MAX_SPACES {
            self.spaces.extend(opened);
        }
    }

    fn leave_foreign(&mut self) {
        while self.is_foreign() {
            self.spaces.pop();
        }
    }

    /// True inside of SVG and MathML, where no element has raw text and CDATA sections are text.
    pub(crate) fn is_foreign(&self) -> bool {
        matches!(self.spaces.last(), Some(Space::Svg | Space::Math))
    }

    /// The `href` of the page's `<base>`.
    pub(crate) fn base(&self) -> Option<&str> {
        self.base.as_deref()
    }

    /// The places of the tags with links, in the order of the page.
    pub(crate) fn marks(&self) -> &[u32] {
        &self.marks
    }

    /// Forgets the tags from a place on: they are not part of the page as served.
    pub(crate) fn keep_before(&mut self, end: usize) {
        self.marks.retain(|at| (*at as usize) < end);
    }

    /// Bytes that the marks take.
    pub(crate) fn bytes(&self) -> usize {
        self.marks.len() * size_of::<u32>()
    }
}
