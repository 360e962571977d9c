//! Jobs that outlive the program. They are started through the job service: its jobs keep their documents,
//! and do not end with their handle.

use gleaner::service::{SubmitContext, Team, TeamId};
use gleaner::{BatchScrapeRequest, Engine, Error, ExtractRequest, Job, JobSnapshot, PromptedCrawl};
use serde::Serialize;

use super::engine;
use super::job_file::JobFile;
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;
use crate::summary::grouped;

/// How a command with `--job` goes on.
pub(super) const SAME_COMMAND: &str = "run the same command";

/// More pages at a time than `--concurrency` can ask for.
const MAX_CONCURRENCY: u32 = 4_096;

/// A job that outlives the program.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept<'a> {
    /// The engine, which Ctrl-C stops instead of the job.
    pub(super) engine: &'a Engine,
    /// The number of its documents at the start of this run.
    pub(super) earlier: u64,
}

/// The owner of the jobs.
pub(super) fn team() -> Team {
    let mut team = Team::new(TeamId::default());
    team.max_concurrency = MAX_CONCURRENCY;
    team
}

/// Starts a crawl with a compiled prompt.
pub(super) async fn crawl(engine: &Engine, crawl: PromptedCrawl) -> Result<Job, Error> {
    let PromptedCrawl { request, plan, warning, .. } = crawl;
    let submit = SubmitContext { warnings: warning.into_iter().collect(), ..context(&request) };
    let submitted = engine.service().crawl(&team(), plan, submit).await?;
    engine.job(submitted.id).await
}

/// Starts a batch.
pub(super) async fn batch(engine: &Engine, request: BatchScrapeRequest) -> Result<Job, Error> {
    let submit = context(&request);
    let plan = request.check_within(engine.bounds())?;
    engine.check_options(&plan.options)?;
    let submitted = engine.service().batch(&team(), plan, submit).await?;
    engine.job(submitted.id).await
}

/// Starts an extract.
pub(super) async fn extract(engine: &Engine, request: ExtractRequest) -> Result<Job, Error> {
    let submit = context(&request);
    let plan = request.check_within(engine.bounds())?;
    engine.check_extract(&plan)?;
    let submitted = engine.service().extract(&team(), plan, submit).await?;
    engine.job(submitted.id).await
}

fn context(request: &impl Serialize) -> SubmitContext {
    let request = serde_json::to_value(request).unwrap_or_default();
    SubmitContext { request: request.into(), ..SubmitContext::default() }
}

/// The job of a file that an earlier run has started, with the number of its documents so far if it goes on.
///
/// # Errors
/// The file is for another command, or the job cannot be read.
pub(super) async fn resumed(
    console: &Console,
    engine: &Engine,
    file: Option<&JobFile>,
) -> Result<Option<(Job, u64)>, Failure> {
    let Some(id) = file.map(JobFile::started).transpose()?.flatten() else { return Ok(None) };
    engine.resume().await;
    let job = engine.job(id).await.map_err(engine::refused)?;
    let earlier = announce(console, &job).await?;
    Ok(Some((job, earlier)))
}

/// Says where a job of an earlier run is. Returns the number of its documents so far if it goes on.
///
/// # Errors
/// The job cannot be read.
pub(super) async fn announce(console: &Console, job: &Job) -> Result<u64, Failure> {
    let snapshot = job.status().await.map_err(Failure::failed)?;
    if snapshot.state.is_terminal() {
        console.note("the job has ended: its results are written again");
        return Ok(0);
    }
    console.note(format_args!("resuming: {}", progress(&snapshot)));
    Ok(snapshot.completed)
}

/// Says that Ctrl-C stopped the command and not its job, and `how` it goes on. Returns the exit code.
pub(super) fn report_stop(console: &Console, snapshot: &JobSnapshot, how: &str) -> u8 {
    console.error(format_args!("stopped: {how} to go on ({})", progress(snapshot)));
    exit::INTERRUPTED
}

/// `12,340 pages done, 5,600 waiting`.
fn progress(snapshot: &JobSnapshot) -> String {
    let done = snapshot.completed + snapshot.failed + snapshot.robots_blocked;
    let waiting = snapshot.total.saturating_sub(snapshot.completed);
    format!("{} pages done, {} waiting", grouped(done), grouped(waiting))
}
