//! A journal in one SQLite file, with one writer and group commits.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};

use bytes::Bytes;
use gleaner_store::journal::{Batch, Committed, Journal, Room, StoredState};
use gleaner_store::{Error, ErrorKind, ReadBound};
use gleaner_types::JobId;
use rusqlite::{Connection, OptionalExtension as _};
use tokio::sync::{Semaphore, watch};

use crate::connection::PAGE;
use crate::lock::FileLock;
use crate::opening::{self, Opening};
use crate::read_pool::ReadPool;
use crate::secrets::Secrets;
use crate::secrets_change::SecretsChange;
use crate::stats::{Counters, JournalStats};
use crate::writer::{Command, Writer};
use crate::{JobRecord, Reader, connection, failure, files, job_form, load, read};

/// Most bytes that wait to be written. Above it, [`room`](Journal::room) waits.
pub const MAX_WAITING_BYTES: usize = 64 << 20;

/// The unit of the space for waiting batches, in bytes.
const UNIT: usize = 4096;

/// Bytes of a file without jobs: each table and each index has a page.
const EMPTY_FILE: u64 = 20 * PAGE;

/// The name under which the file counts its openings.
const EPOCH: &str = "epoch";

/// How a file is used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileConfig {
    /// The maximum size of the file in bytes, without its log and the secrets; `None` sets no limit. Above
    /// it, the journal reports [`Stall::Bound`](gleaner_store::journal::Stall::Bound) and goes on when there
    /// is space. Deleting and compacting may exceed it by 32 MiB.
    pub max_bytes: Option<u64>,
}

/// What opening a file found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opened {
    /// The number of this opening, from 1.
    pub epoch: u64,
    /// Pages of a commit that was cut, because the process or the system ended while it was written. Nobody
    /// was told that it was durable.
    pub cut_pages: u64,
}

/// A journal in one SQLite file.
///
/// One process writes at a time; others may read ([`Reader`]). Closing or dropping it waits for what was
/// appended.
#[derive(Debug)]
pub struct SqliteJournal {
    path: PathBuf,
    /// The maximum size of the file in bytes.
    bound: Option<u64>,
    queue: Mutex<Queue>,
    committed: watch::Receiver<Committed>,
    space: Arc<Semaphore>,
    reads: Arc<ReadPool>,
    counters: Arc<Counters>,
    /// Why nothing can be written any more.
    end: Arc<OnceLock<String>>,
    /// What a read said of a file that is malformed.
    malformed: Arc<OnceLock<String>>,
    /// `None` once it is closed.
    held: Mutex<Option<Held>>,
}

/// What an open journal holds.
#[derive(Debug)]
struct Held {
    writer: JoinHandle<()>,
    lock: FileLock,
}

/// The way to the writer. Its lock makes the order of tickets the order of writing.
#[derive(Debug)]
struct Queue {
    last_ticket: u64,
    commands: Sender<Command>,
}

impl SqliteJournal {
    /// Opens a file for writing, and creates it if it does not exist. Returns what it has for a store, too.
    /// This blocks.
    ///
    /// # Errors
    /// Of these [kinds](gleaner_store::ErrorKind): `Busy` with the name of the process that has it open,
    /// which may be this one (while a journal of this process is being closed, opening waits for it instead),
    /// `Newer` with its version if a later program wrote it, `Unsuitable` if it is another database, if its
    /// medium suits no log, or if this program contains an old SQLite, `Damaged` with the place, `Full` and
    /// `Io`.
    pub fn open(path: impl AsRef<Path>, config: &FileConfig) -> Result<(Self, StoredState, Opened), Error> {
        // The lock is released last.
        let Opening { lock, path, connection, tail } = opening::open(path.as_ref())?;
        connection::limit(&connection, config.max_bytes)
            .map_err(|error| failure::sqlite("the bound of the file could not be set", &error))?;
        let epoch = next_epoch(&connection)?;
        clean_secrets(&read::jobs(&connection)?, &path)
            .map_err(|error| failure::file("old secrets could not be removed", &error))?;
        let state = load::load(connection::reader(&path)?, &path, epoch)?;

        let (sender, committed) = watch::channel(Committed::default());
        let (commands, receiver) = mpsc::channel();
        let identity = files::identity(&path)
            .map_err(|error| failure::file(&format!("{} could not be read", path.display()), &error))?;
        let place = (path.clone(), identity);
        let writer = Writer::new(place, config.max_bytes, connection, receiver, sender);
        let (counters, end, malformed) = (writer.counters(), writer.end(), writer.malformed());
        let writer = thread::Builder::new()
            .name("gleaner-sqlite".to_owned())
            .spawn(move || writer.run())
            .map_err(|error| failure::file("the thread that writes could not be started", &error))?;
        let journal = Self {
            bound: config.max_bytes,
            queue: Mutex::new(Queue { last_ticket: 0, commands }),
            committed,
            space: Arc::new(Semaphore::new(MAX_WAITING_BYTES / UNIT)),
            reads: Arc::new(ReadPool::new(&path)),
            counters,
            end,
            malformed,
            held: Mutex::new(Some(Held { writer, lock })),
            path,
        };
        Ok((journal, state, Opened { epoch, cut_pages: tail.frames }))
    }

