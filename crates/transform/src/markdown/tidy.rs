//! Cleanup of the pieces of a block before it is written, so that parsers recognise its marks.

use super::inline::{Inline, is_blank};
use super::piece::{Mark, Piece};

impl Inline {
    /// Drops hard breaks at the end.
    pub(super) fn trim_end(&mut self) {
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

    /// Drops marks and links without visible content.
    pub(super) fn drop_empty(&mut self) {
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
                        // Only spaces and breaks can be inside: keep those.
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

    /// Moves white space and breaks at the edges of marks out of the marks: `**a:&nbsp;**b` is not emphasis
    /// (CommonMark, 6.2), `**a:**&nbsp;b` is. Call after [`Self::drop_empty`].
    pub(super) fn move_spaces_out(&mut self) {
        if !self.pieces.iter().any(|piece| matches!(piece, Piece::Open(mark) if mark.delimiter().is_some())) {
            return;
        }
        let mut pieces: Vec<Piece> = Vec::with_capacity(self.pieces.len() + 2);
        let mut moved = Vec::new();
        for piece in self.pieces.drain(..) {
            match piece {
                Piece::Close(mark) if mark.delimiter().is_some() => {
                    while let Some(last) = pieces.last_mut() {
                        match last {
                            Piece::Break => moved.extend(pieces.pop()),
                            Piece::Text(range) => {
                                let text = self.text.get(range.clone()).unwrap_or_default();
                                let end = range.start + text.trim_end().len();
                                if end == range.end {
                                    break;
                                }
                                moved.push(Piece::Text(end..range.end));
                                range.end = end;
                                if range.start < range.end {
                                    break;
                                }
                                pieces.pop();
                            }
                            _ => break,
                        }
                    }
                    pieces.push(piece);
                    pieces.extend(moved.drain(..).rev());
                }
                Piece::Text(mut range) => {
                    let text = self.text.get(range.clone()).unwrap_or_default();
                    let start = range.end - text.trim_start().len();
                    let at = position_before_marks(&pieces);
                    if start > range.start && at < pieces.len() {
                        pieces.insert(at, Piece::Text(range.start..start));
                        range.start = start;
                    }
                    if range.start < range.end {
                        pieces.push(Piece::Text(range));
                    }
                }
                Piece::Break => pieces.insert(position_before_marks(&pieces), piece),
                _ => pieces.push(piece),
            }
        }
        self.pieces = pieces;
    }

    /// Removes a mark that encloses all text of the block; images do not count as text. Call when all marks
    /// are closed.
    pub(super) fn remove_enclosing_mark(&mut self, mark: Mark) {
        let mut depth = 0_usize;
        for piece in &self.pieces {
            match piece {
                Piece::Open(opened) if *opened == mark => depth += 1,
                Piece::Close(closed) if *closed == mark => depth = depth.saturating_sub(1),
                Piece::Text(range)
                    if depth == 0 && self.text.get(range.clone()).is_some_and(|text| !is_blank(text)) =>
                {
                    return;
                }
                Piece::Code(_) | Piece::Raw(_) if depth == 0 => return,
                _ => {}
            }
        }
        self.pieces
            .retain(|piece| !matches!(piece, Piece::Open(other) | Piece::Close(other) if *other == mark));
    }
}

/// The position before the opening marks at the end, or the end if there are no such marks.
fn position_before_marks(pieces: &[Piece]) -> usize {
    let opens = |piece: &Piece| matches!(piece, Piece::Open(mark) if mark.delimiter().is_some());
    pieces.iter().rposition(|piece| !opens(piece)).map_or(0, |last| last + 1)
}
