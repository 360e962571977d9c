use std::path::PathBuf;
use std::time::Duration;

use gleaner_frontier::FrontierConfig;

use crate::queue_spill::QueueFile;
use crate::result_space::{FILE_BYTES, FILE_PART, ResultBounds};
use crate::{DEFAULT_ALL_RETAINED_BYTES, DEFAULT_RETAINED_BYTES, DEFAULT_SPILLED_BYTES};

/// Bounds of a [`MemoryStore`](crate::MemoryStore).
///
/// Documents that were stored stay until their job expires or is removed (under
/// [`Retention::Stream`](crate::Retention::Stream), until they are read): no bound drops one. A document that has no room
/// in memory goes to a temporary file; one that may not, or has no room there either, is refused. Its job then fails and
/// says why, since to fetch more would be vain, and what it has stays readable.
#[derive(Debug, Clone)]
pub struct MemoryConfig {
    /// Concurrency and politeness.
    pub frontier: FrontierConfig,
    /// Under [`Retention::Keep`](crate::Retention::Keep), documents of one job beyond so many bytes go to temporary files;
    /// those of a job with zero data retention, which may not, are refused. Default
    /// [`DEFAULT_RETAINED_BYTES`].
    pub retained_bytes: usize,
    /// The same for all jobs together, streams included. Jobs with zero data retention have a second such room for
    /// themselves, of which a team takes no more than it leaves free; where there is none for its documents, such a job is
    /// not begun. Default [`DEFAULT_ALL_RETAINED_BYTES`].
    pub all_retained_bytes: usize,
    /// Documents in temporary files, in bytes, all jobs together; a team takes no more of it than it leaves free. Default
    /// [`DEFAULT_SPILLED_BYTES`].
    ///
    /// Where it is not 0, long queues of waiting pages lie in a temporary file as well, but for what is leased next, at most
    /// [`FrontierConfig::max_queued_bytes`] of them; those of jobs with zero data retention do not.
    pub spilled_bytes: u64,
    /// Where temporary files are made; `None` is the system's folder for them. They have no name there and go with the
    /// process. A folder in memory saves none.
    pub spill_folder: Option<PathBuf>,
    /// Ended jobs are forgotten after this.
    pub retention: Duration,
}

impl Default for MemoryConfig {
    fn default() -> Self {
        Self {
            frontier: FrontierConfig::default(),
            retained_bytes: DEFAULT_RETAINED_BYTES,
            all_retained_bytes: DEFAULT_ALL_RETAINED_BYTES,
            spilled_bytes: DEFAULT_SPILLED_BYTES,
            spill_folder: None,
            retention: Duration::from_secs(gleaner_types::limits::RESULT_RETENTION_SECONDS),
        }
    }
}

impl MemoryConfig {
    /// Where blocks of waiting pages go that are not needed soon.
    pub(super) fn queue_file(&self) -> Option<QueueFile> {
        let most = self.spilled_bytes.min(self.frontier.max_queued_bytes);
        (most > 0).then(|| QueueFile::new(most, self.spill_folder.clone()))
    }

    pub(super) fn result_space(&self) -> ResultBounds {
        ResultBounds {
            memory: self.all_retained_bytes,
            disk: self.spilled_bytes,
            file: FILE_BYTES.min(self.spilled_bytes / FILE_PART),
            folder: self.spill_folder.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result_space::ResultSpace;

    #[test]
    fn half_of_a_small_disk_comes_back_with_half_of_its_documents() {
        let config = MemoryConfig { spilled_bytes: 8_000, ..MemoryConfig::default() };
        let quota = ResultSpace::new(config.result_space()).quota(None);
        let fill = || std::iter::from_fn(|| quota.spill_to_disk(&[b'x'; 100]).ok()).collect::<Vec<_>>();
        let mut documents = fill();
        assert_eq!(documents.len(), 80);
        documents.drain(..40);
        assert_eq!(fill().len(), 40);
    }
}
