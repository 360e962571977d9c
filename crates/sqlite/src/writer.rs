//! The thread that writes: one commit for all batches that came within a few milliseconds.
//!
//! A commit that fails is tried again until it succeeds, so no batch is lost while the process lives. A full
//! disk and a medium with errors are reported as [`Stall`]; the store decides what waits meanwhile. If no
//! attempt can succeed, because the file has changed, the writer ends, and those who wait get an error.

mod maintenance;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use gleaner_store::journal::{Batch, Committed, Row, Stall};
use gleaner_store::{Error, ErrorKind, NoteValue};
use gleaner_types::JobId;
use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::watch;

use crate::commit::{self, BlockNumbers};
use crate::compaction::Compaction;
use crate::connection::{self, limit};
use crate::group::Group;
use crate::secrets::Secrets;
use crate::secrets_change::{self, SecretsChange};
use crate::stats::Counters;
use crate::{failure, files, job_form, rows};

/// How long a group waits for more batches.
const WAIT: Duration = Duration::from_millis(5);

/// The time between the first two attempts of a commit that fails. It doubles up to the longest one.
const FIRST_RETRY: Duration = Duration::from_millis(10);
const LAST_RETRY: Duration = Duration::from_secs(1);

/// The attempts of a failing commit after the writer was closed.
const ATTEMPTS_AT_CLOSE: u32 = 20;

/// What the writer is asked.
#[derive(Debug)]
pub(crate) enum Command {
    /// Write these batches, which have this ticket, together.
    Append(u64, Vec<Batch>),
    /// End after what came before.
    Close,
}

/// The state of the thread.
#[derive(Debug)]
pub(crate) struct Writer {
    path: PathBuf,
    /// The identity of the file when it was opened.
    identity: Option<(u64, u64)>,
    /// Why nothing can be written any more, with the place of the file.
    end: Arc<OnceLock<String>>,
    /// What a read said of a file that is malformed.
    malformed: Arc<OnceLock<String>>,
    /// The maximum size of the file in bytes.
    bound: Option<u64>,
    secrets: Secrets,
    commands: Receiver<Command>,
    committed: watch::Sender<Committed>,
    /// `None` after an error of the medium, until it can be opened again.
    connection: Option<Connection>,
    numbers: BlockNumbers,
    /// Batches that came while a commit failed.
    waiting: VecDeque<(u64, Vec<Batch>)>,
    /// [`Command::Close`] came.
    is_closing: bool,
    /// What is left to compact.
    compaction: Compaction,
    /// Jobs that were removed ahead of changes that wait.
    gone: BTreeSet<u64>,
    /// Something may be left to clean.
    has_debris: bool,
    /// What was freed is given back.
    is_settled: bool,
    /// Pages written to the log since it was copied, about.
    logged: u64,
    commits: u64,
    counters: Arc<Counters>,
}

impl Writer {
    pub(crate) fn new(
        (path, identity): (PathBuf, Option<(u64, u64)>),
        bound: Option<u64>,
        connection: Connection,
        commands: Receiver<Command>,
        committed: watch::Sender<Committed>,
    ) -> Self {
        let secrets = Secrets::of(&path);
        Self {
            path,
            identity,
            end: Arc::default(),
            malformed: Arc::default(),
            bound,
            secrets,
            commands,
            committed,
            connection: Some(connection),
            numbers: BlockNumbers::default(),
            waiting: VecDeque::new(),
            is_closing: false,
            compaction: Compaction::default(),
            gone: BTreeSet::new(),
            has_debris: true,
            is_settled: true,
            logged: 0,
            commits: 0,
            counters: Arc::default(),
        }
    }

    /// Counts what it writes.
    pub(crate) fn counters(&self) -> Arc<Counters> {
        Arc::clone(&self.counters)
    }

    /// Why nothing can be written any more, once that is so.
    pub(crate) fn end(&self) -> Arc<OnceLock<String>> {
        Arc::clone(&self.end)
    }

