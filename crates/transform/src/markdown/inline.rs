//! The inline content of one block: collected piece by piece, rendered when the block ends.
//!
//! Why not write as we walk: which delimiters stand for emphasis, and which characters of the text must be escaped,
//! depends on what comes after. A paragraph is small, so it is kept as a list of pieces until it ends.

use std::ops::Range;

use super::emphasis::{self, Style};
use super::escape::{self, Counts};

/// Marks open at once beyond which more are ignored; their text stays. Every block writes those around it anew, so this
/// bounds what one byte of a page may become.
const MAX_OPEN: usize = 12;

/// Marks of one kind, one inside another, where that means something: `<sup>` for a power of a power, and what
/// CommonMark has a form for. More of them say no more.
const MAX_EQUAL: usize = 3;

/// A span of text set off from its surroundings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Em,
    Strong,
    Strike,
    Sub,
    Sup,
    Kbd,
    Highlight,
}

impl Mark {
    /// Length and character of the Markdown delimiter; `None` where there is only an HTML tag.
    pub(super) const fn delimiter(self) -> Option<(usize, u8)> {
        match self {
            Self::Em => Some((1, b'*')),
            Self::Strong => Some((2, b'*')),
            Self::Strike => Some((2, b'~')),
            _ => None,
        }
    }

    /// May it stand in its own kind and mean something? A raised number may have one itself.
    const fn nests(self) -> bool {
        matches!(self, Self::Sub | Self::Sup)
    }

    const fn index(self) -> usize {
        self as usize
    }

    /// The HTML tag's name.
    const fn html(self) -> &'static str {
        match self {
            Self::Em => "em",
            Self::Strong => "strong",
            Self::Strike => "del",
            Self::Sub => "sub",
            Self::Sup => "sup",
            Self::Kbd => "kbd",
            Self::Highlight => "mark",
        }
    }
}

/// Where a link leads.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) address: String,
    pub(super) title: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) enum Piece {
    Text(Range<usize>),
    Open(Mark),
    Close(Mark),
    Link,
    LinkEnd(usize),
    Code(Range<usize>),
    /// Written as it stands.
    Raw(Range<usize>),
    Image {
        alt: Range<usize>,
        target: usize,
    },
    Break,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opened {
    Mark {
        mark: Mark,
        /// One of its own kind may stand inside.
        nests: bool,
    },
    Link(usize),
}

/// Where the content goes, which decides what is escaped and how lines break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Paragraph,
    Heading,
    Cell,
}

/// Counts that have every such character escaped.
const EVERY: Counts = Counts { stars: 2, underscores: 2, backticks: 2, tildes: 2 };

/// Inline content being collected.
#[derive(Debug, Default)]
pub(super) struct Inline {
    pieces: Vec<Piece>,
    text: String,
    targets: Vec<Target>,
    open: Vec<Opened>,
    /// Marks that were not opened because too many are.
    ignored: usize,
    /// For each kind, marks that were not opened because one of the kind is open already.
    merged: [usize; 7],
    space: bool,
    /// Pieces at the end that only open something.
    trailing_opens: usize,
    visible: bool,
    breaks: usize,
}

impl Inline {
    /// Is there nothing to see yet?
    pub(super) const fn is_empty(&self) -> bool {
        !self.visible
    }

    /// Is no mark or link open?
    pub(super) fn is_flat(&self) -> bool {
        self.open.is_empty()
    }

    /// Is a link open?
    pub(super) fn in_link(&self) -> bool {
        self.open.iter().any(|open| matches!(open, Opened::Link(_)))
    }

    /// Hard breaks at the end so far.
    pub(super) const fn trailing_breaks(&self) -> usize {
        self.breaks
    }

    fn settle_space(&mut self) {
        let wanted = std::mem::take(&mut self.space);
        // Text that is not visible is a hard space: what follows keeps its distance.
        if wanted && (self.visible || !self.text.is_empty()) && self.breaks == 0 {
            let start = self.text.len();
            self.text.push(' ');
            let at = self.pieces.len().saturating_sub(self.trailing_opens);
            match at.checked_sub(1).and_then(|before| self.pieces.get_mut(before)) {
                Some(Piece::Text(range)) if range.end == start => range.end += 1,
                _ => self.pieces.insert(at, Piece::Text(start..start + 1)),
            }
        }
    }

    fn seen(&mut self) {
        self.visible = true;
        self.breaks = 0;
        self.trailing_opens = 0;
    }

