//! The inline content of one block: collected piece by piece, rendered when the block ends.
//!
//! It cannot be written during the walk: the choice of emphasis delimiters and of escapes depends on later
//! text. A paragraph is small, so it is kept as a list of pieces until it ends.

use gleaner_types::Interrupt;

use super::escape;
use super::piece::{InlineContext, Mark, OpenInline, Piece, Target};
use crate::label::{MAX_LABEL_BYTES, is_number};

/// Maximum number of marks open at once. Further marks are ignored; their text stays. Every block repeats the
/// marks around it, so this bounds the output per byte of the page.
const MAX_OPEN: usize = 12;

/// Maximum nesting of marks of one kind that may nest: `<sup>` for the exponent of an exponent, and what
/// CommonMark can express. Deeper nesting adds no meaning.
const MAX_SAME_MARKS: usize = 3;

/// Inline content being collected.
#[derive(Debug, Default)]
pub(super) struct Inline {
    pub(super) pieces: Vec<Piece>,
    pub(super) text: String,
    pub(super) targets: Vec<Target>,
    pub(super) open: Vec<OpenInline>,
    /// A link around this whole block.
    pub(super) enclosing_link: Option<Target>,
    /// Number of marks that were not opened because of [`MAX_OPEN`].
    ignored: usize,
    /// For each kind, the number of marks that were not opened because one of the kind is already open.
    merged: [usize; 7],
    /// White space was read and is written before the next visible piece.
    pending_space: bool,
    /// No white space is written before the next visible piece.
    joined: bool,
    /// Number of pieces at the end that only open something.
    trailing_opens: usize,
    /// The block has visible content.
    visible: bool,
    /// Number of hard breaks at the end.
    pub(super) breaks: usize,
    /// Some text may need an escape.
    pub(super) special: bool,
    /// A dollar was written, in this block or in an earlier one.
    pub(super) has_dollars: bool,
    /// Ends the work on the page early.
    pub(super) interrupt: Interrupt,
}

/// Class of a byte: visible ASCII.
const VISIBLE: u8 = 1;
/// Class of a byte: may need an escape.
const SPECIAL: u8 = 2;

const BYTE_CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = b'!';
    while byte <= b'~' {
        #[expect(clippy::indexing_slicing, reason = "within the array, and checked at compile time")]
        {
            classes[byte as usize] = if escape::is_special(byte) { VISIBLE | SPECIAL } else { VISIBLE };
        }
        byte += 1;
    }
    classes
};

/// The length in bytes of the start of a text that consists of whole words of visible ASCII with single
/// spaces between them, which covers most text; and whether any of these bytes may need an escape.
fn plain_prefix(text: &str) -> (usize, bool) {
    let (mut end, mut special, mut seen) = (0, 0, 0);
    let mut previous = b' ';
    for (byte, at) in text.bytes().zip(0..) {
        let class = BYTE_CLASSES.get(usize::from(byte)).copied().unwrap_or(0);
        if class == 0 {
            if byte.is_ascii_whitespace() && previous != b' ' {
                (end, special) = (at, seen);
            }
            if byte != b' ' || previous == b' ' {
                return (end, special & SPECIAL != 0);
            }
        }
        seen |= class;
        previous = byte;
    }
    if previous != b' ' {
        (end, special) = (text.len(), seen);
    }
    (end, special & SPECIAL != 0)
}

impl Inline {
    /// Empty content.
    pub(super) fn new(interrupt: &Interrupt) -> Self {
        Self { interrupt: interrupt.clone(), ..Self::default() }
    }

    /// Is there no visible content yet?
    pub(super) const fn is_empty(&self) -> bool {
        !self.visible
    }

    /// Is no mark or link open?
    pub(super) fn has_none_open(&self) -> bool {
        self.open.is_empty()
    }