    /// Where a read says that the file is malformed. Nothing is written after that.
    pub(crate) fn malformed(&self) -> Arc<OnceLock<String>> {
        Arc::clone(&self.malformed)
    }

    /// Writes until it is closed. The log is copied into the file when the connection is dropped.
    pub(crate) fn run(mut self) {
        self.load_compaction();
        while let Some(mut group) = self.next_group() {
            if !self.commit(&mut group) {
                return;
            }
            self.counters.committed(group.batches());
            group.batches().iter().for_each(Batch::committed);
            self.committed.send_replace(Committed { through: group.through(), stalled: None });
            self.compaction.appended(group.batches());
            // The batches return their room.
            let bytes = group.bytes();
            drop(group);
            self.checkpoint(bytes);
            self.maintain_while_busy();
        }
    }

    /// The next batches to commit; `None` if the writer is to end.
    fn next_group(&mut self) -> Option<Group> {
        let (ticket, batches) = self.first()?;
        let mut group = Group::new(ticket, batches);
        let deadline = Instant::now() + WAIT;
        while !group.is_ready() {
            let Some((ticket, batches)) = self.before(deadline) else { break };
            group.push(ticket, batches);
        }
        while !group.is_full() {
            let Some((ticket, batches)) = self.now() else { break };
            group.push(ticket, batches);
        }
        Some(group)
    }

    /// Waits for a batch. Meanwhile it does what else is to do.
    fn first(&mut self) -> Option<(u64, Vec<Batch>)> {
        loop {
            if let Some(next) = self.now() {
                return Some(next);
            }
            if self.is_closing {
                return None;
            }
            if self.maintain() {
                continue;
            }
            self.settle();
            match self.commands.recv() {
                Ok(Command::Append(ticket, batches)) => return Some((ticket, batches)),
                Ok(Command::Close) | Err(_) => self.is_closing = true,
            }
        }
    }

    /// A batch that is there already.
    fn now(&mut self) -> Option<(u64, Vec<Batch>)> {
        if let Some(next) = self.waiting.pop_front() {
            return Some(next);
        }
        match self.commands.try_recv() {
            Ok(Command::Append(ticket, batches)) => Some((ticket, batches)),
            Err(TryRecvError::Empty) => None,
            Ok(Command::Close) | Err(TryRecvError::Disconnected) => {
                self.is_closing = true;
                None
            }
        }
    }