    /// Text of the page: white space is folded, what cannot be seen is dropped.
    pub(super) fn text(&mut self, text: &str) {
        let mut rest = text;
        loop {
            let word = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
            self.space |= word.len() < rest.len();
            if word.is_empty() {
                return;
            }
            let end = word.bytes().position(|byte| byte.is_ascii_whitespace()).unwrap_or(word.len());
            let (word, after) = word.split_at_checked(end).unwrap_or((word, ""));
            self.word(word);
            rest = after;
        }
    }

    fn word(&mut self, word: &str) {
        let start = self.text.len();
        if word.bytes().all(|byte| byte > b' ' && byte != 0x7F && byte < 0x80) {
            self.settle_space();
            let start = self.text.len();
            self.text.push_str(word);
            self.add_text(start);
            return;
        }
        let visible =
            |c: &char| !c.is_control() && !matches!(c, '\u{AD}' | '\u{200B}' | '\u{2060}' | '\u{FEFF}');
        if !word.chars().any(|c| visible(&c)) {
            return;
        }
        self.settle_space();
        let start = start.max(self.text.len());
        self.text.extend(word.chars().filter(visible));
        if self.text.get(start..).is_some_and(is_blank) {
            // Hard spaces alone are nothing to see: a block of them is an empty one.
            self.pieces.push(Piece::Text(start..self.text.len()));
            self.trailing_opens = 0;
        } else {
            self.add_text(start);
        }
    }

    fn add_text(&mut self, start: usize) {
        let end = self.text.len();
        match self.pieces.last_mut() {
            Some(Piece::Text(range)) if range.end == start => range.end = end,
            _ => self.pieces.push(Piece::Text(start..end)),
        }
        self.seen();
    }

    /// White space.
    pub(super) fn space(&mut self) {
        self.space = true;
    }

    /// A hard break.
    pub(super) fn line_break(&mut self) {
        self.space = false;
        if self.visible {
            self.pieces.push(Piece::Break);
            self.breaks += 1;
            self.trailing_opens = 0;
        }
    }

    /// Opens a mark. Inside one of its own kind it is part of that one, unless both nest.
    pub(super) fn open(&mut self, mark: Mark, nests: bool) {
        let nests = nests || mark.nests();
        let mut equal = 0;
        let mut apart = true;
        for open in &self.open {
            if let Opened::Mark { mark: around, nests } = open
                && *around == mark
            {
                equal += 1;
                apart &= nests;
            }
        }
        if equal > 0 && (!nests || !apart || equal >= MAX_EQUAL || self.merged.get(mark.index()) != Some(&0))
        {
            if let Some(merged) = self.merged.get_mut(mark.index()) {
                *merged += 1;
            }
            return;
        }
        if self.open.len() >= MAX_OPEN {
            self.ignored += 1;
            return;
        }
        self.open.push(Opened::Mark { mark, nests });
        self.pieces.push(Piece::Open(mark));
        self.trailing_opens += 1;
    }

    /// Closes the mark that was opened last.
    pub(super) fn close(&mut self, mark: Mark) {
        if let Some(merged) = self.merged.get_mut(mark.index())
            && *merged > 0
        {
            *merged -= 1;
            return;
        }
        if self.ignored > 0 {
            self.ignored -= 1;
            return;
        }
        if matches!(self.open.last(), Some(Opened::Mark { mark: last, .. }) if *last == mark) {
            self.open.pop();
            self.pieces.push(Piece::Close(mark));
            self.trailing_opens = 0;
        }
    }

    /// Opens a link; links do not nest.
    pub(super) fn open_link(&mut self, target: Target) -> bool {
        if self.open.len() > MAX_OPEN || self.in_link() {
            return false;
        }
        self.targets.push(target);
        let number = self.targets.len() - 1;
        self.open.push(Opened::Link(number));
        self.pieces.push(Piece::Link);
        self.trailing_opens += 1;
        true
    }

    /// Closes the link, if it is what was opened last.
    pub(super) fn close_link(&mut self) {
        if let Some(Opened::Link(number)) = self.open.last().copied() {
            self.open.pop();
            self.pieces.push(Piece::LinkEnd(number));
            self.trailing_opens = 0;
        }
    }

