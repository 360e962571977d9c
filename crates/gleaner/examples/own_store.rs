//! Puts pages into a store of your own, here lines of JSON. A second run adds only pages that are new.
//!
//! `cargo run --release -p gleaner --example own_store -- https://example.com/ pages.jsonl`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::{collections::HashSet, error::Error, fs::File, path::Path};

use gleaner::{CrawlRequest, Engine, serde_json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().unwrap_or_else(|| "https://example.com/".to_owned());
    let file = arguments.next().unwrap_or_else(|| "pages.jsonl".to_owned());
    let added = crawl(&Engine::builder().build()?, &url, Path::new(&file)).await?;
    println!("{added} new pages in {file}");
    Ok(())
}

pub(crate) async fn crawl(engine: &Engine, url: &str, store: &Path) -> Result<usize, Box<dyn Error>> {
    let mut file = File::options().read(true).append(true).create(true).open(store)?;
    let mut known = HashSet::new();
    for line in BufReader::new(&file).lines() {
        let page: gleaner::Document = serde_json::from_str(&line?)?;
        known.insert(page.metadata.url);
    }
    let before = known.len();
    let mut job = engine.crawl(CrawlRequest::new(url).limit(100)).await?;
    // The crawl does not run ahead of a slow store: it waits while many documents are unread.
    while let Some(page) = job.next().await.transpose()? {
        if known.insert(page.metadata.url.clone()) {
            writeln!(file, "{}", serde_json::to_string(&page)?)?;
        }
    }
    Ok(known.len() - before)
}
