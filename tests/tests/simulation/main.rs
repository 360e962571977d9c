//! Crawls by the thousand in virtual time, each made from its seed. See `gleaner_testkit::simulation`.
//!
//! A seed that fails is named, with its whole story; put it into [`REPLAY`] to look at it again.

use std::time::{Duration, Instant};

use gleaner_testkit::simulation::{Report, simulate};

/// Seeds that once failed, and the one that is being looked into: they are run first.
const REPLAY: &[u64] = &[
    // Asked before the end of a `Retry-After` that came after the page was leased.
    72,
    // Asked within the Crawl-delay: by another job, by robots.txt of the other scheme, at a redirect.
    198, 410, 519, 586, 715, 924, 927,
    // A page of another site led back, and what was behind it was missing.
    1666, 1784,
    // A fetch hung and held its host, and who waited for it began when their leases were nearly over.
    1007, 4957, 10033, 17877, 21865,
    // Fetches hung with what their hosts had asked for in their hands.
    1319, 2361, 2399, 6851, 16789,
    // A sitemap that was read on another thread came back before or after what else happened at its moment.
    15671, 19895,
];

/// Seeds that are run, each twice.
const SEEDS: u64 = 6_000;

#[derive(Default)]
struct Tally {
    seeds: u64,
    jobs: u64,
    virtual_time: Duration,
    requests: u64,
    hops_across_hosts: u64,
    documents: u64,
    leases_lost: u64,
    full_addresses: u64,
    full_queues: u64,
    maps: u64,
    crashes: u64,
    violations: u64,
    mismatches: u64,
    /// The stories of the first few that failed.
    stories: Vec<String>,
}

impl Tally {
    fn run(&mut self, seed: u64) {
        let report = simulate(seed);
        let again = simulate(seed);
        if again.trace != report.trace {
            self.mismatches += 1;
            self.tell(format!("a second run took another course:\n{}", difference(&report, &again)));
        }
        if !report.violations.is_empty() {
            self.violations += report.violations.len() as u64;
            self.tell(report.story());
        }
        self.seeds += 1;
        self.jobs += report.jobs;
        self.virtual_time += report.virtual_time;
        self.requests += report.requests;
        self.hops_across_hosts += report.hops_across_hosts;
        self.documents += report.documents;
        self.leases_lost += report.leases_lost;
        self.full_addresses += report.full_addresses;
        self.full_queues += report.full_queues;
        self.maps += report.maps;
        self.crashes += report.crashes;
    }

    fn tell(&mut self, story: String) {
        if self.stories.len() < 3 {
            self.stories.push(story);
        }
    }
}

/// Where the stories of two runs part.
fn difference(one: &Report, two: &Report) -> String {
    let (one, two) = (one.story(), two.story());
    let same = one.lines().zip(two.lines()).take_while(|(one, two)| one == two).count();
    let part = |story: &str| {
        story
            .lines()
            .skip(same.saturating_sub(5))
            .take(12)
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    format!("{}\none:\n{}two:\n{}", one.lines().next().unwrap_or_default(), part(&one), part(&two))
}

#[test]
fn no_seed_breaks_a_promise_of_the_engine_room() {
    let began = Instant::now();
    let mut tally = Tally::default();
    for seed in REPLAY.iter().copied().chain(0..SEEDS) {
        tally.run(seed);
    }
    println!(
        "seeds run {} ({} jobs, {} requests, {} documents, {} leases lost, {} crashes, {} hops of redirects to other hosts, \
         {} times a shared address was full, {} jobs that filled their queue, {} maps), \
         {:.0} virtual hours in {:.0} s: violations {}, same-seed mismatches {}",
        tally.seeds,
        tally.jobs,
        tally.requests,
        tally.documents,
        tally.leases_lost,
        tally.crashes,
        tally.hops_across_hosts,
        tally.full_addresses,
        tally.full_queues,
        tally.maps,
        tally.virtual_time.as_secs_f64() / 3_600.0,
        began.elapsed().as_secs_f64(),
        tally.violations,
        tally.mismatches,
    );
    assert!(tally.leases_lost > 0 && tally.crashes > 0, "the seeds try these");
    assert!(tally.hops_across_hosts > 0 && tally.full_addresses > 0, "the seeds try these");
    assert!(tally.full_queues > 0 && tally.maps > 0, "the seeds try these");
    assert!(tally.stories.is_empty(), "{}", tally.stories.join("\n\n"));
}