    /// A code span; its text is kept but for line ends.
    pub(super) fn code(&mut self, code: &str) {
        if code.is_empty() {
            return;
        }
        self.settle_space();
        let start = self.text.len();
        self.text.extend(
            code.chars().map(|c| if c == '\n' { ' ' } else { c }).filter(|c| !c.is_control() || *c == '\t'),
        );
        self.pieces.push(Piece::Code(start..self.text.len()));
        self.seen();
    }

    /// Markdown or HTML that is written as it stands.
    pub(super) fn raw(&mut self, raw: &str) {
        self.settle_space();
        let start = self.text.len();
        self.text.push_str(raw);
        self.pieces.push(Piece::Raw(start..self.text.len()));
        self.seen();
    }

    /// An image.
    pub(super) fn image(&mut self, alt: &str, target: Target) {
        self.settle_space();
        let start = self.text.len();
        for word in alt.split_ascii_whitespace() {
            if self.text.len() > start {
                self.text.push(' ');
            }
            self.text.extend(word.chars().filter(|c| !c.is_control()));
        }
        self.targets.push(target);
        self.pieces.push(Piece::Image { alt: start..self.text.len(), target: self.targets.len() - 1 });
        self.seen();
    }

    /// Renders what was collected and starts anew, with the same marks open; empty where there is nothing to see. A link
    /// is written once: what it holds beyond this block is text, or each of its blocks would repeat its address.
    pub(super) fn take(&mut self, place: Place) -> String {
        let rendered = if self.visible { self.render(place) } else { String::new() };
        if !rendered.is_empty() {
            self.open.retain(|open| matches!(open, Opened::Mark { .. }));
        }
        self.pieces.clear();
        self.text.clear();
        self.trailing_opens = self.open.len();
        self.pieces.extend(self.open.iter().map(|open| match open {
            Opened::Mark { mark, .. } => Piece::Open(*mark),
            Opened::Link(_) => Piece::Link,
        }));
        if !self.in_link() {
            self.targets.clear();
        }
        (self.space, self.visible, self.breaks) = (false, false, 0);
        rendered
    }

    fn slice(&self, range: &Range<usize>) -> &str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    fn render(&mut self, place: Place) -> String {
        self.trim_end();
        for open in self.open.clone().into_iter().rev() {
            self.pieces.push(match open {
                Opened::Mark { mark, .. } => Piece::Close(mark),
                Opened::Link(number) => Piece::LinkEnd(number),
            });
        }
        self.drop_empty();
        let styles = emphasis::styles(&self.pieces, &self.text);
        let mut counts = Counts::default();
        for piece in &self.pieces {
            match piece {
                Piece::Text(range) => counts.add(self.slice(range)),
                Piece::Code(_) => counts.backticks += 2,
                _ => {}
            }
        }
        for style in &styles {
            match style {
                Style::Delimiter(b'*') => counts.stars += 2,
                Style::Delimiter(b'_') => counts.underscores += 2,
                Style::Delimiter(_) => counts.tildes += 2,
                Style::Html | Style::None => {}
            }
        }
        counts.backticks +=
            self.targets.iter().map(|target| target.address.matches('`').count()).sum::<usize>();
        let mut out = String::with_capacity(self.text.len() + self.pieces.len() * 4);
        let mut link_start = None;
        for (index, piece) in self.pieces.iter().enumerate() {
            match piece {
                Piece::Text(range) => {
                    let next = self.pieces.get(index + 1);
                    let follow = match next {
                        Some(Piece::Link) => Some('['),
                        Some(Piece::Text(next)) => self.slice(next).chars().next(),
                        Some(_) => Some('*'),
                        None => None,
                    };
                    escape::text(self.slice(range), follow, &counts, place == Place::Cell, &mut out);
                }
                Piece::Open(mark) | Piece::Close(mark) => {
                    let closes = matches!(piece, Piece::Close(_));
                    match styles.get(index) {
                        Some(Style::Delimiter(character)) => {
                            let length = mark.delimiter().map_or(1, |(length, _)| length);
                            out.extend(std::iter::repeat_n(char::from(*character), length));
                        }
                        _ => {
                            out.push_str(if closes { "</" } else { "<" });
                            out.push_str(mark.html());
                            out.push('>');
                        }
                    }
                }
                Piece::Link => {
                    out.push('[');
                    link_start = Some(out.len());
                }
                Piece::LinkEnd(number) => {
                    if let Some(start) = link_start.take() {
                        escape::brackets(&mut out, start, true);
                    }
                    out.push_str("](");
                    self.target(*number, place, &mut out);
                    out.push(')');
                }
                // Two spans side by side would share their backticks.
                Piece::Code(range)
                    if index > 0 && matches!(self.pieces.get(index - 1), Some(Piece::Code(_))) =>
                {
                    out.push_str("<code>");
                    escape::text(self.slice(range), Some('<'), &EVERY, place == Place::Cell, &mut out);
                    out.push_str("</code>");
                }
                Piece::Code(range) => code_span(self.slice(range), place == Place::Cell, &mut out),
                Piece::Raw(range) if place == Place::Cell => {
                    out.push_str(&self.slice(range).replace('|', "\\|"));
                }
                Piece::Raw(range) => out.push_str(self.slice(range)),
                Piece::Image { alt, target } => {
                    out.push_str("![");
                    let start = out.len();
                    escape::text(self.slice(alt), Some(']'), &EVERY, place == Place::Cell, &mut out);
                    escape::brackets(&mut out, start, false);
                    out.push_str("](");
                    self.target(*target, place, &mut out);
                    out.push(')');
                }
                Piece::Break if link_start.is_some() => out.push(' '),
                Piece::Break => match place {
                    Place::Paragraph => out.push_str("  \n"),
                    Place::Heading => out.push(' '),
                    Place::Cell => out.push_str("<br>"),
                },
            }
        }
        out
    }

