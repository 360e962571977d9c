//! The output of a job: its documents and the list of its failures.

use std::path::Path;

use super::run::Run;
use super::{engine, stored};
use crate::args::OutputArgs;
use crate::failure::Failure;
use crate::file_names::FileNames;
use crate::output::{FAILURES, FailureList, FailureRow, Folder, INDEX, Printer, Sink};
use crate::summary::counted;

/// The output of a job.
#[derive(Debug)]
pub(super) struct Results {
    pub(super) sink: Sink,
    failures: Option<FailureList>,
}

impl Results {
    /// Opens the output from the arguments. Call it before the job starts, so that no page is fetched that
    /// cannot be stored. `jobs` is the file of the job.
    ///
    /// # Errors
    /// A file or folder cannot be written, or the list of failures would replace the file of the job.
    pub(super) fn open(
        args: &OutputArgs,
        failures: Option<&Path>,
        jobs: Option<&Path>,
    ) -> Result<Self, Failure> {
        if let (Some(failures), Some(jobs)) = (failures, jobs) {
            stored::refuse_as_output(jobs, failures, "--failures")?;
        }
        let sink = match &args.out {
            Some(path) => {
                Sink::Folder(Folder::create(path, FileNames::with_hosts()).map_err(engine::unusable_folder)?)
            }
            None => Sink::Lines(Printer::stdout()),
        };
        let failures = match (failures, &args.out) {
            (Some(path), _) => Some(
                FailureList::at(path)
                    .map_err(|error| Failure::usage(format!("--failures: {error}; name a writable file")))?,
            ),
            (None, Some(folder)) => Some(FailureList::within(folder)),
            (None, None) => None,
        };
        Ok(Self { sink, failures })
    }

    /// Documents without a list of failures.
    pub(super) const fn of(sink: Sink) -> Self {
        Self { sink, failures: None }
    }

    /// Call it when the job has started: from now on, the output of an earlier job is replaced.
    ///
    /// # Errors
    /// A write failed.
    pub(super) fn begin(&mut self) -> Result<(), Failure> {
        self.sink.begin()?;
        if let Some(list) = &mut self.failures {
            list.begin()?;
        }
        Ok(())
    }

    /// Lists pages without a document, immediately.
    ///
    /// # Errors
    /// A write failed.
    pub(super) fn list<'a>(
        &mut self,
        failures: impl IntoIterator<Item = FailureRow<'a>>,
    ) -> Result<(), Failure> {
        if let Some(list) = &mut self.failures {
            list.add(failures)?;
        }
        Ok(())
    }

    /// Whether failures are listed in a file.
    pub(super) const fn lists_failures(&self) -> bool {
        self.failures.is_some()
    }

    /// Which files contain what, if there are any.
    pub(super) fn description(&self, run: &Run, args: &OutputArgs) -> Option<String> {
        let list = self.failures.as_ref().filter(|list| list.listed() > 0);
        let pages = if list.is_some_and(|list| list.listed() == 1) { "the one" } else { "those" };
        let media = match &self.sink {
            Sink::Folder(folder) if folder.media() > 0 => {
                format!(" and {}", counted(folder.media(), "picture or PDF", "pictures and PDFs"))
            }
            _ => String::new(),
        };
        match (args.out.as_ref().filter(|_| run.written > 0), list) {
            (Some(folder), Some(list)) if list.path() == folder.join(FAILURES) => Some(format!(
                "written to {} ({INDEX} lists the pages{media}, {FAILURES} {pages} without a document)",
                folder.display()
            )),
            (Some(folder), list) => {
                let mut text = format!("written to {} ({INDEX} lists the pages{media})", folder.display());
                if let Some(list) = list {
                    text.push_str(&format!("; {} lists {pages} without a document", list.path().display()));
                }
                Some(text)
            }
            (None, Some(list)) => Some(format!("{} lists {pages} without a document", list.path().display())),
            (None, None) => None,
        }
    }
}
