//! Space for the documents of all jobs: in memory up to a limit, and above it in temporary files.
//!
//! Spilled documents are appended to a sequence of files that all jobs share. A file is removed when its last
//! document is dropped, even the file that is being written. Space is freed file by file, so there are always
//! several: one document that stays keeps a part of the space, not all of it. Alternatives: one file per job
//! needs as many descriptors as jobs; a single file for all jobs would have to manage holes.
//!
//! For space that stays scarce (memory for documents that must not be spilled, and disk), a team may take
//! only as much as it leaves free: at most half of the space, so others always find some. Jobs without a team
//! may take all of it.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::{Error, TeamId};

/// Default memory limit for the documents of all jobs, in bytes; further documents go to temporary files.
pub const DEFAULT_ALL_RETAINED_BYTES: usize = 256 << 20;
/// Default limit for documents in temporary files, in bytes, all jobs together.
pub const DEFAULT_SPILLED_BYTES: u64 = 64 << 30;
/// A temporary file of at least this size gets no more documents. With the default limit there are 256 such
/// files.
pub(crate) const FILE_BYTES: u64 = 256 << 20;
/// Maximum of that size, as a fraction of the whole disk limit.
pub(crate) const FILE_DIVISOR: u64 = 8;
/// A job whose documents must not be spilled is rejected if its team has less than this fraction of the
/// memory for such documents left.
const MIN_FREE_DIVISOR: usize = 64;

/// Limits for the documents of all jobs.
#[derive(Debug, Clone)]
pub(crate) struct ResultLimits {
    /// Memory in bytes, once for documents that may be spilled and once more for those that must not.
    pub(crate) memory: usize,
    /// Temporary files, in bytes.
    pub(crate) disk: u64,
    /// A temporary file of at least this size, in bytes, gets no more documents.
    pub(crate) file: u64,
    /// Folder of the files; `None` is the default of the system.
    pub(crate) folder: Option<PathBuf>,
}

#[derive(Debug)]
pub(crate) struct ResultSpace {
    limits: ResultLimits,
    /// Bytes in memory that may be spilled.
    spillable: AtomicUsize,
    /// Bytes in memory that must not be spilled.
    pinned: AtomicUsize,
    disk: Arc<AtomicU64>,
    /// The current file, while it contains documents.
    file: Mutex<Weak<SpillFile>>,
    teams: Mutex<HashMap<TeamId, Weak<TeamUsage>>>,
}

/// The scarce space that a team uses.
#[derive(Debug, Default)]
struct TeamUsage {
    /// Bytes in memory that must not be spilled.
    pinned: AtomicUsize,
    /// Bytes of documents in files.
    disk: AtomicU64,
}

/// The space as one team sees it.
#[derive(Debug, Clone)]
pub(crate) struct TeamQuota {
    result_space: Arc<ResultSpace>,
    /// `None` for a job without a team.
    usage: Option<Arc<TeamUsage>>,
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
pub(crate) struct SpilledDocument {
    file: Arc<SpillFile>,
    offset: u64,
    length: usize,
}

impl SpilledDocument {
    /// Length in the file, in bytes.
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

    /// Overwrites the document with zeros.
    #[cfg(test)]
    pub(crate) fn corrupt(&self) {
        let mut file = self.file.file.lock().unwrap();
        file.seek(SeekFrom::Start(self.offset)).unwrap();
        file.write_all(&vec![0; self.length]).unwrap();
    }
}

impl ResultSpace {
    pub(crate) fn new(limits: ResultLimits) -> Arc<Self> {
        Arc::new(Self {
            limits,
            spillable: AtomicUsize::new(0),
            pinned: AtomicUsize::new(0),
            disk: Arc::default(),
            file: Mutex::default(),
            teams: Mutex::default(),
        })
    }

    /// The quota for a job of this team.
    pub(crate) fn quota(self: &Arc<Self>, team: Option<&TeamId>) -> TeamQuota {
        TeamQuota { result_space: Arc::clone(self), usage: team.map(|team| self.usage(team)) }
    }

