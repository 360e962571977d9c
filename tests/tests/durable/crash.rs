//! Processes that are killed at a write, or at any moment.

use std::time::Instant;

use gleaner_testkit::scattered;
use gleaner_tests::fakes::{FakeResponse, FakeServer};

use super::crawl::{Crawl, Ended};

/// Crawls of the short form.
const SHORT: u64 = 8;
/// Kills of the long form.
const MANY_KILLS: u64 = 2_000;
/// A process is killed at most this often before it may come to its end.
const MAX_KILLS: u64 = 4;

/// Kills processes at writes of the file, `count` of them spread over all, or at every write. One more is
/// killed while it recovers the file, or soon after.
fn kill_at_writes(count: Option<u64>) {
    let receiver = FakeServer::always(FakeResponse::new(200, ""));
    let Some(writes) = Crawl::new(&receiver, 0).count_calls("pwrite64", true) else { return };
    println!("{writes} writes");
    assert!(writes > 30);
    let count = count.unwrap_or(writes).min(writes);
    let mut killed = 0;
    for number in 0..count {
        let write = 1 + number * writes / count;
        println!("write {write}");
        let mut crawl = Crawl::new(&receiver, number);
        for write in [write, 1 + number % 13] {
            let ended = crawl.disturb(&format!("pwrite64:signal=SIGKILL:when={write}"), true);
            killed += u64::from(ended == Some(Ended::Killed));
        }
        crawl.finish();
    }
    // Commits take more pages together in some runs than in others, so the last writes may not happen.
    assert!(killed >= count, "{killed} of {count} crawls were killed");
}

/// Kills processes at random moments, until there were this many kills.
fn kill_at_any_moment(kills: u64) {
    let receiver = FakeServer::always(FakeResponse::new(200, ""));
    let begin = Instant::now();
    Crawl::new(&receiver, 0).finish();
    let length = begin.elapsed();
    let mut killed = 0;
    // Some moments are after the end of the process.
    for number in 0..4 * kills {
        if killed >= kills {
            break;
        }
        println!("crawl {number} after {killed} kills");
        let mut crawl = Crawl::new(&receiver, number);
        for step in 0..1 + scattered(number, MAX_KILLS) {
            let moment = length.mul_f64(scattered(number * MAX_KILLS + step, 1000) as f64 / 1000.0);
            if crawl.kill_after(moment) != Ended::Killed {
                break;
            }
            killed += 1;
        }
        crawl.finish();
    }
    assert!(killed >= kills, "{killed} kills");
}

#[test]
fn a_kill_at_a_write_loses_nothing() {
    kill_at_writes(Some(SHORT));
}

#[test]
fn a_kill_at_any_moment_loses_nothing() {
    kill_at_any_moment(SHORT);
}

#[test]
#[ignore = "takes many minutes; CI runs the short form"]
fn a_kill_at_every_write_loses_nothing() {
    kill_at_writes(None);
}

#[test]
#[ignore = "takes many minutes; CI runs the short form"]
fn two_thousand_kills_at_any_moment_lose_nothing() {
    kill_at_any_moment(MANY_KILLS);
}
