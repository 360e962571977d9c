//! Measures the speed of the transform on one thread: main-content Markdown, links and metadata.
//!
//! `speed FOLDER [ROUNDS [EVERY]]`: reads every EVERY-th page of `FOLDER/html/ID.html.gz`. Prints the fastest
//! round in MB/s and pages/s. Run one round under callgrind to find the most expensive functions.

use std::fs::File;
use std::io::{Read, Write};
use std::time::Instant;

use gleaner_transform::{Input, transform};
use gleaner_types::request::ScrapeOptions;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = arguments.first().ok_or("speed FOLDER [ROUNDS [EVERY]]")?;
    let number = |at: usize| arguments.get(at).map_or(Ok(1), |text| text.parse::<usize>());
    let (rounds, every) = (number(1)?, number(2)?);
    let mut files: Vec<_> = std::fs::read_dir(format!("{folder}/html"))?.collect::<Result<_, _>>()?;
    files.sort_by_key(std::fs::DirEntry::file_name);
    let mut pages = Vec::new();
    for file in files.iter().step_by(every.max(1)) {
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(File::open(file.path())?).read_to_end(&mut bytes)?;
        pages.push(bytes);
    }
    let options = ScrapeOptions::default().check().map_err(|errors| errors.to_string())?;
    let url = "https://example.org/".parse()?;
    let total: usize = pages.iter().map(Vec::len).sum();
    let mut best = f64::INFINITY;
    for _ in 0..rounds.max(1) {
        let start = Instant::now();
        for body in &pages {
            let page = transform(Input::new(&url, Some("text/html"), body), &options);
            std::hint::black_box(page).ok();
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    let (megabytes, count) = (total as f64 / 1e6, pages.len() as f64);
    writeln!(
        std::io::stdout(),
        "{count} pages, {megabytes:.1} MB: {:.1} MB/s, {:.0} pages/s",
        megabytes / best,
        count / best
    )?;
    Ok(())
}
