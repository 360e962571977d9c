//! Runs `gleaner resume`: continues the unfinished jobs of a file or a database.

use std::path::Path;

use gleaner::postgres::{ListedJob, PostgresConfig};
use gleaner::sqlite::JobRecord;
use gleaner::{Engine, JobId, JobKind};

use super::kept::{self, Kept};
use super::place::how_from_database;
use super::results::Results;
use super::run::Run;
use super::{database, engine, extract, reach, stored, webhook, worker};
use crate::args::ResumeArgs;
use crate::browser::Browser;
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::job_command::JobLabel;
use crate::printable::printable_target;

pub(super) async fn run(console: &Console, args: &ResumeArgs, browser: &Browser) -> Result<u8, Failure> {
    if let Some(database) = &args.database {
        return resume_in(console, args, &database.config(), args.file.as_deref(), browser).await;
    }
    let file = stored::named(args.file.as_deref())?;
    let (jobs, label) = unfinished(file)?;
    if jobs.is_empty() {
        let file = file.display();
        console.note(format_args!("all jobs in {file} have ended (gleaner export {file} prints documents)"));
        return Ok(exit::DONE);
    }
    for target in jobs.iter().filter_map(|record| record.url.as_deref()) {
        reach::check(target, &args.worker.engine).await?;
    }
    if let Some(label) = &label {
        reach::check_ranges(label, &args.worker.engine)?;
    }
    let mut interrupt = Interrupt::listen(browser);
    let builder =
        label.map(|label| label.links).unwrap_or_default().configure(worker::builder(&args.worker)?);
    let engine = engine::start_on(file, builder, &args.worker.engine, browser)?;
    let mut results = Results::open(&args.output, args.failures.as_deref(), Some(file))?;
    results.begin()?;
    let how = format!("run gleaner resume {}", file.display());
    let mut code = exit::DONE;
    for record in &jobs {
        let unfinished =
            Unfinished { id: record.id, kind: record.kind, url: record.url.as_deref(), how: &how };
        match resume(console, &engine, &unfinished, args, &mut results, &mut interrupt).await? {
            exit::INTERRUPTED => return Ok(exit::INTERRUPTED),
            other => code = code.max(other),
        }
    }
    let all_delivered = webhook::delivered(console, &engine, &mut interrupt, false).await?;
    Ok(if all_delivered { code } else { exit::INTERRUPTED })
}

/// Goes on with the unfinished jobs of a database, or with the named one.
async fn resume_in(
    console: &Console,
    args: &ResumeArgs,
    config: &PostgresConfig,
    named: Option<&Path>,
    browser: &Browser,
) -> Result<u8, Failure> {
    let named = named.map(database::job_id).transpose()?;
    let list = database::list(config).await?;
    let jobs = list.unfinished(database::MAX_LISTED).await.map_err(Failure::failed)?;
    let is_wanted = |job: &&ListedJob| named.is_none_or(|id| job.snapshot.id == id);
    let jobs: Vec<&ListedJob> = jobs.iter().filter(is_wanted).collect();
    if jobs.is_empty() {
        console.note(match named {
            Some(id) => format!(
                "no unfinished job of the database has the id {id} (if it has ended, gleaner export {id} \
                 --database URL prints its documents)"
            ),
            None => {
                "all jobs of the database have ended (gleaner jobs --database URL lists them, and gleaner \
                     export JOB --database URL prints documents)"
                    .to_owned()
            }
        });
        return Ok(exit::DONE);
    }
    for target in jobs.iter().filter_map(|job| job.url.as_deref()) {
        reach::check(target, &args.worker.engine).await?;
    }
    let mut interrupt = Interrupt::listen(browser);
    let engine =
        engine::start_in(config, worker::builder(&args.worker)?, &args.worker.engine, browser).await?;
    let mut results = Results::open(&args.output, args.failures.as_deref(), None)?;
    results.begin()?;
    let mut code = exit::DONE;
    for job in jobs {
        let (id, how) = (job.snapshot.id, how_from_database(job.snapshot.id));
        let unfinished = Unfinished { id, kind: job.snapshot.kind, url: job.url.as_deref(), how: &how };
        match resume(console, &engine, &unfinished, args, &mut results, &mut interrupt).await? {
            exit::INTERRUPTED => return Ok(exit::INTERRUPTED),
            other => code = code.max(other),
        }
    }
    let all_delivered = webhook::delivered(console, &engine, &mut interrupt, false).await?;
    engine.stop().await;
    Ok(if all_delivered { code } else { exit::INTERRUPTED })
}

/// A job to go on with.
#[derive(Debug, Clone, Copy)]
struct Unfinished<'a> {
    id: JobId,
    kind: Option<JobKind>,
    url: Option<&'a str>,
    /// How it goes on after Ctrl-C.
    how: &'a str,
}

/// The jobs that have not ended, and the label of the file.
fn unfinished(file: &Path) -> Result<(Vec<JobRecord>, Option<JobLabel>), Failure> {
    let reader = stored::open(file, "<FILE>")?;
    let mut jobs = Vec::new();
    for record in stored::jobs(&reader, file)? {
        let progress = reader.progress(record.number).map_err(|error| stored::failed(file, &error))?;
        if !progress.state.is_terminal() {
            jobs.push(record);
        }
    }
    let label = reader.label().map_err(|error| stored::failed(file, &error))?;
    Ok((jobs, label.as_deref().and_then(JobLabel::parse)))
}

/// Goes on with a job until its end. All jobs go on at once; their results are written one after the other.
async fn resume(
    console: &Console,
    engine: &Engine,
    unfinished: &Unfinished<'_>,
    args: &ResumeArgs,
    results: &mut Results,
    interrupt: &mut Interrupt,
) -> Result<u8, Failure> {
    let Unfinished { id, kind, url, how } = *unfinished;
    let mut job = engine.job(id).await.map_err(engine::refused)?;
    let name = match kind {
        Some(JobKind::Extract) => "extract",
        Some(JobKind::BatchScrape) => "batch",
        _ => "crawl",
    };
    let url = url.map(printable_target).unwrap_or_default();
    console.note(format_args!("{name} {url} ({id})"));
    let earlier = kept::announce(console, &job).await?;
    if kind == Some(JobKind::Extract) {
        return extract::run_kept(console, engine, job, interrupt, how).await;
    }
    let kept = Kept { engine, earlier };
    let run = Run::to_end(console, &mut job, results, interrupt, Some(kept)).await?;
    if run.interrupted {
        return Ok(kept::report_stop(console, &run.snapshot, how));
    }
    engine::report(console, &run, &args.worker.engine, results, &args.output);
    let given_up = job.dead_letters().await.map_err(Failure::failed)?;
    webhook::report_undelivered(console, &given_up);
    Ok(if given_up.is_empty() { run.exit_code() } else { exit::FAILED })
}
