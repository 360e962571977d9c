//! Services of successive processes over one journal.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use gleaner_runtime::{Clock, Error};
use gleaner_service::{
    Accounts, Balance, JobService, MemoryAccounts, Operation, Secret, ServiceConfig, Team,
};
use gleaner_store::journal::{Batch, Committed, Journal, VecJournal};
use gleaner_store::{LocalStore, MemoryConfig, ReadBound, TeamId};
use gleaner_types::{BoxFuture, JobId};
use tokio::sync::watch;
use tokio::time::Instant;
use uuid::Uuid;

use crate::support::*;

/// What outlives a process: the medium of the store, the accounts provider, and the web.
#[derive(Debug)]
pub(crate) struct World {
    journal: VecJournal,
    pub(crate) accounts: Arc<MemoryAccounts>,
    pub(crate) web: Arc<FakeWeb>,
    began: Instant,
}

impl World {
    /// Nothing is stored yet.
    pub(crate) fn new(accounts: MemoryAccounts) -> Self {
        let (journal, accounts, web) = (VecJournal::default(), Arc::new(accounts), Arc::default());
        Self { journal, accounts, web, began: Instant::now() }
    }

    /// Starts a process.
    pub(crate) fn start(&self, config: ServiceConfig) -> Process {
        self.start_until(None, config)
    }

    /// Starts a process in which something happens at this moment.
    pub(crate) fn start_until(&self, moment: Option<Moment>, config: ServiceConfig) -> Process {
        let disk = Disk::new(self.journal.clone());
        let now = START + self.began.elapsed();
        let (memory, stored) = (MemoryConfig::default(), self.journal.stored());
        let store = LocalStore::open(memory, disk.clone(), stored, now).unwrap();
        let runtime = runtime_over(&self.web, Arc::new(store), Clock::starting_at(now));
        let accounts = ProcessAccounts {
            accounts: Arc::clone(&self.accounts),
            disk: disk.clone(),
            moment,
            calls: AtomicUsize::new(0),
        };
        let service = JobService::new(runtime, ServiceConfig { accounts: Arc::new(accounts), ..config });
        service.wake();
        Process { service, disk }
    }

    /// The credits of team `a`, without those that are reserved.
    pub(crate) async fn balance(&self) -> i64 {
        self.accounts.balance(&TeamId::new("a")).await.unwrap().remaining
    }
}

/// A running process.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) service: Arc<JobService>,
    pub(crate) disk: Disk,
}

impl Process {
    /// Ends the process at once: nothing that it does from now on has an effect.
    pub(crate) fn crash(self) {
        self.disk.is_lost.store(true, Ordering::Relaxed);
    }
}

/// A journal as one process sees it.
#[derive(Debug, Clone)]
pub(crate) struct Disk {
    journal: VecJournal,
    committed: watch::Sender<Committed>,
    /// The process has ended.
    is_lost: Arc<AtomicBool>,
    /// What is written is not reported as durable.
    is_slow: Arc<AtomicBool>,
}

impl Disk {
    fn new(journal: VecJournal) -> Self {
        let committed = watch::Sender::new(*journal.committed().borrow());
        Self { journal, committed, is_lost: Arc::default(), is_slow: Arc::default() }
    }

    /// Reports everything as durable.
    pub(crate) fn recover(&self) {
        self.is_slow.store(false, Ordering::Relaxed);
        self.committed.send_replace(*self.journal.committed().borrow());
    }
}

impl Journal for Disk {
    fn append(&self, batches: Vec<Batch>) -> u64 {
        if self.is_lost.load(Ordering::Relaxed) {
            // Never durable.
            return u64::MAX;
        }
        let ticket = self.journal.append(batches);
        if !self.is_slow.load(Ordering::Relaxed) {
            self.recover();
        }
        ticket
    }

    fn committed(&self) -> watch::Receiver<Committed> {
        self.committed.subscribe()
    }

    fn documents(
        &self,
        job: u64,
        from: u64,
        bound: ReadBound,
    ) -> impl Future<Output = Result<Vec<Bytes>, gleaner_store::Error>> + Send {
        self.journal.documents(job, from, bound)
    }
}

/// What happens to a process at a call of its accounts provider.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    /// The name of the method.
    pub(crate) call: &'static str,
    /// The number of its call, from 1.
    pub(crate) number: usize,
    pub(crate) then: Then,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// The process ends before the provider is called.
    CrashBefore,
    /// The process ends after the provider did its work, and before it has the answer.
    CrashAfter,
    /// What is written after the call is durable only later.
    SlowDisk,
}

/// The accounts provider as one process sees it.
#[derive(Debug)]
struct ProcessAccounts {
    accounts: Arc<MemoryAccounts>,
    disk: Disk,
    moment: Option<Moment>,
    calls: AtomicUsize,
}

impl ProcessAccounts {
    async fn call<T>(&self, name: &str, call: impl Future<Output = T>) -> T {
        let moment = self.moment.filter(|moment| moment.call == name);
        let number = if moment.is_some() { self.calls.fetch_add(1, Ordering::Relaxed) + 1 } else { 0 };
        let then = moment.filter(|moment| moment.number == number).map(|moment| moment.then);
        self.crash_if(then == Some(Then::CrashBefore)).await;
        let answer = call.await;
        if then == Some(Then::SlowDisk) {
            self.disk.is_slow.store(true, Ordering::Relaxed);
        }
        self.crash_if(then == Some(Then::CrashAfter)).await;
        answer
    }

    /// A process that has ended does nothing more.
    async fn crash_if(&self, crashes: bool) {
        if crashes {
            self.disk.is_lost.store(true, Ordering::Relaxed);
        }
        if self.disk.is_lost.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
    }
}

impl Accounts for ProcessAccounts {
    fn authenticate<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Team>, Error>> {
        self.accounts.authenticate(key)
    }

    fn throttle<'a>(
        &'a self,
        team: &'a TeamId,
        operation: Operation,
        now: Duration,
    ) -> BoxFuture<'a, Result<Option<Duration>, Error>> {
        self.accounts.throttle(team, operation, now)
    }

    fn is_metered<'a>(&'a self, team: &'a TeamId) -> BoxFuture<'a, Result<bool, Error>> {
        self.accounts.is_metered(team)
    }

    fn balance<'a>(&'a self, team: &'a TeamId) -> BoxFuture<'a, Result<Balance, Error>> {
        self.accounts.balance(team)
    }

    fn reserve<'a>(
        &'a self,
        team: &'a TeamId,
        job: JobId,
        operation: Uuid,
        credits: u64,
    ) -> BoxFuture<'a, Result<bool, Error>> {
        Box::pin(
            async move { self.call("reserve", self.accounts.reserve(team, job, operation, credits)).await },
        )
    }

    fn draw<'a>(
        &'a self,
        team: &'a TeamId,
        job: JobId,
        operation: Uuid,
        credits: u64,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        Box::pin(async move { self.call("draw", self.accounts.draw(team, job, operation, credits)).await })
    }

    fn release<'a>(
        &'a self,
        team: &'a TeamId,
        job: JobId,
        operation: Uuid,
        credits: u64,
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(
            async move { self.call("release", self.accounts.release(team, job, operation, credits)).await },
        )
    }

    fn settle<'a>(&'a self, team: &'a TeamId, job: JobId, used: u64) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move { self.call("settle", self.accounts.settle(team, job, used)).await })
    }

    fn webhook_secret<'a>(&'a self, team: &'a TeamId) -> BoxFuture<'a, Result<Option<Secret>, Error>> {
        Box::pin(async move { self.call("webhook_secret", self.accounts.webhook_secret(team)).await })
    }
}
