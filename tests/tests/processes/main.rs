//! Many processes of the engine work on one crawl in one database. They are killed and stopped, their
//! connections break and their server restarts, and the crawl ends as if nothing had happened. Work goes on
//! soon after each fault of the server that passes.
//!
//! The sites are in this process, with a log of their requests, and so are the assertions. Without an
//! installed PostgreSQL the tests say that they are skipped; with `CI=true`, that is a failure.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "test code: a broken assumption ends the test, which says what it has tried"
)]

mod check;
mod child;
mod crawl;
mod disturb;
mod faults;
mod graph;
mod sites;

use gleaner_testkit::PgServer;

use crawl::{Crawl, Plan};

/// Crawls of the short form.
const SHORT: u64 = 3;

/// The plan of a crawl of this many pages: by turns with a limit, with a depth, and with a delay.
fn plan(seed: u64, pages: usize) -> Plan {
    Plan {
        seed,
        pages,
        hosts: 20,
        processes: 3,
        limit: if seed.is_multiple_of(3) { pages as u64 / 2 } else { 2 * pages as u64 },
        max_depth: (seed % 3 == 1).then_some(3),
        delay_millis: (seed % 3 == 2).then_some(20),
        disturbances: 4,
    }
}

#[test]
fn disturbed_processes_crawl_as_one() {
    let Some(server) = PgServer::start() else { return };
    for seed in 0..SHORT {
        Crawl::start(&server, plan(seed, 240)).run();
    }
}

#[test]
#[ignore = "takes hours; CI runs the short form"]
fn two_hundred_disturbed_crawls_are_exact() {
    let Some(server) = PgServer::start() else { return };
    for seed in 0..200 {
        Crawl::start(&server, plan(seed, 500)).run();
    }
}

#[test]
#[ignore = "takes many minutes; CI runs the short form"]
fn eight_disturbed_processes_crawl_twenty_thousand_pages() {
    let Some(server) = PgServer::start() else { return };
    for (seed, limit) in [(0, 40_000), (1, 15_000)] {
        let plan = Plan {
            seed,
            pages: 20_000,
            hosts: 200,
            processes: 8,
            limit,
            max_depth: None,
            delay_millis: None,
            disturbances: 60,
        };
        Crawl::start(&server, plan).run();
    }
}
