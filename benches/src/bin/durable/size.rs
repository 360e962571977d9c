//! Bytes on disk of pages that have ended and pages that wait, and what opening the file takes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gleaner_benches::{peak_memory, resident_memory};
use gleaner_sqlite::{FileConfig, SqliteStore, open_store};
use gleaner_store::{MemoryStore, PageOutcome, Store};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::job::{Documents, FIRST_PAGES, NOW, PATH_BYTES, Pages, config, crawl, id, start};
use crate::{Failure, figure, number, run_child};

/// The argument with which this program does one step in a process of its own.
pub(crate) const CHILD: &str = "--step";

/// The steps.
const FILL: &str = "fill";
const OPEN: &str = "open";
const MEMORY: &str = "memory";
const DOCUMENTS: &str = "documents";

/// Documents of the file whose opening is measured.
const FINISHED: u64 = 100_000;

/// The work beside the crawl has ended when the files did not change for this time.
const SETTLED: Duration = Duration::from_secs(5);

/// Pause between two looks at the files.
const PAUSE: Duration = Duration::from_millis(100);

pub(crate) fn measure(seen: u64, waiting: u64, folder: &TempDir) -> Result<(), Failure> {
    let own = |name: &str| -> Result<String, Failure> {
        let path = folder.path().join(name);
        fs::create_dir(&path)?;
        Ok(path.to_str().ok_or("the name of the folder is not UTF-8")?.to_owned())
    };
    let step = |step: &str, waiting: u64, folder: &str| {
        run_child(&[CHILD, step, &seen.to_string(), &waiting.to_string(), folder])
    };
    println!("{seen} pages have ended and {waiting} wait; files in {}", folder.path().display());
    let (ended, both, memory) = (own("ended")?, own("both")?, own("memory")?);
    let of_ended = number(&step(FILL, 0, &ended)?, "bytes")?;
    figure("bytes on disk per ended page", format!("{:.1}", of_ended / seen as f64), "at most 20");
    let filled = step(FILL, waiting, &both)?;
    let of_waiting = (number(&filled, "bytes")? - of_ended) / waiting.max(1) as f64 - PATH_BYTES as f64;
    figure("bytes on disk per waiting page, without its path", format!("{of_waiting:.1}"), "at most 16");
    let (opened, held) = (step(OPEN, waiting, &both)?, step(MEMORY, waiting, &memory)?);
    figure("opening it: seconds", format!("{:.1}", number(&opened, "seconds")?), "at most 20");
    let mebibytes = |name: &str| Ok::<_, Failure>(format!("{:.0}", number(&held, name)? / 1024.0));
    let (resident, peak) = (mebibytes("resident")?, mebibytes("peak")?);
    let goal = |memory: String| format!("{memory}, as for the memory store");
    let mebibytes = |name: &str| Ok::<_, Failure>(format!("{:.0}", number(&opened, name)? / 1024.0));
    figure("opening it: memory afterwards, in MiB", mebibytes("resident")?, &goal(resident));
    figure("opening it: peak memory, in MiB", mebibytes("peak")?, &goal(peak));

    let documents = own("documents")?;
    let bytes = number(&step(DOCUMENTS, 0, &documents)?, "bytes")?;
    println!("a finished job of {FINISHED} documents");
    figure("bytes on disk per document", format!("{:.0}", bytes / FINISHED as f64), "");
    let opened = step(OPEN, 0, &documents)?;
    figure("opening it: seconds", format!("{:.2}", number(&opened, "seconds")?), "at most 1");
    figure(
        "opening it: memory afterwards, in MiB",
        format!("{:.0}", number(&opened, "resident")? / 1024.0),
        "",
    );
    Ok(())
}

/// One step. Prints its figures as a line of JSON.
pub(crate) fn child(step: &str, seen: u64, waiting: u64, folder: &Path) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = runtime.block_on(async {
        match step {
            FILL => fill(seen, waiting, folder).await,
            DOCUMENTS => fill_documents(folder).await,
            OPEN => open(waiting, folder).await,
            MEMORY => {
                let store = MemoryStore::new(config(folder));
                queue(&store, seen, waiting).await?;
                Ok(json!({ "resident": resident_memory(), "peak": peak_memory() }))
            }
            _ => Err(format!("unknown step {step:?}").into()),
        }
    })?;
    println!("{report}");
    Ok(())
}

fn file(folder: &Path) -> PathBuf {
    folder.join("jobs.db")
}

pub(crate) fn open_file(folder: &Path) -> Result<SqliteStore, Failure> {
    Ok(open_store(file(folder), &FileConfig::default(), config(folder), NOW)?.0)
}

/// Crawls until `seen` pages have ended without a document, and `waiting` wait.
async fn queue(store: &impl Store, seen: u64, waiting: u64) -> Result<(), Failure> {
    let pages = Pages::new();
    start(store, &pages).await?;
    let new = (seen + waiting).saturating_sub(FIRST_PAGES);
    crawl(store, &pages, (seen, new), |_| PageOutcome::Skipped).await
}

async fn fill(seen: u64, waiting: u64, folder: &Path) -> Result<Value, Failure> {
    let store = open_file(folder)?;
    queue(&store, seen, waiting).await?;
    settle(&store, folder).await?;
    drop(store);
    Ok(json!({ "bytes": size(folder)? }))
}

/// Fills the file with a finished job.
async fn fill_documents(folder: &Path) -> Result<Value, Failure> {
    let (store, pages, documents) = (open_file(folder)?, Pages::new(), Documents::new());
    start(&store, &pages).await?;
    let all = (FINISHED, FINISHED - FIRST_PAGES);
    crawl(&store, &pages, all, |number| documents.outcome(number)).await?;
    store.seal(id()?, NOW).await?;
    if store.snapshot(id()?).await?.ended_at.is_none() {
        return Err("the job has not ended".into());
    }
    settle(&store, folder).await?;
    drop(store);
    Ok(json!({ "bytes": size(folder)? }))
}

/// Waits for the end of the work beside the crawl.
pub(crate) async fn settle(store: &SqliteStore, folder: &Path) -> Result<(), Failure> {
    let mut last = (0, Instant::now());
    while last.1.elapsed() < SETTLED {
        // It starts such work.
        store.expire(NOW).await?;
        tokio::time::sleep(PAUSE).await;
        let now = size(folder)?;
        if now != last.0 {
            last = (now, Instant::now());
        }
    }
    Ok(())
}

/// The size of all files of the store.
fn size(folder: &Path) -> Result<u64, Failure> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let metadata = entry?.metadata()?;
        bytes += if metadata.is_file() { metadata.len() } else { 0 };
    }
    Ok(bytes)
}

/// Opens the file, and checks how many pages wait in it.
async fn open(waiting: u64, folder: &Path) -> Result<Value, Failure> {
    let began = Instant::now();
    let store = open_file(folder)?;
    let seconds = began.elapsed().as_secs_f64();
    let snapshot = store.snapshot(id()?).await?;
    let found = snapshot.open;
    if found != waiting {
        return Err(format!("{found} pages wait in the file, not {waiting}").into());
    }
    Ok(json!({ "seconds": seconds, "resident": resident_memory(), "peak": peak_memory() }))
}
