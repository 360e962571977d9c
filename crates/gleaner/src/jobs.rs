//! Jobs that outlive their handle or their process.

use gleaner_runtime::Job;
use gleaner_types::JobId;

use crate::{Engine, Error};

impl Engine {
    /// A handle of any job in the store, running or ended, by the id that [`Job::detach`] or [`Job::id`]
    /// gave. It reads the documents from the first one that the store still has. In a file or a database that
    /// is the first of the job; in memory, a document is removed when it is read. [`Job::gone`] counts those
    /// that this handle misses. If the job has ended and all were read before, [`Job::next`] says so by an
    /// error ([`Error::is_gone`]); [`Job::wait`] still gives the counts. Dropping the handle changes nothing.
    /// Jobs of an earlier process go on, as with [`resume`](Self::resume).
    ///
    /// # Errors
    /// [`Store`](crate::ErrorKind::Store) if the store fails or has no such job
    /// ([`Error::is_unknown_job`]).
    pub async fn job(&self, id: JobId) -> Result<Job, Error> {
        self.resume().await;
        Ok(self.runtime().job(id).await?)
    }

    /// Lets the jobs of an earlier process go on, and their webhooks, if the store survived it.
    /// [`build`](crate::EngineBuilder::build) does it, so a second call does nothing.
    pub async fn resume(&self) {
        self.wake();
    }

    pub(crate) fn wake(&self) {
        self.runtime().wake();
        self.service.wake();
    }

    /// Ends the work of this engine: it waits for the pages in work, for at most a few seconds, and for
    /// nothing else. Jobs stay as they are. If the [store](crate::EngineBuilder::store) survives the process,
    /// they go on in the next one. Another engine can open a file when this one and its jobs are dropped.
    ///
    /// Handles of jobs that wait for a document then get an error, and new jobs are refused.
    pub async fn stop(&self) {
        self.service.stop();
        self.runtime().stop().await;
    }
}
