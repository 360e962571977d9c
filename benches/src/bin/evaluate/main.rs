//! Quality of the transformer and the extractor on pages with ground truth, as a table and as one line of
//! JSON.
//!
//! `content` reads a folder of pages and their main text (the layout of the Web Content Extraction Benchmark:
//! `html/ID.html.gz` and `ground-truth/ID.json.gz`). `markdown` reads examples of HTML as JSON Lines (`{"id",
//! "html", "representable"}`). Both render the Markdown to HTML again and measure that. `product` reads a
//! folder of saved product pages with ground truth. `grounding` gives true and false claims of a model about
//! the same pages to the extractor. `site` crawls a generated newspaper with and without the memory of a
//! site.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

mod content;
mod dom;
mod grounding;
mod markdown;
mod product;
mod render;
mod site;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "Usage: evaluate content FOLDER
       evaluate markdown FOLDER-OR-FILE
       evaluate product FOLDER
       evaluate grounding FOLDER
       evaluate site

  content   word F1, precision, recall, leak and metadata by kind of page, and speed
  markdown  HTML to Markdown to HTML: the share of examples that are the same again
  product   product fields read without a model: found, right, wrong, absent and F1 of each
  grounding false and true claims of a model about the pages of `product`: the number that pass
  site      leak and recall of a crawl with and without the memory of a site, and its cost";

type Failure = Box<dyn std::error::Error>;

/// The figures as a table and as JSON.
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
    let (kind, path) = match arguments {
        [kind] if kind == "site" => return site::evaluate(),
        [kind, path] => (kind, path),
        _ => return Err("the kind and the folder are missing".into()),
    };
    let path = Path::new(path);
    match kind.as_str() {
        "content" => content::evaluate(path),
        "markdown" => markdown::evaluate(path),
        "product" => product::evaluate(path),
        "grounding" => grounding::evaluate(path),
        _ => Err(format!("unknown kind `{kind}`").into()),
    }
}
