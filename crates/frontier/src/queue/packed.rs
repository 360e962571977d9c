//! First in, first out, for waiting pages: eleven bytes each and the part of the URL behind the host.
//!
//! The obvious `VecDeque<Url>` takes about 200 bytes a page. Pages of one host, depth and priority leave in the order
//! in which they came, so their text can lie in a row, in blocks that are given back as they are read.

use std::collections::VecDeque;

use crate::identity::UrlKey;

/// Blocks are of this size in bytes; the last one grows up to it by doubling.
const BLOCK: usize = 16 * 1024;

/// The longest text behind the host, in bytes.
pub(super) const MAX_REST: usize = u16::MAX as usize;

/// What a page takes besides its text.
const OVERHEAD: usize = 8 + 1 + 2;

/// How many bytes a page with this text takes.
pub(super) fn size_of(rest: &str) -> u64 {
    u64::try_from(OVERHEAD + rest.len()).unwrap_or(u64::MAX)
}

/// A page that waits, without its depth and host, which its place in the queue tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) key: UrlKey,
    pub(super) https: bool,
    pub(super) external: bool,
    /// Path, query and hash route.
    pub(super) rest: Box<str>,
}

#[derive(Debug, Default)]
pub(super) struct PackedQueue {
    front: Vec<u8>,
    read: usize,
    full: VecDeque<Vec<u8>>,
    tail: Vec<u8>,
}

impl PackedQueue {
    pub(super) fn is_empty(&self) -> bool {
        self.read == self.front.len() && self.full.is_empty() && self.tail.is_empty()
    }

    /// Adds a page at the end. `rest` is at most [`MAX_REST`] long.
    pub(super) fn push(&mut self, key: UrlKey, https: bool, external: bool, rest: &str) {
        let Ok(length) = u16::try_from(rest.len()) else {
            debug_assert!(false, "admit() refuses longer ones");
            return;
        };
        let needed = OVERHEAD + rest.len();
        if self.tail.len() + needed > BLOCK && !self.tail.is_empty() {
            self.full.push_back(std::mem::replace(&mut self.tail, Vec::with_capacity(BLOCK)));
        }
        self.tail.extend_from_slice(&key.to_raw().to_le_bytes());
        self.tail.push(u8::from(https) | u8::from(external) << 1);
        self.tail.extend_from_slice(&length.to_le_bytes());
        self.tail.extend_from_slice(rest.as_bytes());
    }

    pub(super) fn pop(&mut self) -> Option<Page> {
        if self.read == self.front.len() {
            self.read = 0;
            self.front = self.full.pop_front().unwrap_or_else(|| std::mem::take(&mut self.tail));
        }
        let bytes = self.front.get(self.read..)?;
        let (key, bytes) = bytes.split_first_chunk::<8>()?;
        let (&flags, bytes) = bytes.split_first()?;
        let (length, bytes) = bytes.split_first_chunk::<2>()?;
        let length = usize::from(u16::from_le_bytes(*length));
        let rest = std::str::from_utf8(bytes.get(..length)?).ok()?.into();
        self.read += OVERHEAD + length;
        Some(Page {
            key: UrlKey::from_raw(u64::from_le_bytes(*key)),
            https: flags & 1 != 0,
            external: flags & 2 != 0,
            rest,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_leave_as_they_came() {
        let mut queue = PackedQueue::default();
        let page = |n: u64| Page {
            key: UrlKey::from_raw(n),
            https: n.is_multiple_of(2),
            external: n.is_multiple_of(3),
            rest: "/p".repeat(usize::try_from(n % 50).unwrap()).into(),
        };
        let mut next = 0;
        for n in 0..5000 {
            let Page { key, https, external, rest } = page(n);
            queue.push(key, https, external, &rest);
            if n % 3 == 0 {
                assert_eq!(queue.pop(), Some(page(next)));
                next += 1;
            }
        }
        while let Some(found) = queue.pop() {
            assert_eq!(found, page(next));
            next += 1;
        }
        assert_eq!(next, 5000);
        assert!(queue.is_empty());
    }

    #[test]
    fn the_longest_text_fits() {
        let mut queue = PackedQueue::default();
        queue.push(UrlKey::from_raw(1), true, false, "/a");
        queue.push(UrlKey::from_raw(2), true, false, &"x".repeat(MAX_REST));
        queue.push(UrlKey::from_raw(3), true, false, "");
        let lengths: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|page| page.rest.len()).collect();
        assert_eq!(lengths, [2, MAX_REST, 0]);
    }
}
