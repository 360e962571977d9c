//! Crawls over a durable store whose power fails, whose process is killed and whose disk is full.

use std::time::Instant;

use gleaner_testkit::simulation::{Report, simulate_restarts};

/// Seeds that failed before. They run first.
const REPLAY: &[u64] = &[];

/// Seeds of the short form.
const SEEDS: u64 = 200;

/// Seeds of the long form.
const MANY_SEEDS: u64 = 10_000;

#[derive(Default)]
struct Tally {
    seeds: u64,
    requests: u64,
    documents: u64,
    events: u64,
    power_losses: u64,
    kills: u64,
    damaged_ends: u64,
    stalls: u64,
    failed: u64,
    /// The first few failures, as text.
    failures: Vec<String>,
}

impl Tally {
    fn add(&mut self, report: &Report) {
        self.seeds += 1;
        self.requests += report.requests;
        self.documents += report.documents;
        self.events += report.events;
        self.power_losses += report.power_losses;
        self.kills += report.kills;
        self.damaged_ends += report.damaged_ends;
        self.stalls += report.stalls;
        if !report.violations.is_empty() {
            self.fail(report.transcript());
        }
    }

    fn fail(&mut self, failure: String) {
        self.failed += 1;
        if self.failures.len() < 3 {
            self.failures.push(failure);
        }
    }

    fn summary(&self, began: Instant) -> String {
        format!(
            "seeds run {} over a durable store ({} losses of power, {} kills, {} damaged ends cut, {} stalls \
             of the disk, {} requests, {} documents, {} events) in {:.0} s: {} failed",
            self.seeds,
            self.power_losses,
            self.kills,
            self.damaged_ends,
            self.stalls,
            self.requests,
            self.documents,
            self.events,
            began.elapsed().as_secs_f64(),
            self.failed,
        )
    }

    fn check(&self) {
        assert!(self.power_losses > self.seeds && self.kills > 0, "the seeds cover these");
        assert!(self.damaged_ends > 0 && self.stalls > 0 && self.events > 0, "the seeds cover these");
        assert!(self.failures.is_empty(), "{}", self.failures.join("\n\n"));
    }
}

/// Runs the simulations of these seeds.
#[expect(clippy::print_stdout, reason = "the counts are of interest")]
fn run(seeds: impl Iterator<Item = u64>) {
    let began = Instant::now();
    let mut tally = Tally::default();
    for seed in seeds {
        tally.add(&simulate_restarts(seed));
    }
    println!("{}", tally.summary(began));
    tally.check();
}

#[test]
fn nothing_acknowledged_is_lost_when_processes_end() {
    run(REPLAY.iter().copied().chain(0..SEEDS));
}

#[test]
#[ignore = "takes minutes; CI runs the short form"]
fn nothing_acknowledged_is_lost_in_ten_thousand_schedules() {
    run(0..MANY_SEEDS);
}
