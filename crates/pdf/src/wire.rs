//! The protocol between a program and the process that converts a file for it.
//!
//! The process reads a head and the bytes of one file, and writes an answer:
//!
//! ```text
//! input      length of the head: 4 bytes, little-endian
//!            the head: JSON with the limits and the length of the file
//!            the file
//! output     JSON, to the end of the output: the converted file, or the error
//! ```

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

use crate::{Converted, Error, Limits, MAX_MARKDOWN_BYTES, Options};

/// Most bytes of an answer: JSON escapes a byte of Markdown as at most two, and the rest is small.
pub const MAX_ANSWER_BYTES: usize = 2 * MAX_MARKDOWN_BYTES + 1024 * 1024;

/// The version of this protocol. Both programs must have the same.
const VERSION: u32 = 1;

/// Most bytes of a head. A valid one is much shorter.
const MAX_HEAD_BYTES: u32 = 4_096;

/// The head before a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    version: u32,
    /// Length of the file.
    bytes: u64,
    pub(crate) options: Options,
    pub(crate) limits: Limits,
}

/// The bytes to write to a process before a file of this many bytes.
#[must_use]
pub fn request_head(options: &Options, limits: Limits, bytes: usize) -> Vec<u8> {
    let head = Head { version: VERSION, bytes: bytes as u64, options: options.clone(), limits };
    let head = serde_json::to_vec(&head).unwrap_or_default();
    let length = u32::try_from(head.len()).unwrap_or_default().to_le_bytes();
    [length.as_slice(), head.as_slice()].concat()
}

/// Parses the answer of a process; `None` if there is none or it is cut off.
#[must_use]
pub fn read_answer(answer: &[u8]) -> Option<Result<Converted, Error>> {
    serde_json::from_slice(answer).ok()
}

pub(crate) fn read_head(input: &mut impl Read) -> io::Result<Head> {
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > MAX_HEAD_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the input is not a request to convert a file",
        ));
    }
    let mut head = Vec::new();
    input.take(u64::from(length)).read_to_end(&mut head)?;
    let head: Head = serde_json::from_slice(&head)?;
    if head.version != VERSION {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the parent program has another version"));
    }
    Ok(head)
}

pub(crate) fn read_file(input: &mut impl Read, head: &Head) -> io::Result<Vec<u8>> {
    let mut file = Vec::new();
    input.take(head.bytes).read_to_end(&mut file)?;
    if file.len() as u64 == head.bytes { Ok(file) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

pub(crate) fn write_answer(mut output: impl Write, answer: &Result<Converted, Error>) -> io::Result<()> {
    serde_json::to_writer(&mut output, answer)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn requests_survive_encoding() {
        let (options, limits) = (Options::default().max_pages(3), Limits { seconds: 2, ..Limits::default() });
        let mut request = request_head(&options, limits, 4);
        request.extend_from_slice(b"fileand more");
        let mut input = request.as_slice();
        let head = read_head(&mut input).unwrap();
        assert_eq!((&head.options, head.limits), (&options, limits));
        assert_eq!(read_file(&mut input, &head).unwrap(), b"file");
        let mut cut = request.get(..request.len() - 10).unwrap();
        let head = read_head(&mut cut).unwrap();
        assert_eq!(read_file(&mut cut, &head).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        for garbage in [&b""[..], b"\xff\xff\xff\xff{}", b"\x02\0\0\0{}", b"\x02\0"] {
            let mut input = garbage;
            assert!(read_head(&mut input).is_err(), "{garbage:?}");
        }
    }

    #[test]
    fn answers_survive_encoding() {
        let converted = Converted {
            markdown: "# \"Kiln\" \\ \n\u{1F525}".to_owned(),
            pages: 2,
            pages_without_text: vec![2],
            title: Some("Kiln".to_owned()),
            ..Converted::default()
        };
        let refused = Error::from(ErrorKind::TooManyMarks { limit: 9 });
        for answer in [Ok(converted), Err(refused), Err(Error::malformed("odd"))] {
            let mut written = Vec::new();
            write_answer(&mut written, &answer).unwrap();
            assert_eq!(read_answer(&written).as_ref(), Some(&answer));
            assert!(read_answer(&written[..written.len() - 1]).is_none(), "an answer that is cut off");
        }
        assert!(read_answer(b"").is_none());
    }
}
