//! The thread that writes: one commit for all batches that came within a few milliseconds.
//!
//! A commit that fails is tried again until it succeeds, so no batch is lost while the process lives. A full
//! disk and a medium with errors are reported as [`Stall`]; the store decides what waits meanwhile. If no
//! attempt can succeed, because the file has changed, the writer ends, and those who wait get an error.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

use gleaner_store::journal::{Batch, Committed, Row, Stall};
use gleaner_store::{Error, ErrorKind, NoteValue};
use gleaner_types::JobId;
use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::watch;

use crate::commit::{self, BlockNumbers};
use crate::connection::{self, PAGE, limit};
use crate::group::Group;
use crate::secrets::Secrets;
use crate::secrets_change::{self, SecretsChange};
use crate::stats::Counters;
use crate::{cleaning, failure, files, job_form, rows};

/// How long a group waits for more batches.
const WAIT: Duration = Duration::from_millis(5);

/// The time between the first two attempts of a commit that fails. It doubles up to the longest one.
const FIRST_RETRY: Duration = Duration::from_millis(10);
const LAST_RETRY: Duration = Duration::from_secs(1);

/// The attempts of a failing commit after the writer was closed.
const ATTEMPTS_AT_CLOSE: u32 = 20;

/// The log is copied into the file after about this many pages.
const CHECKPOINT_PAGES: u64 = 1000;

/// While it is busy, the writer cleans once in this many commits.
const COMMITS_PER_CLEANING: u64 = 8;

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
    /// Something may be left to clean.
    has_debris: bool,
    /// Pages written to the log since it was copied, about.
    logged: u64,
    commits: u64,
    counters: Arc<Counters>,
}

impl Writer {
    pub(crate) fn new(
        path: PathBuf,
        bound: Option<u64>,
        connection: Connection,
        commands: Receiver<Command>,
        committed: watch::Sender<Committed>,
    ) -> Self {
        let secrets = Secrets::of(&path);
        Self {
            path,
            bound,
            secrets,
            commands,
            committed,
            connection: Some(connection),
            numbers: BlockNumbers::default(),
            waiting: VecDeque::new(),
            is_closing: false,
            has_debris: true,
            logged: 0,
            commits: 0,
            counters: Arc::default(),
        }
    }

    /// Counts what it writes.
    pub(crate) fn counters(&self) -> Arc<Counters> {
        Arc::clone(&self.counters)
    }

