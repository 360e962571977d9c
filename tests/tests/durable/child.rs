//! The process that is killed: it crawls a site in a file, or goes on with the crawl that is in the file.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use gleaner::request::Webhook;
use gleaner::sqlite::Reader;
use gleaner::{CrawlRequest, Engine, Job};
use gleaner_tests::fakes;
use serde::{Deserialize, Serialize};
use url::Url;

use super::notes::Notebook;

/// Pages in work at once.
pub(crate) const CONCURRENCY: u32 = 6;
/// The environment variable with the folder of the child.
const FOLDER: &str = "GLEANER_TEST_FOLDER";

/// What the child crawls, in a file of its folder.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    pub(crate) start: String,
    pub(crate) webhook: String,
    pub(crate) limit: u64,
}

impl Task {
    pub(crate) fn write(&self, folder: &Path) {
        std::fs::write(folder.join("task"), serde_json::to_vec(self).unwrap()).unwrap();
    }

    fn read(folder: &Path) -> Self {
        serde_json::from_slice(&std::fs::read(folder.join("task")).unwrap()).unwrap()
    }

    fn request(&self) -> CrawlRequest {
        fakes::links_only(&self.start).limit(self.limit).webhook(Webhook::new(&self.webhook))
    }
}

/// The file of the crawl.
pub(crate) fn file(folder: &Path) -> PathBuf {
    folder.join("crawl.db")
}

/// Adds the arguments that run the child to a command that starts programs.
pub(crate) fn run(command: &mut Command, folder: &Path) {
    command.arg(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "child::child", "--nocapture", "--test-threads=1"]);
    command.env(FOLDER, folder);
}

#[test]
#[ignore = "run by other tests, in a process of its own"]
#[expect(clippy::disallowed_methods, reason = "the parent passes the folder to its child")]
fn child() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let folder = PathBuf::from(folder);
    let mut notes = Notebook::open(&folder);
    notes.line("begin");
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(crawl(&folder, &mut notes));
}

async fn crawl(folder: &Path, notes: &mut Notebook) {
    let task = Task::read(folder);
    let open = || fakes::engine_builder().concurrency(CONCURRENCY).store_at(file(folder)).build();
    let mut opened = open();
    // A process that was killed may still be ending.
    while opened.as_ref().is_err_and(gleaner::Error::is_store_busy) {
        tokio::time::sleep(Duration::from_millis(5)).await;
        opened = open();
    }
    let engine = opened.unwrap();
    notes.line("opened");
    let mut job = job(&engine, folder, &task).await;
    notes.line(&format!("job {}", job.id()));
    while let Some(document) = job.next().await {
        let url = Url::parse(document.unwrap().metadata.source_url.as_deref().unwrap()).unwrap();
        notes.line(&format!("document {}", url.path()));
    }
    let end = job.status().await.unwrap();
    notes.line(&format!("end {} {} {} {}", end.completed, end.failed, end.total, end.credits_used));
    let _id = job.detach();
    engine.service().wait_for_deliveries().await.unwrap();
    notes.line("done");
    engine.stop().await;
}

/// The job in the file, or a new one.
async fn job(engine: &Engine, folder: &Path, task: &Task) -> Job {
    let known = Reader::open(file(folder)).unwrap().jobs().unwrap();
    assert!(known.len() < 2, "the crawl was started twice: {known:?}");
    if let Some(record) = known.first() {
        return engine.job(record.id).await.unwrap();
    }
    loop {
        match engine.crawl(task.request()).await {
            Ok(job) => return job,
            // The disk of the file fails. A client tries again later.
            Err(error) => eprintln!("the crawl is refused: {error}"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
