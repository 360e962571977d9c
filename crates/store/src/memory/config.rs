//! Limits of the store in memory.

use std::path::PathBuf;
use std::time::Duration;

use gleaner_frontier::FrontierConfig;

use crate::queue_spill::QueueFile;
use crate::result_space::{FILE_BYTES, FILE_DIVISOR, ResultLimits};
use crate::{DEFAULT_ALL_RETAINED_BYTES, DEFAULT_RETAINED_BYTES, DEFAULT_SPILLED_BYTES};

/// Limits of a [`MemoryStore`](crate::MemoryStore).
///
/// Stored documents stay until their job expires or is removed (under
/// [`Retention::Stream`](crate::Retention::Stream), until they are read): no limit of bytes drops one. A document
/// without space in memory goes to a temporary file. A document that must not, or for which there is no space
/// either, is rejected. Its job then fails with the reason, because more pages could not be stored, and its
/// documents stay readable.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MemoryConfig {
    /// Concurrency and politeness.
    pub frontier: FrontierConfig,
    /// Memory limit in bytes for the documents of one job under [`Retention::Keep`](crate::Retention::Keep).
    /// Further documents go to temporary files; those of a job with zero data retention are rejected instead.
    /// Default [`DEFAULT_RETAINED_BYTES`].
    pub retained_bytes: usize,
    /// The same for all jobs together, including streamed documents. Jobs with zero data retention have a
    /// second limit of this size, of which a team takes at most as much as it leaves free; without space for
    /// its documents, such a job is rejected. Default [`DEFAULT_ALL_RETAINED_BYTES`].
    pub all_retained_bytes: usize,
    /// Limit in bytes for documents in temporary files, all jobs together; a team takes at most as much as it
    /// leaves free. Default [`DEFAULT_SPILLED_BYTES`].
    ///
    /// If it is not 0, long queues of waiting pages are spilled to a temporary file as well, except for the
    /// pages that are leased next: at most [`FrontierConfig::max_queued_bytes`]. Pages of jobs with zero data
    /// retention are not spilled.
    pub spilled_bytes: u64,
    /// Folder of temporary files; `None` is the default of the system. They have no name there and are
    /// removed with the process. A folder in memory saves no memory.
    pub spill_folder: Option<PathBuf>,
    /// Ended jobs are removed after this time. With [`Duration::MAX`], all are kept.
    pub retention: Duration,
    /// Ended jobs above this number are removed before their time, the oldest of the teams with the most.
    /// Default 100,000.
    pub ended_jobs: usize,
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
            ended_jobs: 100_000,
        }
    }
}

impl MemoryConfig {
    /// The file for blocks of waiting pages that are not needed soon.
    pub(super) fn queue_file(&self) -> Option<QueueFile> {
        let max_bytes = self.spilled_bytes.min(self.frontier.max_queued_bytes);
        (max_bytes > 0).then(|| QueueFile::new(max_bytes, self.spill_folder.clone()))
    }

    pub(super) fn result_limits(&self) -> ResultLimits {
        ResultLimits {
            memory: self.all_retained_bytes,
            disk: self.spilled_bytes,
            file: FILE_BYTES.min(self.spilled_bytes / FILE_DIVISOR),
            folder: self.spill_folder.clone(),
        }
    }

    /// Sets concurrency and politeness.
    #[must_use]
    pub fn frontier(mut self, frontier: FrontierConfig) -> Self {
        self.frontier = frontier;
        self
    }

    /// Sets the memory limit for the documents of one job.
    #[must_use]
    pub fn retained_bytes(mut self, retained_bytes: usize) -> Self {
        self.retained_bytes = retained_bytes;
        self
    }

    /// Sets the memory limit for the documents of all jobs.
    #[must_use]
    pub fn all_retained_bytes(mut self, all_retained_bytes: usize) -> Self {
        self.all_retained_bytes = all_retained_bytes;
        self
    }

    /// Sets the limit for documents in temporary files; 0 writes none.
    #[must_use]
    pub fn spilled_bytes(mut self, spilled_bytes: u64) -> Self {
        self.spilled_bytes = spilled_bytes;
        self
    }

    /// Sets the folder of temporary files.
    #[must_use]
    pub fn spill_folder(mut self, spill_folder: impl Into<PathBuf>) -> Self {
        self.spill_folder = Some(spill_folder.into());
        self
    }

    /// Sets after which time ended jobs are removed.
    #[must_use]
    pub fn retention(mut self, retention: Duration) -> Self {
        self.retention = retention;
        self
    }

    /// Sets above which number ended jobs are removed before their time.
    #[must_use]
    pub fn ended_jobs(mut self, ended_jobs: usize) -> Self {
        self.ended_jobs = ended_jobs;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result_space::ResultSpace;

    #[test]
    fn half_of_a_small_disk_is_freed_with_half_of_its_documents() {
        let config = MemoryConfig { spilled_bytes: 8_000, ..MemoryConfig::default() };
        let quota = ResultSpace::new(config.result_limits()).quota(None);
        let fill = || std::iter::from_fn(|| quota.spill_to_disk(&[b'x'; 100]).ok()).collect::<Vec<_>>();
        let mut documents = fill();
        assert_eq!(documents.len(), 80);
        documents.drain(..40);
        assert_eq!(fill().len(), 40);
    }
}
