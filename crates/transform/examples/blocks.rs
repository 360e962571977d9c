//! Writes the text blocks of a folder of pages for the training program.
//!
//! `blocks FOLDER OUT`: FOLDER has `html/ID.html.gz` and `ground-truth/ID.json.gz` with a `url`. OUT.jsonl
//! gets a line `{"id", "texts"}` for each page, OUT.f32 the features of all blocks (f32, little-endian) in
//! the same order.

use std::fs::File;
use std::io::{BufWriter, Read, Write};

use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, folder, out] = arguments.as_slice() else { return Err("blocks FOLDER OUT".into()) };
    let unpack = |path: std::path::PathBuf| -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(File::open(path)?).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let mut pages: Vec<_> = std::fs::read_dir(format!("{folder}/html"))?.collect::<Result<_, _>>()?;
    pages.sort_by_key(std::fs::DirEntry::file_name);
    let mut texts = BufWriter::new(File::create(format!("{out}.jsonl"))?);
    let mut numbers = BufWriter::new(File::create(format!("{out}.f32"))?);
    for page in pages {
        let id = page.file_name().to_string_lossy().trim_end_matches(".html.gz").to_owned();
        let truth: serde_json::Value =
            serde_json::from_slice(&unpack(format!("{folder}/ground-truth/{id}.json.gz").into())?)?;
        let url = truth.get("url").and_then(serde_json::Value::as_str).unwrap_or_default().parse()?;
        let bytes = unpack(page.path())?;
        let decoded = gleaner_transform::decode(&bytes, Some("text/html"));
        let blocks = gleaner_transform::training::blocks(&decoded.text, &url);
        let page_texts: Vec<&str> = blocks.iter().map(|(text, _)| text.as_str()).collect();
        writeln!(texts, "{}", json!({ "id": id, "texts": page_texts }))?;
        for (_, features) in &blocks {
            for value in features {
                numbers.write_all(&value.to_le_bytes())?;
            }
        }
    }
    Ok(())
}
