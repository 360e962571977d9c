//! A crawl in a file. Kill it and run it again: it goes on, and each page is stored once.
//!
//! `cargo run --release -p gleaner --features sqlite --example resume -- https://example.com/ crawl.db`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::{error::Error, path::Path};

use gleaner::sqlite::Reader;
use gleaner::{CrawlRequest, Engine, Job};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().unwrap_or_else(|| "https://example.com/".to_owned());
    let file = arguments.next().unwrap_or_else(|| "crawl.db".to_owned());
    let engine = Engine::builder().store_at(&file).build()?;
    let mut job = begin_or_resume(&engine, Path::new(&file), &url).await?;
    // The documents of earlier runs come first.
    while let Some(page) = job.next().await {
        println!("{}", page?.metadata.url.unwrap_or_default());
    }
    let counts = job.status().await?;
    println!("{} pages, {} failed. To crawl again, delete {file}*", counts.completed, counts.failed);
    engine.stop().await;
    Ok(())
}

pub(crate) async fn begin_or_resume(engine: &Engine, file: &Path, url: &str) -> Result<Job, Box<dyn Error>> {
    let earlier = Reader::open(file)?.jobs()?.into_iter().find(|job| !job.is_removed);
    let id = match earlier {
        Some(job) => job.id,
        // A job that is detached does not end with its handle.
        None => engine.crawl(CrawlRequest::new(url).limit(500)).await?.detach(),
    };
    Ok(engine.job(id).await?)
}
