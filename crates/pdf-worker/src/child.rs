//! One process, which converts one PDF.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use futures_util::future::join;
use gleaner_transform::pdf::{MAX_ANSWER_BYTES, WORKER_ENVIRONMENT};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::time::sleep;

use super::PdfWorker;
use super::fair_semaphore::FairPermit;

/// A file that is tried for the first time keeps its place this long, whoever waits. Most take less.
const SLICE: Duration = Duration::from_millis(150);

/// How a process ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// With an answer.
    Answered(Vec<u8>),
    /// Without one.
    Died(ExitStatus),
    /// It was ended, so that another file could be tried.
    Interrupted,
    /// It could not be started or spoken with.
    Failed(io::Error),
}

/// Has a process convert a file in a place, which is given back with what came of it. `first` lets others
/// that have not been tried have the place after a while. When the future is dropped the process is ended,
/// and its place is free once it is gone.
pub(super) async fn run(
    worker: &PdfWorker,
    head: &[u8],
    file: &[u8],
    place: FairPermit,
    first: bool,
) -> (Ended, Option<FairPermit>) {
    let mut running = match command(worker).spawn() {
        Ok(child) => Running { child: Some(child), place: Some(place) },
        Err(error) => return (Ended::Failed(error), Some(place)),
    };
    let ended = match (&mut running.child, &running.place) {
        (Some(child), Some(place)) => oversee(child, place, head, file, first).await,
        _ => Ended::Interrupted,
    };
    running.child = None;
    (ended, running.place.take())
}

fn command(worker: &PdfWorker) -> Command {
    let mut command = Command::new(&worker.program);
    command.args(&worker.args);
    #[cfg(unix)]
    {
        // Ctrl-C is for the program, which may want to finish what is begun.
        command.env_clear().process_group(0);
    }
    command.envs(WORKER_ENVIRONMENT).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.kill_on_drop(true);
    command
}

/// A process and its place, until it has ended.
struct Running {
    child: Option<Child>,
    place: Option<FairPermit>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let (Some(mut child), place) = (self.child.take(), self.place.take()) else { return };
        // Nobody waits for it any more. Without a runtime it is ended when it is dropped.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                // It may have ended already.
                let _ = child.kill().await;
                drop(place);
            });
        }
    }
}

/// Sees a process to its end.
async fn oversee(child: &mut Child, place: &FairPermit, head: &[u8], file: &[u8], first: bool) -> Ended {
    let ended = tokio::select! {
        biased;
        ended = converse(child, head, file) => ended.unwrap_or_else(Ended::Failed),
        () = overstay(place), if first => Ended::Interrupted,
    };
    if matches!(ended, Ended::Interrupted | Ended::Failed(_)) {
        let _ = child.kill().await;
    }
    ended
}

/// Gives a process its file and takes its answer.
async fn converse(child: &mut Child, head: &[u8], file: &[u8]) -> io::Result<Ended> {
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    let give = async move {
        // A process that dies closes the pipe; how it died is looked at below.
        if stdin.write_all(head).await.is_ok() {
            let _ = stdin.write_all(file).await;
        }
    };
    let take = async move {
        let (mut stdout, mut answer) = (stdout.take(MAX_ANSWER_BYTES as u64 + 1), Vec::new());
        let read = stdout.read_to_end(&mut answer).await;
        read.map(|_| answer)
    };
    let ((), answer) = join(give, take).await;
    let answer = answer?;
    if answer.len() > MAX_ANSWER_BYTES {
        return Err(io::Error::other("its answer is longer than any can be"));
    }
    let status = child.wait().await?;
    Ok(if status.success() { Ended::Answered(answer) } else { Ended::Died(status) })
}

/// Ends when the file has had its time and another one, which has not been tried, waits for the place.
async fn overstay(place: &FairPermit) {
    sleep(SLICE).await;
    place.wanted().await;
}
