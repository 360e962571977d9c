//! Crawls a site into a folder of Markdown files, and lists the pages that failed.
//!
//! `cargo run --release -p gleaner --example crawl_to_files -- https://example.com/ pages`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::{error::Error, fs, path::Path};

use gleaner::{CrawlRequest, Engine};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().unwrap_or_else(|| "https://example.com/".to_owned());
    let folder = arguments.next().unwrap_or_else(|| "pages".to_owned());
    crawl(&Engine::builder().build()?, &url, Path::new(&folder)).await
}

pub(crate) async fn crawl(engine: &Engine, url: &str, folder: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    let mut job = engine.crawl(CrawlRequest::new(url).limit(100)).await?;
    let mut number = 0;
    while let Some(page) = job.next().await {
        let page = page?; // fails if the crawl as a whole does
        number += 1;
        let file = folder.join(format!("{number:03}.md"));
        println!("{} {}", file.display(), page.metadata.url.unwrap_or_default());
        fs::write(file, page.markdown.unwrap_or_default())?;
    }
    let end = job.wait().await?;
    println!("{number} pages, {} failed", end.snapshot.failed);
    for failure in end.failures {
        println!("failed: {}: {}", failure.as_requested(), failure.error);
    }
    for page in end.robots_blocked {
        println!("robots.txt forbids {}", page.as_requested());
    }
    Ok(())
}
