//! One worker process, which converts one PDF.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use futures_util::future::join;
use gleaner_runtime::FairPermit;
use gleaner_transform::pdf::{MAX_ANSWER_BYTES, WORKER_ENVIRONMENT};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::time::sleep;

use super::PdfWorker;

/// A file keeps its slot for at least this time in its first attempt. Most files take less.
const MIN_FIRST_ATTEMPT: Duration = Duration::from_millis(150);

/// The pause before a process is started again that got no descriptors.
const SPAWN_PAUSE: Duration = Duration::from_millis(200);

/// How a process ended.
#[derive(Debug)]
pub(super) enum Outcome {
    /// With an answer.
    Answered(Vec<u8>),
    /// Without an answer.
    Died(ExitStatus),
    /// The engine ended it, to give its slot to an untried file.
    Interrupted,
    /// It could not be started, or its pipes failed.
    Failed(io::Error),
}

/// Converts a file in a process, and returns the permit with the outcome. If `is_first`, the process is
/// interrupted for an untried file. If the future is dropped, the process is ended, and its slot becomes free
/// when the process is gone.
pub(super) async fn run(
    worker: &PdfWorker,
    head: &[u8],
    file: &[u8],
    permit: FairPermit,
    is_first: bool,
) -> (Outcome, Option<FairPermit>) {
    let mut running = loop {
        match command(worker).spawn() {
            Ok(child) => break Running { child: Some(child), permit: Some(permit) },
            // That says nothing about the worker, and passes. The deadline of the page bounds the wait.
            Err(error) if lacks_descriptors(&error) => sleep(SPAWN_PAUSE).await,
            Err(error) => return (Outcome::Failed(error), Some(permit)),
        }
    };
    let outcome = match (&mut running.child, &running.permit) {
        (Some(child), Some(permit)) => supervise(child, permit, head, file, is_first).await,
        _ => Outcome::Interrupted,
    };
    running.child = None;
    (outcome, running.permit.take())
}

/// This process or machine has no descriptor for the pipes of another process: `EMFILE` or `ENFILE`.
fn lacks_descriptors(error: &io::Error) -> bool {
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

fn command(worker: &PdfWorker) -> Command {
    let mut command = Command::new(&worker.program);
    command.args(&worker.args);
    #[cfg(unix)]
    {
        // Ctrl-C must not reach the worker: this program may still finish its pages.
        command.env_clear().process_group(0);
    }
    command.envs(WORKER_ENVIRONMENT).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.kill_on_drop(true);
    command
}

/// A process and its permit, until the process has ended.
struct Running {
    child: Option<Child>,
    permit: Option<FairPermit>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let (Some(mut child), permit) = (self.child.take(), self.permit.take()) else { return };
        // Without a runtime, `kill_on_drop` ends the process.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                // An error means that it has ended already.
                let _ = child.kill().await;
                drop(permit);
            });
        }
    }
}

/// Waits for the end of a process, or ends it.
async fn supervise(
    child: &mut Child,
    permit: &FairPermit,
    head: &[u8],
    file: &[u8],
    is_first: bool,
) -> Outcome {
    let outcome = tokio::select! {
        biased;
        outcome = exchange(child, head, file) => outcome.unwrap_or_else(Outcome::Failed),
        () = must_yield(permit), if is_first => Outcome::Interrupted,
    };
    if matches!(outcome, Outcome::Interrupted | Outcome::Failed(_)) {
        let _ = child.kill().await;
    }
    outcome
}

/// Sends the file to a process and receives its answer.
async fn exchange(child: &mut Child, head: &[u8], file: &[u8]) -> io::Result<Outcome> {
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    let send = async move {
        // An error means that the process died; its exit status is checked below.
        if stdin.write_all(head).await.is_ok() {
            let _ = stdin.write_all(file).await;
        }
    };
    let receive = async move {
        let (mut stdout, mut answer) = (stdout.take(MAX_ANSWER_BYTES as u64 + 1), Vec::new());
        let read = stdout.read_to_end(&mut answer).await;
        read.map(|_| answer)
    };
    let ((), answer) = join(send, receive).await;
    let answer = answer?;
    if answer.len() > MAX_ANSWER_BYTES {
        return Err(io::Error::other("the answer is too long"));
    }
    let status = child.wait().await?;
    Ok(if status.success() { Outcome::Answered(answer) } else { Outcome::Died(status) })
}

/// Completes when the file has had its minimum time and an untried file waits for the slot.
async fn must_yield(permit: &FairPermit) {
    sleep(MIN_FIRST_ATTEMPT).await;
    permit.wanted().await;
}