    /// A batch that comes before this time.
    fn before(&mut self, deadline: Instant) -> Option<(u64, Vec<Batch>)> {
        if let Some(next) = self.waiting.pop_front() {
            return Some(next);
        }
        match self.commands.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Command::Append(ticket, batches)) => Some((ticket, batches)),
            Err(RecvTimeoutError::Timeout) => None,
            Ok(Command::Close) | Err(RecvTimeoutError::Disconnected) => {
                self.is_closing = true;
                None
            }
        }
    }

    /// Commits a group or its beginning, however often it takes. Returns false if the writer must end: no
    /// attempt can succeed, or it was closed and a few more failed. Nobody knows the group as durable then.
    fn commit(&mut self, group: &mut Group) -> bool {
        let mut is_stalled = false;
        let (mut pause, mut last_attempts) = (FIRST_RETRY, ATTEMPTS_AT_CLOSE);
        loop {
            let Err(error) = self.write(group) else {
                if is_stalled {
                    tracing::info!(path = %self.path.display(), "the file of the store can be written again");
                }
                return true;
            };
            let stall = self.stall(&error, group);
            // Without a connection it is not known whether the whole group was written.
            if stall != Some(Stall::Io) && self.connection.is_some() {
                // A part of the group may fit.
                let later = group.split();
                if !later.is_empty() {
                    later.into_iter().rev().for_each(|batches| self.waiting.push_front(batches));
                    continue;
                }
            }
            let path = self.path.display();
            if stall.is_none() {
                // Before those who wait learn of it. It is set once.
                let _ = self.end.set(format!("{path} can never be written again: {error}"));
            }
            self.committed.send_modify(|committed| committed.stalled = Some(stall.unwrap_or(Stall::Io)));
            let Some(stall) = stall else {
                tracing::error!(%path, %error, "the file of the store can never be written again");
                return false;
            };
            if !is_stalled {
                tracing::warn!(%path, %error, "the file of the store cannot be written");
            }
            is_stalled = true;
            if stall == Stall::Io {
                // A failed sync may have dropped what was written: only a new connection reads what is there.
                self.connection = None;
            }
            if self.is_closing {
                if last_attempts == 0 {
                    return false;
                }
                last_attempts -= 1;
                thread::sleep(FIRST_RETRY);
                continue;
            }
            if !self.make_room(group) {
                self.collect(Instant::now() + pause);
                pause = (pause * 2).min(LAST_RETRY);
            }
        }
    }

    /// One attempt to commit a group.
    fn write(&mut self, group: &Group) -> Result<(), Error> {
        if let Some(read) = self.malformed.get() {
            return Err(Error::new(ErrorKind::Damaged, read.as_str()));
        }
        self.check_place()?;
        if self.connection.is_none() {
            // After a failed sync, the system may keep changes that it never writes: the log would be read
            // with a commit that the next power loss removes.
            files::write_again(&files::beside(&self.path, "-wal"), u64::MAX)
                .map_err(|error| failure::file("the log of the file could not be written again", &error))?;
            let connection = connection::writer(&self.path)?;
            limit(&connection, self.bound)
                .map_err(|error| failure::sqlite("the file could not be read", &error))?;
            let is_applied = commit::is_applied(&connection, group, &self.numbers, &self.gone)?;
            self.connection = Some(connection);
            if is_applied {
                // What follows a commit is left to the next opening.
                self.numbers = BlockNumbers::default();
                self.has_debris = true;
                return Ok(());
            }
        }
        let Some(connection) = &mut self.connection else { return Ok(()) };
        store_secrets(&self.secrets, group, &self.gone)?;
        let changes = transact(connection, group, &mut self.numbers, &self.gone)
            .map_err(|error| failure::sqlite("a commit of the store failed", &error))?;
        for batch in group.batches().iter().filter(|batch| removes_job(batch)) {
            self.numbers.forget(batch.job);
            self.compaction.forget(batch.job);
            self.has_debris = true;
        }
        for (job, change) in changes {
            if let Err(error) = change.apply(&self.secrets, job) {
                tracing::warn!(%job, %error, "the secrets of a job could not be removed");
            }
        }
        Ok(())
    }

    /// Refuses if the path does not lead to the file any more. What is written to a file without a name is lost
    /// with the process, so no client may be told that it is stored.
    fn check_place(&self) -> Result<(), Error> {
        let changed = match files::identity(&self.path) {
            Ok(found) if found == self.identity => return Ok(()),
            Ok(_) => "another file is in its place",
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                "it was removed or moved while the store was open"
            }
            // The commit shows whether the medium fails.
            Err(_) => return Ok(()),
        };
        Err(Error::new(ErrorKind::Damaged, changed))
    }

    /// Collects batches until this time, or until one lets something be deleted.
    fn collect(&mut self, until: Instant) {
        while !self.is_closing {
            match self.commands.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Command::Append(ticket, batches)) => {
                    let makes_room = batches.iter().any(maintenance::makes_room);
                    self.waiting.push_back((ticket, batches));
                    if makes_room {
                        return;
                    }
                }
                Err(RecvTimeoutError::Timeout) => return,
                Ok(Command::Close) | Err(RecvTimeoutError::Disconnected) => self.is_closing = true,
            }
        }
    }
}

fn removes_job(batch: &Batch) -> bool {
    batch.rows.iter().any(rows::is_removal)
}

