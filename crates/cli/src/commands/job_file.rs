//! Opens the file of `--job` and checks that it belongs to the same command.

use std::path::{Path, PathBuf};

use gleaner::JobId;
use gleaner::sqlite::{JobRecord, Reader, set_label};

use super::stored;
use crate::failure::Failure;
use crate::job_command::{JobCommand, JobLabel};

/// The option that names the file.
const OPTION: &str = "--job";

/// The file of `--job`: it has the job of one command.
#[derive(Debug)]
pub(super) struct JobFile {
    path: PathBuf,
    command: JobCommand,
    /// The target of its job, if that was started before and has not ended.
    unfinished: Option<String>,
    /// The label of that job.
    label: Option<JobLabel>,
}

impl JobFile {
    /// Checks that a file is for this command, and creates a new one with its label.
    ///
    /// # Errors
    /// The file is for another command, or cannot be used.
    pub(super) fn open(path: &Path, command: JobCommand) -> Result<Self, Failure> {
        if command.retains_nothing() {
            return Err(Failure::usage(
                "--zero-data-retention: nothing of such a job may be written to a file; leave out --job",
            ));
        }
        let mut file = Self { path: path.to_owned(), command, unfinished: None, label: None };
        if !stored::is_new(path, OPTION)? {
            let reader = stored::open(path, OPTION)?;
            if let Some(record) = file.record(&reader)? {
                if !record.has_ended {
                    file.unfinished = record.url;
                    file.label = file.read_label(&reader)?;
                }
                return Ok(file);
            }
        }
        let label = file.command.label();
        set_label(path, &label).map_err(|error| stored::failed(path, &error))?;
        Ok(file)
    }

    /// The target of the job of an earlier run that this command goes on with.
    pub(super) fn unfinished(&self) -> Option<&str> {
        self.unfinished.as_deref()
    }

    /// The label of that job.
    pub(super) fn unfinished_label(&self) -> Option<&JobLabel> {
        self.label.as_ref()
    }

    /// The path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The job of the file, if it was started before. Call it when the engine has opened the file: then no
    /// other process can start one.
    ///
    /// # Errors
    /// The file is for another command, or cannot be read.
    pub(super) fn started(&self) -> Result<Option<JobId>, Failure> {
        let reader = stored::reader(&self.path)?;
        match self.record(&reader)? {
            Some(record) => Ok(Some(record.id)),
            // Another process may have given a new file its label.
            None => match self.read_label(&reader)? {
                Some(label) => self.command.check(&label, &self.path, None).map(|()| None),
                None => Err(Failure::failed(format!(
                    "{} was changed meanwhile; run the command again",
                    self.path.display()
                ))),
            },
        }
    }

    /// The job of the file, which is one of this command.
    fn record(&self, reader: &Reader) -> Result<Option<JobRecord>, Failure> {
        let Some(record) = stored::jobs(reader, &self.path)?.into_iter().next() else { return Ok(None) };
        let Some(label) = self.read_label(reader)? else {
            let file = self.path.display();
            return Err(Failure::usage(format!(
                "{OPTION}: another program started the jobs in {file}; name another file (gleaner resume \
                 {file} goes on with them)"
            )));
        };
        self.command.check(&label, &self.path, record.url.as_deref())?;
        Ok(Some(record))
    }

    fn read_label(&self, reader: &Reader) -> Result<Option<JobLabel>, Failure> {
        let label = reader.label().map_err(|error| stored::failed(&self.path, &error))?;
        Ok(label.as_deref().and_then(JobLabel::parse))
    }
}
