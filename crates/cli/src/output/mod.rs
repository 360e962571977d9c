//! Where documents go: lines on standard output, or files in a folder.
//!
//! Each document is written as it comes and then forgotten, so that memory does not grow with the crawl.

mod failures;
mod folder;
mod printer;
mod whole;

use std::io;
use std::path::Path;

use gleaner::Document;

pub(crate) use failures::{FAILURES, FailureList, FailureRow, rows};
pub(crate) use folder::{Folder, INDEX};
pub(crate) use printer::{Printer, Stdout};

/// Takes documents one by one.
#[derive(Debug)]
pub(crate) enum Sink {
    /// JSON Lines on standard output.
    Lines(Printer<Stdout>),
    /// A file a page, and an index.
    Folder(Folder),
}

impl Sink {
    /// Do documents appear where a person watches?
    pub(crate) fn is_terminal(&self) -> bool {
        match self {
            Self::Lines(printer) => printer.is_terminal(),
            Self::Folder(_) => false,
        }
    }

    /// The job has begun: what an earlier one left is replaced from here on.
    ///
    /// # Errors
    /// The disk said no.
    pub(crate) fn begin(&mut self) -> io::Result<()> {
        match self {
            Self::Lines(_) => Ok(()),
            Self::Folder(folder) => folder.begin(),
        }
    }

    /// Writes one document.
    ///
    /// # Errors
    /// The reader of standard output went away ([`io::ErrorKind::BrokenPipe`]), or the disk said no.
    pub(crate) fn write(&mut self, document: &Document) -> io::Result<()> {
        match self {
            Self::Lines(printer) => printer.json(document),
            Self::Folder(folder) => folder.write(document).map(drop),
        }
    }
}

/// An error of a file, with its name.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write {}: {error}", path.display()))
}
