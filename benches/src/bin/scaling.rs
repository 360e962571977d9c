//! Crawls a site to Markdown with one worker thread and with two, and prints pages a second and who took the processors.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that talks to its user")]

use std::process::{Command, ExitCode};
use std::time::Instant;

use gleaner_benches::child::{SERVE, Served, cpu_of_children, serve, sibling};

const USAGE: &str = "Usage: scaling [PAGES [CONCURRENCY]]

Crawls a generated site of PAGES pages (5000 if not given) to Markdown, CONCURRENCY at once (16), with 1, 2, 1 and 2 worker
threads. The site is served by another process on the same processors. `gleaner-crawl` must be built beside this one.";

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}\n\n{USAGE}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Failure> {
    let (pages, concurrency) = match arguments {
        [serving, pages] if serving == SERVE => return Ok(serve(pages.parse()?)?),
        [pages, concurrency] => (pages.parse()?, concurrency.as_str()),
        [pages] => (pages.parse()?, "16"),
        [] => (5_000, "16"),
        _ => return Err("too many arguments".into()),
    };
    let site = Served::start(pages)?;
    println!("{pages} pages to Markdown");
    println!("threads  pages/s  crawler CPU s  server CPU s  server's share");
    let (mut one, mut two) = (0.0_f64, 0.0_f64);
    for threads in [1, 2, 1, 2] {
        let (server, crawler, began) = (site.cpu(), cpu_of_children(), Instant::now());
        let mut command = Command::new(sibling("gleaner-crawl")?);
        let numbers = [concurrency, "1000000", "--threads", if threads == 1 { "1" } else { "2" }];
        let output = command.args(["markdown", &site.url]).args(numbers).output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        let rate = f64::from(pages) / began.elapsed().as_secs_f64();
        let (server, crawler) = (site.cpu() - server, cpu_of_children() - crawler);
        let share = 100.0 * server / (server + crawler);
        println!("{threads:>7} {rate:>8.0} {crawler:>14.2} {server:>13.2} {share:>13.0} %");
        let best = if threads == 1 { &mut one } else { &mut two };
        *best = best.max(rate);
    }
    println!("two threads are {:.2} times one, the better run of each", two / one);
    Ok(())
}
