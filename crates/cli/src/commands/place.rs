//! The storage of a job: memory, file or database.

use std::path::Path;

use gleaner::postgres::PostgresConfig;
use gleaner::{Engine, JobId};

use super::job_file::JobFile;
use super::kept::SAME_COMMAND;
use crate::args::JobArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::job_command::JobCommand;

/// Where a command keeps its job.
#[derive(Debug)]
pub(super) enum Place {
    /// In memory: it ends with the command.
    Memory,
    /// In the file of `--job`.
    File(Box<JobFile>),
    /// In the database of `--database`.
    Database(Box<PostgresConfig>),
}

impl Place {
    /// Opens the place that the arguments name.
    ///
    /// # Errors
    /// The file is for another command or cannot be used, or the job may not be kept.
    pub(super) fn open(args: &JobArgs, command: JobCommand) -> Result<Self, Failure> {
        if let Some(path) = &args.job {
            return JobFile::open(path, command).map(|file| Self::File(Box::new(file)));
        }
        let Some(database) = &args.database else { return Ok(Self::Memory) };
        if command.retains_nothing() {
            return Err(Failure::usage(
                "--zero-data-retention: nothing of such a job may be written to a database; leave out \
                 --database",
            ));
        }
        Ok(Self::Database(Box::new(database.config())))
    }

    /// The file.
    pub(super) fn file(&self) -> Option<&JobFile> {
        match self {
            Self::File(file) => Some(file),
            Self::Memory | Self::Database(_) => None,
        }
    }

    /// The path of the file.
    pub(super) fn path(&self) -> Option<&Path> {
        self.file().map(JobFile::path)
    }

    /// Whether the job outlives the command.
    pub(super) fn is_kept(&self) -> bool {
        !matches!(self, Self::Memory)
    }

    /// Says which job of a database was started; the summary of `--json` also has that of a file.
    pub(super) fn announce(&self, console: &Console, job: JobId) {
        match (self, console.report()) {
            (Self::Memory, _) | (Self::File(_), None) => {}
            (_, Some(report)) => report.set("job", job.to_string()),
            (Self::Database(_), None) => console.note(format_args!("job {job}")),
        }
    }

    /// Ends the work of the engine, if other processes can go on with it at once.
    pub(super) async fn hand_over(&self, engine: &Engine) {
        if let Self::Database(_) = self {
            engine.stop().await;
        }
    }

    /// How the job goes on after Ctrl-C.
    pub(super) fn how(&self, job: JobId) -> String {
        match self {
            Self::Memory | Self::File(_) => SAME_COMMAND.to_owned(),
            Self::Database(_) => how_from_database(job),
        }
    }
}

/// How a job of a database goes on here. Other processes with the database go on with it in any case.
pub(super) fn how_from_database(job: JobId) -> String {
    format!("run gleaner resume {job} --database URL")
}
