//! Runs `gleaner batch`: reads a list of URLs and scrapes each.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use gleaner::limits::{MAX_BATCH_URLS, MAX_URL_BYTES};
use gleaner::{ErrorCode, ScrapeRequest};

use super::engine;
use super::kept::{self, Kept};
use super::model::with_model;
use super::place::Place;
use super::results::Results;
use super::run::Run;
use crate::args::{BatchArgs, LinkRules, invisible};
use crate::browser::Browser;
use crate::console::Console;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::job_command::JobCommand;
use crate::output::FailureRow;

/// Upper bound on the invalid lines that are reported one by one.
const MAX_REPORTED_LINES: usize = 10;

/// The byte-order mark that some editors write before UTF-8 text.
const UTF_8_BOM: &[u8] = b"\xef\xbb\xbf";

/// The byte-order marks of UTF-16.
const UTF_16_BOMS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// The largest list that is read: the greatest number of URLs of a job, at their greatest length, with a
/// comment for each.
const MAX_LIST_BYTES: u64 = 2 * (MAX_BATCH_URLS as u64) * (MAX_URL_BYTES as u64);

pub(super) async fn run(console: &Console, args: &BatchArgs, browser: &Browser) -> Result<u8, Failure> {
    let list = List::open(&args.file)?;
    let invalid = list.invalid.len();
    for line in list.invalid.iter().take(MAX_REPORTED_LINES) {
        console.error(format_args!("line {}: {}", line.number, line.fault));
    }
    if invalid > MAX_REPORTED_LINES {
        console.error(format_args!("and {} more invalid lines", invalid - MAX_REPORTED_LINES));
    }
    if invalid > 0 && args.ignore_invalid_urls == Some(false) {
        return Err(Failure::usage(
            "<FILE>: some URLs are invalid; correct them, or leave out --ignore-invalid-urls false",
        ));
    }
    if list.urls.is_empty() {
        return Err(Failure::usage(
            "<FILE>: the list has no valid URL; write one per line, such as https://example.com",
        ));
    }
    let request = args.request(list.urls)?;
    let command =
        JobCommand::new("batch", &request, LinkRules::default()).allowing(&args.engine.allow_private);
    let place = Place::open(&args.job, command)?;
    let mut interrupt = Interrupt::listen(browser);
    let builder = args.site.configure(with_model(&args.model, &args.engine)?);
    let engine = engine::start_for(&place, builder, &args.engine, browser).await?;
    let mut results = Results::open(&args.output, args.failures.as_deref(), place.path())?;
    args.remark(console);
    let resumed = kept::resumed(console, &engine, place.file()).await?;
    let earlier = resumed.as_ref().map_or(0, |(_, earlier)| *earlier);
    let mut job = match resumed {
        Some((job, _)) => job,
        None => {
            let job = engine.batch(request).await.map_err(engine::refused)?;
            if place.is_kept() { kept::started(&engine, job).await? } else { job }
        }
    };
    place.announce(console, job.id());
    // Not earlier: if the request is refused, the index of an earlier run stays unchanged.
    results.begin()?;
    results.list(list.invalid.iter().map(InvalidLine::row))?;
    let kept = place.is_kept().then_some(Kept { engine: &engine, earlier });
    let run = Run::to_end(console, &mut job, &mut results, &mut interrupt, kept).await?;
    if place.is_kept() && run.interrupted {
        return Ok(kept::report_stop(console, &run.snapshot, &place.how(job.id())));
    }
    engine::report(console, &run, &args.engine, &results, &args.output);
    place.hand_over(&engine).await;
    Ok(run.exit_code())
}

/// A list of URLs, one per line.
#[derive(Debug, Default)]
struct List {
    urls: Vec<String>,
    invalid: Vec<InvalidLine>,
}

/// A line without a valid URL.
#[derive(Debug)]
struct InvalidLine {
    /// The line number, from 1.
    number: usize,
    text: String,
    fault: String,
}

impl InvalidLine {
    /// The row for the list of failures.
    fn row(&self) -> FailureRow<'_> {
        FailureRow {
            url: Cow::Borrowed(&self.text),
            code: ErrorCode::BadRequest,
            error: Cow::Borrowed(&self.fault),
        }
    }
}

impl List {
    /// Reads a file, or standard input if `path` is `-`.
    fn open(path: &Path) -> Result<Self, Failure> {
        let is_stdin = path == Path::new("-");
        let list = if is_stdin {
            Self::read(io::stdin().lock())
        } else {
            File::open(path).and_then(|file| Self::read(BufReader::new(file)))
        };
        let name = if is_stdin { "standard input".to_owned() } else { path.display().to_string() };
        list.map_err(|error| {
            Failure::usage(format!(
                "<FILE>: cannot read {name}: {error}; name a text file with one URL per line, or - for \
                 standard input"
            ))
        })
    }

