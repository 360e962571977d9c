//! What the transformer and the extractor make of pages whose truth is known, as a table and as one line of JSON.
//!
//! `content` reads a folder of pages with the text that a person would keep (the form of the Web Content Extraction
//! Benchmark: `html/ID.html.gz` beside `ground-truth/ID.json.gz`), `markdown` examples of HTML as JSON Lines
//! (`{"id", "html", "representable"}`). Both measure Markdown as users get it: rendered to HTML again. `product` reads a folder of
//! saved product pages with their truth, `grounding` holds a lying and a truthful model against the same pages.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that talks to its user")]

mod content;
mod dom;
mod grounding;
mod markdown;
mod product;
mod render;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "Usage: evaluate content FOLDER
       evaluate markdown FOLDER-OR-FILE
       evaluate product FOLDER
       evaluate grounding FOLDER

  content   word F1, precision, recall, leak and metadata by kind of page, and speed
  markdown  HTML to Markdown to HTML: the share of examples that come back the same
  product   product fields read without a model: found, right, wrong, absent and F1 of each
  grounding values that a lying model plants on the pages of `product`, and true ones: how many pass";

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
        "product" => product::evaluate(path),
        "grounding" => grounding::evaluate(path),
        _ => Err(format!("`{what}` cannot be evaluated").into()),
    }
}
