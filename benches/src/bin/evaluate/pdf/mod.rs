//! PDF to Markdown, compared with the words of another reader and with known truths.
//!
//! For each `NAME.pdf` of a folder:
//!
//! - With `NAME.poppler.txt.gz`, the text that poppler finds: whether there is some text, and whether it has
//!   at least four fifths of poppler's words, counted with repeats. A word is a run of letters and digits
//!   after NFKC, in lower case. Markdown loses the marks that stand within words.
//! - With `NAME.json`, the truth that `tests/pdf-corpus` writes: the figures of [`measure::NAMES`]. Each is
//!   the mean over the files that have something of the kind.
//!
//! A file that fails counts as empty Markdown.

mod cells;
mod measure;
mod outline;
mod plain;
mod report;
mod truth;
mod words;

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use gleaner_pdf::{Converted, Options, convert};
use measure::Figures;
use serde_json::Value;
use truth::Truth;

use crate::{Failure, Outcome};

/// Stack of the thread that converts a file.
const STACK_BYTES: usize = 64 << 20;

/// The result of a file.
struct Score {
    name: String,
    /// Why there is no Markdown: the name of the error's kind, or `Panicked`.
    error: Option<String>,
    time: Duration,
    poppler: Option<Comparison>,
    made: Option<Made>,
}

/// A file beside the text of poppler.
struct Comparison {
    /// Any character but white space and the replacement character.
    has_text: bool,
    /// The share of poppler's words that are found; 1 if it finds none.
    recall: f64,
}

/// A file beside its truth.
struct Made {
    tool: String,
    layout: String,
    figures: Figures,
    /// For a file without text: whether every page is reported as such.
    reports_missing_text: Option<bool>,
}

pub(super) fn evaluate(folder: &Path) -> Result<Outcome, Failure> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .map_err(|error| format!("{}: {error}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.strip_suffix(".pdf")?.to_owned()))
        .collect();
    names.sort();
    if names.is_empty() {
        return Err(format!("{}: no PDF files", folder.display()).into());
    }
    let scores: Result<Vec<Score>, Failure> = names.into_iter().map(|name| score(folder, name)).collect();
    Ok(report::report(&scores?))
}

fn score(folder: &Path, name: String) -> Result<Score, Failure> {
    let bytes = fs::read(folder.join(format!("{name}.pdf")))?;
    let (converted, time) = converted(bytes)?;
    let (converted, error) = match converted {
        Ok(converted) => (converted, None),
        Err(error) => (Converted::default(), Some(error)),
    };
    let poppler = folder.join(format!("{name}.poppler.txt.gz"));
    let made = folder.join(format!("{name}.json"));
    let poppler = if poppler.exists() { Some(compared(&converted.markdown, &poppler)?) } else { None };
    let made = if made.exists() { Some(measured(&converted, &made)?) } else { None };
    Ok(Score { name, error, time, poppler, made })
}

/// Converts a file on a thread of its own.
fn converted(bytes: Vec<u8>) -> Result<(Result<Converted, String>, Duration), Failure> {
    let began = Instant::now();
    let thread = thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || convert(&bytes, &Options::default()).map_err(|error| format!("{:?}", error.kind())))?;
    let converted = thread.join().unwrap_or_else(|_| Err("Panicked".to_owned()));
    let time = began.elapsed();
    // The name of the kind, without its fields.
    let name = |kind: String| kind.split([' ', '(', '{']).next().unwrap_or_default().to_owned();
    Ok((converted.map_err(name), time))
}

fn compared(markdown: &str, path: &Path) -> Result<Comparison, Failure> {
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(path)?).read_to_end(&mut bytes)?;
    let wanted = words::count(words::runs(&String::from_utf8_lossy(&bytes)));
    let text = plain::plain(markdown);
    let found = words::count(words::runs(&text));
    Ok(Comparison {
        has_text: text.chars().any(|c| !c.is_whitespace() && c != char::REPLACEMENT_CHARACTER),
        recall: measure::share(words::common(&wanted, &found), wanted.values().sum()).unwrap_or(1.0),
    })
}

fn measured(converted: &Converted, path: &Path) -> Result<Made, Failure> {
    let truth: Value = serde_json::from_slice(&fs::read(path)?)?;
    let truth = Truth::new(&truth);
    let reports_missing_text = truth.without_text.then(|| {
        converted.pages > 0 && (1..=converted.pages).eq(converted.pages_without_text.iter().copied())
    });
    Ok(Made {
        figures: measure::measure(&truth, &converted.markdown),
        tool: truth.tool,
        layout: truth.layout,
        reports_missing_text,
    })
}
