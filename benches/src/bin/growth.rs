//! Prints how the cost of a page grows with its size, for hostile pages.
//!
//! Valgrind counts instructions, so the exponents do not depend on other load of the machine. The exponent is
//! the slope of log(instructions) over log(bytes): 1 is linear, 2 quadratic.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use std::process::{Command, ExitCode};
use std::time::Instant;

use gleaner_benches::child::instructions;
use gleaner_testkit::{PAGE_SHAPES, PageShape};
use gleaner_transform::{Input, html_to_markdown, transform};
use gleaner_types::request::{Format, ScrapeOptions};

const USAGE: &str = "Usage: growth [KIND]...

Transforms pages of each KIND (default: all) in three sizes under `valgrind --tool=cachegrind`: to Markdown,
HTML, links, images, summary and branding, of the main content and of the whole page, and to Markdown alone.
Some kinds also exclude elements with many selectors.";

/// With this argument, a kind and a size, the program transforms one page.
const SINGLE_PAGE: &str = "--one";

/// Sizes of the pages, in bytes.
const SIZES: [usize; 3] = [1 << 16, 1 << 18, 1 << 20];

/// An exponent up to this counts as linear, because hash tables grow in steps.
const MAX_LINEAR_EXPONENT: f64 = 1.1;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Kinds with many selectors in `excludeTags`: a name, the shape of the page, the prefixes of the selectors,
/// and the number of selectors per prefix. The other kinds are those of [`PAGE_SHAPES`].
const WITH_SELECTORS: [(&str, &str, &[&str], usize); 3] = [
    ("many classes", "paragraphs", &[".a"], 10_000),
    ("many classes, ids and names", "different formatting", &[".a", "#b", "x"], 3_000),
    ("many pairs", "paragraphs", &["b > p.c"], 30),
];

/// The shape of a kind of page, and the selectors that are excluded from it.
fn kind(name: &str) -> Option<(&'static PageShape, Vec<String>)> {
    match WITH_SELECTORS.iter().find(|(kind, ..)| *kind == name) {
        Some((_, shape, prefixes, count)) => {
            Some((PageShape::named(shape)?, selector_lists(prefixes, *count)))
        }
        None => Some((PageShape::named(name)?, Vec::new())),
    }
}

/// The names of all kinds.
fn kinds() -> Vec<&'static str> {
    let shapes = PAGE_SHAPES.iter().map(|shape| shape.name);
    shapes.chain(WITH_SELECTORS.iter().map(|(name, ..)| *name)).collect()
}

/// Lists of selectors: each prefix with each number.
fn selector_lists(prefixes: &[&str], count: usize) -> Vec<String> {
    let mut all = Vec::new();
    for number in 0..count {
        all.extend(prefixes.iter().map(|prefix| format!("{prefix}{number}")));
    }
    all.chunks(50).map(|list| list.join(",")).collect()
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.as_slice() {
        [option, kind, bytes] if option == SINGLE_PAGE => single(kind, bytes).map(|()| true),
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

/// Measures the kinds. Returns true if the cost of each grows at most linearly.
fn run(chosen: &[String]) -> Result<bool, Failure> {
    let kinds: Vec<&str> =
        if chosen.is_empty() { kinds() } else { chosen.iter().map(String::as_str).collect() };
    println!("{:<32} {:>9} {:>22} {:>8}", "page of 1 MiB", "exponent", "instructions per byte", "ms");
    let start_cost = count("nesting", 0)?;
    let mut linear = true;
    for kind in kinds {
        let mut points = Vec::new();
        for bytes in SIZES {
            points.push((bytes as f64, (count(kind, bytes)? - start_cost).max(1.0)));
        }
        let exponent = slope(&points);
        let per_byte = points.last().map_or(0.0, |(bytes, count)| count / bytes);
        let began = Instant::now();
        let largest = SIZES.last().copied().unwrap_or_default();
        transform_all(kind, largest)?;
        let milliseconds = began.elapsed().as_secs_f64() * 1_000.0;
        let mark = if exponent > MAX_LINEAR_EXPONENT { "  more than linear" } else { "" };
        println!("{kind:<32} {exponent:>9.2} {per_byte:>22.0} {milliseconds:>8.0}{mark}");
        linear &= exponent <= MAX_LINEAR_EXPONENT;
    }
    Ok(linear)
}

/// Instructions of this program for one page.
fn count(kind: &str, bytes: usize) -> Result<f64, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args([SINGLE_PAGE, kind, &bytes.to_string()]);
    let (count, _) = instructions(&command)?;
    Ok(count)
}

/// The slope of the least-squares line through the logarithms of the points.
fn slope(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let (mean_x, mean_y) =
        logs.iter().fold((0.0, 0.0), |(x, y), (log_x, log_y)| (x + log_x / n, y + log_y / n));
    let covariance = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>();
    covariance / logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum::<f64>()
}

fn single(kind: &str, bytes: &str) -> Result<(), Failure> {
    transform_all(kind, bytes.parse()?)
}

/// Transforms a page to all formats.
fn transform_all(name: &str, bytes: usize) -> Result<(), Failure> {
    let (shape, excluded) =
        kind(name).ok_or_else(|| format!("unknown kind {name:?}; the kinds are {}", kinds().join(", ")))?;
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
        let input = Input::new(&url, Some(shape.media), page.as_bytes());
        std::hint::black_box(transform(input, &options)?);
    }
    std::hint::black_box(html_to_markdown(&page, None));
    Ok(())
}
