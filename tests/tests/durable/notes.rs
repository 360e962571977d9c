//! What a child notes about its crawl, one line for each fact that it was told.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

/// The notes of a child, which appends to those of earlier ones.
pub(crate) struct Notebook(File);

impl Notebook {
    pub(crate) fn open(folder: &Path) -> Self {
        Self(OpenOptions::new().create(true).append(true).open(folder.join(FILE)).unwrap())
    }

    /// Writes a line with one call, so that it is there as a whole or not at all.
    pub(crate) fn line(&mut self, line: &str) {
        self.0.write_all(format!("{line}\n").as_bytes()).unwrap();
    }
}

const FILE: &str = "notes";

/// The notes of one process.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// The file was opened.
    pub(crate) opened: bool,
    /// The id of the job.
    pub(crate) job: Option<String>,
    /// The paths of the documents, in order.
    pub(crate) documents: Vec<String>,
    /// Completed, failed and all pages of the job and its credits, at its end.
    pub(crate) end: Option<String>,
    /// All events are delivered.
    pub(crate) is_done: bool,
}

/// The notes of each process that has used this folder.
pub(crate) fn all_notes(folder: &Path) -> Vec<Notes> {
    let mut all: Vec<Notes> = Vec::new();
    for line in fs::read_to_string(folder.join(FILE)).unwrap_or_default().lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "begin" {
            all.push(Notes::default());
            continue;
        }
        let notes = all.last_mut().unwrap();
        match word {
            "opened" => notes.opened = true,
            "job" => notes.job = Some(rest.to_owned()),
            "document" => notes.documents.push(rest.to_owned()),
            "end" => notes.end = Some(rest.to_owned()),
            "done" => notes.is_done = true,
            _ => panic!("{line:?} is no note"),
        }
    }
    all
}