    /// Reads lines and checks each URL like the URL of a request.
    fn read(lines: impl BufRead) -> io::Result<Self> {
        let (mut list, mut lines, mut line) = (Self::default(), lines.take(MAX_LIST_BYTES), Vec::new());
        for number in 1.. {
            line.clear();
            if lines.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            if number == 1 && UTF_16_BOMS.iter().any(|mark| line.starts_with(mark)) {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "it is UTF-16, not UTF-8"));
            }
            let bytes = line.strip_prefix(UTF_8_BOM).filter(|_| number == 1).unwrap_or(&line);
            match std::str::from_utf8(bytes) {
                Ok(text) => list.add(number, text.trim()),
                Err(_) if bytes.trim_ascii_start().starts_with(b"#") => {}
                Err(_) => list.invalid.push(InvalidLine {
                    number,
                    text: String::from_utf8_lossy(bytes).trim().to_owned(),
                    fault: "it is not UTF-8; write it in UTF-8, or percent-encode the URL".to_owned(),
                }),
            }
        }
        Ok(list)
    }

    /// Adds one line.
    fn add(&mut self, number: usize, line: &str) {
        if line.is_empty() || line.starts_with('#') {
            return;
        }
        let fault = || match ScrapeRequest::new(line).check() {
            Ok(_) => unlikely_scheme(line),
            Err(faults) => Some(faults.to_string().replace("`url`", "it")),
        };
        match invisible(line).or_else(fault) {
            None => self.urls.push(line.to_owned()),
            Some(fault) => self.invalid.push(InvalidLine { number, text: line.to_owned(), fault }),
        }
    }
}

/// The fault of a line that parses as a host with an empty port (`ht!tp:/x`), but is probably a misspelled
/// scheme.
fn unlikely_scheme(line: &str) -> Option<String> {
    let (before, after) = line.split_once(':')?;
    let is_port = after.starts_with(|first: char| first.is_ascii_digit());
    let is_host = before.contains(['/', '?', '#', '@', '[']);
    if is_port || is_host || before.eq_ignore_ascii_case("http") || before.eq_ignore_ascii_case("https") {
        return None;
    }
    Some(format!("`{before}:` is not a supported scheme; use http: or https:, as in https://example.com"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_urls_are_read_and_invalid_lines_are_reported() {
        let text = "# teas\nhttps://example.com/a\n\n  example.com/b  \nftp://example.com/c\r\n\
                    https://example.com/d\r\n:\nht!tp:/x\nexample.com:8080/e\nhttps:example.com/f\n\
                    example.com/?a:b";
        let list = List::read(text.as_bytes()).unwrap();
        assert_eq!(
            list.urls,
            [
                "https://example.com/a",
                "example.com/b",
                "https://example.com/d",
                "example.com:8080/e",
                "https:example.com/f",
                "example.com/?a:b"
            ]
        );
        let invalid: Vec<usize> = list.invalid.iter().map(|line| line.number).collect();
        assert_eq!(invalid, [5, 7, 8]);
        assert!(list.invalid[0].fault.contains("http"), "{}", list.invalid[0].fault);
    }

    #[test]
    fn a_byte_order_mark_is_not_part_of_the_first_url() {
        let list = List::read(&b"\xef\xbb\xbfhttps://example.com/a\n\xef\xbb\xbfhttps://example.com/b\n"[..]);
        let list = list.unwrap();
        assert_eq!(list.urls, ["https://example.com/a"]);
        assert_eq!(list.invalid[0].number, 2, "a mark elsewhere is an ordinary character");
        assert!(List::read(&b"\xef\xbb\xbf# a remark"[..]).unwrap().invalid.is_empty());
    }

    #[test]
    fn an_invisible_character_before_a_url_is_named_with_its_place() {
        let list = List::read("https://example.com/a\n \u{200b}https://example.com/b\n".as_bytes()).unwrap();
        assert_eq!(list.urls, ["https://example.com/a"]);
        let fault = &list.invalid[0].fault;
        assert!(list.invalid[0].number == 2 && fault.contains("character 1 is U+200B"), "{fault}");
    }

    #[test]
    fn a_line_that_is_not_utf_8_is_one_faulty_line() {
        let text = b"https://example.com/a\nhttps://example.com/caf\xe9\nhttps://example.com/c\n# \xe9\n";
        let list = List::read(&text[..]).unwrap();
        assert_eq!(list.urls, ["https://example.com/a", "https://example.com/c"]);
        let invalid: Vec<_> = list.invalid.iter().map(|line| (line.number, line.text.as_str())).collect();
        assert_eq!(invalid, [(2, "https://example.com/caf\u{fffd}")]);
        assert!(list.invalid[0].fault.contains("UTF-8"), "{}", list.invalid[0].fault);
    }

    #[test]
    fn a_list_in_utf_16_is_an_error() {
        for mark in UTF_16_BOMS {
            let error = List::read(&[mark, &b"h\0t\0"[..]].concat()[..]).unwrap_err();
            assert!(error.to_string().contains("UTF-16"), "{error}");
        }
    }
}
