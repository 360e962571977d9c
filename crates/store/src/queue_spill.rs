//! Stores blocks of waiting pages that are not needed soon in one temporary file with slots of one size.
//!
//! The files for spilled documents ([`result_space`](crate::result_space)) are removed with the last document
//! in them, which may be a day later. Blocks of a queue are read once, soon, but those of a slow job long
//! after the others: in those files they would leave unusable holes and take space from documents. Here a
//! slot is reused as soon as its block is dropped, so the file is never larger than the largest queue was,
//! and it is removed when no block is left.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gleaner_frontier::{QueueSpill, SPILL_BLOCK_BYTES, SpilledBlock};

/// A temporary file without a name, which the system removes with the process. It is created when it is first
/// needed.
#[derive(Debug, Clone)]
pub(crate) struct QueueFile(Arc<Mutex<FileSlots>>);

#[derive(Debug)]
struct FileSlots {
    folder: Option<PathBuf>,
    file: Option<File>,
    /// Maximum number of slots.
    max_count: u32,
    /// Number of slots in the file.
    count: u32,
    free: Vec<u32>,
}

/// A block in the file.
#[derive(Debug)]
struct FileBlock {
    file: QueueFile,
    slot: u32,
    length: usize,
}

impl QueueFile {
    /// A file for at most `bytes` bytes, in this folder or in the default temporary folder.
    pub(crate) fn new(bytes: u64, folder: Option<PathBuf>) -> Self {
        let max_count = u32::try_from(bytes / SPILL_BLOCK_BYTES as u64).unwrap_or(u32::MAX);
        Self(Arc::new(Mutex::new(FileSlots { folder, file: None, max_count, count: 0, free: Vec::new() })))
    }

    /// The number of blocks in the file.
    #[cfg(test)]
    pub(crate) fn blocks(&self) -> u32 {
        let slots = self.lock();
        slots.count - u32::try_from(slots.free.len()).unwrap()
    }

    /// Truncates the file to half of its length.
    #[cfg(test)]
    pub(crate) fn tear(&self) {
        let slots = self.lock();
        let file = slots.file.as_ref().unwrap();
        file.set_len(file.metadata().unwrap().len() / 2 + 100).unwrap();
    }

    fn lock(&self) -> MutexGuard<'_, FileSlots> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileSlots {
    /// The file, positioned at this slot.
    fn seek_to(&mut self, slot: u32) -> io::Result<&mut File> {
        let file = match self.file.take() {
            Some(file) => file,
            None => match &self.folder {
                Some(folder) => tempfile::tempfile_in(folder)?,
                None => tempfile::tempfile()?,
            },
        };
        let file = self.file.insert(file);
        file.seek(SeekFrom::Start(u64::from(slot) * SPILL_BLOCK_BYTES as u64))?;
        Ok(file)
    }

    fn put(&mut self, block: &[u8]) -> Option<u32> {
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None if self.count < self.max_count => {
                self.count += 1;
                self.count - 1
            }
            None => return None,
        };
        let written = self.seek_to(slot).and_then(|file| file.write_all(block));
        if written.is_err() {
            self.free_slot(slot);
        }
        written.ok().map(|()| slot)
    }

    fn free_slot(&mut self, slot: u32) {
        self.free.push(slot);
        if u32::try_from(self.free.len()).is_ok_and(|free| free == self.count) {
            (self.free, self.count, self.file) = (Vec::new(), 0, None);
        }
    }
}

impl QueueSpill for QueueFile {
    fn put(&mut self, block: &[u8]) -> Option<Box<dyn SpilledBlock>> {
        if block.len() > SPILL_BLOCK_BYTES {
            return None;
        }
        let slot = self.lock().put(block)?;
        Some(Box::new(FileBlock { file: self.clone(), slot, length: block.len() }))
    }
}

impl SpilledBlock for FileBlock {
    fn read(&self) -> io::Result<Vec<u8>> {
        let mut block = vec![0; self.length];
        self.file.lock().seek_to(self.slot)?.read_exact(&mut block)?;
        Ok(block)
    }
}

