//! Measures whether the time of [`verify`] depends on how much of a signature is correct.
//!
//! It times verifications of two signatures in random order, 100,000 of each, and compares the two classes
//! with Welch's t-test. The pairs are: only the first or only the last digit wrong, and the correct signature
//! against each of these. A comparison that stops at the first difference gives a large |t|. Below 4.5, the
//! bound of TVLA leakage assessments, there is no sign of a leak.
//!
//! Exits with 1 if |t| reaches the bound in each of three runs. On a busy machine a run may exceed it by
//! chance; a leak exceeds it by far in every run. A run takes a second.
//!
//! ```sh
//! cargo run --release -p gleaner-service --example signature_timing
//! ```

#![expect(clippy::print_stdout, reason = "the example prints its results")]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use gleaner_service::{Secret, sign, verify};

const SAMPLES: usize = 100_000;
/// Quantile above which samples of both classes are dropped: such slow samples are interrupts.
const QUANTILE: f64 = 0.95;
const BOUND: f64 = 4.5;
/// A leak counts only if every one of this many runs shows it.
const RUNS: u32 = 3;

fn main() -> ExitCode {
    for run in 1..=RUNS {
        let worst = largest_t();
        println!("run {run}: |t| {} {BOUND}", if worst < BOUND { "<" } else { ">=" });
        if worst < BOUND {
            return ExitCode::SUCCESS;
        }
    }
    ExitCode::FAILURE
}

/// The largest |t| over all pairs of classes.
fn largest_t() -> f64 {
    let secret = Secret::new("whsec");
    let body = br#"{"success":true,"type":"crawl.page"}"#;
    let header = sign(&secret, body);
    let (first, last) = ("sha256=".len(), header.len() - 1);
    let altered = |index: usize| -> String {
        let alter = |(at, digit): (usize, char)| {
            if at != index {
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
        ("correct, first digit wrong", [header.clone(), altered(first)]),
        ("correct, last digit wrong", [header.clone(), altered(last)]),
    ] {
        let t = welch(&texts, check);
        println!("{name}: t = {t:+.2} over {SAMPLES} samples each");
        worst = worst.max(t.abs());
    }
    // A leak for comparison: a loop that stops early, repeated until the clock resolves its time.
    let naive = |text: &str| {
        let same = |_| black_box(&header).bytes().zip(text.bytes()).all(|(a, b)| black_box(a) == b);
        (0..20).filter(|round| same(*round)).count() == 20
    };
    let t = welch(&[altered(first), altered(last)], naive);
    println!("for comparison, a comparison that stops at the first difference: t = {t:+.2}");
    worst
}

/// Cheap pseudo-random numbers, good enough to shuffle two classes.
fn next_random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// Welch's t between the times of two texts of equal length. Both are copied to the same buffer before the
/// clock starts and take the same code path, so that only their content differs.
fn welch(texts: &[String; 2], check: impl Fn(&str) -> bool) -> f64 {
    let mut samples = [Vec::with_capacity(SAMPLES), Vec::with_capacity(SAMPLES)];
    let mut text = String::new();
    let mut state = 0x9e37_79b9_7f4a_7c15;
    while samples.iter().any(|class| class.len() < SAMPLES) {
        let class = usize::from(next_random(&mut state) & 1 == 0);
        text.clear();
        text.push_str(texts.get(class).map_or("", String::as_str));
        let start = Instant::now();
        black_box(check(black_box(&text)));
        let elapsed = start.elapsed().as_nanos() as f64;
        if let Some(class) = samples.get_mut(class).filter(|class| class.len() < SAMPLES) {
            class.push(elapsed);
        }
    }
    // The same cut-off for both classes.
    let mut all: Vec<f64> = samples.iter().flatten().copied().collect();
    all.sort_by(f64::total_cmp);
    let bound = all.get((all.len() as f64 * QUANTILE) as usize).copied().unwrap_or(f64::MAX);
    let [(mean, error), (other_mean, other_error)] = samples.map(|class| moments(&class, bound));
    (mean - other_mean) / (error + other_error).sqrt()
}

/// The mean and the square of its standard error, without samples above the bound.
fn moments(samples: &[f64], bound: f64) -> (f64, f64) {
    let included: Vec<f64> = samples.iter().copied().filter(|sample| *sample <= bound).collect();
    let count = included.len() as f64;
    let mean = included.iter().sum::<f64>() / count;
    let variance = included.iter().map(|sample| (sample - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, variance / count)
}
