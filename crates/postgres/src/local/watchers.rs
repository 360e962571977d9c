//! Watchers of the progress of jobs.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gleaner_store::Error;
use gleaner_types::JobId;
use tokio::sync::watch;

use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;

/// Maximum number of watched jobs of a process. Above it, those without a receiver are removed.
const MAX_IDLE: usize = 1_000;

#[derive(Debug)]
struct Watched {
    number: i32,
    progress: watch::Sender<u64>,
}

/// The channels of watched jobs.
#[derive(Debug, Default)]
pub(crate) struct Watchers(Mutex<HashMap<JobId, Watched>>);

impl Watchers {
    fn lock(&self) -> MutexGuard<'_, HashMap<JobId, Watched>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A receiver for a job that is watched already.
    fn find(&self, job: JobId) -> Option<watch::Receiver<u64>> {
        self.lock().get(&job).map(|watched| watched.progress.subscribe())
    }

    fn watch(&self, job: JobId, number: i32) -> watch::Receiver<u64> {
        let mut watched = self.lock();
        if watched.len() >= MAX_IDLE {
            watched.retain(|_, watched| watched.progress.receiver_count() > 0);
        }
        let entry = watched.entry(job);
        entry.or_insert_with(|| Watched { number, progress: watch::Sender::new(0) }).progress.subscribe()
    }

    pub(crate) fn notify(&self, job: JobId) {
        if let Some(watched) = self.lock().get(&job) {
            watched.progress.send_modify(|version| *version = version.wrapping_add(1));
        }
    }

    /// The numbers of the jobs that someone watches.
    pub(super) fn numbers(&self) -> Vec<i32> {
        let watched = self.lock();
        let live = watched.values().filter(|watched| watched.progress.receiver_count() > 0);
        live.map(|watched| watched.number).collect()
    }

    /// Removes a job that is not in the store any more; its receivers end.
    pub(super) fn remove(&self, number: i32) {
        self.lock().retain(|_, watched| watched.number != number);
    }
}

struct Find<'a> {
    sql: &'a Sql,
    job: JobId,
}

#[async_trait::async_trait]
impl Operation for Find<'_> {
    type Output = i32;

    async fn run(&self, transaction: &Transaction<'_>) -> Result<i32, Failure> {
        Ok(JobRow::find(transaction, self.sql, self.job).await?.number)
    }
}

impl Inner {
    /// A channel that changes after each document and at the end of a job.
    pub(crate) async fn progress(&self, job: JobId) -> Result<watch::Receiver<u64>, Error> {
        if self.is_local(job) {
            return gleaner_store::Store::progress(&self.memory, job).await;
        }
        if let Some(receiver) = self.watchers.find(job) {
            return Ok(receiver);
        }
        let number = self.db.read(&Find { sql: &self.db.sql, job }).await?;
        Ok(self.watchers.watch(job, number))
    }
}