    /// Writes until it is closed. The log is copied into the file when the connection is dropped.
    pub(crate) fn run(mut self) {
        while let Some(mut group) = self.next_group() {
            if !self.commit(&mut group) {
                return;
            }
            self.counters.committed(group.batches());
            group.batches().iter().for_each(Batch::committed);
            self.committed.send_replace(Committed { through: group.through(), stalled: None });
            // The batches return their room.
            let bytes = group.bytes();
            drop(group);
            self.checkpoint(bytes);
            self.clean_while_busy();
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

    /// Waits for a batch. Meanwhile it cleans.
    fn first(&mut self) -> Option<(u64, Vec<Batch>)> {
        loop {
            if let Some(next) = self.now() {
                return Some(next);
            }
            if self.is_closing {
                return None;
            }
            if self.has_debris {
                self.clean();
                continue;
            }
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
            let stall = stall_of(&error);
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
        if self.connection.is_none() {
            // After a failed sync, the system may keep changes that it never writes: the log would be read
            // with a commit that the next power loss removes.
            files::write_again(&files::beside(&self.path, "-wal"))
                .map_err(|error| failure::file("the log of the file could not be written again", &error))?;
            let connection = connection::writer(&self.path)?;
            limit(&connection, self.bound)
                .map_err(|error| failure::sqlite("the file could not be read", &error))?;
            let is_applied = commit::is_applied(&connection, group, &self.numbers)?;
            self.connection = Some(connection);
            if is_applied {
                // What follows a commit is left to the next opening.
                self.numbers = BlockNumbers::default();
                self.has_debris = true;
                return Ok(());
            }
        }
        let Some(connection) = &mut self.connection else { return Ok(()) };
        store_secrets(&self.secrets, group)?;
        let changes = transact(connection, group, &mut self.numbers)
            .map_err(|error| failure::sqlite("a commit of the store failed", &error))?;
        for batch in group.batches().iter().filter(|batch| removes_job(batch)) {
            self.numbers.forget(batch.job);
            self.has_debris = true;
        }
        for (job, change) in changes {
            if let Err(error) = change.apply(&self.secrets, job) {
                tracing::warn!(%job, %error, "the secrets of a job could not be removed");
            }
        }
        Ok(())
    }

    /// Collects batches until this time, or until one removes a job.
    fn collect(&mut self, until: Instant) {
        while !self.is_closing {
            match self.commands.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Command::Append(ticket, batches)) => {
                    let removes = batches.iter().any(removes_job);
                    self.waiting.push_back((ticket, batches));
                    if removes {
                        return;
                    }
                }
                Err(RecvTimeoutError::Timeout) => return,
                Ok(Command::Close) | Err(RecvTimeoutError::Disconnected) => self.is_closing = true,
            }
        }
    }

    /// Deletes the jobs that waiting batches remove, so that a full file has room for the batches before.
    /// Returns true if it deleted anything.
    fn make_room(&mut self, group: &Group) -> bool {
        let Some(connection) = &mut self.connection else { return false };
        let waiting = self.waiting.iter().flat_map(|(_, batches)| batches);
        let removed = group.batches().iter().chain(waiting).filter(|batch| removes_job(batch));
        let mut has_deleted = false;
        let clean = || -> rusqlite::Result<()> {
            for batch in removed {
                cleaning::remove_early(connection, self.bound, batch.job)?;
            }
            while cleaning::step(connection, self.bound)? {
                has_deleted = true;
            }
            Ok(())
        };
        if let Err(error) = clean() {
            tracing::debug!(%error, "the file of the store could not be cleaned");
        }
        has_deleted
    }

    /// Copies the log into the file once it is long. This is after the commit was reported.
    fn checkpoint(&mut self, bytes: usize) {
        // A commit changes a few inner pages besides its content.
        self.logged += bytes as u64 / PAGE + 4;
        let Some(connection) = &self.connection else { return };
        if self.logged < CHECKPOINT_PAGES {
            return;
        }
        self.logged = 0;
        match connection.pragma(None, "wal_checkpoint", "PASSIVE", |_| Ok(())) {
            Ok(()) => self.counters.checkpointed(),
            Err(error) => tracing::debug!(%error, "the log of the store could not be copied"),
        }
    }

    fn clean_while_busy(&mut self) {
        self.commits += 1;
        if !self.has_debris || !self.commits.is_multiple_of(COMMITS_PER_CLEANING) {
            return;
        }
        let is_worthwhile = |connection: &Connection| cleaning::is_worthwhile(connection).unwrap_or_default();
        if self.connection.as_ref().is_some_and(is_worthwhile) {
            self.clean();
        }
    }

    /// One step of cleaning.
    fn clean(&mut self) {
        let Some(connection) = &mut self.connection else {
            self.has_debris = false;
            return;
        };
        self.has_debris = cleaning::step(connection, self.bound).unwrap_or_else(|error| {
            tracing::debug!(%error, "the file of the store could not be cleaned");
            false
        });
        self.checkpoint(0);
    }
}

/// What an error of a commit means for the next attempt; `None` if none can succeed.
fn stall_of(error: &Error) -> Option<Stall> {
    match error.kind() {
        ErrorKind::Full => Some(Stall::Full),
        ErrorKind::Io | ErrorKind::Busy => Some(Stall::Io),
        _ => None,
    }
}

fn removes_job(batch: &Batch) -> bool {
    batch.rows.iter().any(rows::is_removal)
}

/// Stores the secrets of a group before its commit: no job is without its secrets, and no page without the
/// cookies that it set.
fn store_secrets(secrets: &Secrets, group: &Group) -> Result<(), Error> {
    let mut cookies = BTreeMap::new();
    for row in group.batches().iter().flat_map(|batch| &batch.rows) {
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
) -> rusqlite::Result<Vec<(JobId, SecretsChange)>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut changes = Vec::new();
    // Removed jobs are in the file before the changes, and new ones after; some never.
    ids(&transaction, group, &mut changes, removal)?;
    changes.extend(removed_at_once(group));
    let new = commit::apply(&transaction, group, numbers)?;
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

/// The jobs of a group that it also removes.
fn removed_at_once(group: &Group) -> impl Iterator<Item = (JobId, SecretsChange)> {
    let removals = group.batches().iter().filter(|batch| removes_job(batch));
    let removed: BTreeSet<u64> = removals.map(|batch| batch.job).collect();
    let batches = group.batches().iter().filter(move |batch| removed.contains(&batch.job));
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
