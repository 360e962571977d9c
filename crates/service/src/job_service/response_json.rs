//! Responses in pieces.

use std::collections::VecDeque;
use std::io;

use bytes::Bytes;

use super::response_memory::ResponseShare;

/// Size of a piece in bytes. Servers copy or queue pieces as they are, so this also bounds what a connection
/// holds of a response that ended.
pub const RESPONSE_PIECE: usize = 64 << 10;

/// The JSON of a response, in pieces of at most [`RESPONSE_PIECE`] bytes. As an iterator, it gives them away,
/// each with its part of the [memory of responses](super::ResponseMemory): a piece is freed when its last copy
/// is dropped, whatever becomes of the others.
#[derive(Debug)]
pub struct ResponseJson {
    pieces: VecDeque<Vec<u8>>,
    /// Of all pieces, in bytes.
    length: usize,
    share: ResponseShare,
}

impl ResponseJson {
    /// The number of bytes that are left.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether nothing is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// A copy of what is left.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        let mut whole = Vec::with_capacity(self.length);
        self.pieces.iter().for_each(|piece| whole.extend_from_slice(piece));
        whole
    }
}

impl Iterator for ResponseJson {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let piece = self.pieces.pop_front()?;
        self.length = self.length.saturating_sub(piece.len());
        Some(self.share.attach(piece))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.pieces.len(), Some(self.pieces.len()))
    }
}

/// Writes the JSON of a response into pieces. Unlike in one buffer, nothing is copied as it grows.
#[derive(Debug, Default)]
pub struct PieceWriter {
    /// Full pieces.
    full: VecDeque<Vec<u8>>,
    last: Vec<u8>,
}

impl PieceWriter {
    /// The bytes written so far.
    #[must_use]
    pub fn written(&self) -> usize {
        self.full.len().saturating_mul(RESPONSE_PIECE).saturating_add(self.last.len())
    }

    /// Appends bytes.
    pub fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.last.len() >= RESPONSE_PIECE {
                // Another piece is probably full too.
                let next = Vec::with_capacity(RESPONSE_PIECE);
                self.full.push_back(std::mem::replace(&mut self.last, next));
            }
            let space = RESPONSE_PIECE.saturating_sub(self.last.len());
            let (now, later) = bytes.split_at_checked(space).unwrap_or((bytes, &[][..]));
            self.last.extend_from_slice(now);
            bytes = later;
        }
    }

    /// The response, with a share that is made to fit.
    #[must_use]
    pub fn finish(self, mut share: ResponseShare) -> ResponseJson {
        let length = self.written();
        let mut pieces = self.full;
        if !self.last.is_empty() {
            pieces.push_back(self.last);
        }
        share.fit(length);
        ResponseJson { pieces, length, share }
    }
}

impl io::Write for PieceWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.push(bytes);
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.push(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use gleaner_store::TeamId;

    use super::*;
    use crate::job_service::response_memory::{MIN_RESPONSE_MEMORY, ResponseMemory};

    #[tokio::test(start_paused = true)]
    async fn pieces_are_the_text_and_each_frees_its_part() {
        let memory = ResponseMemory::new(MIN_RESPONSE_MEMORY);
        let text: Vec<u8> = (0..3 * RESPONSE_PIECE + 5).map(|at| (at % 251) as u8).collect();
        for step in [1, 1_000, RESPONSE_PIECE, text.len()] {
            let mut writer = PieceWriter::default();
            text.chunks(step).for_each(|part| writer.push(part));
            assert_eq!(writer.written(), text.len());
            let share = memory.reserve(&TeamId::new("a"), 1 << 20).await.unwrap();
            let mut json = writer.finish(share);
            assert_eq!((json.len(), json.to_vec() == text), (text.len(), true), "{step}");
            assert_eq!(memory.used(), text.len().next_multiple_of(1 << 10));
            let first = json.next().unwrap();
            assert_eq!((first.len(), json.len()), (RESPONSE_PIECE, text.len() - RESPONSE_PIECE));
            drop(first);
            assert_eq!(memory.used(), (text.len() - RESPONSE_PIECE).next_multiple_of(1 << 10));
            let rest: Vec<Bytes> = json.collect();
            assert_eq!(rest.concat(), text[RESPONSE_PIECE..]);
            drop(rest);
            assert_eq!(memory.used(), 0);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_empty_response_has_no_piece() {
        let memory = ResponseMemory::new(MIN_RESPONSE_MEMORY);
        let share = memory.reserve(&TeamId::new("a"), 1 << 20).await.unwrap();
        let mut json = PieceWriter::default().finish(share);
        assert!(json.is_empty() && json.next().is_none());
        assert_eq!(memory.used(), 0);
    }
}
