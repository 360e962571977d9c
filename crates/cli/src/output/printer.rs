//! Writes results to standard output: unchanged to a pipe, without control characters to a terminal.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use serde::Serialize;

use super::atomic;
use crate::printable::printable;

/// The buffer capacity that is kept between lines. More is released, so that one long page does not hold its
/// memory forever.
const KEPT_CAPACITY: usize = 1 << 20;

/// Writes results. For a terminal, control characters are replaced; for a pipe or file, every byte is
/// unchanged.
#[derive(Debug)]
pub(crate) struct Printer<O> {
    out: O,
    /// Its name in messages.
    name: String,
    is_terminal: bool,
    line: Vec<u8>,
}

/// The target of results.
pub(crate) trait Output {
    /// Writes all of `bytes`, immediately.
    ///
    /// # Errors
    /// Those of the writer.
    fn put(&mut self, bytes: &[u8]) -> io::Result<()>;
}

/// Standard output.
#[derive(Debug)]
pub(crate) enum Stdout {
    /// A terminal, a pipe or a device.
    Stream(io::Stdout),
    /// A file. If the disk is full, a partial result is cut off.
    File(File),
}

impl Stdout {
    fn open() -> Self {
        file().map_or_else(|| Self::Stream(io::stdout()), Self::File)
    }
}

impl Output for Stdout {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Stream(out) => {
                out.write_all(bytes)?;
                out.flush()
            }
            Self::File(file) => atomic::append(file, bytes),
        }
    }
}

/// Standard output as a file, if it is one.
#[cfg(unix)]
fn file() -> Option<File> {
    use std::os::fd::AsFd as _;

    let file = File::from(io::stdout().as_fd().try_clone_to_owned().ok()?);
    file.metadata().is_ok_and(|metadata| metadata.is_file()).then_some(file)
}

/// On other systems, standard output counts as a stream.
#[cfg(not(unix))]
fn file() -> Option<File> {
    None
}

impl Printer<Stdout> {
    /// A printer to standard output.
    pub(crate) fn stdout() -> Self {
        let (name, is_terminal) = ("to standard output".to_owned(), io::stdout().is_terminal());
        Self { out: Stdout::open(), name, is_terminal, line: Vec::new() }
    }

    /// A printer to a file of this path.
    pub(crate) fn of_file(file: File, path: &Path) -> Self {
        let name = path.display().to_string();
        Self { out: Stdout::File(file), name, is_terminal: false, line: Vec::new() }
    }
}

impl<O: Output> Printer<O> {
    /// Whether results are written to a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Writes `value` as JSON in one line, immediately.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn json<T: Serialize>(&mut self, value: &T) -> io::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, value)?;
        self.line.push(b'\n');
        self.put_line()
    }

    /// Writes a line, immediately.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn line(&mut self, line: &[u8]) -> io::Result<()> {
        self.line.clear();
        self.line.extend_from_slice(line);
        self.line.push(b'\n');
        self.put_line()
    }

    /// Writes `text` with a trailing line feed, immediately.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        self.line.clear();
        self.line.extend_from_slice(text.as_bytes());
        if !text.is_empty() && !text.ends_with('\n') {
            self.line.push(b'\n');
        }
        self.put_line()
    }

    /// Writes the buffered line.
    fn put_line(&mut self) -> io::Result<()> {
        let written = if self.is_terminal {
            self.out.put(printable(&String::from_utf8_lossy(&self.line)).as_bytes())
        } else {
            self.out.put(&self.line)
        };
        self.line.clear();
        self.line.shrink_to(KEPT_CAPACITY);
        written.map_err(|error| io::Error::new(error.kind(), format!("cannot write {}: {error}", self.name)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    impl Output for Vec<u8> {
        fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
            self.write_all(bytes)
        }
    }

    fn printed(is_terminal: bool, write: impl FnOnce(&mut Printer<Vec<u8>>) -> io::Result<()>) -> String {
        let name = "to a test".to_owned();
        let mut printer = Printer { out: Vec::new(), name, is_terminal, line: Vec::new() };
        write(&mut printer).unwrap();
        String::from_utf8(printer.out).unwrap()
    }

    #[test]
    fn json_values_take_one_line_each() {
        let lines = printed(false, |printer| {
            printer.json(&json!({"markdown": "two\nlines"}))?;
            printer.json(&json!({"markdown": "b"}))?;
            printer.line(b"{}")
        });
        assert_eq!(lines, "{\"markdown\":\"two\\nlines\"}\n{\"markdown\":\"b\"}\n{}\n");
    }

    #[test]
    fn text_ends_in_one_line_feed() {
        assert_eq!(printed(false, |printer| printer.text("a")), "a\n");
        assert_eq!(printed(false, |printer| printer.text("a\n")), "a\n");
        assert_eq!(printed(false, |printer| printer.text("")), "");
    }

    #[test]
    fn a_terminal_gets_no_control_characters_and_a_pipe_gets_every_byte() {
        assert_eq!(
            printed(true, |printer| printer.text("\u{1b}]0;title\u{7}a")),
            "\u{fffd}]0;title\u{fffd}a\n"
        );
        assert_eq!(printed(false, |printer| printer.text("\u{1b}[1ma")), "\u{1b}[1ma\n");
        assert_eq!(printed(true, |printer| printer.json(&json!("\u{9b}2J"))), "\"\u{fffd}2J\"\n");
    }
}
