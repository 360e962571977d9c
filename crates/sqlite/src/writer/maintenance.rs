//! What the writer does between commits: it folds blocks, deletes rows, and gives space back.

use std::collections::{BTreeMap, BTreeSet};

use gleaner_store::journal::{Batch, Row, Stall};
use gleaner_store::{Error, ErrorKind};
use rusqlite::Connection;

use super::{Writer, removes_job};
use crate::compaction::Compaction;
use crate::connection::PAGE;
use crate::group::Group;
use crate::secrets_change::SecretsChange;
use crate::{cleaning, commit};

/// The log is copied into the file after about this many pages.
const CHECKPOINT_PAGES: u64 = 1000;

/// While it is busy, the writer does other work than folding long tails once in this many commits.
const COMMITS_PER_STEP: u64 = 8;

/// What one step writes, about.
const STEP_BYTES: usize = 1 << 20;

impl Writer {
    /// Finds out what is left to compact.
    pub(super) fn load_compaction(&mut self) {
        let Some(connection) = &self.connection else { return };
        match Compaction::load(connection) {
            Ok(compaction) => self.compaction = compaction,
            Err(error) => tracing::warn!(%error, "the file of the store is not compacted"),
        }
    }

    /// One step, for which there is time. False if nothing is left to do.
    pub(super) fn maintain(&mut self) -> bool {
        self.step(|connection, compaction| compaction.step(connection, false)) || self.clean()
    }

    /// A step after a commit, if it cannot wait until there is time.
    pub(super) fn maintain_while_busy(&mut self) {
        self.commits += 1;
        let is_turn = self.commits.is_multiple_of(COMMITS_PER_STEP);
        if is_turn {
            self.step(|connection, compaction| compaction.step(connection, true));
        }
        while self.compaction.is_behind() && self.step(|connection, work| work.step(connection, true)) {}
        let is_worthwhile = |connection: &Connection| cleaning::is_worthwhile(connection).unwrap_or_default();
        if is_turn && self.has_debris && self.connection.as_ref().is_some_and(is_worthwhile) {
            self.clean();
        }
    }

    /// Nothing is left to do: the space that was freed is given back.
    pub(super) fn settle(&mut self) {
        if !std::mem::replace(&mut self.is_settled, true) {
            self.copy_log();
        }
    }

    /// Deletes some rows of removed jobs, or gives some pages back. False if nothing is left to do.
    fn clean(&mut self) -> bool {
        self.has_debris = self.has_debris && self.step(|connection, _| cleaning::step(connection));
        self.has_debris
    }

    /// One step, which may exceed the bound. False if it has done nothing.
    fn step(&mut self, work: impl FnOnce(&mut Connection, &mut Compaction) -> Result<bool, Error>) -> bool {
        let Some(connection) = &mut self.connection else { return false };
        let compaction = &mut self.compaction;
        let stepped =
            cleaning::beyond_bound(connection, self.bound, |connection| work(connection, compaction));
        match stepped {
            Ok(true) => {
                // Folding frees pages, too.
                (self.has_debris, self.is_settled) = (true, false);
                self.checkpoint(STEP_BYTES);
                true
            }
            Ok(false) => false,
            Err(error) => {
                self.failed(&error);
                false
            }
        }
    }

    fn failed(&mut self, error: &Error) {
        tracing::debug!(%error, "the file of the store could not be maintained");
        if error.kind() == ErrorKind::Io {
            // As after a commit that failed so: only a new connection reads what is there.
            self.connection = None;
        }
    }

    /// Why a commit failed; `None` if no other attempt can succeed.
    pub(super) fn stall(&self, error: &Error, group: &Group) -> Option<Stall> {
        match error.kind() {
            ErrorKind::Full => {}
            ErrorKind::Io | ErrorKind::Busy => return Some(Stall::Io),
            _ => return None,
        }
        let bound = self.bound.filter(|bound| {
            let is_near = |connection| cleaning::is_near(connection, *bound, group.bytes() as u64);
            self.connection.as_ref().is_some_and(is_near)
        });
        Some(bound.map_or(Stall::Full, Stall::Bound))
    }

