//! Quality of the transformer and the extractor on pages with ground truth, as a table and as one line of
//! JSON.
//!
//! `content` reads a folder of pages and their main text (the layout of the Web Content Extraction
//! Benchmark: `html/ID.html.gz` and `ground-truth/ID.json.gz`). `markdown` reads examples of HTML as JSON
//! Lines (`{"id", "html", "representable"}`). Both render the Markdown to HTML again and measure that.
//! `product` reads a folder of saved product pages with ground truth. `fields` reads any pages, with their
//! own structured data as the truth. `grounding` gives true and false claims of a model about the pages of
//! `product` to the extractor. `cost` compares the time of extraction with that of the Markdown. `pdf` reads a folder of PDF files with the text that poppler finds in them, or
//! with known truths. `structure` reads one of three layouts of pages with truth. It counts the headings, list
//! items, cells and so on that the Markdown has in common with it, also for other tools.
//! `site` crawls a generated newspaper with and without the memory of a site. `links` compares the links of each
//! page over the formats that are asked for. `standards` runs the cases of the URL Standard and of the sniffing
//! of encodings.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

mod content;
mod cost;
mod dom;
mod fields;
mod grounding;
mod links;
mod markdown;
mod pdf;
mod product;
mod render;
mod site;
mod standards;
mod structure;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "Usage: evaluate content FOLDER
       evaluate markdown FOLDER-OR-FILE
       evaluate product FOLDER [--fold N] [--models FOLDER] [--options NAME]
       evaluate fields FOLDER [--fold N] [--names] [--models FOLDER] [--options NAME] [--rows FILE]
                              [--outputs NAME=FILE]...
       evaluate grounding FOLDER
       evaluate cost FOLDER
       evaluate links FOLDER
       evaluate standards FOLDER
       evaluate pdf FOLDER
       evaluate structure FOLDER [--outputs NAME=DIR]...
       evaluate site

  content   word F1, precision, recall, leak and metadata by kind of page, and speed
  markdown  HTML to Markdown to HTML: the share of examples that are the same again
  product   product fields read without a model: found, right, wrong, absent and F1 of each
  fields    fields read without a model by kind of thing, compared with the page's own structured data;
            of the sites of one fold (0 to 4), with other names in the schemas, with a model for each fold,
            with a line of JSON for each field, and with the outputs of other tools beside it; `--options`
            writes what models are trained on instead
  grounding false and true claims of a model about the pages of `product`: the number that pass
  cost      processor time of values read without a model beside the Markdown of the same pages
  links     pages of `content` whose links depend on the formats that are asked for
  standards the cases FOLDER/url/urltestdata.json and FOLDER/html5lib-tests/encoding/*.dat that pass
  pdf       text, order, headings, tables, lists, notes and running heads of PDF files
  structure headings, list items, cells, code, images, formulas, links, notes and quotes that are kept,
            and word F1; the files DIR/ID.md of other tools are scored beside it
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
    if matches!(arguments, [kind] if kind == "site") {
        return site::evaluate();
    }
    let [kind, path, options @ ..] = arguments else {
        return Err("the kind and the folder are missing".into());
    };
    let path = Path::new(path);
    match (kind.as_str(), options) {
        ("fields", options) => fields::evaluate(path, options),
        ("structure", options) => structure::evaluate(path, options),
        ("content", []) => content::evaluate(path),
        ("markdown", []) => markdown::evaluate(path),
        ("product", options) => product::evaluate(path, options),
        ("grounding", []) => grounding::evaluate(path),
        ("cost", []) => cost::evaluate(path),
        ("links", []) => links::evaluate(path),
        ("standards", []) => standards::evaluate(path),
        ("pdf", []) => pdf::evaluate(path),
        ("content" | "markdown" | "grounding" | "cost" | "links" | "standards" | "pdf", [option, ..]) => {
            Err(format!("`{kind}` has no option `{option}`").into())
        }
        _ => Err(format!("unknown kind `{kind}`").into()),
    }
}
