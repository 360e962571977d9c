//! Jobs that outlive the program.

use gleaner::request::Defaults;
use gleaner::service::{SubmitContext, Team, TeamId};
use gleaner::{Engine, Error, ExtractRequest, Job, JobSnapshot};

use super::engine;
use super::job_file::JobFile;
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;
use crate::summary::grouped;

/// How a command with `--job` goes on.
pub(super) const SAME_COMMAND: &str = "run the same command";

/// A job that outlives the program.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept<'a> {
    /// The engine, which Ctrl-C stops instead of the job.
    pub(super) engine: &'a Engine,
    /// The number of its documents at the start of this run.
    pub(super) earlier: u64,
}

/// The team of extracts. Crawls and batches belong to none.
pub(super) fn team() -> Team {
    Team::new(TeamId::default())
}

/// The job that was just started. It is kept when the handle is dropped.
///
/// # Errors
/// The job cannot be read.
pub(super) async fn started(engine: &Engine, job: Job) -> Result<Job, Failure> {
    engine.job(job.detach()).await.map_err(engine::refused)
}

/// Starts an extract.
pub(super) async fn extract(engine: &Engine, request: ExtractRequest) -> Result<Job, Error> {
    let request = request.with_defaults(Defaults::Library);
    let body = serde_json::to_value(&request).unwrap_or_default();
    let plan = request.check_within(engine.bounds())?;
    engine.check_extract(&plan)?;
    let submit = SubmitContext::default().request(body);
    let submitted = engine.service().extract(&team(), plan, submit).await?;
    engine.job(submitted.id).await
}

/// The job of a file that an earlier run has started, with the number of its documents so far.
///
/// # Errors
/// The file is for another command, or the job cannot be read.
pub(super) async fn resumed(
    console: &Console,
    engine: &Engine,
    file: Option<&JobFile>,
) -> Result<Option<(Job, u64)>, Failure> {
    let Some(id) = file.map(JobFile::started).transpose()?.flatten() else { return Ok(None) };
    let job = engine.job(id).await.map_err(engine::refused)?;
    let earlier = announce(console, &job).await?;
    Ok(Some((job, earlier)))
}

/// Says where a job of an earlier run is. Returns the number of its documents so far.
///
/// # Errors
/// The job cannot be read.
pub(super) async fn announce(console: &Console, job: &Job) -> Result<u64, Failure> {
    let snapshot = job.status().await.map_err(Failure::failed)?;
    if snapshot.state.is_terminal() {
        console.note("the job has ended: its results are written again");
    } else {
        console.note(format_args!("resuming: {}", progress(&snapshot)));
    }
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
    format!("{} pages done, {} waiting", grouped(done), grouped(snapshot.open))
}
