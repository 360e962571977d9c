//! Crawls a site to Markdown with one worker thread and with two. Prints pages per second and the CPU time of
//! the crawler and the server.
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::process::{Command, ExitCode};
use std::time::Instant;

use gleaner_benches::child::{SERVE, SiteProcess, cpu_seconds_of_children, serve, sibling};
use gleaner_benches::{Failure, run_program};

const USAGE: &str = "Usage: scaling [PAGES [CONCURRENCY]]

Crawls a generated site of PAGES pages (default 5000) to Markdown with CONCURRENCY concurrent requests
(default 16), with 1, 2, 1 and 2 worker threads. Another process serves the site on the same processors.
Build `gleaner-crawl` into the folder of this program first.";

fn main() -> ExitCode {
    run_program(USAGE, run)
}

fn run(arguments: &[String]) -> Result<(), Failure> {
    let (pages, concurrency) = match arguments {
        [option, pages] if option == SERVE => return Ok(serve(pages.parse()?)?),
        [pages, concurrency] => (pages.parse()?, concurrency.as_str()),
        [pages] => (pages.parse()?, "16"),
        [] => (5_000, "16"),
        _ => return Err("too many arguments".into()),
    };
    let site = SiteProcess::start(pages)?;
    println!("{pages} pages to Markdown");
    println!("threads  pages/s  crawler CPU s  server CPU s  server share");
    let (mut one, mut two) = (0.0_f64, 0.0_f64);
    for threads in [1, 2, 1, 2] {
        let (server_before, crawler_before) = (site.cpu_seconds(), cpu_seconds_of_children());
        let began = Instant::now();
        let mut command = Command::new(sibling("gleaner-crawl")?);
        let numbers = [concurrency, "1000000", "--threads", if threads == 1 { "1" } else { "2" }];
        let output = command.args(["markdown", &site.url]).args(numbers).output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        let rate = f64::from(pages) / began.elapsed().as_secs_f64();
        let server = site.cpu_seconds() - server_before;
        let crawler = cpu_seconds_of_children() - crawler_before;
        let share = 100.0 * server / (server + crawler);
        println!("{threads:>7} {rate:>8.0} {crawler:>14.2} {server:>13.2} {share:>13.0} %");
        let best = if threads == 1 { &mut one } else { &mut two };
        *best = best.max(rate);
    }
    println!("two threads crawl {:.2} times as fast as one (best run of each)", two / one);
    Ok(())
}
