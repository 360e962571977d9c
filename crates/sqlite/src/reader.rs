//! Reads the jobs of a file while another process may write it.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use gleaner_store::{Error, ErrorKind, ReadBound};
use rusqlite::Connection;

use crate::check::{self, Finding};
use crate::compaction::Record;
use crate::secrets::Secrets;
use crate::{JobProgress, JobRecord, backup, connection, failure, label, preflight, read, schema};

/// Reads a file, also while another process writes it. Its calls block.
#[derive(Debug)]
pub struct Reader {
    path: PathBuf,
    connection: Connection,
}

impl Reader {
    /// Opens an existing file.
    ///
    /// # Errors
    /// [`Newer`](ErrorKind::Newer) with the version of the file if a later program wrote it,
    /// [`Unsuitable`](ErrorKind::Unsuitable) if it is no store or this program contains an old SQLite,
    /// [`Damaged`](ErrorKind::Damaged) and [`Io`](ErrorKind::Io).
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        connection::check_sqlite(rusqlite::version_number())?;
        // The files beside it have the name of the file itself, and not that of a link to it.
        let path = path.as_ref().canonicalize().map_err(|error| {
            failure::file(&format!("{} could not be opened", path.as_ref().display()), &error)
        })?;
        preflight::check_kinds(&path)?;
        preflight::check_log(&path)?;
        let connection = connection::reader(&path)?;
        match schema::version(&connection)? {
            0 => Err(Error::new(ErrorKind::Unsuitable, format!("{} is empty", path.display()))),
            version if version < schema::VERSION => Err(Error::new(
                ErrorKind::Unsuitable,
                format!("the file has the earlier version {version}; a program that writes to it updates it"),
            )),
            _ => Ok(Self { path, connection }),
        }
    }

    /// All jobs, in the order of their submission.
    ///
    /// # Errors
    /// [`Damaged`](ErrorKind::Damaged), [`Newer`](ErrorKind::Newer) and [`Io`](ErrorKind::Io).
    pub fn jobs(&self) -> Result<Vec<JobRecord>, Error> {
        read::jobs(&self.connection)
    }

    /// The text that a program gave the file ([`set_label`](crate::set_label)); `None` if it gave none.
    ///
    /// # Errors
    /// [`Damaged`](ErrorKind::Damaged) and [`Io`](ErrorKind::Io).
    pub fn label(&self) -> Result<Option<String>, Error> {
        label::read(&self.connection)
    }

    /// Calls `visit` with the number and the bytes of each block of a job after this number, in order. The
    /// oldest ones are missing if they were folded. The job 0 is the store itself. `visit` checks the blocks
    /// ([`Block::open`](gleaner_store::journal::Block::open)).
    ///
    /// # Errors
    /// [`Damaged`](ErrorKind::Damaged), [`Io`](ErrorKind::Io), and those of `visit`.
    pub fn blocks(
        &self,
        job: u64,
        after: u64,
        visit: impl FnMut(u64, &[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let transaction = self.connection.unchecked_transaction().map_err(read::failed)?;
        let folded = Record::read(&transaction, job)?.folded;
        read::blocks(&transaction, job, after.max(folded), visit)
    }

    /// How far a job is.
    ///
    /// # Errors
    /// [`Damaged`](ErrorKind::Damaged), [`Newer`](ErrorKind::Newer) and [`Io`](ErrorKind::Io).
    pub fn progress(&self, job: u64) -> Result<JobProgress, Error> {
        let transaction = self.connection.unchecked_transaction().map_err(read::failed)?;
        JobProgress::read(&transaction, job)
    }

    /// The positions of the stored documents of a job: of the first one, and after the last one.
    ///
    /// # Errors
    /// [`Damaged`](ErrorKind::Damaged) and [`Io`](ErrorKind::Io).
    pub fn document_range(&self, job: u64) -> Result<(u64, u64), Error> {
        read::document_range(&self.connection, job)
    }

    /// The JSON of documents of a job from a position, up to the first one that cannot be read.
    ///
    /// # Errors
    /// If the document at the position cannot be read: [`Damaged`](ErrorKind::Damaged), also if it was
    /// removed, and [`Io`](ErrorKind::Io).
    pub fn documents(&self, job: u64, from: u64, bound: ReadBound) -> Result<Vec<Bytes>, Error> {
        read::documents(&self.connection, job, from, bound)
    }

    /// The JSON of the next documents of a job from a position: about a megabyte at most, and none if there
    /// are no more yet.
    ///
    /// # Errors
    /// Those of [`documents`](Self::documents).
    pub fn next_documents(&self, job: u64, from: u64) -> Result<Vec<Bytes>, Error> {
        self.documents(job, from, ReadBound::default())
    }

    /// Copies the file to a new one, as it is at one moment. The secrets of its jobs are copied on request:
    /// without them, its running jobs cannot go on.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io), also if the new file exists, and [`Full`](ErrorKind::Full).
    pub fn backup(&self, to: impl AsRef<Path>, with_secrets: bool) -> Result<(), Error> {
        let to = std::path::absolute(to.as_ref())
            .map_err(|error| failure::file("the path of the copy is unknown", &error))?;
        backup::copy(&self.connection, &to)?;
        if with_secrets {
            backup::copy_secrets(&self.path, &to)?;
        }
        Ok(())
    }

    /// Verifies the structure of the file, all checksums, and what must agree, at one moment. Returns what is
    /// wrong. The log of a file that is written meanwhile grows until it returns.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io).
    pub fn check(&self) -> Result<Vec<Finding>, Error> {
        check::check(&self.connection, &Secrets::of(&self.path))
    }
}
