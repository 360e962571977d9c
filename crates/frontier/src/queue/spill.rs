use std::fmt::Debug;
use std::io;

/// The most bytes of a block that is put into [`QueueSpill`]; full ones are hardly smaller.
pub const SPILL_BLOCK_BYTES: usize = 16 * 1024;

/// Where blocks of waiting pages go that are not needed soon: a file, say.
///
/// A [`Frontier`](crate::Frontier) does no I/O of its own. Given such a storage (see
/// [`Frontier::with_cold_storage`](crate::Frontier::with_cold_storage)) it keeps in memory what is leased next of each
/// host, depth and priority of a job, at most three blocks of [`SPILL_BLOCK_BYTES`], and puts the full blocks behind these
/// here. Each is asked for once, when it is its turn, and dropped; or dropped unread where its job ends first. The order
/// of pages is the same with and without it.
///
/// ```
/// use gleaner_frontier::{SpilledBlock, QueueSpill, Frontier, FrontierConfig};
///
/// #[derive(Debug)]
/// struct Elsewhere;
///
/// #[derive(Debug)]
/// struct Kept(Vec<u8>);
///
/// impl QueueSpill for Elsewhere {
///     fn put(&mut self, block: &[u8]) -> Option<Box<dyn SpilledBlock>> {
///         Some(Box::new(Kept(block.to_vec())))
///     }
/// }
///
/// impl SpilledBlock for Kept {
///     fn read(&self) -> std::io::Result<Vec<u8>> {
///         Ok(self.0.clone())
///     }
/// }
///
/// let frontier = Frontier::new(FrontierConfig::default()).with_cold_storage(Box::new(Elsewhere));
/// # drop(frontier);
/// ```
pub trait QueueSpill: Debug + Send + Sync {
    /// Takes a copy of a block of 1 to [`SPILL_BLOCK_BYTES`] bytes. `None` where there is no room, or the medium failed:
    /// the block then stays in memory.
    fn put(&mut self, block: &[u8]) -> Option<Box<dyn SpilledBlock>>;
}

/// A block that was put into [`QueueSpill`]. Dropping it frees its place.
pub trait SpilledBlock: Debug + Send + Sync {
    /// The bytes that were put.
    ///
    /// The caller knows their length and a checksum: what is torn or was changed counts as lost, like an error. The pages
    /// in it, whose number the caller knows as well, then count as failed and are told by
    /// [`Frontier::take_dropped`](crate::Frontier::take_dropped).
    ///
    /// # Errors
    /// Those of the medium.
    fn read(&self) -> io::Result<Vec<u8>>;
}

/// A storage in memory whose blocks can be made to fail.
#[cfg(test)]
pub(super) mod testing {
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};

    use super::*;

    /// What is wrong with a block.
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
        pub(crate) full: bool,
    }

    impl TestSpill {
        /// How many blocks it has.
        pub(crate) fn held(&self) -> usize {
            self.blocks.lock().unwrap().len()
        }

        /// Spoils the block at a place.
        pub(crate) fn fault(&self, place: usize, fault: Fault) {
            self.blocks.lock().unwrap().values_mut().nth(place).unwrap().1 = Some(fault);
        }
    }

    impl QueueSpill for TestSpill {
        fn put(&mut self, block: &[u8]) -> Option<Box<dyn SpilledBlock>> {
            assert!((1..=SPILL_BLOCK_BYTES).contains(&block.len()));
            if self.full {
                return None;
            }
            self.next += 1;
            self.blocks.lock().unwrap().insert(self.next, (block.to_vec(), None));
            Some(Box::new(Kept { shelf: self.clone(), place: self.next }))
        }
    }

    #[derive(Debug)]
    struct Kept {
        shelf: TestSpill,
        place: usize,
    }

    impl SpilledBlock for Kept {
        fn read(&self) -> io::Result<Vec<u8>> {
            let (mut block, fault) = self.shelf.blocks.lock().unwrap()[&self.place].clone();
            match fault {
                Some(Fault::Error) => return Err(io::Error::other("the medium failed")),
                Some(Fault::Torn) => block.truncate(block.len() / 2),
                Some(Fault::Changed) => block[1] ^= 1,
                None => {}
            }
            Ok(block)
        }
    }

    impl Drop for Kept {
        fn drop(&mut self) {
            self.shelf.blocks.lock().unwrap().remove(&self.place);
        }
    }
}
