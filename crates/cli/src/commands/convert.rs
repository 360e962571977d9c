//! Runs `gleaner convert`: converts a local file without network access.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use gleaner::plan::Target;
use gleaner::{Engine, Input};

use super::{document, engine};
use crate::args::ConvertArgs;
use crate::console::Console;
use crate::failure::Failure;

/// The largest file that is read.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// The URL of a page if `--url` is missing; `.invalid` is reserved for this purpose (RFC 2606).
const NO_URL: &str = "https://page.invalid/";

pub(super) fn run(console: &Console, args: &ConvertArgs) -> Result<u8, Failure> {
    let request = args.request(NO_URL)?;
    let url = match Target::parse(&request.url) {
        Ok(target) => target.url,
        Err(error) => return Err(Failure::usage(format!("--url: {error}"))),
    };
    let body = read(&args.file)?;
    let engine = Engine::builder().build().map_err(engine::refused)?;
    let input = Input::new(&url, Some(args.content_type()), &body);
    let page = engine.convert(input, request.options).map_err(engine::refused)?;
    document::print(console, &page, args.only_text())?;
    let texts = [&page.markdown, &page.html, &page.raw_html].into_iter().flatten();
    if args.url.is_none() && texts.into_iter().any(|text| text.contains(NO_URL)) {
        console.note(format_args!("note: relative links begin with {NO_URL}; set the page's URL with --url"));
    }
    Ok(document::exit_code(console, &page, args.only_text(), args.selectors()))
}

/// The content of a file, or of standard input if the path is `-`.
fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let is_stdin = path == Path::new("-");
    let mut body = Vec::new();
    let read = if is_stdin {
        io::stdin().lock().take(MAX_FILE_BYTES + 1).read_to_end(&mut body)
    } else {
        File::open(path).and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut body))
    };
    let name = if is_stdin { "standard input".to_owned() } else { path.display().to_string() };
    match read {
        Ok(_) if body.trim_ascii().is_empty() => {
            Err(Failure::failed(format!("{name} is empty: there is nothing to convert")))
        }
        Ok(bytes) if u64::try_from(bytes).is_ok_and(|bytes| bytes <= MAX_FILE_BYTES) => Ok(body),
        Ok(_) => Err(Failure::failed(format!("{name} is larger than {} MiB", MAX_FILE_BYTES >> 20))),
        Err(error) => Err(Failure::usage(format!(
            "<FILE>: cannot read {name}: {error}; name a readable file, or - for standard input"
        ))),
    }
}
