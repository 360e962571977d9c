//! Extracts product fields from a folder of saved pages and prints them as JSON, for a scorer.
//!
//! `product DIR`: `DIR/schema.json` is the schema, `DIR/ground-truth.json` maps a page id to an object with its `url`, and
//! `DIR/html/ID.html.gz` is the page.

use std::error::Error;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use flate2::read::GzDecoder;
use gleaner_extract::{Page, Shape, extract};
use serde_json::{Map, Value};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: product DIR")?;
    let folder = Path::new(&folder);
    let explain = std::env::args().nth(2);
    let schema: Value = serde_json::from_slice(&fs::read(folder.join("schema.json"))?)?;
    let shape = Shape::from_schema(&schema)?;
    let pages: Map<String, Value> = serde_json::from_slice(&fs::read(folder.join("ground-truth.json"))?)?;
    let mut out = Map::new();
    for (id, about) in pages {
        if explain.as_ref().is_some_and(|wanted| !id.starts_with(wanted.as_str())) {
            continue;
        }
        let url = about.get("url").and_then(Value::as_str).ok_or("a page has no url")?;
        let mut html = Vec::new();
        GzDecoder::new(fs::File::open(folder.join("html").join(format!("{id}.html.gz")))?)
            .read_to_end(&mut html)?;
        let page = Page::new(url.parse()?, String::from_utf8_lossy(&html));
        let found = extract(&page, &shape);
        if explain.is_some() {
            writeln!(std::io::stderr(), "{}", serde_json::to_string_pretty(&found)?)?;
        }
        out.insert(id, found.data);
    }
    writeln!(std::io::stdout(), "{}", Value::Object(out))?;
    Ok(())
}
