//! The port for storage of waiting pages outside memory.

use std::fmt::Debug;
use std::io;

/// Maximum size of a block in a [`QueueSpill`], in bytes. Full blocks are only slightly smaller.
pub const SPILL_BLOCK_BYTES: usize = 16 * 1024;

/// Storage for blocks of waiting pages that are not needed soon, such as a file.
///
/// A [`Frontier`](crate::Frontier) does no I/O itself. With a spill (see
/// [`Frontier::with_spill`](crate::Frontier::with_spill)) it keeps in memory only the pages that are leased
/// next, at most three blocks of [`SPILL_BLOCK_BYTES`] for each host, depth and priority of a job. It puts
/// the full blocks after these here. Each block is read once, when its turn comes, and then dropped; or
/// dropped unread if its job ends first. The order of pages is the same with and without a spill.
///
/// ```
/// use gleaner_frontier::{Frontier, FrontierConfig, QueueSpill, SpilledBlock};
///
/// #[derive(Debug)]
/// struct MemorySpill;
///
/// #[derive(Debug)]
/// struct MemoryBlock(Vec<u8>);
///
/// impl QueueSpill for MemorySpill {
///     fn put(&mut self, block: &[u8]) -> Option<Box<dyn SpilledBlock>> {
///         Some(Box::new(MemoryBlock(block.to_vec())))
///     }
/// }
///
/// impl SpilledBlock for MemoryBlock {
///     fn read(&self) -> std::io::Result<Vec<u8>> {
///         Ok(self.0.clone())
///     }
/// }
///
/// let frontier = Frontier::new(FrontierConfig::default()).with_spill(Box::new(MemorySpill));
/// # drop(frontier);
/// ```
pub trait QueueSpill: Debug + Send + Sync {
    /// Stores a copy of a block of 1 to [`SPILL_BLOCK_BYTES`] bytes. `None` if there is no space or the
    /// medium failed; the block then stays in memory.
    fn put(&mut self, block: &[u8]) -> Option<Box<dyn SpilledBlock>>;
}

/// A block in a [`QueueSpill`]. Dropping it frees its space.
pub trait SpilledBlock: Debug + Send + Sync {
    /// The stored bytes.
    ///
    /// The caller knows their length and checksum: torn or changed bytes count as lost, like an error. The
    /// pages in a lost block then count as failed, and
    /// [`Frontier::take_dropped`](crate::Frontier::take_dropped) reports their number.
    ///
    /// # Errors
    /// Those of the medium.
    fn read(&self) -> io::Result<Vec<u8>>;
}

/// An in-memory spill whose blocks can be made to fail.
#[cfg(test)]
pub(super) mod testing {
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};

    use super::*;

    /// How a block fails.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Fault {
        Error,
        Torn,
        Changed,
    }

    type Blocks = BTreeMap<usize, (Vec<u8>, Option<Fault>)>;

    #[derive(Debug, Clone, Default)]
    pub(crate) struct TestSpill {
        blocks: Arc<Mutex<Blocks>>,
        next: usize,
        pub(crate) is_full: bool,
    }

    impl TestSpill {
        /// The number of stored blocks.
        pub(crate) fn blocks(&self) -> usize {
            self.blocks.lock().unwrap().len()
        }

        /// Makes the block at an index fail.
        pub(crate) fn fault(&self, index: usize, fault: Fault) {
            self.blocks.lock().unwrap().values_mut().nth(index).unwrap().1 = Some(fault);
        }
    }

    impl QueueSpill for TestSpill {
        fn put(&mut self, block: &[u8]) -> Option<Box<dyn SpilledBlock>> {
            assert!((1..=SPILL_BLOCK_BYTES).contains(&block.len()));
            if self.is_full {
                return None;
            }
            self.next += 1;
            self.blocks.lock().unwrap().insert(self.next, (block.to_vec(), None));
            Some(Box::new(TestBlock { spill: self.clone(), index: self.next }))
        }
    }

    #[derive(Debug)]
    struct TestBlock {
        spill: TestSpill,
        index: usize,
    }

    impl SpilledBlock for TestBlock {
        fn read(&self) -> io::Result<Vec<u8>> {
            let (mut block, fault) = self.spill.blocks.lock().unwrap()[&self.index].clone();
            match fault {
                Some(Fault::Error) => return Err(io::Error::other("the medium failed")),
                Some(Fault::Torn) => block.truncate(block.len() / 2),
                Some(Fault::Changed) => block[1] ^= 1,
                None => {}
            }
            Ok(block)
        }
    }

    impl Drop for TestBlock {
        fn drop(&mut self) {
            self.spill.blocks.lock().unwrap().remove(&self.index);
        }
    }
}
