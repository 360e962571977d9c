//! Your own sink: each page is in a file of JSON lines, and durable, before it counts as done.
//!
//! `cargo run --release -p gleaner --example own_sink -- https://example.com/`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::{collections::BTreeMap, error::Error, fs, fs::File, io, io::Write as _, path::Path, sync::Arc};

use gleaner::hooks::{DocumentSink, HookError, SinkPage};
use gleaner::{BoxFuture, CrawlRequest, Document, Engine, JobId, serde_json, tokio::task::spawn_blocking};

pub(crate) struct Lines(pub(crate) Arc<File>);

impl DocumentSink for Lines {
    fn write<'a>(&'a self, page: &'a Document, key: SinkPage<'a>) -> BoxFuture<'a, Result<(), HookError>> {
        Box::pin(async move {
            // The line break comes first: a line that a crash cut off does not spoil the next one.
            let line = format!("\n{}", serde_json::to_string(&(key.job, key.page, page))?);
            let mut file = Arc::clone(&self.0);
            spawn_blocking(move || file.write_all(line.as_bytes()).and_then(|()| file.sync_data())).await??;
            Ok(())
        })
    }
}

/// A page may be written twice, such as after a crash. Its last line counts.
pub(crate) fn read(path: &Path) -> io::Result<BTreeMap<(JobId, u64), Document>> {
    let file = fs::read(path)?;
    let lines = file.split(|byte| *byte == b'\n').map(serde_json::from_slice::<(JobId, u64, Document)>);
    Ok(lines.filter_map(Result::ok).map(|(job, number, page)| ((job, number), page)).collect())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "https://example.com/".to_owned());
    let file = File::options().append(true).create(true).open("pages.jsonl")?;
    let engine = Engine::builder().sink(Arc::new(Lines(Arc::new(file)))).build()?;
    engine.crawl(CrawlRequest::new(url).limit(100)).await?.wait().await?;
    println!("pages.jsonl has {} pages", read(Path::new("pages.jsonl"))?.len());
    Ok(())
}
