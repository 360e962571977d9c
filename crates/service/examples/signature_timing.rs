//! Does the time that [`verify`] takes tell how much of a signature is right?
//!
//! Times 100,000 verifications of each of two classes of wrong signatures, in random order: those whose first
//! byte alone is wrong and those whose last byte alone is, and compares the classes by Welch's t. A
//! comparison that stops at the first difference gives a large |t|; below 4.5 there is no sign of a leak (the
//! bound of leakage assessments in the manner of TVLA).
//!
//! Exits with 1 where |t| reaches the bound in each of three runs: a machine with other work to do may exceed
//! it once, a leak exceeds it always, and by far. A run takes a second.
//!
//! ```sh
//! cargo run --release -p gleaner-service --example signature_timing
//! ```

#![expect(clippy::print_stdout, reason = "an example speaks to who runs it")]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use gleaner_service::{Secret, sign, verify};

const SAMPLES: usize = 100_000;
/// Samples beyond this share of the slowest are dropped from both classes alike: they are interrupts.
const KEPT: f64 = 0.95;
const BOUND: f64 = 4.5;
/// All of so many runs must show a leak for it to count as one.
const RUNS: u32 = 3;

fn main() -> ExitCode {
    for run in 1..=RUNS {
        let worst = worst_of_a_run();
        println!("run {run}: |t| {} {BOUND}", if worst < BOUND { "<" } else { ">=" });
        if worst < BOUND {
            return ExitCode::SUCCESS;
        }
    }
    ExitCode::FAILURE
}

/// The largest |t| of all pairs of classes.
fn worst_of_a_run() -> f64 {
    let secret = Secret::new("whsec");
    let body = br#"{"success":true,"type":"crawl.page"}"#;
    let header = sign(&secret, body);
    let (first, last) = ("sha256=".len(), header.len() - 1);
    let altered = |place: usize| -> String {
        let alter = |(at, digit): (usize, char)| {
            if at != place {
                digit
            } else if digit == '0' {
                '1'
            } else {
                '0'
            }
        };
        header.chars().enumerate().map(alter).collect()
    };
    let check = |text: &str| verify(&secret, black_box(body), text).is_ok();
    let mut worst: f64 = 0.0;
    for (name, texts) in [
        ("first digit wrong, last digit wrong", [altered(first), altered(last)]),
        ("all right, first digit wrong", [header.clone(), altered(first)]),
        ("all right, last digit wrong", [header.clone(), altered(last)]),
    ] {
        let t = welch(&texts, check);
        println!("{name}: t = {t:+.2} over {SAMPLES} samples each");
        worst = worst.max(t.abs());
    }
    // What a leak looks like: a loop that stops, often enough to be seen above the clock.
    let naive = |text: &str| {
        let same = |_| black_box(&header).bytes().zip(text.bytes()).all(|(a, b)| black_box(a) == b);
        (0..20).filter(|round| same(*round)).count() == 20
    };
    let t = welch(&[altered(first), altered(last)], naive);
    println!("for comparison, a comparison that stops at the first difference: t = {t:+.2}");
    worst
}

/// Cheap numbers that are random enough to shuffle two classes.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// Welch's t between the times that two texts of one length take. Both are copied to the same place before
/// the clock starts and go through the same code, so that nothing but their content differs.
fn welch(texts: &[String; 2], check: impl Fn(&str) -> bool) -> f64 {
    let mut samples = [Vec::with_capacity(SAMPLES), Vec::with_capacity(SAMPLES)];
    let mut text = String::new();
    let mut state = 0x9e37_79b9_7f4a_7c15;
    while samples.iter().any(|class| class.len() < SAMPLES) {
        let class = usize::from(next(&mut state) & 1 == 0);
        text.clear();
        text.push_str(texts.get(class).map_or("", String::as_str));
        let began = Instant::now();
        black_box(check(black_box(&text)));
        let taken = began.elapsed().as_nanos() as f64;
        if let Some(class) = samples.get_mut(class).filter(|class| class.len() < SAMPLES) {
            class.push(taken);
        }
    }
    // One bound for both classes.
    let mut all: Vec<f64> = samples.iter().flatten().copied().collect();
    all.sort_by(f64::total_cmp);
    let bound = all.get((all.len() as f64 * KEPT) as usize).copied().unwrap_or(f64::MAX);
    let [(mean, error), (other_mean, other_error)] = samples.map(|class| moments(&class, bound));
    (mean - other_mean) / (error + other_error).sqrt()
}

/// The mean, and the square of its standard error.
fn moments(samples: &[f64], bound: f64) -> (f64, f64) {
    let kept: Vec<f64> = samples.iter().copied().filter(|sample| *sample <= bound).collect();
    let count = kept.len() as f64;
    let mean = kept.iter().sum::<f64>() / count;
    let variance = kept.iter().map(|sample| (sample - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, variance / count)
}
