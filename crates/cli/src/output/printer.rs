use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use crate::printable::printable;

/// Room that is kept between lines; more is given back, so that one long page does not cost its size for ever.
const KEPT_BYTES: usize = 1 << 20;

/// Writes results. To a terminal, what would be taken as a command is replaced; to a pipe or file every byte goes as it is.
#[derive(Debug)]
pub(crate) struct Printer<W> {
    out: W,
    is_terminal: bool,
    line: Vec<u8>,
}

impl Printer<io::Stdout> {
    /// To standard output.
    pub(crate) fn stdout() -> Self {
        let out = io::stdout();
        let is_terminal = out.is_terminal();
        Self { out, is_terminal, line: Vec::new() }
    }
}

impl<W: Write> Printer<W> {
    /// Does a person watch?
    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Writes `value` as JSON in one line, at once.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn json<T: Serialize>(&mut self, value: &T) -> io::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, value)?;
        self.line.push(b'\n');
        let line = std::mem::take(&mut self.line);
        let written = self.put(&line);
        self.line = line;
        self.line.clear();
        self.line.shrink_to(KEPT_BYTES);
        written
    }

    /// Writes `text`, with a line feed at its end unless it has one, at once.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        self.put(text.as_bytes())?;
        if !text.is_empty() && !text.ends_with('\n') {
            self.out.write_all(b"\n")?;
        }
        self.out.flush()
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.is_terminal {
            self.out.write_all(printable(&String::from_utf8_lossy(bytes)).as_bytes())?;
        } else {
            self.out.write_all(bytes)?;
        }
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn printed(is_terminal: bool, write: impl FnOnce(&mut Printer<Vec<u8>>) -> io::Result<()>) -> String {
        let mut printer = Printer { out: Vec::new(), is_terminal, line: Vec::new() };
        write(&mut printer).unwrap();
        String::from_utf8(printer.out).unwrap()
    }

    #[test]
    fn json_takes_exactly_one_line_each() {
        let lines = printed(false, |printer| {
            printer.json(&json!({"markdown": "two\nlines"}))?;
            printer.json(&json!({"markdown": "b"}))
        });
        assert_eq!(lines, "{\"markdown\":\"two\\nlines\"}\n{\"markdown\":\"b\"}\n");
    }

    #[test]
    fn text_ends_in_one_line_feed() {
        assert_eq!(printed(false, |printer| printer.text("a")), "a\n");
        assert_eq!(printed(false, |printer| printer.text("a\n")), "a\n");
        assert_eq!(printed(false, |printer| printer.text("")), "");
    }

    #[test]
    fn a_terminal_gets_no_commands_and_a_pipe_gets_every_byte() {
        assert_eq!(
            printed(true, |printer| printer.text("\u{1b}]0;title\u{7}a")),
            "\u{fffd}]0;title\u{fffd}a\n"
        );
        assert_eq!(printed(false, |printer| printer.text("\u{1b}[1ma")), "\u{1b}[1ma\n");
        assert_eq!(printed(true, |printer| printer.json(&json!("\u{9b}2J"))), "\"\u{fffd}2J\"\n");
    }
}