    /// Drops breaks at the end.
    fn trim_end(&mut self) {
        while self.breaks > 0 {
            match self.pieces.iter().rposition(|piece| matches!(piece, Piece::Break)) {
                Some(at) => {
                    self.pieces.remove(at);
                    self.breaks -= 1;
                }
                None => self.breaks = 0,
            }
        }
    }

    /// Drops marks and links with nothing to see inside.
    fn drop_empty(&mut self) {
        let mut keep: Vec<Piece> = Vec::with_capacity(self.pieces.len());
        let mut opens: Vec<(usize, bool)> = Vec::new();
        for piece in self.pieces.drain(..) {
            match piece {
                Piece::Open(_) | Piece::Link => {
                    opens.push((keep.len(), false));
                    keep.push(piece);
                }
                Piece::Close(_) | Piece::LinkEnd(_) => match opens.pop() {
                    Some((at, false)) => {
                        // Only spaces and breaks can stand between: keep those.
                        if at < keep.len() {
                            keep.remove(at);
                        }
                    }
                    _ => {
                        keep.push(piece);
                        if let Some(outer) = opens.last_mut() {
                            outer.1 = true;
                        }
                    }
                },
                Piece::Break => keep.push(piece),
                Piece::Text(ref range) => {
                    let visible = self.text.get(range.clone()).is_some_and(|text| !is_blank(text));
                    if let Some(open) = opens.last_mut() {
                        open.1 |= visible;
                    }
                    keep.push(piece);
                }
                _ => {
                    if let Some(open) = opens.last_mut() {
                        open.1 = true;
                    }
                    keep.push(piece);
                }
            }
        }
        self.pieces = keep;
    }

    fn target(&self, number: usize, place: Place, out: &mut String) {
        let Some(target) = self.targets.get(number) else { return };
        if target.address == super::BASE64_PLACEHOLDER {
            out.push_str(super::BASE64_PLACEHOLDER);
        } else {
            escape::destination(&target.address, place == Place::Cell, out);
        }
        if let Some(title) = &target.title {
            out.push_str(" \"");
            escape::title(title, place == Place::Cell, out);
            out.push('"');
        }
    }
}

/// Spaces alone, hard ones too.
fn is_blank(text: &str) -> bool {
    text.chars().all(|c| matches!(c, ' ' | '\u{A0}' | '\u{2007}' | '\u{202F}'))
}

/// Writes a code span whose fence is longer than any run of backticks inside.
fn code_span(code: &str, cell: bool, out: &mut String) {
    let fence = "`".repeat(super::code::longest_run(code, '`') + 1);
    let padded = code.starts_with('`')
        || code.ends_with('`')
        || (code.starts_with(' ') && code.ends_with(' ') && code.bytes().any(|byte| byte != b' '));
    out.push_str(&fence);
    if padded {
        out.push(' ');
    }
    if cell {
        out.push_str(&code.replace('|', "\\|"));
    } else {
        out.push_str(code);
    }
    if padded {
        out.push(' ');
    }
    out.push_str(&fence);
}