/// Stores the secrets of a group before its commit: no job is without its secrets, and no page without the
/// cookies that it set.
fn store_secrets(secrets: &Secrets, group: &Group, gone: &BTreeSet<u64>) -> Result<(), Error> {
    let mut cookies = BTreeMap::new();
    let batches = group.batches().iter().filter(|batch| !gone.contains(&batch.job));
    for row in batches.flat_map(|batch| &batch.rows) {
        match row {
            Row::Submitted { job, .. } => {
                if let Some(bytes) = job_form::secrets(job) {
                    secrets.store(job.id, &bytes).map_err(not_stored)?;
                }
            }
            // Only the last change of a job counts.
            Row::Cookies { job, change } => {
                cookies.insert(*job, change);
            }
            _ => {}
        }
    }
    for (job, change) in cookies {
        let stored = match change {
            NoteValue::Set(bytes) => secrets.store_cookies(job, bytes),
            NoteValue::Add(_) | NoteValue::Remove => secrets.remove_cookies(job),
        };
        stored.map_err(not_stored)?;
    }
    Ok(())
}

fn not_stored(error: io::Error) -> Error {
    failure::file("the secrets of a job were not stored", &error)
}

/// Commits a group. Returns the changes of secrets that follow the commit: before, a crash could leave a
/// running job without its request.
fn transact(
    connection: &mut Connection,
    group: &Group,
    numbers: &mut BlockNumbers,
    gone: &BTreeSet<u64>,
) -> rusqlite::Result<Vec<(JobId, SecretsChange)>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut changes = Vec::new();
    // Removed jobs are in the file before the changes, and new ones after; some never.
    ids(&transaction, group, &mut changes, removal)?;
    changes.extend(never_written(group, gone));
    let new = commit::apply(&transaction, group, numbers, gone)?;
    for batch in group.batches().iter().filter(|batch| secrets_change::ends(&batch.facts)) {
        rows::end(&transaction, batch.job)?;
    }
    ids(&transaction, group, &mut changes, end)?;
    ids(&transaction, group, &mut changes, delivered)?;
    transaction.commit()?;
    numbers.committed(new);
    Ok(changes)
}

/// Adds the jobs of a group whose secrets change.
fn ids(
    connection: &Connection,
    group: &Group,
    changes: &mut Vec<(JobId, SecretsChange)>,
    change_of: impl Fn(&Batch) -> Option<SecretsChange>,
) -> rusqlite::Result<()> {
    for batch in group.batches() {
        if let Some(change) = change_of(batch) {
            changes.extend(rows::job_id(connection, batch.job)?.map(|job| (job, change)));
        }
    }
    Ok(())
}

fn removal(batch: &Batch) -> Option<SecretsChange> {
    removes_job(batch).then_some(SecretsChange::Remove)
}

/// The new jobs of a group that it also removes, or that are gone already.
fn never_written<'g>(
    group: &'g Group,
    gone: &'g BTreeSet<u64>,
) -> impl Iterator<Item = (JobId, SecretsChange)> + 'g {
    let removals = group.batches().iter().filter(|batch| removes_job(batch));
    let removed: BTreeSet<u64> = removals.map(|batch| batch.job).collect();
    let is_gone = move |batch: &&Batch| removed.contains(&batch.job) || gone.contains(&batch.job);
    let batches = group.batches().iter().filter(is_gone);
    batches.flat_map(|batch| &batch.rows).filter_map(|row| match row {
        Row::Submitted { job, .. } => Some((job.id, SecretsChange::Remove)),
        _ => None,
    })
}

fn end(batch: &Batch) -> Option<SecretsChange> {
    secrets_change::ends(&batch.facts).then_some(SecretsChange::End)
}

fn delivered(batch: &Batch) -> Option<SecretsChange> {
    let is_delivered = batch.rows.iter().any(|row| matches!(row, Row::Delivered));
    is_delivered.then_some(SecretsChange::Remove)
}