    fn usage(&self, team: &TeamId) -> Arc<TeamUsage> {
        let mut teams = self.teams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(usage) = teams.get(team).and_then(Weak::upgrade) {
            return usage;
        }
        // Only when the table would have to grow.
        if teams.len() == teams.capacity() {
            teams.retain(|_, usage| usage.strong_count() > 0);
        }
        let usage = Arc::<TeamUsage>::default();
        teams.insert(team.clone(), Arc::downgrade(&usage));
        usage
    }

    fn memory(&self, pinned: bool) -> &AtomicUsize {
        if pinned { &self.pinned } else { &self.spillable }
    }

    fn write(&self, json: &[u8]) -> std::io::Result<SpilledDocument> {
        let mut current = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let open = current.upgrade().filter(|file| file.length.load(Ordering::Relaxed) < self.limits.file);
        let file = match open {
            Some(file) => file,
            None => {
                let file = match &self.limits.folder {
                    Some(folder) => tempfile::tempfile_in(folder),
                    None => tempfile::tempfile(),
                };
                let (file, disk) = (Mutex::new(file?), Arc::clone(&self.disk));
                let file = Arc::new(SpillFile { file, length: AtomicU64::new(0), disk });
                *current = Arc::downgrade(&file);
                file
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
        Ok(SpilledDocument { file, offset, length: json.len() })
    }
}

impl TeamQuota {
    /// Reserves memory. False if there is not enough.
    pub(crate) fn reserve(&self, bytes: usize, pinned: bool) -> bool {
        let all = self.result_space.memory(pinned);
        let limit = self.result_space.limits.memory;
        // A team must leave as much free as it takes.
        let team_bytes =
            self.team_pinned(pinned).map_or(0, |team| team.load(Ordering::Relaxed).saturating_add(bytes));
        let grow = |held: usize| {
            let held = held.checked_add(bytes)?;
            (held.checked_add(team_bytes)? <= limit).then_some(held)
        };
        let reserved = all.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grow).is_ok();
        if let Some(team) = self.team_pinned(pinned).filter(|_| reserved) {
            team.fetch_add(bytes, Ordering::Relaxed);
        }
        reserved
    }

    /// Whether there is memory now for `bytes` bytes that may be spilled.
    pub(crate) fn has_capacity(&self, bytes: usize) -> bool {
        self.result_space.spillable.load(Ordering::Relaxed).saturating_add(bytes)
            <= self.result_space.limits.memory
    }

    /// Reserves memory without a check, for documents that another limit bounds.
    pub(crate) fn force_reserve(&self, bytes: usize, pinned: bool) {
        self.result_space.memory(pinned).fetch_add(bytes, Ordering::Relaxed);
        if let Some(team) = self.team_pinned(pinned) {
            team.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    pub(crate) fn release(&self, bytes: usize, pinned: bool) {
        self.result_space.memory(pinned).fetch_sub(bytes, Ordering::Relaxed);
        if let Some(team) = self.team_pinned(pinned) {
            team.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// The pinned memory of the team, if `pinned`.
    fn team_pinned(&self, pinned: bool) -> Option<&AtomicUsize> {
        self.usage.as_ref().map(|usage| &usage.pinned).filter(|_| pinned)
    }

    /// Checks that there is memory for a job whose documents must not be spilled.
    pub(crate) fn check_pinned_capacity(&self) -> Result<(), Error> {
        let min_free = self.result_space.limits.memory / MIN_FREE_DIVISOR;
        if self.reserve(min_free, true) {
            self.release(min_free, true);
            return Ok(());
        }
        Err(self.memory_full())
    }

    /// The error for a document that must not be spilled and has no memory.
    pub(crate) fn memory_full(&self) -> Error {
        Error::full(format!(
            "with zero data retention results stay in memory, and the {} bytes that all jobs together may \
             use, or the share of the team, are used up; stored results can be read, and space is freed when \
             older results expire or are removed",
            self.result_space.limits.memory
        ))
    }

    pub(crate) fn spill_to_disk(&self, json: &[u8]) -> Result<SpilledDocument, Error> {
        let length = json.len() as u64;
        let limit = self.result_space.limits.disk;
        let team = self.usage.as_ref().map(|usage| &usage.disk);
        let team_bytes = team.map_or(0, |disk| disk.load(Ordering::Relaxed).saturating_add(length));
        let reserved = self.result_space.disk.load(Ordering::Relaxed).saturating_add(length);
        if reserved.saturating_add(team_bytes) > limit {
            return Err(Error::full(format!(
                "the {limit} bytes of disk that the results of all jobs together may use, or the share of \
                 the team, are used up; stored results can be read, and space is freed when older results \
                 expire or are removed"
            )));
        }
        let spilled = self.result_space.write(json);
        let spilled = spilled
            .map_err(|cause| Error::io("a document could not be written to a temporary file", &cause))?;
        if let Some(team) = team {
            team.fetch_add(length, Ordering::Relaxed);
        }
        Ok(spilled)
    }

    /// Records that documents of this size in files were dropped.
    pub(crate) fn release_disk(&self, bytes: u64) {
        if let Some(usage) = &self.usage {
            usage.disk.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result_space(disk: u64) -> Arc<ResultSpace> {
        ResultSpace::new(ResultLimits { memory: 10, disk, file: 100, folder: None })
    }

    #[test]
    fn memory_is_reserved_once_and_can_be_released() {
        let quota = result_space(0).quota(None);
        assert!(quota.reserve(6, false) && quota.reserve(4, false), "ten bytes");
        assert!(!quota.reserve(1, false), "and no more");
        assert!(quota.reserve(10, true), "documents that must not be spilled have their own memory");
        quota.release(4, false);
        assert!(quota.reserve(4, false) && !quota.reserve(usize::MAX, false));
    }

    #[test]
    fn disk_space_is_freed_with_the_last_document_of_a_file() {
        let quota = result_space(200).quota(None);
        // Two files with one document each.
        let large = [b'x'; 100];
        let (first, second) = (quota.spill_to_disk(&large).unwrap(), quota.spill_to_disk(&large).unwrap());
        assert!(!Arc::ptr_eq(&first.file, &second.file));
        assert!(quota.spill_to_disk(b"x").unwrap_err().is_full());
        drop(first);
        assert_eq!(quota.spill_to_disk(b"third").unwrap().read().unwrap(), b"third");
        assert_eq!(second.read().unwrap(), large);
    }

    #[test]
    fn the_current_file_is_removed_with_its_documents_too() {
        // All documents fit into one file.
        let result_space = ResultSpace::new(ResultLimits { memory: 0, disk: 200, file: 1_000, folder: None });
        let quota = result_space.quota(None);
        for round in 0..3 {
            let documents = [b'x'; 2].map(|_| quota.spill_to_disk(&[b'x'; 100]).unwrap());
            assert!(quota.spill_to_disk(b"x").unwrap_err().is_full(), "round {round}");
            drop(documents);
        }
        assert_eq!(result_space.disk.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_greedy_team_leaves_space_for_others() {
        let result_space =
            ResultSpace::new(ResultLimits { memory: 1_000, disk: 1_000, file: 100, folder: None });
        let [a, again, b] = ["a", "a", "b"].map(|team| result_space.quota(Some(&TeamId::new(team))));
        let fill = |quota: &TeamQuota| (0..100).filter(|_| quota.reserve(10, true)).count();
        assert_eq!((fill(&a), fill(&again), fill(&b)), (50, 0, 25), "half, and half of the rest");
        assert!(
            a.check_pinned_capacity().is_err()
                && result_space.quota(Some(&TeamId::new("c"))).check_pinned_capacity().is_ok()
        );
        assert!(a.reserve(100, false), "memory that may be spilled is not shared between teams");
        a.release(500, true);
        assert!(a.check_pinned_capacity().is_ok());
        let spill_all = |quota: &TeamQuota| {
            (0..100).map_while(|_| quota.spill_to_disk(&[b'x'; 10]).ok()).collect::<Vec<_>>()
        };
        let (of_a, of_b) = (spill_all(&a), spill_all(&b));
        assert_eq!((of_a.len(), spill_all(&again).len(), of_b.len()), (50, 0, 25));
        a.release_disk(10);
        assert_eq!(spill_all(&a).len(), 0, "disk space is free only when the file is removed");
        drop((a, again, b));
        (0..100).for_each(|number| drop(result_space.quota(Some(&TeamId::new(number.to_string())))));
        assert!(result_space.teams.lock().unwrap().len() < 20, "teams without jobs are removed");
    }
}
