//! Crawls one site once with gleaner, and prints what it cost as a line of JSON. See `floor` for what to compare.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that talks to its user")]

use std::process::ExitCode;

use gleaner::request::Format;
use gleaner_benches::Report;
use gleaner_benches::engine::{crawl, engine};

const USAGE: &str = "Usage: gleaner-crawl links|markdown|html URL [CONCURRENCY [LIMIT]] [--threads N]

Crawls the site of URL by its links and gives each page in that format. `links` reads the links off the token stream,
the others off a tree. CONCURRENCY is 8 if not given, LIMIT 1000000, and there is a worker thread for each core.";

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
    let [format, url, numbers @ ..] = arguments else { return Err("a format and a URL are needed".into()) };
    let format = match format.as_str() {
        "links" => Format::Links,
        "markdown" => Format::Markdown,
        "html" => Format::Html,
        _ => return Err(format!("unknown format `{format}`").into()),
    };
    let number = |nth: usize, default: u32| match numbers.get(nth) {
        Some(text) => text.parse().map_err(|error| format!("`{text}` is no number: {error}")),
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