impl Drop for FileBlock {
    fn drop(&mut self) {
        self.file.lock().free_slot(self.slot);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gleaner_frontier::{Candidate, Frontier, FrontierConfig, JobRules, JobSlot, Outcome, UrlKey};
    use url::Url;

    use super::*;

    const PAGES: u64 = 200_000;
    const NOW: Duration = Duration::ZERO;

    /// Admits all pages: three sites, two priorities.
    fn admit(frontier: &mut Frontier) -> JobSlot {
        let job = frontier.open(JobRules::with_limit(u64::MAX));
        let page = |n: u64| Candidate {
            url: Url::parse(&format!("https://h{}.test/catalogue/item-{n:07}", n % 3)).unwrap(),
            key: UrlKey::from_raw(n),
            external: false,
            priority: u8::from(n.is_multiple_of(10)),
        };
        assert_eq!(frontier.admit(job, 0, (0..PAGES).map(page), NOW).new, PAGES);
        job
    }

    fn crawl(frontier: &mut Frontier) -> Vec<u64> {
        let mut order = Vec::new();
        loop {
            let leases = frontier.lease(100, NOW).leases;
            if leases.is_empty() {
                return order;
            }
            for lease in leases {
                order.push(lease.key.to_raw());
                frontier.finish(lease.id, Outcome::Document, [], NOW);
            }
        }
    }

    #[test]
    fn a_queue_of_200_000_pages_is_spilled_and_keeps_its_order() {
        let mut in_memory = Frontier::new(FrontierConfig::default());
        admit(&mut in_memory);
        let whole = in_memory.queue_memory();
        let file = QueueFile::new(1 << 30, None);
        let mut frontier = Frontier::new(FrontierConfig::default()).with_spill(Box::new(file.clone()));
        let job = admit(&mut frontier);
        let resident = frontier.queue_memory();
        // Six queues with at most three blocks each.
        assert!(resident <= 18 * SPILL_BLOCK_BYTES as u64, "{resident} bytes, and {whole} without a file");
        assert!(whole > 20 * resident, "{resident} bytes, and {whole} without a file");
        assert_eq!(crawl(&mut frontier), crawl(&mut in_memory));
        assert_eq!(frontier.counts(job).map(|counts| counts.documents), Some(PAGES));
        assert_eq!((frontier.take_dropped(), file.blocks()), (vec![], 0));
        assert!(file.lock().file.is_none(), "the file is removed with the last block");
    }

    #[test]
    fn pages_in_damaged_blocks_are_counted() {
        let overwrite = |file: &QueueFile| {
            let mut slots = file.lock();
            slots.seek_to(1).unwrap().write_all(b"something else").unwrap();
        };
        for (name, fault) in [("torn", QueueFile::tear as fn(&QueueFile)), ("overwritten", overwrite)] {
            let file = QueueFile::new(1 << 30, None);
            let mut frontier = Frontier::new(FrontierConfig::default()).with_spill(Box::new(file.clone()));
            let job = admit(&mut frontier);
            fault(&file);
            let found = crawl(&mut frontier).len() as u64;
            let lost: u64 = frontier.take_dropped().iter().map(|dropped| dropped.pages).sum();
            assert!(lost > 100 && found > PAGES / 3, "{name}: {lost} lost");
            let counts = frontier.counts(job).unwrap();
            assert_eq!((counts.documents, counts.failed, counts.waiting), (PAGES - lost, lost, 0), "{name}");
            assert!(frontier.is_idle(job), "{name}");
        }
    }

    #[test]
    fn the_file_is_bounded_and_its_slots_are_reused() {
        let mut file = QueueFile::new(3 * SPILL_BLOCK_BYTES as u64 + 5, None);
        let mut put = |byte: u8| file.put(&[byte; SPILL_BLOCK_BYTES]);
        let mut stored: Vec<_> = (1..4).map(|byte| put(byte).unwrap()).collect();
        assert!(put(4).is_none(), "only three slots");
        drop(stored.remove(1));
        stored.push(put(5).unwrap());
        assert!(put(6).is_none());
        let first: Vec<u8> =
            stored.iter().map(|block| block.read().unwrap()[SPILL_BLOCK_BYTES - 1]).collect();
        assert_eq!(first, [1, 3, 5]);
        let no_folder = Some(PathBuf::from("/nowhere/at/all"));
        assert!(
            QueueFile::new(1 << 20, no_folder).put(b"x").is_none(),
            "what cannot be written stays in memory"
        );
    }
}
