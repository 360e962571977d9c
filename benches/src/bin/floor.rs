//! Crawls a site once with only a client and a parser, and prints the cost as a line of JSON.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use std::process::ExitCode;

use gleaner_benches::Report;
use gleaner_benches::floor::{Finder, crawl, fetch_all};
use url::Url;

const USAGE: &str = "Usage: floor bare|links|tree URL [CONCURRENCY [PAGES]]

  bare   fetches /p/1 to /p/PAGES and drops the bodies: the network alone
  links  crawls the host of URL and finds links with lol_html
  tree   crawls the host of URL and finds links with html5ever

Defaults: CONCURRENCY 8, PAGES 1000.";

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
    let [kind, url, numbers @ ..] = arguments else { return Err("the kind and the URL are missing".into()) };
    let url = Url::parse(url).map_err(|error| format!("`{url}` is not a URL: {error}"))?;
    let number = |index: usize, default: usize| match numbers.get(index) {
        Some(text) => text.parse().map_err(|error| format!("`{text}` is not a number: {error}")),
        None => Ok(default),
    };
    let (concurrency, pages) = (number(0, 8)?, number(1, 1_000)?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        match kind.as_str() {
            "bare" => {
                let urls: Result<Vec<Url>, _> = (1..=pages).map(|id| url.join(&format!("/p/{id}"))).collect();
                fetch_all(urls?, concurrency).await
            }
            "links" => crawl(url, concurrency, Finder::Rewriter).await,
            "tree" => crawl(url, concurrency, Finder::Tree).await,
            _ => Err(format!("unknown kind `{kind}`").into()),
        }
    })
}