    /// Does at once what waiting batches will allow, so that a full file has room for the batches before:
    /// deletes the jobs that they remove, and the documents that they say are read. Returns true if there may
    /// be more room.
    pub(super) fn make_room(&mut self, group: &Group) -> bool {
        // The log begins again, so that it does not grow.
        self.copy_log();
        let mut has_room = false;
        let (removed, read) = self.removable(group);
        for job in removed {
            has_room |= self.remove_early(job);
        }
        for (job, before) in read {
            has_room |= self.forget_read_early(job, before);
        }
        (self.has_debris, self.is_settled) = (true, false);
        while self.maintain() {
            // Each step finds the log empty: a full disk may have no room for a longer one.
            self.copy_log();
            has_room = true;
        }
        has_room
    }

    /// The jobs that waiting batches remove, and the positions up to which they say that documents are read.
    fn removable(&self, group: &Group) -> (BTreeSet<u64>, BTreeMap<u64, u64>) {
        let waiting = self.waiting.iter().flat_map(|(_, batches)| batches);
        let (mut removed, mut read) = (BTreeSet::new(), BTreeMap::new());
        for batch in group.batches().iter().chain(waiting).filter(|batch| !self.gone.contains(&batch.job)) {
            if removes_job(batch) {
                removed.insert(batch.job);
            }
            for row in &batch.rows {
                if let Row::DocumentsRead { before } = row {
                    read.insert(batch.job, *before);
                }
            }
        }
        (removed, read)
    }

    /// Removes a job ahead of the changes that wait before its removal. Those of the job are not written.
    fn remove_early(&mut self, job: u64) -> bool {
        let Some(connection) = &mut self.connection else { return false };
        match cleaning::beyond_bound(connection, self.bound, |connection| cleaning::remove(connection, job)) {
            Ok(id) => {
                self.gone.insert(job);
                self.numbers.forget(job);
                self.compaction.forget(job);
                if let Some(id) = id
                    && let Err(error) = SecretsChange::Remove.apply(&self.secrets, id)
                {
                    tracing::warn!(job = %id, %error, "the secrets of a job could not be removed");
                }
                true
            }
            Err(error) => {
                self.failed(&error);
                false
            }
        }
    }

    /// Deletes documents that were read, ahead of the changes that wait before. False if there are none.
    fn forget_read_early(&mut self, job: u64, before: u64) -> bool {
        let Self { connection: Some(connection), numbers, bound, .. } = self else { return false };
        let forget = |connection: &mut Connection| commit::forget_read(connection, numbers, job, before);
        match cleaning::beyond_bound(connection, *bound, forget) {
            Ok(has_deleted) => has_deleted,
            Err(error) => {
                self.failed(&error);
                false
            }
        }
    }

    /// Copies the log into the file once it is long. This is after the commit was reported.
    pub(super) fn checkpoint(&mut self, bytes: usize) {
        // A commit changes a few inner pages besides its content.
        self.logged += bytes as u64 / PAGE + 4;
        if self.logged >= CHECKPOINT_PAGES {
            self.copy_log();
        }
    }

    fn copy_log(&mut self) {
        let Some(connection) = &self.connection else { return };
        self.logged = 0;
        match connection.pragma(None, "wal_checkpoint", "PASSIVE", |_| Ok(())) {
            Ok(()) => self.counters.checkpointed(),
            Err(error) => tracing::debug!(%error, "the log of the store could not be copied"),
        }
    }
}

/// True if a batch lets something be deleted.
pub(super) fn makes_room(batch: &Batch) -> bool {
    removes_job(batch) || batch.rows.iter().any(|row| matches!(row, Row::DocumentsRead { .. }))
}
