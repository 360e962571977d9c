//! Prints a page to PDF.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use gleaner_fetch::ActionResult;

use super::failure::Failure;
use super::runner::Runner;
use crate::protocol::io::{Chunk, Close, PrintToStream, Read};
use crate::wire::CallError;

/// How long printing may take.
const PRINT_LIMIT: Duration = Duration::from_secs(60);

/// Bytes that are read at once.
const READ_BYTES: u32 = 1024 * 1024;

/// Paper sizes in inches: name, width, height.
const PAPERS: &[(&str, f64, f64)] = &[
    ("A0", 33.1, 46.8),
    ("A1", 23.4, 33.1),
    ("A2", 16.54, 23.4),
    ("A3", 11.7, 16.54),
    ("A4", 8.27, 11.7),
    ("A5", 5.83, 8.27),
    ("A6", 4.13, 5.83),
    ("Letter", 8.5, 11.0),
    ("Legal", 8.5, 14.0),
    ("Tabloid", 11.0, 17.0),
    ("Ledger", 17.0, 11.0),
];

/// The width and height to print with. For landscape, Chromium swaps the two, so it gets the shorter side as
/// the width.
fn paper(format: &str, landscape: bool) -> Option<(f64, f64)> {
    let (_, width, height) = PAPERS.iter().find(|(name, ..)| name.eq_ignore_ascii_case(format))?;
    Some(if landscape { (width.min(*height), width.max(*height)) } else { (*width, *height) })
}

impl Runner<'_, '_> {
    /// Prints the page.
    pub(super) async fn print(
        &self,
        landscape: bool,
        scale: f64,
        format: &str,
    ) -> Result<ActionResult, Failure> {
        let (paper_width, paper_height) = paper(format, landscape)
            .ok_or_else(|| Failure::Action(format!("there is no paper size `{format}`")))?;
        let print = PrintToStream {
            landscape,
            scale,
            paper_width,
            paper_height,
            print_background: true,
            transfer_mode: "ReturnAsStream",
        };
        let limit = PRINT_LIMIT.min(self.time_left());
        let stream = match self.tab.call_within(&print, limit).await {
            Err(CallError::TimedOut(_)) => {
                return Err(Failure::Action(format!("it was not printed within {} ms", limit.as_millis())));
            }
            result => result?.stream,
        };
        let file = self.read(&stream).await;
        self.post(&Close { handle: &stream }).await?;
        Ok(ActionResult::Pdf(file?.into()))
    }

    /// Reads a stream of the browser.
    async fn read(&self, stream: &str) -> Result<Vec<u8>, Failure> {
        let mut file = Vec::new();
        loop {
            let chunk = self.tab.call(&Read { handle: stream, size: READ_BYTES }).await?;
            let is_last = chunk.eof;
            file.append(&mut decode(chunk)?);
            if file.len() as u64 > self.bytes_left {
                return Err(Failure::TooLarge);
            }
            if is_last {
                return Ok(file);
            }
        }
    }
}

fn decode(chunk: Chunk) -> Result<Vec<u8>, CallError> {
    if !chunk.base64_encoded {
        return Ok(chunk.data.into_bytes());
    }
    BASE64_STANDARD
        .decode(chunk.data)
        .map_err(|error| CallError::Invalid { method: "IO.read", detail: error.to_string() })
}

#[cfg(test)]
mod tests {
    use gleaner_types::request::Paper;

    use super::*;

    #[test]
    fn landscape_is_always_wider_than_high() {
        assert_eq!(paper("A4", false), Some((8.27, 11.7)));
        assert_eq!(paper("letter", false), Some((8.5, 11.0)));
        assert_eq!(paper("Ledger", false), Some((17.0, 11.0)));
        for (name, ..) in PAPERS {
            // Chromium swaps these.
            let (width, height) = paper(name, true).unwrap();
            assert!(width < height, "{name}");
        }
        assert_eq!(paper("Folio", false), None);
    }

    #[test]
    fn all_papers_of_requests_have_sizes() {
        use Paper::{A0, A1, A2, A3, A4, A5, A6, Ledger, Legal, Letter, Tabloid};
        for name in [A0, A1, A2, A3, A4, A5, A6, Letter, Legal, Tabloid, Ledger] {
            assert!(paper(name.as_str(), false).is_some(), "{name:?}");
        }
    }

    #[test]
    fn chunks_are_base64_or_text() {
        let chunk = |data: &str, base64_encoded| Chunk { data: data.to_owned(), base64_encoded, eof: true };
        assert_eq!(decode(chunk("JVBERi0=", true)), Ok(b"%PDF-".to_vec()));
        assert_eq!(decode(chunk("JVBERi0=", false)), Ok(b"JVBERi0=".to_vec()));
        assert!(decode(chunk("not base64!", true)).is_err());
    }
}
