//! The inline content of one block: collected piece by piece, rendered when the block ends.
//!
//! Why not write as we walk: which delimiters stand for emphasis, and which characters of the text must be escaped,
//! depends on what comes after. A paragraph is small, so it is kept as a list of pieces until it ends.

use gleaner_types::Interrupt;

use super::escape;
use super::piece::{Mark, Opened, Piece, Place, Target};

/// Marks open at once beyond which more are ignored; their text stays. Every block writes those around it anew, so this
/// bounds what one byte of a page may become.
const MAX_OPEN: usize = 12;

/// Marks of one kind, one inside another, where that means something: `<sup>` for a power of a power, and what
/// CommonMark has a form for. More of them say no more.
const MAX_EQUAL: usize = 3;

/// Inline content being collected.
#[derive(Debug, Default)]
pub(super) struct Inline {
    pub(super) pieces: Vec<Piece>,
    pub(super) text: String,
    pub(super) targets: Vec<Target>,
    pub(super) open: Vec<Opened>,
    /// A link around all of this block.
    pub(super) around: Option<Target>,
    /// Marks that were not opened because too many are.
    ignored: usize,
    /// For each kind, marks that were not opened because one of the kind is open already.
    merged: [usize; 7],
    space: bool,
    /// Pieces at the end that only open something.
    trailing_opens: usize,
    visible: bool,
    pub(super) breaks: usize,
    /// Some text may need an escape.
    pub(super) special: bool,
    /// A dollar was written, in this block or in one before.
    pub(super) dollars: bool,
    /// What ends the work on the page.
    pub(super) interrupt: Interrupt,
}

/// Visible ASCII, and what of it may need an escape.
const VISIBLE: u8 = 1;
const SPECIAL: u8 = 2;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = b'!';
    while byte <= b'~' {
        #[expect(clippy::indexing_slicing, reason = "within the array, and checked when compiled")]
        {
            classes[byte as usize] = if escape::is_special(byte) { VISIBLE | SPECIAL } else { VISIBLE };
        }
        byte += 1;
    }
    classes
};

/// How many bytes at the start of a text are whole words of visible ASCII with one space between them, which is most of
/// most texts; and whether some of them may need an escape.
fn plain_words(text: &str) -> (usize, bool) {
    let (mut end, mut special, mut seen) = (0, 0, 0);
    let mut previous = b' ';
    for (byte, at) in text.bytes().zip(0..) {
        let class = CLASSES.get(usize::from(byte)).copied().unwrap_or(0);
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
    /// Nothing yet.
    pub(super) fn new(interrupt: &Interrupt) -> Self {
        Self { interrupt: interrupt.clone(), ..Self::default() }
    }

    /// Is there nothing to see yet?
    pub(super) const fn is_empty(&self) -> bool {
        !self.visible
    }

    /// Is no mark or link open?
    pub(super) fn is_flat(&self) -> bool {
        self.open.is_empty()
    }

    /// Is there a link or a picture?
    pub(super) fn holds_links(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Link | Piece::Image { .. }))
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
            let word = rest.trim_ascii_start();
            self.space |= word.len() < rest.len();
            if word.is_empty() {
                return;
            }
            let (end, special) = plain_words(word);
            if let Some((words, after)) = word.split_at_checked(end).filter(|_| end > 0) {
                self.special |= special;
                self.settle_space();
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
        (self.space, self.visible, self.special, self.breaks) = (false, false, false, 0);
        rendered
    }
}

/// Spaces at which no line breaks.
pub(super) const HARD_SPACES: [char; 3] = ['\u{A0}', '\u{2007}', '\u{202F}'];

/// Spaces alone, hard ones too.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c == ' ' || HARD_SPACES.contains(&c))
}
