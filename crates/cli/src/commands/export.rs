//! Runs `gleaner export`: writes the documents of a stored job.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use gleaner::postgres::{PostgresConfig, ReadBound, Store as _};
use gleaner::sqlite::{JobRecord, Reader};
use gleaner::{Document, JobId, JobKind};

use super::{database, engine, stored};
use crate::args::{ExportArgs, ExportFormat};
use crate::browser::Browser;
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;
use crate::file_names::FileNames;
use crate::interrupt::Interrupt;
use crate::output::{Folder, Printer, Stdout};
use crate::summary::counted;

/// How often a job is asked for further documents.
const POLL: Duration = Duration::from_millis(200);

/// The part of the time that may be spent on the question whether the job has ended.
const CHECKS_PART: u32 = 20;

/// Ids that are listed if none is named.
const MAX_LISTED: usize = 5;

pub(super) async fn run(console: &Console, args: &ExportArgs, browser: &Browser) -> Result<u8, Failure> {
    if let Some(database) = &args.database {
        return export_from(console, args, &database.config(), browser).await;
    }
    let file = stored::named(args.file.as_deref())?;
    let reader = stored::open(file, "<FILE>")?;
    let job = choose(stored::jobs(&reader, file)?, file, args.job)?;
    if let Some(out) = &args.out {
        stored::refuse_as_output(file, out, "--out")?;
    }
    let mut interrupt = Interrupt::listen(browser);
    let mut target = Target::open(args)?;
    let mut export = Export { reader: &reader, path: file, job: job.number, next: 0, written: 0, gone: 0 };
    let mut check = EndCheck::default();
    loop {
        // Before the documents are read, so that the last ones are not missed.
        let has_ended = !args.follow || check.has_ended(&export)?;
        let before = export.written;
        while export.write_next(&mut target)? {
            tokio::select! {
                biased;
                () = interrupt.pressed() => return Err(Failure::Interrupted),
                () = tokio::task::yield_now() => {}
            }
        }
        if has_ended {
            break;
        }
        check.is_idle = export.written == before;
        tokio::select! {
            () = interrupt.pressed() => return Err(Failure::Interrupted),
            () = tokio::time::sleep(POLL) => {}
        }
    }
    export.report(console, args)
}

/// The job to export.
fn choose(jobs: Vec<JobRecord>, file: &Path, named: Option<JobId>) -> Result<JobRecord, Failure> {
    let file = file.display();
    let is_extract = |job: &JobRecord| job.kind == Some(JobKind::Extract);
    let without_documents = || {
        Failure::usage(format!(
            "[JOB]: an extract has no documents; gleaner extract with --job {file} prints its data again"
        ))
    };
    if let Some(id) = named {
        let found = jobs.into_iter().find(|job| job.id == id).ok_or_else(|| {
            Failure::usage(format!("[JOB]: job {id} is not in {file}; gleaner jobs {file} lists its jobs"))
        })?;
        return if is_extract(&found) { Err(without_documents()) } else { Ok(found) };
    }
    let has_extracts = jobs.iter().any(is_extract);
    let mut jobs: Vec<JobRecord> = jobs.into_iter().filter(|job| !is_extract(job)).collect();
    match (jobs.pop(), jobs.len()) {
        (Some(job), 0) => Ok(job),
        (Some(last), others) => {
            let mut ids: Vec<String> =
                jobs.iter().chain([&last]).take(MAX_LISTED).map(|job| job.id.to_string()).collect();
            if others >= MAX_LISTED {
                ids.push("...".to_owned());
            }
            Err(Failure::usage(format!(
                "[JOB]: {file} has {} jobs; name one of them: {} (gleaner jobs {file} describes them)",
                others + 1,
                ids.join(", ")
            )))
        }
        (None, _) if has_extracts => Err(without_documents()),
        (None, _) => Err(Failure::failed(format!("there are no jobs in {file}"))),
    }
}

/// Where documents are written to.
#[derive(Debug)]
enum Target {
    /// JSON Lines.
    Lines(Printer<Stdout>),
    /// Markdown, one page after the other.
    Text(Printer<Stdout>),
    /// One file per page.
    Folder(Folder),
}

impl Target {
    fn open(args: &ExportArgs) -> Result<Self, Failure> {
        let unwritable = |error| Failure::usage(format!("--out: {error}; name a writable file"));
        match (args.format.unwrap_or_default(), &args.out) {
            (ExportFormat::Jsonl, None) => Ok(Self::Lines(Printer::stdout())),
            (ExportFormat::Jsonl, Some(path)) => {
                let file = File::create(path)
                    .map_err(|error| unwritable(format!("cannot write {}: {error}", path.display())))?;
                Ok(Self::Lines(Printer::of_file(file, path)))
            }
            (ExportFormat::Markdown, None) => Ok(Self::Text(Printer::stdout())),
            (ExportFormat::Markdown, Some(path)) => {
                let created = Folder::create(path, FileNames::with_hosts());
                let mut folder = created.map_err(engine::unusable_folder)?;
                folder.begin()?;
                Ok(Self::Folder(folder))
            }
        }
    }

