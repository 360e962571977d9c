//! Room for the documents of all jobs together: in memory up to a bound, beyond it in temporary files.
//!
//! What is put aside is appended to one file after another, each shared by all jobs, and a file goes when the last
//! document in it is forgotten, the one that is written to as well. Room comes back file by file, so there are always
//! several: one document that stays holds a part of the room, and not all of it. One file for each job would need as many descriptors as there are jobs, and a single one
//! for all would have to find room for what comes among the holes of what went.
//!
//! Where room is scarce for good (memory that may not be put aside, and disk), a team takes no more of it than it leaves
//! free: half of it at most, and whoever comes later finds some. Jobs that belong to nobody may take all that there is.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::{Error, TeamId};

/// Documents of all jobs together beyond so many bytes go to temporary files.
pub const DEFAULT_ALL_RETAINED_BYTES: usize = 256 << 20;
/// Documents in temporary files take at most so many bytes, all jobs together.
pub const DEFAULT_SPILLED_BYTES: u64 = 64 << 30;
/// A temporary file that has grown to so much gets no further documents: so there are 256 of them at the default bound.
pub(crate) const FILE_BYTES: u64 = 256 << 20;
/// The same at so small a part of all room on disk, where that is less.
pub(crate) const FILE_PART: u64 = 8;
/// A job whose documents may not be put aside is not begun where its team has less than this part of the memory for such
/// documents left.
const LEAST_PART: usize = 64;

/// How much of all results there may be.
#[derive(Debug, Clone)]
pub(crate) struct ResultBounds {
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
pub(crate) struct ResultSpace {
    bounds: ResultBounds,
    /// Bytes in memory that may be put aside.
    movable: AtomicUsize,
    /// Bytes in memory that may not.
    fixed: AtomicUsize,
    disk: Arc<AtomicU64>,
    /// The file that is written to, while documents of it are kept.
    file: Mutex<Weak<SpillFile>>,
    teams: Mutex<HashMap<TeamId, Weak<Share>>>,
}

/// What a team has of the room that is scarce for good.
#[derive(Debug, Default)]
struct Share {
    /// Bytes in memory that may not be put aside.
    fixed: AtomicUsize,
    /// Bytes of documents in files.
    disk: AtomicU64,
}

/// The shelf, as a team finds it.
#[derive(Debug, Clone)]
pub(crate) struct TeamQuota {
    result_space: Arc<ResultSpace>,
    /// `None` for a job that belongs to nobody.
    share: Option<Arc<Share>>,
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

    /// Makes it unreadable.
    #[cfg(test)]
    pub(crate) fn spoil(&self) {
        let mut file = self.file.file.lock().unwrap();
        file.seek(SeekFrom::Start(self.offset)).unwrap();
        file.write_all(&vec![0; self.length]).unwrap();
    }
}

impl ResultSpace {
    pub(crate) fn new(bounds: ResultBounds) -> Arc<Self> {
        Arc::new(Self {
            bounds,
            movable: AtomicUsize::new(0),
            fixed: AtomicUsize::new(0),
            disk: Arc::default(),
            file: Mutex::default(),
            teams: Mutex::default(),
        })
    }

    /// A place at the shelf for a job of this team.
    pub(crate) fn quota(self: &Arc<Self>, team: Option<&TeamId>) -> TeamQuota {
        TeamQuota { result_space: Arc::clone(self), share: team.map(|team| self.share(team)) }
    }

    fn share(&self, team: &TeamId) -> Arc<Share> {
        let mut teams = self.teams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = teams.get(team).and_then(Weak::upgrade) {
            return share;
        }
        // Not at each: as often as the table would have to grow.
        if teams.len() == teams.capacity() {
            teams.retain(|_, share| share.strong_count() > 0);
        }
        let share = Arc::<Share>::default();
        teams.insert(team.clone(), Arc::downgrade(&share));
        share
    }

    fn memory(&self, fixed: bool) -> &AtomicUsize {
        if fixed { &self.fixed } else { &self.movable }
    }

