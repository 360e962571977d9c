//! The state of an open store, and its tasks.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gleaner_store::{MemoryStore, Store, TeamId};
use gleaner_types::JobId;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::config::PostgresConfig;
use crate::database::Database;
use crate::failure::Failure;
use crate::job_row::JobRow;
use crate::jobs::{KnownDays, ListedShortages};
use crate::local::term::Register;
use crate::local::{Holds, Local, Turns, Watchers};
use crate::queue::{Caches, Committer};

/// Minimum number of heartbeats in a term.
const HEARTBEATS: u32 = 5;

/// What the operations of a store share.
pub(crate) struct Inner {
    pub(crate) db: Database,
    pub(crate) config: PostgresConfig,
    /// Jobs with zero data retention and single scrapes of this process.
    pub(crate) memory: MemoryStore,
    pub(crate) caches: Caches,
    pub(crate) committer: Committer,
    pub(crate) listed_shortages: ListedShortages,
    pub(crate) days: KnownDays,
    pub(crate) local: Mutex<Local>,
    pub(crate) holds: Holds,
    pub(crate) refills: Turns,
    pub(crate) heartbeats: Turns,
    pub(crate) watchers: Watchers,
    /// Workers whose terms have ended, as the last heartbeat found them.
    pub(crate) dead: watch::Sender<Vec<i64>>,
    work: watch::Sender<u64>,
    maintenance: watch::Sender<u64>,
    stop: CancellationToken,
}

impl Inner {
    /// Starts the tasks of a store. They end when the guard is dropped.
    pub(crate) fn start(db: Database, mut config: PostgresConfig) -> (Arc<Self>, DropGuard) {
        // A term outlasts some heartbeats that fail.
        config.heartbeat = config.heartbeat.min(config.term / HEARTBEATS);
        let stop = CancellationToken::new();
        let guard = stop.clone().drop_guard();
        let (committer, commits) = Committer::new();
        let (holds, wanted) = Holds::new();
        let local = Local::new(config.memory.frontier.clone());
        let inner = Arc::new(Self {
            memory: MemoryStore::new(config.memory.clone()),
            db,
            config,
            caches: Caches::default(),
            committer,
            listed_shortages: ListedShortages::default(),
            days: KnownDays::default(),
            local: Mutex::new(local),
            holds,
            refills: Turns::new(),
            heartbeats: Turns::new(),
            watchers: Watchers::default(),
            dead: watch::Sender::new(Vec::new()),
            work: watch::Sender::new(0),
            maintenance: watch::Sender::new(0),
            stop,
        });
        inner.spawn(|inner| commits.run(inner));
        inner.spawn(|inner| wanted.run(inner));
        inner.spawn(|inner| async move { inner.beat().await });
        inner.spawn(|inner| async move { inner.succeed_dead().await });
        inner.spawn(|inner| async move { inner.fill().await });
        inner.spawn(|inner| async move { inner.poll().await });
        inner.spawn(|inner| async move {
            let mut work = inner.memory.work();
            while work.changed().await.is_ok() {
                inner.notify_work();
            }
        });
        inner.spawn(|inner| async move {
            let mut maintenance = inner.memory.maintenance();
            while maintenance.changed().await.is_ok() {
                inner.notify_maintenance();
            }
        });
        (inner, guard)
    }

    /// Starts a task that ends when the store is dropped.
    pub(crate) fn spawn<F: Future<Output = ()> + Send + 'static>(
        self: &Arc<Self>,
        task: impl FnOnce(Arc<Self>) -> F,
    ) {
        let future = task(Arc::clone(self));
        let stop = self.stop.clone();
        tokio::spawn(async move {
            stop.run_until_cancelled(future).await;
        });
    }

    /// Begins a term with a new epoch.
    pub(crate) async fn register(&self) -> Result<(), Failure> {
        let sent = tokio::time::Instant::now();
        let former = self.local().former_epoch();
        let register =
            Register { sql: &self.db.sql, name: &self.config.name, term: self.config.term, former };
        let epoch = self.db.write_reserved(&register).await?;
        self.local().begin_term(epoch, sent, self.config.term);
        self.notify_work();
        Ok(())
    }

    pub(crate) fn local(&self) -> MutexGuard<'_, Local> {
        // Each step keeps the state consistent.
        self.local.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if the job is in the memory of this process only.
    pub(crate) fn is_local(&self, job: JobId) -> bool {
        self.memory.contains(job)
    }

    /// The current epoch.
    pub(crate) fn worker(&self) -> i64 {
        self.local().epoch()
    }

    /// Pages of the team that this process has leased, without those of jobs in memory.
    pub(crate) fn team_leased(&self, team: &TeamId) -> u64 {
        self.local().team_leased(team)
    }

    /// The tokens that this process holds of each job, and those in use.
    pub(crate) fn tokens(&self) -> HashMap<i32, (u64, u64)> {
        self.local().tokens()
    }

    /// After a change that may make pages leasable: the next lease asks the database.
    pub(crate) fn wake(&self) {
        self.local().set_due();
        self.notify_work();
    }

    /// After a commit that changed the row of a job.
    pub(crate) fn job_changed(&self, row: &JobRow) {
        let runs = self.local().job_changed(row);
        if runs {
            if row.denied && row.tokens_held > 0 {
                // The job ends when its idle tokens are back.
                self.refills.request();
            }
            self.notify_work();
        } else {
            self.caches.job_ended(row.number);
        }
        self.notify_progress(row.id);
    }

    /// After a commit was refused because this term of the process has ended. Another one may have begun.
    pub(crate) fn term_ended(&self, epoch: i64) {
        self.local().end_term(epoch);
        self.heartbeats.request();
        self.notify_work();
    }

    pub(crate) fn work(&self) -> watch::Receiver<u64> {
        self.work.subscribe()
    }

    pub(crate) fn maintenance(&self) -> watch::Receiver<u64> {
        self.maintenance.subscribe()
    }

    pub(crate) fn notify_work(&self) {
        self.work.send_modify(|version| *version = version.wrapping_add(1));
    }

    pub(crate) fn notify_maintenance(&self) {
        self.maintenance.send_modify(|version| *version = version.wrapping_add(1));
    }

    pub(crate) fn notify_progress(&self, job: JobId) {
        self.watchers.notify(job);
    }

    /// How long a term is over before another process ends it, and before the hosts are asked again.
    pub(crate) fn grace(&self) -> Duration {
        self.config.term / 3
    }
}
