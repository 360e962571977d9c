//! Where the documents of a job go, and the list of those that it did not get.

use std::path::Path;

use super::engine;
use super::run::Run;
use crate::args::OutputArgs;
use crate::failure::Failure;
use crate::names::Names;
use crate::output::{FAILURES, FailureList, FailureRow, Folder, INDEX, Printer, Sink};

/// What a job leaves behind.
#[derive(Debug)]
pub(super) struct Results {
    pub(super) sink: Sink,
    failures: Option<FailureList>,
}

impl Results {
    /// As the command line wants them. To be opened before the job: no page is asked for that could not be kept.
    ///
    /// # Errors
    /// A file or folder that cannot be written to.
    pub(super) fn open(args: &OutputArgs, failures: Option<&Path>) -> Result<Self, Failure> {
        let sink = match &args.out {
            Some(path) => Sink::Folder(Folder::create(path, Names::with_hosts()).map_err(engine::no_folder)?),
            None => Sink::Lines(Printer::stdout()),
        };
        let failures = match (failures, &args.out) {
            (Some(path), _) => Some(FailureList::at(path).map_err(|error| {
                Failure::usage(format!("--failures: {error}; give a file that can be written to"))
            })?),
            (None, Some(folder)) => Some(FailureList::within(folder)),
            (None, None) => None,
        };
        Ok(Self { sink, failures })
    }

    /// Documents alone.
    pub(super) const fn of(sink: Sink) -> Self {
        Self { sink, failures: None }
    }

    /// The job has begun: what an earlier one left is replaced from here on.
    ///
    /// # Errors
    /// The disk said no.
    pub(super) fn begin(&mut self) -> Result<(), Failure> {
        self.sink.begin()?;
        if let Some(list) = &mut self.failures {
            list.begin()?;
        }
        Ok(())
    }

    /// Writes down what gave no document, at once.
    ///
    /// # Errors
    /// The disk said no.
    pub(super) fn list<'a>(
        &mut self,
        failures: impl IntoIterator<Item = FailureRow<'a>>,
    ) -> Result<(), Failure> {
        if let Some(list) = &mut self.failures {
            list.add(failures)?;
        }
        Ok(())
    }

    /// Is what failed written down somewhere?
    pub(super) const fn lists_failures(&self) -> bool {
        self.failures.is_some()
    }

    /// Which files hold what, where there are some.
    pub(super) fn told(&self, run: &Run, args: &OutputArgs) -> Option<String> {
        let list = self.failures.as_ref().filter(|list| list.listed() > 0);
        let lacking = if list.is_some_and(|list| list.listed() == 1) { "the one" } else { "those" };
        match (args.out.as_ref().filter(|_| run.written > 0), list) {
            (Some(folder), Some(list)) if list.path() == folder.join(FAILURES) => Some(format!(
                "written to {} ({INDEX} lists the pages, {FAILURES} {lacking} without a document)",
                folder.display()
            )),
            (Some(folder), list) => {
                let mut told = format!("written to {} ({INDEX} lists the pages)", folder.display());
                if let Some(list) = list {
                    told.push_str(&format!("; {} lists {lacking} without a document", list.path().display()));
                }
                Some(told)
            }
            (None, Some(list)) => {
                Some(format!("{} lists {lacking} without a document", list.path().display()))
            }
            (None, None) => None,
        }
    }
}
