//! Prints how the cost of a page grows with its size, for pages that are made to hurt.
//!
//! Instructions are counted by valgrind, so that the exponents are the same whatever else the machine does. The
//! exponent is the slope of log(instructions) over log(bytes): 1 is linear, 2 quadratic.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that talks to its user")]

use std::process::{Command, ExitCode};
use std::time::Instant;

use gleaner_benches::child::instructions;
use gleaner_transform::{Input, html_to_markdown, transform};
use gleaner_types::request::{Format, ScrapeOptions};

const USAGE: &str = "Usage: growth [KIND]...

Transforms pages of every KIND (all where none is given) in three sizes under `valgrind --tool=cachegrind`: Markdown,
HTML, links, images, summary and branding, of the main content and of all, and Markdown alone.";

/// The program is called with this, a kind and a size to transform one page.
const ONE: &str = "--one";

/// Sizes of the pages, in bytes.
const SIZES: [usize; 3] = [1 << 16, 1 << 18, 1 << 20];

/// The greatest exponent that counts as linear: a page's tables and sets grow in steps.
const MOST: f64 = 1.1;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Text that is kept, with a reference to a note.
const REFERENCE: &str = "<article><p>Some text of the page that one may read at length, in plain sentences, \
    with a note.<sup><a href='#n'>1</a></sup></article>";

/// A page of about so many bytes: `unit` over and over between a start and an end.
fn page(kind: &str, bytes: usize) -> Option<String> {
    let (start, unit, end) = match kind {
        "nesting" => ("", "<div>", "needle"),
        "inline nesting" => ("", "<b>", "needle"),
        "adoption agency" => ("", "<a><b><p></a></b>", "needle"),
        "formatting soup" => ("", "<b><i><u></b><p></i>x", "needle"),
        "attributes" => ("<p ", "a1=1 b='2' c=\"3\" ", ">needle"),
        "different attributes" => ("<p ", "", ">needle"),
        "entities" => ("needle", "&amp;&#38;&notin;&bogus;&", ""),
        "wide spans" => ("<table>", "<tr><td colspan=1000000000>needle<td rowspan=1000000000>x", "</table>"),
        "names over rows" => (
            "<table><tr><td rowspan=0>a long name of many words<td rowspan=0>another one<td rowspan=0>a third",
            "<tr><td>needle",
            "</table>",
        ),
        "tables of spans" => {
            ("", "<table><tr><th colspan=8>name<tr><th rowspan=0>x<td>y<tr><td>needle</table>", "")
        }
        "cells" => ("<table><tr>", "<td>needle", "</table>"),
        "tables in tables" => ("needle", "<table><tr><td>x", ""),
        "lists" => ("needle", "<ul><li>x", ""),
        "links" => ("needle", "<a href=x>y</a> ", ""),
        "notes in a list" => {
            ("needle<ol>", "<li id=n>x<sup><a href='#n'>1</a></sup><a href='#n'>[1]</a>", "</ol>")
        }
        "spaces in marks" => ("needle<p>", "<b>&nbsp;x<i>&nbsp;y&nbsp;</i>&nbsp;</b>~<s>~</s>", "</p>"),
        "brackets and dollars" => ("needle", "<a href=x>[$<code>]</code></a>", "\\(x_1\\)"),
        "roles" => {
            ("needle", "<x-r role=row><span role=cell>x</span><a href=x><span>y z</span><span>A b", "")
        }
        "empty items" => ("needle", "<ul><li><li><ul><li></ul></ul>", ""),
        "notes" => ("needle", "<sup><a href='#n'>1</a></sup><p id=n>x", ""),
        "formulas" => ("needle", "<math><mfrac><mi>a</mi><mi>b</mi></mfrac>", ""),
        "code" => ("<pre>needle", "<span class=line>x</span>", "</pre>"),
        "gutters" => ("<pre>needle", "<span class=ln>1x", "</pre>"),
        "noscripts" => ("needle", "<noscript><b><b><b><b><b><b><b><b>x ", ""),
        "links in links" => ("needle", "<a href=x><object>y", ""),
        "style" => ("<style>", "a{color:red;--x:var(--x)}", "</style>needle"),
        "blocks under a long class" => ("<div id=n class='", "<p>x", "</div>needle"),
        "code under a long class" => ("<div class='", "<pre>x</pre>", "</div>needle"),
        "texts in a long link" => ("<sup><a href='#", "<i>x</i> ", "</a></sup>needle"),
        "references in a long id" => {
            ("<p id='", "<sup><a href='#n'>1</a></sup> ", "<ol><li id=n>needle</ol>")
        }
        "repeated long class" => ("<b class='", "<p>x", "needle"),
        _ => return None,
    };
    if kind == "different attributes" {
        let many: String = (0..bytes / 10).map(|n| format!("a{n:06}=1 ")).collect();
        return Some(format!("{start}{many}{end}"));
    }
    if start.ends_with(['\'', '#']) {
        // Half of the page is the value of an attribute that many elements share.
        let (word, half) = (if start.contains("class") { "a " } else { "aa" }, bytes / 2);
        let (value, units) = (word.repeat(half / 2), unit.repeat(half / unit.len()));
        return Some(format!("{REFERENCE}{start}{value}'>{units}{end}"));
    }
    Some(format!("{start}{}{end}", unit.repeat(bytes / unit.len())))
}

const KINDS: &[&str] = &[
    "nesting",
    "inline nesting",
    "adoption agency",
    "formatting soup",
    "attributes",
    "different attributes",
    "entities",
    "wide spans",
    "names over rows",
    "tables of spans",
    "cells",
    "tables in tables",
    "lists",
    "links",
    "notes",
    "notes in a list",
    "spaces in marks",
    "brackets and dollars",
    "roles",
    "empty items",
    "formulas",
    "code",
    "gutters",
    "noscripts",
    "links in links",
    "style",
    "blocks under a long class",
    "code under a long class",
    "texts in a long link",
    "references in a long id",
    "repeated long class",
];

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
        if chosen.is_empty() { KINDS.to_vec() } else { chosen.iter().map(String::as_str).collect() };
    println!("{:<26} {:>9} {:>22} {:>8}", "page of 1 MiB", "exponent", "instructions a byte", "ms");
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
        println!("{kind:<26} {exponent:>9.2} {most:>22.0} {milliseconds:>8.0}{mark}");
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
fn cost(kind: &str, bytes: usize) -> Result<(), Failure> {
    let html = page(kind, bytes)
        .ok_or_else(|| format!("there is no kind {kind:?}; there are {}", KINDS.join(", ")))?;
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
        let options = ScrapeOptions {
            formats: Some(formats.clone()),
            only_main_content: Some(only_main_content),
            ..ScrapeOptions::default()
        };
        let options = options.check().map_err(|faults| faults.to_string())?;
        let input =
            Input { url: &url, content_type: Some("text/html; charset=utf-8"), body: html.as_bytes() };
        std::hint::black_box(transform(input, &options)?);
    }
    std::hint::black_box(html_to_markdown(&html, None));
    Ok(())
}
