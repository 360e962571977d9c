//! A compact FIFO queue of waiting pages: eleven bytes each plus the part of the URL after the host.
//!
//! A `VecDeque<Url>` would take about 200 bytes per page. Pages of one host, depth and priority leave in the
//! order in which they arrive, so they can be stored as text in blocks that are freed as they are read. All
//! full blocks but the first can be spilled until they are read (see [`QueueSpill`]).

use std::collections::VecDeque;
use std::hash::Hasher;

use siphasher::sip::SipHasher13;

use super::spill::{QueueSpill, SPILL_BLOCK_BYTES, SpilledBlock};
use crate::identity::UrlKey;

/// Maximum length of the URL part after the host, in bytes.
pub(super) const MAX_PATH_BYTES: usize = u16::MAX as usize;

/// Bytes per page besides its text.
const OVERHEAD: usize = 8 + 1 + 2;

/// The bytes that a page with this text takes.
pub(super) fn size_of(path: &str) -> u64 {
    u64::try_from(OVERHEAD + path.len()).unwrap_or(u64::MAX)
}

/// A waiting page, without depth and host, which follow from its position in the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) key: UrlKey,
    pub(super) https: bool,
    pub(super) external: bool,
    /// Path, query and hash route.
    pub(super) path: Box<str>,
}

/// Pages that could not be read back, and the bytes that they took in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Loss {
    pub(super) pages: u64,
    /// Entries among them that are not pages (see [`Candidate::AUXILIARY`](crate::Candidate::AUXILIARY)).
    pub(super) auxiliary: u64,
    pub(super) bytes: u64,
}

/// A full block, which may have others after it.
#[derive(Debug)]
enum Block {
    InMemory(Vec<u8>),
    Spilled(Spilled),
}

/// A spilled block, and what it must contain.
#[derive(Debug)]
struct Spilled {
    block: Box<dyn SpilledBlock>,
    pages: u32,
    length: usize,
    checksum: u64,
}

impl Spilled {
    fn read(&self) -> Option<Vec<u8>> {
        let bytes = self.block.read().ok()?;
        (bytes.len() == self.length && checksum(&bytes) == self.checksum).then_some(bytes)
    }
}

/// Detects torn and mixed-up blocks. It does not protect against someone who writes to the medium: they could
/// as well read the memory of this process.
fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(0, 2);
    hasher.write(bytes);
    hasher.finish()
}

#[derive(Debug, Default)]
pub(super) struct PackedQueue {
    front: Vec<u8>,
    read: usize,
    full: VecDeque<Block>,
    /// Grows by doubling, up to one block.
    tail: Vec<u8>,
    tail_pages: u32,
}

impl PackedQueue {
    pub(super) fn is_empty(&self) -> bool {
        self.read == self.front.len() && self.full.is_empty() && self.tail.is_empty()
    }