    /// A reader of this file, with a connection of its own.
    ///
    /// # Errors
    /// Those of [`Reader::open`].
    pub fn reader(&self) -> Result<Reader, Error> {
        Reader::open(&self.path)
    }

    /// What it has written so far.
    #[must_use]
    pub fn stats(&self) -> JournalStats {
        self.counters.stats()
    }

    fn send(&self, command: impl FnOnce(&mut u64) -> Command) -> u64 {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let command = command(&mut queue.last_ticket);
        // Without a writer, the sender of `committed` is gone, which tells those who wait.
        let _ = queue.commands.send(command);
        queue.last_ticket
    }
}

impl Drop for SqliteJournal {
    fn drop(&mut self) {
        self.close();
    }
}

/// Counts this opening.
fn next_epoch(connection: &Connection) -> Result<u64, Error> {
    let sql = "SELECT value FROM meta WHERE name = ?1";
    let last = connection.query_row(sql, [EPOCH], |row| row.get::<_, [u8; 8]>(0)).optional();
    let epoch = last.map_err(read::failed)?.map_or(0, u64::from_le_bytes).saturating_add(1);
    connection
        .execute("INSERT OR REPLACE INTO meta(name, value) VALUES(?1, ?2)", (EPOCH, epoch.to_le_bytes()))
        .map_err(|error| failure::sqlite("the file could not be written", &error))?;
    Ok(epoch)
}

/// Makes up for what a crash prevented: secrets go with their job, also those of a submit that was never
/// committed, and the request goes when the job ends.
fn clean_secrets(jobs: &[JobRecord], path: &Path) -> io::Result<()> {
    let secrets = Secrets::of(path);
    let ids: HashSet<JobId> = jobs.iter().map(|job| job.id).collect();
    secrets.retain(|job| ids.contains(&job))?;
    let ended: HashSet<JobId> = jobs.iter().filter(|job| job.has_ended).map(|job| job.id).collect();
    let (with_secrets, _) = secrets.list()?;
    for job in with_secrets.into_iter().filter(|job| ended.contains(job)) {
        // Also if its file is damaged.
        let has_request = secrets.load(job)?.is_none_or(|bytes| job_form::has_request(&bytes));
        if has_request || secrets.load_cookies(job)?.is_some() {
            SecretsChange::End.apply(&secrets, job)?;
        }
    }
    Ok(())
}

impl Journal for SqliteJournal {
    fn capacity(&self) -> Option<u64> {
        self.bound.map(|bytes| bytes.saturating_sub(EMPTY_FILE))
    }

    fn close(&self) {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Held { writer, lock }) = held else { return };
        lock.set_closing();
        // The connection that is closed last copies the log into the file, and only the writer can.
        self.reads.close();
        self.send(|_| Command::Close);
        let _ = writer.join();
        let _ = self.end.set(format!("{} is closed", self.path.display()));
        // Last, so that the next one opens what is complete.
        drop(lock);
    }

    fn append(&self, batches: Vec<Batch>) -> u64 {
        self.send(|ticket| {
            *ticket += 1;
            Command::Append(*ticket, batches)
        })
    }

    fn committed(&self) -> watch::Receiver<Committed> {
        self.committed.clone()
    }

    fn end(&self) -> Option<String> {
        self.end.get().cloned()
    }

    async fn room(&self, bytes: usize) -> Room {
        let units = bytes.div_ceil(UNIT).clamp(1, MAX_WAITING_BYTES / UNIT);
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        // The semaphore is never closed.
        Arc::clone(&self.space).acquire_many_owned(units).await.ok()
    }

    async fn documents(&self, job: u64, from: u64, bound: ReadBound) -> Result<Vec<Bytes>, Error> {
        let malformed = Arc::clone(&self.malformed);
        let read = move |connection: &Connection| {
            let found = read::documents(connection, job, from, bound);
            if let Err(error) = &found
                && error.kind() == ErrorKind::Damaged
                && read::is_malformed(connection, job, from)
            {
                // The first such read counts.
                let _ = malformed.set(error.to_string());
            }
            found
        };
        self.reads.read(read).await
    }
}

#[cfg(test)]
mod tests;
