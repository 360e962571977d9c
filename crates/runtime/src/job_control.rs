//! Controls a job from any task, while its handle reads the documents.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use gleaner_store::JobSnapshot;
use gleaner_types::JobId;

use crate::error::Error;
use crate::runtime::Runtime;

/// Cancels, pauses and watches a job: [`Job::control`](crate::Job::control). Clones control the same job.
///
/// It keeps neither the job nor the engine alive. When the engine is gone, its methods fail with
/// [`ErrorKind::Stopped`](crate::ErrorKind::Stopped). When the job was removed, such as with its
/// [`Job`](crate::Job), they fail with [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
#[derive(Debug, Clone)]
pub struct JobControl {
    id: JobId,
    runtime: Weak<Runtime>,
    /// The largest total that this handle and its clones have returned.
    total: Arc<AtomicU64>,
}

impl JobControl {
    pub(crate) fn new(id: JobId, runtime: &Arc<Runtime>) -> Self {
        Self { id, runtime: Arc::downgrade(runtime), total: Arc::default() }
    }

    /// The id of the job.
    #[must_use]
    pub fn id(&self) -> JobId {
        self.id
    }

    /// The state and the counts of the job at this moment. It may be called at any time, also after the end.
    /// Of a job that goes on, no count but [`open`](JobSnapshot::open) ever shrinks.
    ///
    /// # Errors
    /// If the store fails, or has removed the job, or the engine is gone.
    pub async fn status(&self) -> Result<JobSnapshot, Error> {
        let runtime = self.runtime()?;
        let reading = async { Ok::<_, Error>(runtime.store().snapshot(self.id).await?) };
        Ok(self.seen(runtime.executor().run(reading).await?))
    }

    /// Ends the job early: as [`Job::cancel`](crate::Job::cancel).
    ///
    /// # Errors
    /// Those of [`status`](Self::status).
    pub async fn cancel(&self) -> Result<JobSnapshot, Error> {
        let runtime = self.runtime()?;
        Ok(self.seen(runtime.executor().run(runtime.cancel(self.id)).await?))
    }

    /// Pauses the job: as [`Job::pause`](crate::Job::pause).
    ///
    /// # Errors
    /// Those of [`status`](Self::status).
    pub async fn pause(&self) -> Result<JobSnapshot, Error> {
        self.hold(true).await
    }

    /// Lets a paused job go on: as [`Job::resume`](crate::Job::resume).
    ///
    /// # Errors
    /// Those of [`status`](Self::status).
    pub async fn resume(&self) -> Result<JobSnapshot, Error> {
        self.hold(false).await
    }

    async fn hold(&self, paused: bool) -> Result<JobSnapshot, Error> {
        let runtime = self.runtime()?;
        let holding = async { Ok::<_, Error>(runtime.store().pause(self.id, paused).await) };
        match runtime.executor().run(holding).await? {
            Err(error) if error.is_job_ended() => self.status().await,
            held => Ok(self.seen(held?)),
        }
    }

    fn runtime(&self) -> Result<Arc<Runtime>, Error> {
        self.runtime.upgrade().ok_or_else(Error::stopped)
    }

    /// The snapshot, with a total that is not smaller than an earlier one: pages that turn out to be no pages
    /// of their own, such as redirects to a page that is known, and those that a cancelled job never fetched,
    /// stay in it.
    fn seen(&self, mut snapshot: JobSnapshot) -> JobSnapshot {
        let before = self.total.fetch_max(snapshot.total, Ordering::Relaxed);
        snapshot.total = snapshot.total.max(before);
        snapshot
    }
}
