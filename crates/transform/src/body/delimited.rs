//! Converts CSV and TSV to a Markdown table (RFC 4180, read leniently).

use gleaner_types::Interrupt;

use crate::markdown::cell;
use crate::memory::Output;

/// Upper bound on the columns of a table. Values beyond it are joined to the last column.
const MAX_COLUMNS: usize = 512;

/// Writes a Markdown table whose header is the first row. Rows after `most` bytes are left out.
pub(crate) fn markdown(text: &str, delimiter: char, most: usize, interrupt: &Interrupt) -> Output {
    let delimiter = if delimiter == ',' { detect_delimiter(text) } else { delimiter };
    let text = text.trim_start_matches('\u{FEFF}');
    // The header is as wide as the widest row, so that no row loses cells. The text is read twice, because
    // its rows may take many times the memory of the text.
    let mut row = Vec::new();
    let (mut columns, mut reader) = (0, Reader { rest: text, delimiter });
    while reader.next(&mut row) && !interrupt.spend(row.len()) {
        columns = columns.max(row.len());
    }
    let mut out = String::with_capacity((text.len() + text.len() / 4).min(most));
    let mut reader = Reader { rest: text, delimiter };
    let mut cut = false;
    while reader.next(&mut row) && !interrupt.spend(row.len()) {
        if out.len() >= most {
            cut = true;
            break;
        }
        let first = out.is_empty();
        out.push_str(if first { "|" } else { "\n|" });
        for value in &row {
            out.push(' ');
            cell(value, &mut out, interrupt);
            out.push_str(" |");
        }
        if first {
            out.push_str(&"  |".repeat(columns.saturating_sub(row.len())));
            out.push_str("\n|");
            out.push_str(&" --- |".repeat(columns));
        }
    }
    Output { text: out, cut }
}

/// Reads row by row.
struct Reader<'t> {
    rest: &'t str,
    delimiter: char,
}

impl Reader<'_> {
    /// Reads the next row that is not blank. False at the end.
    fn next(&mut self, row: &mut Vec<String>) -> bool {
        while !self.rest.is_empty() {
            row.clear();
            self.read(row);
            if row.iter().any(|value| !value.trim().is_empty()) {
                return true;
            }
        }
        false
    }

    fn read(&mut self, row: &mut Vec<String>) {
        let mut value = String::new();
        let mut quoted = false;
        let mut characters = self.rest.chars();
        while let Some(c) = characters.next() {
            let mut consume = |wanted: char| {
                let mut ahead = characters.clone();
                let is_next = ahead.next() == Some(wanted);
                if is_next {
                    characters = ahead;
                }
                is_next
            };
            match c {
                '"' if quoted => {
                    if consume('"') {
                        value.push('"');
                    } else {
                        quoted = false;
                    }
                }
                '"' if value.is_empty() => quoted = true,
                '\n' | '\r' if !quoted => {
                    if c == '\r' {
                        consume('\n');
                    }
                    break;
                }
                _ if c == self.delimiter && !quoted && row.len() + 1 < MAX_COLUMNS => {
                    row.push(std::mem::take(&mut value));
                }
                _ => value.push(c),
            }
        }
        self.rest = characters.as_str();
        row.push(value);
    }
}

/// The most frequent delimiter of the first line: some exporters write semicolons into CSV.
fn detect_delimiter(text: &str) -> char {
    let line = text.lines().next().unwrap_or_default();
    let count = |delimiter: char| line.matches(delimiter).count();
    [',', ';', '\t', '|'].into_iter().rev().max_by_key(|delimiter| count(*delimiter)).unwrap_or(',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_cells() {
        let rows = [
            ("a,b\n1,2\n", ',', "| a | b |\n| --- | --- |\n| 1 | 2 |"),
            ("a,b\r\n\"x, \"\"y\"\"\",\"l1\nl2\"", ',', "| a | b |\n| --- | --- |\n| x, \"y\" | l1<br>l2 |"),
            ("a\tb\n1\t|", '\t', "| a | b |\n| --- | --- |\n| 1 | \\| |"),
            ("a;b\n1;2", ',', "| a | b |\n| --- | --- |\n| 1 | 2 |"),
            ("a\n1,2,3", ',', "| a |  |  |\n| --- | --- | --- |\n| 1 | 2 | 3 |"),
            ("a,b\n,\n\n1,2", ',', "| a | b |\n| --- | --- |\n| 1 | 2 |"),
            ("*a*\n2 * 3 [x] <b>\n", ',', "| \\*a\\* |\n| --- |\n| 2 * 3 [x] \\<b> |"),
            ("", ',', ""),
        ];
        for (text, delimiter, expected) in rows {
            let output = markdown(text, delimiter, usize::MAX, &Interrupt::never());
            assert_eq!((output.text.as_str(), output.cut), (expected, false), "{text:?}");
        }
    }

    #[test]
    fn rows_beyond_the_limit_are_left_out() {
        let output = markdown("a\n1\n2\n3\n", ',', 22, &Interrupt::never());
        assert_eq!((output.text.as_str(), output.cut), ("| a |\n| --- |\n| 1 |\n| 2 |", true));
    }
}
