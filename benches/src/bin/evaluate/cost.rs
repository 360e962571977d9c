//! The cost of reading values without a model, beside that of the Markdown of the same pages.
//!
//! Each round converts all pages and then reads each schema from all of them, on one thread. The figures are
//! medians over the rounds, so that other load of the machine meets both alike.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use gleaner::ScrapeOptions;
use gleaner::request::Format;
use gleaner_extract::{Page, Shape, extract};
use gleaner_transform::{Input, transform};
use serde_json::{Map, Value, json};

use crate::fields::Folder;
use crate::{Failure, Outcome};

/// Rounds over all pages.
const ROUNDS: usize = 5;
/// Upper bound on the pages, evenly chosen.
const MAX_PAGES: usize = 200;
/// The schemas as the names of their properties; a number stands behind a colon.
const SCHEMAS: [(&str, &[&str]); 3] = [
    ("price alone", &["price:"]),
    ("product", &["name", "price:", "currency", "brand", "sku", "availability", "description", "rating:"]),
    ("article", &["title", "author", "datePublished", "publisher", "section", "text", "image"]),
];

pub(super) fn evaluate(folder: &Path) -> Result<Outcome, Failure> {
    let folder = Folder::open(folder)?;
    let step = folder.len().div_ceil(MAX_PAGES).max(1);
    let pages: Vec<_> = folder.pages().step_by(step).collect::<Result<_, _>>()?;
    let options = ScrapeOptions::new().formats(vec![Format::Markdown]).check()?;
    let shapes: Vec<Shape> =
        SCHEMAS.iter().map(|(_, names)| Shape::from_schema(&schema(names))).collect::<Result<_, _>>()?;
    let inputs: Vec<Page> =
        pages.iter().map(|page| Page::new(page.url.clone(), page.html.as_str())).collect();
    let mut markdown = Vec::new();
    let mut values: Vec<Vec<Duration>> = shapes.iter().map(|_| Vec::new()).collect();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for page in &pages {
            let content_type = Some("text/html; charset=utf-8");
            let input = Input::new(&page.url, content_type, page.html.as_bytes());
            black_box(transform(input, &options)?);
        }
        markdown.push(start.elapsed());
        for (shape, times) in shapes.iter().zip(&mut values) {
            let start = Instant::now();
            for input in &inputs {
                black_box(extract(input, shape));
            }
            times.push(start.elapsed());
        }
    }
    let count = u32::try_from(pages.len().max(1))?;
    let floor = median(&mut markdown) / count;
    let mut table = format!("{count} pages; per page\n{:<14} {floor:>12.3?}", "Markdown");
    let mut figures = Map::new();
    figures.insert("pages".to_owned(), count.into());
    for ((name, _), times) in SCHEMAS.iter().zip(&mut values) {
        let cost = median(times) / count;
        let ratio = cost.as_secs_f64() / floor.as_secs_f64().max(f64::MIN_POSITIVE);
        table.push_str(&format!("\n{name:<14} {cost:>12.3?} {ratio:>7.2} x"));
        figures.insert((*name).to_owned(), json!(ratio));
    }
    Ok(Outcome { table, json: json!({ "cost": figures }) })
}

fn schema(names: &[&str]) -> Value {
    let properties: Map<String, Value> = names
        .iter()
        .map(|name| match name.strip_suffix(':') {
            Some(name) => (name.to_owned(), json!({ "type": ["number", "null"] })),
            None => ((*name).to_owned(), json!({ "type": ["string", "null"] })),
        })
        .collect();
    json!({ "type": "object", "properties": properties })
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
