//! Output of documents: lines on standard output, or files in a folder.
//!
//! Each document is written as it arrives and then dropped, so that memory does not grow with the crawl.

mod atomic;
mod failures;
mod folder;
mod media;
mod printer;

use std::io;
use std::path::Path;

use gleaner::Document;

pub(crate) use failures::{FAILURES, FailureList, FailureRow, rows};
pub(crate) use folder::{Folder, INDEX};
pub(crate) use printer::{Printer, Stdout};

/// Receives documents one by one.
#[derive(Debug)]
pub(crate) enum Sink {
    /// JSON Lines on standard output.
    Lines(Printer<Stdout>),
    /// One file per page, and an index.
    Folder(Folder),
}

impl Sink {
    /// Whether documents are written to a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        match self {
            Self::Lines(printer) => printer.is_terminal(),
            Self::Folder(_) => false,
        }
    }

    /// Call it when the job has started: from now on, the output of an earlier job is replaced.
    ///
    /// # Errors
    /// A write failed.
    pub(crate) fn begin(&mut self) -> io::Result<()> {
        match self {
            Self::Lines(_) => Ok(()),
            Self::Folder(folder) => folder.begin(),
        }
    }

    /// Writes one document. In a folder, its pictures and PDFs become files, which it names afterwards.
    ///
    /// # Errors
    /// The reader of standard output closed it ([`io::ErrorKind::BrokenPipe`]), or a write failed.
    pub(crate) fn write(&mut self, document: &mut Document) -> io::Result<()> {
        match self {
            Self::Lines(printer) => printer.json(document),
            Self::Folder(folder) => folder.write(document).map(drop),
        }
    }
}

/// An error of a file, with its path.
fn with_path(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write {}: {error}", path.display()))
}