    /// Adds a page at the end. `path` is at most [`MAX_PATH_BYTES`] long.
    pub(super) fn push(
        &mut self,
        key: UrlKey,
        https: bool,
        external: bool,
        path: &str,
        spill: Option<&mut (dyn QueueSpill + 'static)>,
    ) {
        let Ok(length) = u16::try_from(path.len()) else {
            debug_assert!(false, "admit() rejects longer paths");
            return;
        };
        let needed = OVERHEAD + path.len();
        if self.tail.len() + needed > SPILL_BLOCK_BYTES && !self.tail.is_empty() {
            self.close_tail(spill);
        }
        self.tail.extend_from_slice(&key.to_raw().to_le_bytes());
        self.tail.push(u8::from(https) | u8::from(external) << 1);
        self.tail.extend_from_slice(&length.to_le_bytes());
        self.tail.extend_from_slice(path.as_bytes());
        self.tail_pages += 1;
    }

    /// Starts a new last block. The full one is spilled if another block comes before it.
    fn close_tail(&mut self, spill: Option<&mut (dyn QueueSpill + 'static)>) {
        let pages = std::mem::take(&mut self.tail_pages);
        // A single page may be longer than a block.
        let storage = spill.filter(|_| !self.full.is_empty() && self.tail.len() <= SPILL_BLOCK_BYTES);
        if let Some(block) = storage.and_then(|storage| storage.put(&self.tail)) {
            let (length, checksum) = (self.tail.len(), checksum(&self.tail));
            self.full.push_back(Block::Spilled(Spilled { block, pages, length, checksum }));
            self.tail.clear();
        } else {
            let tail = std::mem::replace(&mut self.tail, Vec::with_capacity(SPILL_BLOCK_BYTES));
            self.full.push_back(Block::InMemory(tail));
        }
    }

    /// Takes the next page. Pages before it that cannot be read back are dropped and added to `loss`.
    pub(super) fn pop(&mut self, loss: &mut Loss) -> Option<Page> {
        while self.read == self.front.len() {
            self.read = 0;
            self.front = match self.full.pop_front() {
                Some(Block::InMemory(block)) => block,
                Some(Block::Spilled(spilled)) => spilled.read().unwrap_or_else(|| {
                    loss.pages += u64::from(spilled.pages);
                    loss.bytes += spilled.length as u64;
                    Vec::new()
                }),
                None if self.tail.is_empty() => {
                    self.front = Vec::new();
                    return None;
                }
                None => {
                    self.tail_pages = 0;
                    std::mem::take(&mut self.tail)
                }
            };
        }
        let bytes = self.front.get(self.read..)?;
        let (key, bytes) = bytes.split_first_chunk::<8>()?;
        let (&flags, bytes) = bytes.split_first()?;
        let (length, bytes) = bytes.split_first_chunk::<2>()?;
        let length = usize::from(u16::from_le_bytes(*length));
        let path = std::str::from_utf8(bytes.get(..length)?).ok()?.into();
        self.read += OVERHEAD + length;
        Some(Page {
            key: UrlKey::from_raw(u64::from_le_bytes(*key)),
            https: flags & 1 != 0,
            external: flags & 2 != 0,
            path,
        })
    }

    /// Bytes of memory used by the blocks.
    pub(super) fn bytes_in_memory(&self) -> u64 {
        let full = self.full.iter().map(|block| match block {
            Block::InMemory(block) => block.capacity(),
            Block::Spilled(_) => 0,
        });
        (self.front.capacity() + self.tail.capacity() + full.sum::<usize>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::spill::testing::{Fault, TestSpill};
    use super::*;

    fn page(n: u64) -> Page {
        Page {
            key: UrlKey::from_raw(n),
            https: n.is_multiple_of(2),
            external: n.is_multiple_of(3),
            path: "/p".repeat(usize::try_from(n % 50).unwrap()).into(),
        }
    }

    fn push(queue: &mut PackedQueue, page: &Page, spill: Option<&mut (dyn QueueSpill + 'static)>) {
        queue.push(page.key, page.https, page.external, &page.path, spill);
    }

    #[test]
    fn order_is_the_same_with_and_without_spilling() {
        for uses_spill in [false, true] {
            let mut spill = TestSpill::default();
            let mut queue = PackedQueue::default();
            let mut next = 0;
            let mut loss = Loss::default();
            for n in 0..5000 {
                push(&mut queue, &page(n), if uses_spill { Some(&mut spill) } else { None });
                if n % 3 == 0 {
                    assert_eq!(queue.pop(&mut loss), Some(page(next)));
                    next += 1;
                }
            }
            assert_eq!(spill.blocks() > 4, uses_spill);
            while let Some(found) = queue.pop(&mut loss) {
                assert_eq!(found, page(next));
                next += 1;
            }
            assert_eq!((next, loss, spill.blocks()), (5000, Loss::default(), 0));
            assert!(queue.is_empty());
        }
    }

    #[test]
    fn a_short_queue_is_not_spilled_and_a_long_one_keeps_three_blocks() {
        let mut spill = TestSpill::default();
        let mut queue = PackedQueue::default();
        let short = Page { path: "x".repeat(89).into(), ..page(1) };
        for _ in 0..320 {
            push(&mut queue, &short, Some(&mut spill));
        }
        assert_eq!(spill.blocks(), 0);
        for _ in 0..100_000 {
            push(&mut queue, &short, Some(&mut spill));
        }
        assert!(spill.blocks() > 600);
        assert!(queue.bytes_in_memory() <= 3 * SPILL_BLOCK_BYTES as u64, "{}", queue.bytes_in_memory());
        drop(queue);
        assert_eq!(spill.blocks(), 0, "dropping the queue frees its blocks");
    }

    #[test]
    fn lost_pages_are_counted() {
        for fault in [Fault::Error, Fault::Torn, Fault::Changed] {
            let mut spill = TestSpill::default();
            let mut queue = PackedQueue::default();
            for n in 0..5000 {
                push(&mut queue, &page(n), Some(&mut spill));
            }
            let blocks = spill.blocks();
            spill.fault(blocks / 2, fault);
            let mut loss = Loss::default();
            let found: Vec<_> = std::iter::from_fn(|| queue.pop(&mut loss)).collect();
            assert_eq!(found.len() as u64 + loss.pages, 5000, "{fault:?}");
            assert!(loss.pages > 0, "{fault:?}");
            // The other pages are complete and in order, and the size of the lost ones is known.
            assert!(found.is_sorted_by_key(|page| page.key.to_raw()), "{fault:?}");
            assert!(found.iter().all(|found| *found == page(found.key.to_raw())), "{fault:?}");
            let bytes =
                |pages: &mut dyn Iterator<Item = u64>| pages.map(|n| size_of(&page(n).path)).sum::<u64>();
            let kept = bytes(&mut found.iter().map(|page| page.key.to_raw()));
            assert_eq!(kept + loss.bytes, bytes(&mut (0..5000)), "{fault:?}");
            assert!(queue.is_empty());
        }
    }

    #[test]
    fn a_full_spill_loses_nothing() {
        let mut spill = TestSpill::default();
        spill.is_full = true;
        let mut queue = PackedQueue::default();
        for n in 0..5000 {
            push(&mut queue, &page(n), Some(&mut spill));
        }
        let mut loss = Loss::default();
        assert_eq!(std::iter::from_fn(|| queue.pop(&mut loss)).count(), 5000);
        assert_eq!(loss, Loss::default());
    }

    #[test]
    fn the_longest_path_fits() {
        let mut spill = TestSpill::default();
        let mut queue = PackedQueue::default();
        let lengths = [2, MAX_PATH_BYTES, 0, MAX_PATH_BYTES, MAX_PATH_BYTES, 5];
        for (n, length) in (0..).zip(lengths) {
            let path = "x".repeat(length);
            queue.push(UrlKey::from_raw(n), true, false, &path, Some(&mut spill));
        }
        assert_eq!(spill.blocks(), 1, "blocks with a longer page are not spilled");
        let mut loss = Loss::default();
        let found: Vec<_> = std::iter::from_fn(|| queue.pop(&mut loss)).map(|page| page.path.len()).collect();
        assert_eq!(found, lengths);
    }
}
