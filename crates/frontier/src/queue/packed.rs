//! First in, first out, for waiting pages: eleven bytes each and the part of the URL behind the host.
//!
//! The obvious `VecDeque<Url>` takes about 200 bytes a page. Pages of one host, depth and priority leave in the order
//! in which they came, so their text can lie in a row, in blocks that are given back as they are read. All but the first
//! of the full ones can lie elsewhere until they are read (see [`QueueSpill`]).

use std::collections::VecDeque;
use std::hash::Hasher;

use siphasher::sip::SipHasher13;

use super::spill::{QueueSpill, SPILL_BLOCK_BYTES, SpilledBlock};
use crate::identity::UrlKey;

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

/// Pages that could not be read back, and what they took in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Loss {
    pub(super) pages: u64,
    /// Of these, what is no page (see [`Candidate::AUXILIARY`](crate::Candidate::AUXILIARY)).
    pub(super) auxiliary: u64,
    pub(super) bytes: u64,
}

/// A full block, behind which others may come.
#[derive(Debug)]
enum Full {
    Here(Vec<u8>),
    Away(Away),
}

/// A block that lies elsewhere, and what has to come back.
#[derive(Debug)]
struct Away {
    block: Box<dyn SpilledBlock>,
    pages: u32,
    length: usize,
    checksum: u64,
}

impl Away {
    fn read(&self) -> Option<Vec<u8>> {
        let bytes = self.block.read().ok()?;
        (bytes.len() == self.length && checksum(&bytes) == self.checksum).then_some(bytes)
    }
}

/// Against torn and mixed-up blocks, not against somebody who writes to the medium: he may as well read our memory.
fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(0, 2);
    hasher.write(bytes);
    hasher.finish()
}

#[derive(Debug, Default)]
pub(super) struct PackedQueue {
    front: Vec<u8>,
    read: usize,
    full: VecDeque<Full>,
    /// It grows up to a block by doubling.
    tail: Vec<u8>,
    tail_pages: u32,
}

impl PackedQueue {
    pub(super) fn is_empty(&self) -> bool {
        self.read == self.front.len() && self.full.is_empty() && self.tail.is_empty()
    }

