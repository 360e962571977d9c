//! Reads HTML from standard input and writes the Markdown of its main content to standard output.
//!
//! `convert [--url URL] [--whole] [--meta]`

use std::io::{Read, Write};

use gleaner_transform::{Input, transform};
use gleaner_types::request::ScrapeOptions;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let value_of = |name: &str| {
        arguments.iter().position(|argument| argument == name).and_then(|at| arguments.get(at + 1)).cloned()
    };
    let url = value_of("--url").unwrap_or_else(|| "https://example.org/".to_owned()).parse()?;
    let mut body = Vec::new();
    std::io::stdin().read_to_end(&mut body)?;
    let options =
        ScrapeOptions::new().only_main_content(!arguments.iter().any(|argument| argument == "--whole"));
    let options = options.check().map_err(|faults| faults.to_string())?;
    let page = transform(Input::new(&url, Some("text/html"), &body), &options)?;
    let mut out = std::io::stdout().lock();
    if arguments.iter().any(|argument| argument == "--meta") {
        writeln!(out, "{}", serde_json::to_string(&page.document.metadata)?)?;
    } else {
        writeln!(out, "{}", page.document.markdown.unwrap_or_default())?;
    }
    Ok(())
}
