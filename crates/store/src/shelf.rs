//! Room for the documents of all jobs together: in memory up to a bound, beyond it in temporary files.
//!
//! What is put aside is appended to one file after another, each shared by all jobs, and a file goes when the last
//! document in it is forgotten. One file for each job would need as many descriptors as there are jobs, and a single one
//! for all would have to find room for what comes among the holes of what went.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::Error;

/// Documents of all jobs together beyond so many bytes go to temporary files.
pub const DEFAULT_ALL_RETAINED_BYTES: usize = 256 << 20;
/// Documents in temporary files take at most so many bytes, all jobs together.
pub const DEFAULT_SPILLED_BYTES: u64 = 64 << 30;
/// A temporary file that has grown to so much gets no further documents: so there are 256 of them at the default bound.
pub(crate) const FILE_BYTES: u64 = 256 << 20;

/// How much of all results there may be.
#[derive(Debug, Clone)]
pub(crate) struct ShelfBounds {
    /// In memory: of those that may be put aside, and once more of those that may not.
    pub(crate) memory: usize,
    /// In temporary files.
    pub(crate) disk: u64,
    /// A temporary file that has grown to so much gets no further documents.
    pub(crate) file: u64,
    /// Where these are made; `None` is the system's choice.
    pub(crate) folder: Option<PathBuf>,
}

#[derive(Debug)]
pub(crate) struct Shelf {
    bounds: ShelfBounds,
    /// Bytes in memory that may be put aside.
    movable: AtomicUsize,
    /// Bytes in memory that may not.
    fixed: AtomicUsize,
    disk: Arc<AtomicU64>,
    /// The file that is written to.
    file: Mutex<Option<Arc<SpillFile>>>,
}

/// A temporary file without a name, which the system removes with the process.
#[derive(Debug)]
struct SpillFile {
    file: Mutex<File>,
    length: AtomicU64,
    disk: Arc<AtomicU64>,
}

impl Drop for SpillFile {
    fn drop(&mut self) {
        self.disk.fetch_sub(*self.length.get_mut(), Ordering::Relaxed);
    }
}

/// A document in a file.
#[derive(Debug, Clone)]
pub(crate) struct Spilled {
    file: Arc<SpillFile>,
    offset: u64,
    length: usize,
}

impl Spilled {
    /// Bytes that it takes in the file.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn read(&self) -> std::io::Result<Vec<u8>> {
        let mut json = vec![0; self.length];
        let mut file = self.file.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.offset))?;
        file.read_exact(&mut json)?;
        Ok(json)
    }
}

impl Shelf {
    pub(crate) fn new(bounds: ShelfBounds) -> Arc<Self> {
        Arc::new(Self {
            bounds,
            movable: AtomicUsize::new(0),
            fixed: AtomicUsize::new(0),
            disk: Arc::default(),
            file: Mutex::default(),
        })
    }

    fn memory(&self, fixed: bool) -> &AtomicUsize {
        if fixed { &self.fixed } else { &self.movable }
    }

    /// Takes room in memory, where there is some.
    pub(crate) fn take(&self, bytes: usize, fixed: bool) -> bool {
        let all = self.memory(fixed);
        let most = self.bounds.memory;
        let more = |held: usize| held.checked_add(bytes).filter(|held| *held <= most);
        all.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// Takes room in memory for what its own bound holds back.
    pub(crate) fn take_anyway(&self, bytes: usize, fixed: bool) {
        self.memory(fixed).fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn give_back(&self, bytes: usize, fixed: bool) {
        self.memory(fixed).fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Why no further document is kept that may not be put aside.
    pub(crate) fn no_memory(&self) -> Error {
        Error::full(format!(
            "with zero data retention results stay in memory, and the {} bytes that all jobs together may use of it are \
             used up; what was scraped can be read",
            self.bounds.memory
        ))
    }

    pub(crate) fn put_aside(&self, json: &[u8]) -> Result<Spilled, Error> {
        let length = json.len() as u64;
        let taken = self.disk.load(Ordering::Relaxed);
        if taken.saturating_add(length) > self.bounds.disk {
            return Err(Error::full(format!(
                "the {} bytes of disk that the results of all jobs together may use are used up; what was scraped can \
                 be read, and there is room again when older results expire or are removed",
                self.bounds.disk
            )));
        }
        self.write(json).map_err(|cause| Error::io("a document could not be put aside", &cause))
    }

    fn write(&self, json: &[u8]) -> std::io::Result<Spilled> {
        let mut current = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let file = match &*current {
            Some(file) if file.length.load(Ordering::Relaxed) < self.bounds.file => Arc::clone(file),
            _ => {
                let file = match &self.bounds.folder {
                    Some(folder) => tempfile::tempfile_in(folder),
                    None => tempfile::tempfile(),
                };
                let (file, disk) = (Mutex::new(file?), Arc::clone(&self.disk));
                Arc::clone(current.insert(Arc::new(SpillFile { file, length: AtomicU64::new(0), disk })))
            }
        };
        let offset = file.length.load(Ordering::Relaxed);
        {
            let mut handle = file.file.lock().unwrap_or_else(PoisonError::into_inner);
            handle.seek(SeekFrom::Start(offset))?;
            handle.write_all(json)?;
        }
        file.length.store(offset + json.len() as u64, Ordering::Relaxed);
        self.disk.fetch_add(json.len() as u64, Ordering::Relaxed);
        Ok(Spilled { file, offset, length: json.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shelf(disk: u64) -> Arc<Shelf> {
        Shelf::new(ShelfBounds { memory: 10, disk, file: 100, folder: None })
    }

    #[test]
    fn room_in_memory_is_given_out_once_and_comes_back() {
        let shelf = shelf(0);
        assert!(shelf.take(6, false) && shelf.take(4, false), "ten bytes");
        assert!(!shelf.take(1, false), "and none more");
        assert!(shelf.take(10, true), "what may not be put aside has room of its own");
        shelf.give_back(4, false);
        assert!(shelf.take(4, false) && !shelf.take(usize::MAX, false));
    }

    #[test]
    fn room_on_disk_comes_back_with_the_last_document_of_a_file() {
        let shelf = shelf(200);
        // Two files of one document each.
        let large = [b'x'; 100];
        let (first, second) = (shelf.put_aside(&large).unwrap(), shelf.put_aside(&large).unwrap());
        assert!(!Arc::ptr_eq(&first.file, &second.file));
        assert!(shelf.put_aside(b"x").unwrap_err().is_full());
        drop(first);
        assert_eq!(shelf.put_aside(b"third").unwrap().read().unwrap(), b"third");
        assert_eq!(second.read().unwrap(), large);
    }
}
