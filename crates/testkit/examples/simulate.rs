//! Runs simulated crawls: `simulate SEED` prints the events of one seed, `simulate FROM TO` runs a range of
//! seeds and prints the violations. With `--restarts` before the numbers, the crawls run over a durable store
//! whose processes end at any moment.
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::time::{Duration, Instant};

use gleaner_testkit::simulation::{Report, simulate, simulate_restarts};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (simulate, numbers): (fn(u64) -> Report, _) = match words.split_first() {
        Some((word, numbers)) if word == "--restarts" => (simulate_restarts, numbers),
        _ => (simulate, &words[..]),
    };
    let numbers: Vec<u64> = numbers.iter().map(|word| word.parse()).collect::<Result<_, _>>()?;
    match numbers[..] {
        [seed] => print!("{}", simulate(seed).transcript()),
        [from, to] => run(simulate, from, to),
        _ => println!("usage: simulate [--restarts] SEED | simulate [--restarts] FROM TO"),
    }
    Ok(())
}

fn run(simulate: fn(u64) -> Report, from: u64, to: u64) {
    let began = Instant::now();
    let (mut virtual_time, mut failed, mut mismatches, mut requests) = (Duration::ZERO, 0, 0, 0);
    for seed in from..to {
        let report = simulate(seed);
        virtual_time += report.virtual_time;
        requests += report.requests;
        if let Some(violation) = report.violations.first() {
            failed += 1;
            println!("seed {seed}: {} violations: {violation}", report.violations.len());
        }
        if simulate(seed).trace != report.trace {
            mismatches += 1;
            println!("seed {seed}: the second run differs");
        }
    }
    let hours = virtual_time.as_secs_f64() / 3_600.0;
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "{} seeds, {requests} requests, {hours:.0} virtual hours in {seconds:.0} s: {failed} seeds failed, \
         {mismatches} same-seed mismatches",
        to.saturating_sub(from)
    );
}
