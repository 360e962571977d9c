use gleaner::sqlite::JobRecord;
use gleaner::{Engine, JobKind};

use super::kept::{self, Kept};
use super::model::with_model;
use super::results::Results;
use super::run::Run;
use super::{engine, extract, stored, webhook};
use crate::args::ResumeArgs;
use crate::browser::Browser;
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::job_command::JobLabel;
use crate::printable::printable_target;

pub(super) async fn run(console: &Console, args: &ResumeArgs, browser: &Browser) -> Result<u8, Failure> {
    let (jobs, label) = unfinished(args)?;
    if jobs.is_empty() {
        let file = args.file.display();
        console.note(format_args!("all jobs in {file} have ended (gleaner export {file} prints documents)"));
        return Ok(exit::DONE);
    }
    let mut interrupt = Interrupt::listen(browser);
    let builder = with_model(&args.model, &args.engine)?;
    let builder = extract::with_search(builder, args.search_url.as_ref(), &args.engine)?;
    let builder = webhook::with_webhook(builder, args.webhook_secret_env.as_deref())?;
    let builder = label.map(|label| label.links).unwrap_or_default().configure(builder);
    let engine = engine::start_on(&args.file, builder, &args.engine, browser)?;
    let mut results = Results::open(&args.output, args.failures.as_deref(), Some(&args.file))?;
    results.begin()?;
    let mut code = exit::DONE;
    for record in &jobs {
        match resume(console, &engine, record, args, &mut results, &mut interrupt).await? {
            exit::INTERRUPTED => return Ok(exit::INTERRUPTED),
            other => code = code.max(other),
        }
    }
    let all_delivered = webhook::delivered(console, &engine, &mut interrupt, false).await?;
    Ok(if all_delivered { code } else { exit::INTERRUPTED })
}

/// The jobs that have not ended, and the label of the file.
fn unfinished(args: &ResumeArgs) -> Result<(Vec<JobRecord>, Option<JobLabel>), Failure> {
    let reader = stored::open(&args.file, "<FILE>")?;
    let mut jobs = Vec::new();
    for record in stored::jobs(&reader, &args.file)? {
        let progress = reader.progress(record.number).map_err(|error| stored::failed(&args.file, &error))?;
        if !progress.state.is_terminal() {
            jobs.push(record);
        }
    }
    let label = reader.label().map_err(|error| stored::failed(&args.file, &error))?;
    Ok((jobs, label.as_deref().and_then(JobLabel::parse)))
}

/// Goes on with a job until its end. All jobs go on at once; their results are written one after the other.
async fn resume(
    console: &Console,
    engine: &Engine,
    record: &JobRecord,
    args: &ResumeArgs,
    results: &mut Results,
    interrupt: &mut Interrupt,
) -> Result<u8, Failure> {
    let how = format!("run gleaner resume {}", args.file.display());
    let mut job = engine.job(record.id).await.map_err(engine::refused)?;
    let kind = match record.kind {
        Some(JobKind::Extract) => "extract",
        Some(JobKind::BatchScrape) => "batch",
        _ => "crawl",
    };
    let url = record.url.as_deref().map(printable_target).unwrap_or_default();
    console.note(format_args!("{kind} {url} ({})", record.id));
    let earlier = kept::announce(console, &job).await?;
    if record.kind == Some(JobKind::Extract) {
        return extract::run_kept(console, engine, job, interrupt, &how).await;
    }
    let kept = Kept { engine, earlier };
    let run = Run::to_end(console, &mut job, results, interrupt, Some(kept)).await?;
    if run.interrupted {
        return Ok(kept::report_stop(console, &run.snapshot, &how));
    }
    engine::report(console, &run, &args.engine, results, &args.output);
    let given_up = job.dead_letters().await.map_err(Failure::failed)?;
    webhook::report_undelivered(&given_up);
    Ok(if given_up.is_empty() { run.exit_code() } else { exit::FAILED })
}
