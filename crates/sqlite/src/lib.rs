//! The journal of gleaner's durable store in one SQLite file.
//!
//! [`open_store`] gives a [`Store`](gleaner_store::Store) whose jobs survive the process. Its
//! [`SqliteJournal`] writes the facts of the store ([`gleaner_store::journal`]) in their order. One thread
//! commits all batches that come within a few milliseconds together, and reports a batch when it is synced: a
//! reported batch survives `kill -9` and power loss. A full disk stops the writing, and loses nothing; it
//! goes on when there is space.
//!
//! Between commits the same thread folds old blocks of facts ([`gleaner_store::journal::compact`]), deletes
//! the rows of removed jobs, and gives free pages back to the file system, in transactions of about a
//! megabyte. Each of them leaves a file that says the same, so none needs another.
//!
//! Beside `FILE` and the files of SQLite (`-wal`, `-shm`) lie `FILE-lock`, which names the process that
//! writes, and `FILE-secrets` with what must not lie in the main file: requests with their headers, webhooks
//! and cookies. On Unix their modes let only their owner read them; elsewhere they have the permissions of
//! their folder.
//!
//! Other processes read with a [`Reader`], also while the file is written: jobs, documents, a copy, and a
//! check of all checksums.
//!
//! In this crate, the *file* is the database, and the *log* is SQLite's write-ahead log. A *block* has the
//! facts of one change. The blocks of a job that were not folded yet are its *tail*. A *part* is a row with a
//! folded block, and its kind is a [`Part`](gleaner_store::journal::Part).
//!
//! ```
//! use gleaner_sqlite::{FileConfig, SqliteJournal};
//! use gleaner_store::journal::{Batch, BlockWriter, Fact, Journal};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("jobs.db");
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let (journal, _, opened) = SqliteJournal::open(&path, &FileConfig::default())?;
//! assert_eq!(opened.epoch, 1);
//! let mut block = BlockWriter::default();
//! block.push(&Fact::Paused { paused: true });
//! let mut batch = Batch::default();
//! (batch.job, batch.facts, batch.room) = (1, block.finish(), journal.room(100).await);
//! let ticket = journal.append(vec![batch]);
//! journal.committed().wait_for(|committed| committed.through >= ticket).await?;
//! assert!(journal.reader()?.check()?.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod backup;
mod check;
mod cleaning;
mod commit;
mod compaction;
mod connection;
mod documents;
mod failure;
mod files;
mod group;
mod job_form;
mod job_record;
mod journal;
mod label;
mod load;
mod lock;
mod log_tail;
mod opening;
mod place;
mod preflight;
mod progress;
mod read;
mod read_pool;
mod reader;
mod rows;
mod schema;
mod seal;
mod secrets;
mod secrets_change;
mod stats;
mod store;
mod stored;
mod writer;

pub use check::Finding;
pub use job_record::JobRecord;
pub use journal::{FileConfig, MAX_WAITING_BYTES, Opened, SqliteJournal};
pub use label::set_label;
pub use progress::JobProgress;
pub use reader::Reader;
pub use stats::JournalStats;
pub use store::{SqliteStore, open_store};
