//! What the transformer makes of pages whose truth is known, as a table and as one line of JSON.
//!
//! `content` reads a folder of pages with the text that a person would keep (the form of the Web Content Extraction
//! Benchmark: `html/ID.html.gz` beside `ground-truth/ID.json.gz`), `markdown` examples of HTML as JSON Lines
//! (`{"id", "html", "representable"}`). Both measure Markdown as users get it: rendered to HTML again.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that talks to its user")]

mod content;
mod dom;
mod markdown;
mod render;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "Usage: evaluate content FOLDER
       evaluate markdown FOLDER-OR-FILE

  content   word F1, precision, recall, leak and metadata by kind of page, and speed
  markdown  HTML to Markdown to HTML: the share of examples that come back the same";

type Failure = Box<dyn std::error::Error>;

/// A table for people, and the same for programs.
struct Outcome {
    table: String,
    json: serde_json::Value,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(outcome) => {
            println!("{}\n{}", outcome.table, outcome.json);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}\n\n{USAGE}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<Outcome, Failure> {
    let [what, path] = arguments else { return Err("what to evaluate and a folder are needed".into()) };
    let path = Path::new(path);
    match what.as_str() {
        "content" => content::evaluate(path),
        "markdown" => markdown::evaluate(path),
        _ => Err(format!("`{what}` cannot be evaluated").into()),
    }
}
