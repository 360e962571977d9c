//! Prints one page as Markdown.
//!
//! `cargo run --release -p gleaner --example scrape -- https://example.com/`
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use std::process::ExitCode;

use gleaner::{Engine, Error, ScrapeRequest};

#[tokio::main]
async fn main() -> ExitCode {
    let url = std::env::args().nth(1).unwrap_or_else(|| "https://example.com/".to_owned());
    match scrape(&url).await {
        Ok(()) => return ExitCode::SUCCESS,
        Err(error) if error.is_timeout() => eprintln!("{url} is slow, try a longer `timeout`: {error}"),
        Err(error) => eprintln!("{url}: {error}"),
    }
    ExitCode::FAILURE
}

async fn scrape(url: &str) -> Result<(), Error> {
    let engine = Engine::builder().build()?;
    let page = engine.scrape(ScrapeRequest::new(url).timeout(20_000)).await?;
    let (title, status) = (page.metadata.title.unwrap_or_default(), page.metadata.status_code.unwrap_or(0));
    println!("{title} (status {status})\n\n{}", page.markdown.unwrap_or_default());
    Ok(())
}