    /// Does the content have a link or an image?
    pub(super) fn has_link_or_image(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Link | Piece::Image { .. }))
    }

    /// Is the content the number of a paragraph or a point, and nothing else?
    pub(super) fn is_label(&self) -> bool {
        self.visible
            && self.breaks == 0
            && self.text.len() <= MAX_LABEL_BYTES
            && !self.has_link_or_image()
            && is_number(self.text.trim())
    }

    /// Is a link open?
    pub(super) fn in_link(&self) -> bool {
        self.open.iter().any(|open| matches!(open, OpenInline::Link(_)))
    }

    /// Number of hard breaks at the end.
    pub(super) const fn trailing_breaks(&self) -> usize {
        self.breaks
    }

    fn write_pending_space(&mut self) {
        let joined = std::mem::take(&mut self.joined);
        let pending = std::mem::take(&mut self.pending_space) && !joined;
        // Text that is not visible is a hard space: a space after it is kept.
        if pending && (self.visible || !self.text.is_empty()) && self.breaks == 0 {
            let start = self.text.len();
            self.text.push(' ');
            let at = self.pieces.len().saturating_sub(self.trailing_opens);
            match at.checked_sub(1).and_then(|before| self.pieces.get_mut(before)) {
                Some(Piece::Text(range)) if range.end == start => range.end += 1,
                _ => self.pieces.insert(at, Piece::Text(start..start + 1)),
            }
        }
    }

    fn set_visible(&mut self) {
        self.visible = true;
        self.breaks = 0;
        self.trailing_opens = 0;
    }

    /// Adds text of the page. White space is folded, invisible characters are dropped.
    pub(super) fn text(&mut self, text: &str) {
        let mut rest = text;
        loop {
            let word = rest.trim_ascii_start();
            self.pending_space |= word.len() < rest.len();
            if word.is_empty() {
                return;
            }
            let (end, special) = plain_prefix(word);
            if let Some((words, after)) = word.split_at_checked(end).filter(|_| end > 0) {
                self.special |= special;
                self.write_pending_space();
                let start = self.text.len();
                self.text.push_str(words);
                self.add_text(start);
                rest = after;
                continue;
            }
            let end = word.bytes().position(|byte| byte.is_ascii_whitespace()).unwrap_or(word.len());
            let (word, after) = word.split_at_checked(end).unwrap_or((word, ""));
            self.word(word);
            rest = after;
        }
    }

    fn word(&mut self, word: &str) {
        self.special |= word.bytes().any(escape::is_special);
        let start = self.text.len();
        let visible =
            |c: &char| !c.is_control() && !matches!(c, '\u{AD}' | '\u{200B}' | '\u{2060}' | '\u{FEFF}');
        if !word.chars().any(|c| visible(&c)) {
            return;
        }
        self.write_pending_space();
        let start = start.max(self.text.len());
        self.text.extend(word.chars().filter(visible));
        if self.text.get(start..).is_some_and(is_blank) {
            // Hard spaces are not visible: a block of hard spaces is empty.
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
        self.set_visible();
    }

    /// Adds white space.
    pub(super) fn space(&mut self) {
        self.pending_space = true;
    }

    /// Joins what comes next to the content so far, without white space.
    pub(super) fn join(&mut self) {
        self.joined = true;
    }

    /// Adds a hard break.
    pub(super) fn line_break(&mut self) {
        self.pending_space = false;
        if self.visible {
            self.pieces.push(Piece::Break);
            self.breaks += 1;
            self.trailing_opens = 0;
        }
    }

    /// Opens a mark. Inside a mark of its own kind it is merged into that one, unless both may nest.
    pub(super) fn open(&mut self, mark: Mark, nests: bool) {
        let nests = nests || mark.nests();
        let mut same = 0;
        let mut all_nest = true;
        for open in &self.open {
            if let OpenInline::Mark { mark: outer, nests } = open
                && *outer == mark
            {
                same += 1;
                all_nest &= nests;
            }
        }
        if same > 0
            && (!nests || !all_nest || same >= MAX_SAME_MARKS || self.merged.get(mark.index()) != Some(&0))
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
        self.open.push(OpenInline::Mark { mark, nests });
        self.pieces.push(Piece::Open(mark));
        self.trailing_opens += 1;
    }

    /// Closes a mark, if it is the one that was opened last.
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
        if matches!(self.open.last(), Some(OpenInline::Mark { mark: last, .. }) if *last == mark) {
            self.open.pop();
            self.pieces.push(Piece::Close(mark));
            self.trailing_opens = 0;
        }
    }

    /// Opens a link. Returns false inside another link (links do not nest) or if too many marks are open.
    pub(super) fn open_link(&mut self, target: Target) -> bool {
        if self.open.len() > MAX_OPEN || self.in_link() {
            return false;
        }
        self.targets.push(target);
        let number = self.targets.len() - 1;
        self.open.push(OpenInline::Link(number));
        self.pieces.push(Piece::Link);
        self.trailing_opens += 1;
        true
    }

    /// Closes the link, if it was opened last.
    pub(super) fn close_link(&mut self) {
        if let Some(OpenInline::Link(number)) = self.open.last().copied() {
            self.open.pop();
            self.pieces.push(Piece::LinkEnd(number));
            self.trailing_opens = 0;
        }
    }

    /// Adds a code span. Its text is kept; a line end becomes a space.
    pub(super) fn code(&mut self, code: &str) {
        if code.is_empty() {
            return;
        }
        self.write_pending_space();
        let start = self.text.len();
        self.text.extend(
            code.chars().map(|c| if c == '\n' { ' ' } else { c }).filter(|c| !c.is_control() || *c == '\t'),
        );
        self.pieces.push(Piece::Code(start..self.text.len()));
        self.set_visible();
    }

    /// Adds Markdown or HTML that is written without changes.
    pub(super) fn raw(&mut self, raw: &str) {
        self.write_pending_space();
        let start = self.text.len();
        self.text.push_str(raw);
        self.pieces.push(Piece::Raw(start..self.text.len()));
        self.set_visible();
    }

    /// Adds an image.
    pub(super) fn image(&mut self, alt: &str, target: Target) {
        self.write_pending_space();
        let start = self.text.len();
        for word in alt.split_ascii_whitespace() {
            if self.text.len() > start {
                self.text.push(' ');
            }
            self.text.extend(word.chars().filter(|c| !c.is_control()));
        }
        self.targets.push(target);
        self.pieces.push(Piece::Image { alt: start..self.text.len(), target: self.targets.len() - 1 });
        self.set_visible();
    }

    /// Renders the collected content and starts a new block with the same marks open. The result is empty if
    /// nothing is visible. A link is written once: its later blocks are plain text, because each would repeat
    /// the address.
    pub(super) fn take(&mut self, context: InlineContext) -> String {
        let rendered = if self.visible { self.render(context) } else { String::new() };
        if !rendered.is_empty() {
            self.open.retain(|open| matches!(open, OpenInline::Mark { .. }));
        }
        self.pieces.clear();
        self.text.clear();
        self.trailing_opens = self.open.len();
        self.pieces.extend(self.open.iter().map(|open| match open {
            OpenInline::Mark { mark, .. } => Piece::Open(*mark),
            OpenInline::Link(_) => Piece::Link,
        }));
        if !self.in_link() {
            self.targets.clear();
        }
        (self.pending_space, self.joined) = (false, false);
        (self.visible, self.special, self.breaks) = (false, false, 0);
        rendered
    }
}

/// No-break spaces.
pub(super) const HARD_SPACES: [char; 3] = ['\u{A0}', '\u{2007}', '\u{202F}'];

/// Does a text consist of spaces and hard spaces only?
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c == ' ' || HARD_SPACES.contains(&c))
}
