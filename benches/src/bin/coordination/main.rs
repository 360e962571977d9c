//! Measures the store of many processes in PostgreSQL. Each figure is one line, with its goal. The server is
//! an installed one, in a temporary folder, with the settings of the tests.
//!
//! `cargo run --release -p gleaner-benches --bin coordination -- rate|backlog|scale|failover`
#![expect(clippy::print_stdout, reason = "a command-line program")]

mod backlog;
mod child;
mod counters;
mod failover;
mod plain;
mod rate;
mod scale;
mod site;
mod work;

use std::fmt::Display;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use gleaner_benches::{Failure, run_program};
use gleaner_testkit::PgServer;
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls};

const USAGE: &str = "Usage: coordination rate [PAGES [HOSTS [STORES]]]
       coordination backlog [WAITING [MINUTES]] [--snapshots]
       coordination scale [PAGES]
       coordination failover [PAGES]

  rate      leases and finishes PAGES pages (default 20000) with 30 links each on HOSTS hosts (default 200)
            through STORES stores (default 2), beside a plain queue with a row for each page that is leased
            by SKIP LOCKED: pages per second, and statements, commits and bytes of WAL per page
  backlog   fills WAITING waiting URLs (default 5000000) by finishing pages, and reports their bytes in all
            tables and indexes. Then finishes pages for MINUTES minutes (default 10) and reports the rate in
            windows of 30 s, and dead tuples. With --snapshots, three queries of 120 s hold old snapshots
  scale     crawls PAGES pages (default 6000) of slow sites to Markdown by one process and by two, each at its
            own cap
  failover  kills the server in a crawl of PAGES pages (default 3000), starts it again, and reports when work
            goes on and what is fetched again";

fn main() -> ExitCode {
    run_program(USAGE, run)
}

fn run(arguments: &[String]) -> Result<(), Failure> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *arguments {
        [child::CHILD, url, schema, concurrency] => child::run(url, schema, concurrency.parse()?),
        ["rate"] => rate::measure(20_000, 200, 2),
        ["rate", pages] => rate::measure(pages.parse()?, 200, 2),
        ["rate", pages, hosts] => rate::measure(pages.parse()?, hosts.parse()?, 2),
        ["rate", pages, hosts, stores] => rate::measure(pages.parse()?, hosts.parse()?, stores.parse()?),
        ["backlog", ref rest @ .., "--snapshots"] => backlog(rest, true),
        ["backlog", ref rest @ ..] => backlog(rest, false),
        ["scale"] => scale::measure(6_000),
        ["scale", pages] => scale::measure(pages.parse()?),
        ["failover"] => failover::measure(3_000),
        ["failover", pages] => failover::measure(pages.parse()?),
        _ => Err("the arguments are not understood".into()),
    }
}

fn backlog(arguments: &[&str], snapshots: bool) -> Result<(), Failure> {
    match *arguments {
        [] => backlog::measure(5_000_000, 10, snapshots),
        [waiting] => backlog::measure(waiting.parse()?, 10, snapshots),
        [waiting, minutes] => backlog::measure(waiting.parse()?, minutes.parse()?, snapshots),
        _ => Err("the arguments are not understood".into()),
    }
}

fn server() -> Result<PgServer, Failure> {
    PgServer::start().ok_or_else(|| "PostgreSQL is not installed".into())
}

fn runtime() -> Result<Runtime, Failure> {
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().build()?)
}

/// The database of the measurements.
const DATABASE: &str = "postgres";

/// A connection to the server.
async fn connect(url: &str) -> Result<Client, Failure> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    // It ends with the client, or with the server.
    tokio::spawn(async { drop(connection.await) });
    Ok(client)
}

/// The time now, since the Unix epoch.
fn now() -> Duration {
    SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default()
}

/// Prints a figure with its goal.
fn figure(what: &str, value: impl Display, goal: &str) {
    // As a text, because not every number is padded by itself.
    let value = value.to_string();
    let goal = if goal.is_empty() { String::new() } else { format!("   goal: {goal}") };
    println!("{what:<66} {value:>14}{goal}");
}