    /// Adds a page at the end. `rest` is at most [`MAX_REST`] long.
    pub(super) fn push(
        &mut self,
        key: UrlKey,
        https: bool,
        external: bool,
        rest: &str,
        spill: Option<&mut (dyn QueueSpill + 'static)>,
    ) {
        let Ok(length) = u16::try_from(rest.len()) else {
            debug_assert!(false, "admit() refuses longer ones");
            return;
        };
        let needed = OVERHEAD + rest.len();
        if self.tail.len() + needed > SPILL_BLOCK_BYTES && !self.tail.is_empty() {
            self.close_tail(spill);
        }
        self.tail.extend_from_slice(&key.to_raw().to_le_bytes());
        self.tail.push(u8::from(https) | u8::from(external) << 1);
        self.tail.extend_from_slice(&length.to_le_bytes());
        self.tail.extend_from_slice(rest.as_bytes());
        self.tail_pages += 1;
    }

    /// Begins a new last block. The full one is put aside where another one comes before it.
    fn close_tail(&mut self, spill: Option<&mut (dyn QueueSpill + 'static)>) {
        let pages = std::mem::take(&mut self.tail_pages);
        // A single page may be longer than a block.
        let storage = spill.filter(|_| !self.full.is_empty() && self.tail.len() <= SPILL_BLOCK_BYTES);
        if let Some(block) = storage.and_then(|storage| storage.put(&self.tail)) {
            let (length, checksum) = (self.tail.len(), checksum(&self.tail));
            self.full.push_back(Full::Away(Away { block, pages, length, checksum }));
            self.tail.clear();
        } else {
            let tail = std::mem::replace(&mut self.tail, Vec::with_capacity(SPILL_BLOCK_BYTES));
            self.full.push_back(Full::Here(tail));
        }
    }

    /// The next page. Those before it that cannot be read back are dropped and added to `loss`.
    pub(super) fn pop(&mut self, loss: &mut Loss) -> Option<Page> {
        while self.read == self.front.len() {
            self.read = 0;
            self.front = match self.full.pop_front() {
                Some(Full::Here(block)) => block,
                Some(Full::Away(away)) => away.read().unwrap_or_else(|| {
                    loss.pages += u64::from(away.pages);
                    loss.bytes += away.length as u64;
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
        let rest = std::str::from_utf8(bytes.get(..length)?).ok()?.into();
        self.read += OVERHEAD + length;
        Some(Page {
            key: UrlKey::from_raw(u64::from_le_bytes(*key)),
            https: flags & 1 != 0,
            external: flags & 2 != 0,
            rest,
        })
    }

    /// Bytes of memory that its blocks take.
    pub(super) fn bytes_in_memory(&self) -> u64 {
        let full = self.full.iter().map(|block| match block {
            Full::Here(block) => block.capacity(),
            Full::Away(_) => 0,
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
            rest: "/p".repeat(usize::try_from(n % 50).unwrap()).into(),
        }
    }

    fn push(queue: &mut PackedQueue, page: &Page, spill: Option<&mut (dyn QueueSpill + 'static)>) {
        queue.push(page.key, page.https, page.external, &page.rest, spill);
    }

    #[test]
    fn pages_leave_as_they_came_wherever_they_lay() {
        for spills in [false, true] {
            let mut shelf = TestSpill::default();
            let mut queue = PackedQueue::default();
            let mut next = 0;
            let mut loss = Loss::default();
            for n in 0..5000 {
                push(&mut queue, &page(n), if spills { Some(&mut shelf) } else { None });
                if n % 3 == 0 {
                    assert_eq!(queue.pop(&mut loss), Some(page(next)));
                    next += 1;
                }
            }
            assert_eq!(shelf.held() > 4, spills);
            while let Some(found) = queue.pop(&mut loss) {
                assert_eq!(found, page(next));
                next += 1;
            }
            assert_eq!((next, loss, shelf.held()), (5000, Loss::default(), 0));
            assert!(queue.is_empty());
        }
    }

    #[test]
    fn a_short_queue_is_never_put_aside_and_a_long_one_takes_three_blocks() {
        let mut shelf = TestSpill::default();
        let mut queue = PackedQueue::default();
        let short = Page { rest: "x".repeat(89).into(), ..page(1) };
        for _ in 0..320 {
            push(&mut queue, &short, Some(&mut shelf));
        }
        assert_eq!(shelf.held(), 0);
        for _ in 0..100_000 {
            push(&mut queue, &short, Some(&mut shelf));
        }
        assert!(shelf.held() > 600);
        assert!(queue.bytes_in_memory() <= 3 * SPILL_BLOCK_BYTES as u64, "{}", queue.bytes_in_memory());
        drop(queue);
        assert_eq!(shelf.held(), 0, "what is dropped frees its place");
    }

    #[test]
    fn what_does_not_come_back_is_counted() {
        for fault in [Fault::Error, Fault::Torn, Fault::Changed] {
            let mut shelf = TestSpill::default();
            let mut queue = PackedQueue::default();
            for n in 0..5000 {
                push(&mut queue, &page(n), Some(&mut shelf));
            }
            let held = shelf.held();
            shelf.fault(held / 2, fault);
            let mut loss = Loss::default();
            let found: Vec<_> = std::iter::from_fn(|| queue.pop(&mut loss)).collect();
            assert_eq!(found.len() as u64 + loss.pages, 5000, "{fault:?}");
            assert!(loss.pages > 0, "{fault:?}");
            // The others are whole and in order, and what the lost ones took is known.
            assert!(found.is_sorted_by_key(|page| page.key.to_raw()), "{fault:?}");
            assert!(found.iter().all(|found| *found == page(found.key.to_raw())), "{fault:?}");
            let bytes =
                |pages: &mut dyn Iterator<Item = u64>| pages.map(|n| size_of(&page(n).rest)).sum::<u64>();
            let kept = bytes(&mut found.iter().map(|page| page.key.to_raw()));
            assert_eq!(kept + loss.bytes, bytes(&mut (0..5000)), "{fault:?}");
            assert!(queue.is_empty());
        }
    }

    #[test]
    fn a_storage_that_takes_nothing_changes_nothing() {
        let mut shelf = TestSpill::default();
        shelf.full = true;
        let mut queue = PackedQueue::default();
        for n in 0..5000 {
            push(&mut queue, &page(n), Some(&mut shelf));
        }
        let mut loss = Loss::default();
        assert_eq!(std::iter::from_fn(|| queue.pop(&mut loss)).count(), 5000);
        assert_eq!(loss, Loss::default());
    }

    #[test]
    fn the_longest_text_fits() {
        let mut shelf = TestSpill::default();
        let mut queue = PackedQueue::default();
        let lengths = [2, MAX_REST, 0, MAX_REST, MAX_REST, 5];
        for (n, length) in (0..).zip(lengths) {
            let rest = "x".repeat(length);
            queue.push(UrlKey::from_raw(n), true, false, &rest, Some(&mut shelf));
        }
        assert_eq!(shelf.held(), 1, "of the longer ones none; of the others one");
        let mut loss = Loss::default();
        let found: Vec<_> = std::iter::from_fn(|| queue.pop(&mut loss)).map(|page| page.rest.len()).collect();
        assert_eq!(found, lengths);
    }
}