    fn write(&self, json: &[u8]) -> std::io::Result<Spilled> {
        let mut current = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let open = current.upgrade().filter(|file| file.length.load(Ordering::Relaxed) < self.bounds.file);
        let file = match open {
            Some(file) => file,
            None => {
                let file = match &self.bounds.folder {
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
        Ok(Spilled { file, offset, length: json.len() })
    }
}

impl TeamQuota {
    /// Takes room in memory, where there is some.
    pub(crate) fn take(&self, bytes: usize, fixed: bool) -> bool {
        let all = self.result_space.memory(fixed);
        let most = self.result_space.bounds.memory;
        // A team leaves as much as it takes.
        let of_team =
            self.fixed(fixed).map_or(0, |of_team| of_team.load(Ordering::Relaxed).saturating_add(bytes));
        let more = |held: usize| {
            let held = held.checked_add(bytes)?;
            (held.checked_add(of_team)? <= most).then_some(held)
        };
        let taken = all.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok();
        if let Some(of_team) = self.fixed(fixed).filter(|_| taken) {
            of_team.fetch_add(bytes, Ordering::Relaxed);
        }
        taken
    }

    /// Is there room in memory now for so much that may be put aside?
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.result_space.movable.load(Ordering::Relaxed).saturating_add(bytes)
            <= self.result_space.bounds.memory
    }

    /// Takes room in memory for what its own bound holds back.
    pub(crate) fn take_anyway(&self, bytes: usize, fixed: bool) {
        self.result_space.memory(fixed).fetch_add(bytes, Ordering::Relaxed);
        if let Some(of_team) = self.fixed(fixed) {
            of_team.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    pub(crate) fn give_back(&self, bytes: usize, fixed: bool) {
        self.result_space.memory(fixed).fetch_sub(bytes, Ordering::Relaxed);
        if let Some(of_team) = self.fixed(fixed) {
            of_team.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// The team's count of memory that is shared out.
    fn fixed(&self, fixed: bool) -> Option<&AtomicUsize> {
        self.share.as_ref().map(|share| &share.fixed).filter(|_| fixed)
    }

    /// Is there memory for documents of a job that may not be put aside?
    pub(crate) fn check_fixed(&self) -> Result<(), Error> {
        let least = self.result_space.bounds.memory / LEAST_PART;
        if self.take(least, true) {
            self.give_back(least, true);
            return Ok(());
        }
        Err(self.no_memory())
    }

    /// Why no further document is kept that may not be put aside.
    pub(crate) fn no_memory(&self) -> Error {
        Error::full(format!(
            "with zero data retention results stay in memory, and the {} bytes that all jobs together may use of it, or \
             the team's share of them, are used up; what was scraped can be read, and there is room again when older \
             results expire or are removed",
            self.result_space.bounds.memory
        ))
    }

    pub(crate) fn spill_to_disk(&self, json: &[u8]) -> Result<Spilled, Error> {
        let length = json.len() as u64;
        let most = self.result_space.bounds.disk;
        let of_team = self.share.as_ref().map(|share| &share.disk);
        let of_team_then = of_team.map_or(0, |disk| disk.load(Ordering::Relaxed).saturating_add(length));
        let taken = self.result_space.disk.load(Ordering::Relaxed).saturating_add(length);
        if taken.saturating_add(of_team_then) > most {
            return Err(Error::full(format!(
                "the {most} bytes of disk that the results of all jobs together may use, or the team's share of them, are \
                 used up; what was scraped can be read, and there is room again when older results expire or are removed"
            )));
        }
        let spilled = self.result_space.write(json);
        let spilled = spilled.map_err(|cause| Error::io("a document could not be put aside", &cause))?;
        if let Some(of_team) = of_team {
            of_team.fetch_add(length, Ordering::Relaxed);
        }
        Ok(spilled)
    }

    /// Documents of so many bytes in files are forgotten.
    pub(crate) fn forgotten(&self, bytes: u64) {
        if let Some(share) = &self.share {
            share.disk.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result_space(disk: u64) -> Arc<ResultSpace> {
        ResultSpace::new(ResultBounds { memory: 10, disk, file: 100, folder: None })
    }

    #[test]
    fn room_in_memory_is_given_out_once_and_comes_back() {
        let quota = result_space(0).quota(None);
        assert!(quota.take(6, false) && quota.take(4, false), "ten bytes");
        assert!(!quota.take(1, false), "and none more");
        assert!(quota.take(10, true), "what may not be put aside has room of its own");
        quota.give_back(4, false);
        assert!(quota.take(4, false) && !quota.take(usize::MAX, false));
    }

    #[test]
    fn room_on_disk_comes_back_with_the_last_document_of_a_file() {
        let quota = result_space(200).quota(None);
        // Two files of one document each.
        let large = [b'x'; 100];
        let (first, second) = (quota.spill_to_disk(&large).unwrap(), quota.spill_to_disk(&large).unwrap());
        assert!(!Arc::ptr_eq(&first.file, &second.file));
        assert!(quota.spill_to_disk(b"x").unwrap_err().is_full());
        drop(first);
        assert_eq!(quota.spill_to_disk(b"third").unwrap().read().unwrap(), b"third");
        assert_eq!(second.read().unwrap(), large);
    }

    #[test]
    fn the_file_that_is_written_to_goes_with_its_documents_too() {
        // All of them find room in one file.
        let result_space = ResultSpace::new(ResultBounds { memory: 0, disk: 200, file: 1_000, folder: None });
        let quota = result_space.quota(None);
        for round in 0..3 {
            let documents = [b'x'; 2].map(|_| quota.spill_to_disk(&[b'x'; 100]).unwrap());
            assert!(quota.spill_to_disk(b"x").unwrap_err().is_full(), "round {round}");
            drop(documents);
        }
        assert_eq!(result_space.disk.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_team_at_its_worst_leaves_room_for_others() {
        let result_space =
            ResultSpace::new(ResultBounds { memory: 1_000, disk: 1_000, file: 100, folder: None });
        let [a, again, b] = ["a", "a", "b"].map(|team| result_space.quota(Some(&TeamId::new(team))));
        let fill = |quota: &TeamQuota| (0..100).filter(|_| quota.take(10, true)).count();
        assert_eq!((fill(&a), fill(&again), fill(&b)), (50, 0, 25), "half, and half of what is left");
        assert!(
            a.check_fixed().is_err() && result_space.quota(Some(&TeamId::new("c"))).check_fixed().is_ok()
        );
        assert!(a.take(100, false), "what may be put aside is not shared out");
        a.give_back(500, true);
        assert!(a.check_fixed().is_ok());
        let put = |quota: &TeamQuota| {
            (0..100).map_while(|_| quota.spill_to_disk(&[b'x'; 10]).ok()).collect::<Vec<_>>()
        };
        let (of_a, of_b) = (put(&a), put(&b));
        assert_eq!((of_a.len(), put(&again).len(), of_b.len()), (50, 0, 25));
        a.forgotten(10);
        assert_eq!(put(&a).len(), 0, "the disk itself is free only when the file is");
        drop((a, again, b));
        (0..100).for_each(|number| drop(result_space.quota(Some(&TeamId::new(number.to_string())))));
        assert!(result_space.teams.lock().unwrap().len() < 20, "teams without jobs are forgotten");
    }
}
