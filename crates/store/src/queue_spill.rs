//! Where blocks of waiting pages lie that are not needed soon: one temporary file, in places of one size.
//!
//! The files that documents are put aside in ([`result_space`](crate::result_space)) go with the last document in them, which may be
//! a day later. Blocks of a queue are read once, soon, and those of a slow job long after the others: in those files they
//! would leave holes that nobody else could use, and take the room of documents. Here each place that was read is used
//! again, so the file is never larger than what waited at most, and it goes when nothing waits.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gleaner_frontier::{QueueSpill, SPILL_BLOCK_BYTES, SpilledBlock};

/// Places in a temporary file without a name, which the system removes with the process. It is made when it is first
/// needed.
#[derive(Debug, Clone)]
pub(crate) struct QueueFile(Arc<Mutex<Places>>);

#[derive(Debug)]
struct Places {
    folder: Option<PathBuf>,
    file: Option<File>,
    /// So many there may be.
    most: u32,
    /// So many there are in the file.
    count: u32,
    free: Vec<u32>,
}

/// A block in the file.
#[derive(Debug)]
struct Placed {
    file: QueueFile,
    place: u32,
    length: usize,
}

impl QueueFile {
    /// For at most so many bytes, in this folder or that which the system has for temporary files.
    pub(crate) fn new(bytes: u64, folder: Option<PathBuf>) -> Self {
        let most = u32::try_from(bytes / SPILL_BLOCK_BYTES as u64).unwrap_or(u32::MAX);
        Self(Arc::new(Mutex::new(Places { folder, file: None, most, count: 0, free: Vec::new() })))
    }

    /// How many blocks are in it.
    #[cfg(test)]
    pub(crate) fn blocks(&self) -> u32 {
        let places = self.places();
        places.count - u32::try_from(places.free.len()).unwrap()
    }

    /// Loses its second half.
    #[cfg(test)]
    pub(crate) fn tear(&self) {
        let places = self.places();
        let file = places.file.as_ref().unwrap();
        file.set_len(file.metadata().unwrap().len() / 2 + 100).unwrap();
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Places {
    /// The file, at this place.
    fn at(&mut self, place: u32) -> io::Result<&mut File> {
        let file = match self.file.take() {
            Some(file) => file,
            None => match &self.folder {
                Some(folder) => tempfile::tempfile_in(folder)?,
                None => tempfile::tempfile()?,
            },
        };
        let file = self.file.insert(file);
        file.seek(SeekFrom::Start(u64::from(place) * SPILL_BLOCK_BYTES as u64))?;
        Ok(file)
    }

    fn put(&mut self, block: &[u8]) -> Option<u32> {
        let place = match self.free.pop() {
            Some(place) => place,
            None if self.count < self.most => {
                self.count += 1;
                self.count - 1
            }
            None => return None,
        };
        let written = self.at(place).and_then(|file| file.write_all(block));
        if written.is_err() {
            self.give_back(place);
        }
        written.ok().map(|()| place)
    }

    fn give_back(&mut self, place: u32) {
        self.free.push(place);
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
        let place = self.places().put(block)?;
        Some(Box::new(Placed { file: self.clone(), place, length: block.len() }))
    }
}

impl SpilledBlock for Placed {
    fn read(&self) -> io::Result<Vec<u8>> {
        let mut block = vec![0; self.length];
        self.file.places().at(self.place)?.read_exact(&mut block)?;
        Ok(block)
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        self.file.places().give_back(self.place);
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

    /// So many pages on three sites, of two priorities.
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
    fn a_queue_of_200_000_pages_lies_in_the_file_and_leaves_as_it_would_from_memory() {
        let mut in_memory = Frontier::new(FrontierConfig::default());
        admit(&mut in_memory);
        let whole = in_memory.queue_memory();
        let file = QueueFile::new(1 << 30, None);
        let mut frontier = Frontier::new(FrontierConfig::default()).with_cold_storage(Box::new(file.clone()));
        let job = admit(&mut frontier);
        let resident = frontier.queue_memory();
        // Six queues, of three blocks at most each.
        assert!(resident <= 18 * SPILL_BLOCK_BYTES as u64, "{resident} bytes, and {whole} without a file");
        assert!(whole > 20 * resident, "{resident} bytes, and {whole} without a file");
        assert_eq!(crawl(&mut frontier), crawl(&mut in_memory));
        assert_eq!(frontier.counts(job).map(|counts| counts.documents), Some(PAGES));
        assert_eq!((frontier.take_dropped(), file.blocks()), (vec![], 0));
        assert!(file.places().file.is_none(), "it is gone when nothing waits");
    }

    #[test]
    fn pages_that_the_file_lost_are_counted() {
        let overwrite = |file: &QueueFile| {
            let mut places = file.places();
            places.at(1).unwrap().write_all(b"something else").unwrap();
        };
        for (name, fault) in [("torn", QueueFile::tear as fn(&QueueFile)), ("overwritten", overwrite)] {
            let file = QueueFile::new(1 << 30, None);
            let mut frontier =
                Frontier::new(FrontierConfig::default()).with_cold_storage(Box::new(file.clone()));
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
    fn the_file_is_bounded_and_its_places_are_used_again() {
        let mut file = QueueFile::new(3 * SPILL_BLOCK_BYTES as u64 + 5, None);
        let mut put = |byte: u8| file.put(&[byte; SPILL_BLOCK_BYTES]);
        let mut held: Vec<_> = (1..4).map(|byte| put(byte).unwrap()).collect();
        assert!(put(4).is_none(), "three have room");
        drop(held.remove(1));
        held.push(put(5).unwrap());
        assert!(put(6).is_none());
        let first: Vec<u8> = held.iter().map(|block| block.read().unwrap()[SPILL_BLOCK_BYTES - 1]).collect();
        assert_eq!(first, [1, 3, 5]);
        let no_folder = Some(PathBuf::from("/nowhere/at/all"));
        assert!(
            QueueFile::new(1 << 20, no_folder).put(b"x").is_none(),
            "what cannot be written stays in memory"
        );
    }
}
