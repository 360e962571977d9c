//! Runs `gleaner work`: works on the jobs of a database.

use std::collections::HashMap;
use std::time::Duration;

use gleaner::postgres::ListedJob;
use gleaner::{Engine, Error, JobId, JobSnapshot};

use super::{database, engine, webhook, worker};
use crate::args::WorkArgs;
use crate::browser::Browser;
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{Printer, Stdout};
use crate::printable::printable_target;
use crate::summary::counted;

/// How often the list of unfinished jobs is read.
const POLL: Duration = Duration::from_secs(1);

/// Works on all jobs of a database, and prints a line for each that ends meanwhile.
pub(super) async fn run(console: &Console, args: &WorkArgs, browser: &Browser) -> Result<u8, Failure> {
    let config = args.database.database.config();
    let list = database::list(&config).await?;
    let mut interrupt = Interrupt::listen(browser);
    let builder = worker::builder(&args.worker)?;
    let engine = engine::start_in(&config, builder, &args.worker.engine, browser).await?;
    engine.resume().await;
    let (mut printer, mut known, mut worked) = (Printer::stdout(), HashMap::new(), false);
    let mut code = loop {
        match list.unfinished(database::MAX_LISTED).await {
            Ok(jobs) => {
                for (id, url) in replace(&mut known, jobs) {
                    match status(&engine, id).await {
                        Ok(Some(job)) => print(&mut printer, url, &job)?,
                        // It was removed.
                        Ok(None) => {}
                        Err(error) => console.error(format_args!("job {id}: {error}")),
                    }
                }
                worked |= !known.is_empty();
                if known.is_empty() && !args.stay {
                    if !worked {
                        console.note("all jobs of the database have ended (--stay waits for new ones)");
                    }
                    break exit::DONE;
                }
            }
            // The engine waits for the database as well.
            Err(error) => console.error(format_args!("--database: {error}")),
        }
        tokio::select! {
            () = interrupt.pressed() => {
                console.error("stopping: pages in work are finished (press Ctrl-C again to quit now)");
                break exit::INTERRUPTED;
            }
            () = tokio::time::sleep(POLL) => {}
        }
    };
    if code == exit::DONE && !webhook::delivered(console, &engine, &mut interrupt, false).await? {
        code = exit::INTERRUPTED;
    }
    engine.stop().await;
    Ok(code)
}

/// How a job stands; `None` if there is no such job.
async fn status(engine: &Engine, id: JobId) -> Result<Option<JobSnapshot>, Error> {
    let job = match engine.job(id).await {
        Ok(job) => job.status().await.map_err(Error::from),
        Err(error) => Err(error),
    };
    match job {
        Err(error) if error.is_unknown_job() => Ok(None),
        status => status.map(Some),
    }
}

/// Remembers the unfinished jobs. Returns those that were known and are not among them any more.
fn replace(known: &mut HashMap<JobId, Option<String>>, jobs: Vec<ListedJob>) -> Vec<(JobId, Option<String>)> {
    let unfinished = jobs.into_iter().map(|job| (job.snapshot.id, job.url)).collect();
    let mut ended = std::mem::replace(known, unfinished);
    ended.retain(|id, _| !known.contains_key(id));
    ended.into_iter().collect()
}

/// Prints how a job ended.
fn print(printer: &mut Printer<Stdout>, url: Option<String>, job: &JobSnapshot) -> Result<(), Failure> {
    let url = url.as_deref().map(printable_target).unwrap_or_default();
    let documents = counted(job.completed, "document", "documents");
    printer.text(&format!(
        "{}  {}  {documents}, {} failed  {url}\n",
        job.id,
        job.state.as_str(),
        job.failed
    ))?;
    Ok(())
}