    /// Writes the JSON of a document.
    fn write(&mut self, json: &[u8]) -> Result<(), Failure> {
        let document = || {
            let document: Result<Document, _> = serde_json::from_slice(json);
            document.map_err(|error| Failure::failed(format!("a document could not be read: {error}")))
        };
        match self {
            Self::Lines(printer) => printer.line(json)?,
            Self::Text(printer) => {
                let document = document()?;
                let metadata = &document.metadata;
                let url = metadata.url.as_deref().or(metadata.source_url.as_deref()).unwrap_or_default();
                let markdown = document.markdown.as_deref().unwrap_or_default();
                printer.text(&format!("<!-- {url} -->\n\n{}\n\n", markdown.trim_end()))?;
            }
            Self::Folder(folder) => drop(folder.write(&mut document()?)?),
        }
        Ok(())
    }
}

/// A job whose documents are read one after the other.
#[derive(Debug)]
struct Export<'a> {
    reader: &'a Reader,
    path: &'a Path,
    /// The number of the job in the file.
    job: u64,
    /// The position of the next document.
    next: u64,
    written: u64,
    /// Documents that were removed before they could be read.
    gone: u64,
}

impl Export<'_> {
    /// Writes the next documents. False if there are none.
    fn write_next(&mut self, target: &mut Target) -> Result<bool, Failure> {
        let path = self.path;
        let failed = |error| stored::failed(path, &error);
        // A stream drops the documents that its reader has.
        let (first, _) = self.reader.document_range(self.job).map_err(failed)?;
        self.gone += first.saturating_sub(self.next);
        self.next = self.next.max(first);
        let documents = self.reader.next_documents(self.job, self.next).map_err(failed)?;
        for json in &documents {
            target.write(json)?;
            self.next += 1;
            self.written += 1;
        }
        Ok(!documents.is_empty())
    }

    fn has_ended(&self) -> Result<bool, Failure> {
        let progress = self.reader.progress(self.job).map_err(|error| stored::failed(self.path, &error))?;
        Ok(progress.state.is_terminal())
    }

    /// Reports what was written. Returns the exit code.
    fn report(&self, console: &Console, args: &ExportArgs) -> Result<u8, Failure> {
        if self.gone > 0 {
            let gone = counted(self.gone, "document was", "documents were");
            console.note(format_args!("note: {gone} removed after their reader had them"));
        }
        let goes_on = !args.follow && !console.is_quiet() && !self.has_ended()?;
        Ok(report(console, args, self.written, goes_on))
    }
}

/// Reports how many documents were written, and that the job goes on. Returns the exit code.
fn report(console: &Console, args: &ExportArgs, written: u64, goes_on: bool) -> u8 {
    if goes_on {
        console.note("note: the job has not ended; --follow waits for further documents");
    }
    if written == 0 {
        console.error("no output: the job has no documents");
        return exit::FAILED;
    }
    let written = counted(written, "document", "documents");
    match &args.out {
        Some(out) => console.note(format_args!("{written} written to {}", out.display())),
        None => console.note(written),
    }
    exit::DONE
}

/// Exports a job of a database.
async fn export_from(
    console: &Console,
    args: &ExportArgs,
    config: &PostgresConfig,
    browser: &Browser,
) -> Result<u8, Failure> {
    let job = match (args.file.as_deref(), args.job) {
        (Some(job), None) => database::job_id(job)?,
        (_, Some(_)) => return Err(Failure::usage("[JOB]: with --database, name only one job")),
        (None, None) => {
            return Err(Failure::usage("[JOB]: name a job; gleaner jobs --database URL lists them"));
        }
    };
    let mut interrupt = Interrupt::listen(browser);
    let store = database::store(config).await?;
    // Before the output is replaced.
    store.snapshot(job).await.map_err(|error| {
        if error.is_unknown_job() {
            Failure::usage(format!(
                "[JOB]: job {job} is not in the database; gleaner jobs --database URL lists its jobs"
            ))
        } else {
            Failure::failed(error)
        }
    })?;
    let mut target = Target::open(args)?;
    let (mut next, mut written) = (0, 0);
    loop {
        let slice = tokio::select! {
            () = interrupt.pressed() => return Err(Failure::Interrupted),
            slice = store.read_json(job, next, ReadBound::default()) => slice.map_err(Failure::failed)?,
        };
        for json in &slice.documents {
            target.write(json)?;
            written += 1;
        }
        next = slice.next;
        if slice.end || (slice.documents.is_empty() && !args.follow) {
            return Ok(report(console, args, written, !slice.end && !args.follow));
        }
        if slice.documents.is_empty() {
            tokio::select! {
                () = interrupt.pressed() => return Err(Failure::Interrupted),
                () = tokio::time::sleep(POLL) => {}
            }
        }
    }
}

/// Determines whether a job has ended. That reads all facts of the job, so it is asked seldom.
#[derive(Debug, Default)]
struct EndCheck {
    /// No document came in the last round.
    is_idle: bool,
    /// The last check, and how long it took.
    last: Option<(Instant, Duration)>,
}

impl EndCheck {
    fn has_ended(&mut self, export: &Export<'_>) -> Result<bool, Failure> {
        let is_due = match self.last {
            Some((at, took)) => self.is_idle && at.elapsed() >= took * CHECKS_PART,
            None => true,
        };
        if !is_due {
            return Ok(false);
        }
        let started = Instant::now();
        let has_ended = export.has_ended()?;
        self.last = Some((Instant::now(), started.elapsed()));
        Ok(has_ended)
    }
}
