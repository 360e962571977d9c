//! HTML on standard input, Markdown of its main content on standard output.
//!
//! `convert [--url URL] [--whole] [--meta]`

use std::io::{Read, Write};
use std::time::Duration;

use gleaner_transform::{Input, transform};
use gleaner_types::plan::{Formats, Location, ProxyMode, ScrapeOptionsPlan};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let after = |name: &str| {
        arguments.iter().position(|argument| argument == name).and_then(|at| arguments.get(at + 1)).cloned()
    };
    let url = after("--url").unwrap_or_else(|| "https://example.org/".to_owned()).parse()?;
    let mut body = Vec::new();
    std::io::stdin().read_to_end(&mut body)?;
    let options = ScrapeOptionsPlan {
        formats: Formats { markdown: true, ..Formats::default() },
        only_main_content: !arguments.iter().any(|argument| argument == "--whole"),
        include_tags: Vec::new(),
        exclude_tags: Vec::new(),
        max_age: Duration::ZERO,
        min_age: None,
        lockdown: false,
        headers: std::collections::BTreeMap::new(),
        wait_for: Duration::ZERO,
        mobile: false,
        skip_tls_verification: false,
        timeout: Duration::from_secs(30),
        pdf: None,
        actions: Vec::new(),
        location: Location { country: "US".to_owned(), languages: Vec::new() },
        remove_base64_images: true,
        block_ads: true,
        proxy: ProxyMode::Basic,
        store_in_cache: false,
    };
    let page = transform(Input { url: &url, content_type: Some("text/html"), body: &body }, &options)?;
    let mut out = std::io::stdout().lock();
    if arguments.iter().any(|argument| argument == "--meta") {
        writeln!(out, "{}", serde_json::to_string(&page.document.metadata)?)?;
    } else {
        writeln!(out, "{}", page.document.markdown.unwrap_or_default())?;
    }
    Ok(())
}
