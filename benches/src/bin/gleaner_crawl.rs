//! Crawls a site once with gleaner and prints the cost as a line of JSON, for comparison with `floor`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use std::process::ExitCode;

use gleaner::request::Format;
use gleaner_benches::Report;
use gleaner_benches::engine::{crawl, engine};

const USAGE: &str = "Usage: gleaner-crawl links|markdown|html URL [CONCURRENCY [LIMIT]] [--threads N]

Crawls the site of URL through its links and converts each page to the format. `links` reads the token
stream, the others build a tree. Defaults: CONCURRENCY 8, LIMIT 1000000, one worker thread for each core.";

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}\n\n{USAGE}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<Report, Failure> {
    let (arguments, threads) = match arguments {
        [rest @ .., option, number] if option == "--threads" => (rest, Some(number.parse::<usize>()?)),
        _ => (arguments, None),
    };
    let [format, url, numbers @ ..] = arguments else {
        return Err("the format and the URL are missing".into());
    };
    let format = match format.as_str() {
        "links" => Format::Links,
        "markdown" => Format::Markdown,
        "html" => Format::Html,
        _ => return Err(format!("unknown format `{format}`").into()),
    };
    let number = |index: usize, default: u32| match numbers.get(index) {
        Some(text) => text.parse().map_err(|error| format!("`{text}` is not a number: {error}")),
        None => Ok(default),
    };
    let (concurrency, limit) = (number(0, 8)?, number(1, 1_000_000)?);
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    if let Some(threads) = threads {
        runtime.worker_threads(threads.max(1));
    }
    let runtime = runtime.enable_all().build()?;
    runtime.block_on(async { Ok(crawl(&engine(concurrency)?, url, limit.into(), &[format]).await?) })
}
