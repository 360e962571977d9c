//! Prints how the cost of a page grows with its size, for pages that are made to hurt.
//!
//! Instructions are counted by valgrind, so that the exponents are the same whatever else the machine does. The
//! exponent is the slope of log(instructions) over log(bytes): 1 is linear, 2 quadratic.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that talks to its user")]

use std::process::{Command, ExitCode};
use std::time::Instant;

use gleaner_benches::child::instructions;
use gleaner_testkit::{PAGE_SHAPES, PageShape};
use gleaner_transform::{Input, html_to_markdown, transform};
use gleaner_types::request::{Format, ScrapeOptions};

const USAGE: &str = "Usage: growth [KIND]...

Transforms pages of every KIND (all where none is given) in three sizes under `valgrind --tool=cachegrind`: Markdown,
HTML, links, images, summary and branding, of the main content and of all, and Markdown alone; from some of them the
elements are excluded that many selectors match.";

/// The program is called with this, a kind and a size to transform one page.
const ONE: &str = "--one";

/// Sizes of the pages, in bytes.
const SIZES: [usize; 3] = [1 << 16, 1 << 18, 1 << 20];

/// The greatest exponent that counts as linear: a page's tables and sets grow in steps.
const MOST: f64 = 1.1;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Pages whose elements are held against many selectors of `excludeTags`: a name, the page's shape, what the selectors begin
/// with, and how many there are of each. All other kinds are those of [`PAGE_SHAPES`].
const WITH_SELECTORS: [(&str, &str, &[&str], usize); 3] = [
    ("many classes", "paragraphs", &[".a"], 10_000),
    ("many classes, ids and names", "different formatting", &[".a", "#b", "x"], 3_000),
    ("many pairs", "paragraphs", &["b > p.c"], 30),
];

/// The shape of a kind of page, and the selectors that are excluded from it.
fn kind(name: &str) -> Option<(&'static PageShape, Vec<String>)> {
    match WITH_SELECTORS.iter().find(|(known, ..)| *known == name) {
        Some((_, shape, begins, count)) => Some((PageShape::named(shape)?, lists(begins, *count))),
        None => Some((PageShape::named(name)?, Vec::new())),
    }
}

/// The names of all kinds.
fn kinds() -> Vec<&'static str> {
    let shapes = PAGE_SHAPES.iter().map(|shape| shape.name);
    shapes.chain(WITH_SELECTORS.iter().map(|(name, ..)| *name)).collect()
}

/// Lists of selectors that begin so, each with a number of its own.
fn lists(begins: &[&str], count: usize) -> Vec<String> {
    let mut all = Vec::new();
    for number in 0..count {
        all.extend(begins.iter().map(|begin| format!("{begin}{number}")));
    }
    all.chunks(50).map(|list| list.join(",")).collect()
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.as_slice() {
        [one, kind, bytes] if one == ONE => single(kind, bytes).map(|()| true),
        chosen => run(chosen),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}\n\n{USAGE}");
            ExitCode::FAILURE
        }
    }
}

/// Measures the kinds; does every one grow linearly?
fn run(chosen: &[String]) -> Result<bool, Failure> {
    let kinds: Vec<&str> =
        if chosen.is_empty() { kinds() } else { chosen.iter().map(String::as_str).collect() };
    println!("{:<32} {:>9} {:>22} {:>8}", "page of 1 MiB", "exponent", "instructions a byte", "ms");
    let start = count("nesting", 0)?;
    let mut linear = true;
    for kind in kinds {
        let mut points = Vec::new();
        for bytes in SIZES {
            points.push((bytes as f64, (count(kind, bytes)? - start).max(1.0)));
        }
        let exponent = slope(&points);
        let most = points.last().map_or(0.0, |(bytes, count)| count / bytes);
        let began = Instant::now();
        let last = SIZES.last().copied().unwrap_or_default();
        cost(kind, last)?;
        let milliseconds = began.elapsed().as_secs_f64() * 1_000.0;
        let mark = if exponent > MOST { "  more than linear" } else { "" };
        println!("{kind:<32} {exponent:>9.2} {most:>22.0} {milliseconds:>8.0}{mark}");
        linear &= exponent <= MOST;
    }
    Ok(linear)
}

/// Instructions of this same program for one page.
fn count(kind: &str, bytes: usize) -> Result<f64, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args([ONE, kind, &bytes.to_string()]);
    let (count, _) = instructions(&command)?;
    Ok(count)
}

/// The slope of the line through the logarithms of the points that is nearest to all of them.
fn slope(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let (mean_x, mean_y) =
        logs.iter().fold((0.0, 0.0), |(x, y), (log_x, log_y)| (x + log_x / n, y + log_y / n));
    let across = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>();
    across / logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum::<f64>()
}

fn single(kind: &str, bytes: &str) -> Result<(), Failure> {
    cost(kind, bytes.parse()?)
}

/// Does everything with a page that can be done with it.
fn cost(name: &str, bytes: usize) -> Result<(), Failure> {
    let (shape, excluded) =
        kind(name).ok_or_else(|| format!("there is no kind {name:?}; there are {}", kinds().join(", ")))?;
    let page = shape.page(bytes);
    let url = "https://example.org/a/".parse()?;
    let formats = vec![
        Format::Markdown,
        Format::Html,
        Format::Links,
        Format::Images,
        Format::Summary,
        Format::Branding,
    ];
    for only_main_content in [true, false] {
        let options = ScrapeOptions::new()
            .formats(formats.clone())
            .only_main_content(only_main_content)
            .exclude_tags(excluded.clone());
        let options = options.check().map_err(|faults| faults.to_string())?;
        let input = Input { url: &url, content_type: Some(shape.media), body: page.as_bytes() };
        std::hint::black_box(transform(input, &options)?);
    }
    std::hint::black_box(html_to_markdown(&page, None));
    Ok(())
}
