//! Converts CSV and TSV to a Markdown table (RFC 4180, read leniently).
//!
//! Programs write these files with commas, semicolons, tabs or bars between the values, whatever the type
//! says: spreadsheets write semicolons where the comma is that of decimals. So the delimiter is the one that
//! gives most rows the same number of values.

use gleaner_types::Interrupt;

use crate::markdown::cell;
use crate::memory::Output;

/// Maximum number of columns of a table. Values beyond it are joined to the last column.
const MAX_COLUMNS: usize = 512;

/// Delimiters, preferred in this order if two fit equally well. A comma may be that of decimals.
const DELIMITERS: [char; 4] = ['\t', ';', '|', ','];

/// Rows that decide on the delimiter, and their maximum length in bytes.
const SAMPLED_ROWS: usize = 200;
const SAMPLED_BYTES: usize = 65_536;

/// Writes a Markdown table whose header is the first row. Rows after `most` bytes are left out.
///
/// Lines above the table that are no row of it (a title, a date) become paragraphs.
pub(crate) fn markdown(text: &str, delimiter: char, most: usize, interrupt: &Interrupt) -> Output {
    let text = text.trim_start_matches('\u{FEFF}');
    let (text, delimiter) = dialect(text, delimiter);
    // The header is as wide as the widest row, so that no row loses cells. The text is read twice, because
    // its rows may take many times the memory of the text.
    let mut row = Vec::new();
    let (mut columns, mut above, mut wide) = (0, 0_usize, 0_usize);
    let mut reader = Reader::new(text, delimiter);
    while reader.next(&mut row) && !interrupt.spend(row.len()) {
        columns = columns.max(row.len());
        if !is_line(&row) {
            wide += 1;
        } else if wide == 0 {
            above += 1;
        }
    }
    // A table has a head and a row.
    let mut above = if wide > 1 { above } else { 0 };
    let mut out = String::with_capacity((text.len() + text.len() / 4).min(most));
    let mut reader = Reader::new(text, delimiter);
    let (mut cut, mut first) = (false, true);
    while reader.next(&mut row) && !interrupt.spend(row.len()) {
        if out.len() >= most {
            cut = true;
            break;
        }
        if above > 0 {
            above -= 1;
            let line = row.concat();
            // A mark at its start would make it a heading or a list.
            out.push_str(if line.trim_start().starts_with(['#', '>', '-', '+', '=', '~']) {
                "\\"
            } else {
                ""
            });
            cell(&line, &mut out, interrupt);
            out.push_str("\n\n");
            continue;
        }
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
        first = false;
    }
    Output { text: out, cut }
}

/// Whether a row is only a text: spreadsheets write one with the delimiters of empty cells behind it. The
/// head of a table with two columns may have one name.
fn is_line(row: &[String]) -> bool {
    let is_blank = |value: &String| value.trim().is_empty();
    row.split_first()
        .is_some_and(|(first, rest)| !is_blank(first) && rest.iter().all(is_blank) && rest.len() != 1)
}

/// The text of the rows, and the delimiter of their values. Excel names it in a first line (`sep=;`).
fn dialect(text: &str, declared: char) -> (&str, char) {
    let (line, rest) = text.split_once(['\n', '\r']).unwrap_or((text, ""));
    let named = line.trim_matches(['"', '\r', ' ']);
    if let Some(start) = named.get(..4)
        && start.eq_ignore_ascii_case("sep=")
    {
        let mut names = named.chars().skip(4);
        if let (Some(delimiter), None) = (names.next(), names.next()) {
            return (rest, delimiter);
        }
    }
    (text, detect_delimiter(text, declared))
}

/// The delimiter that gives most rows the same number of values, which is more than one.
fn detect_delimiter(text: &str, declared: char) -> char {
    let mut rows = sample(text, true);
    if rows.len() < 2 {
        // A quote that nothing closes hides the rows after it.
        rows = sample(text, false);
    }
    let fit = |place: usize| {
        let mut numbers: Vec<usize> =
            rows.iter().filter_map(|row| row.get(place).copied()).filter(|number| *number > 0).collect();
        numbers.sort_unstable();
        numbers.chunk_by(|a, b| a == b).map(<[usize]>::len).max().unwrap_or(0)
    };
    let mut best = (declared, 0);
    for (place, delimiter) in DELIMITERS.into_iter().enumerate() {
        let rows = fit(place);
        // Values without quotes may contain any other character than the declared tab.
        if delimiter == '\t' && declared == '\t' && rows > 0 {
            return delimiter;
        }
        if rows > best.1 {
            best = (delimiter, rows);
        }
    }
    best.0
}

/// The numbers of delimiters in the first rows, outside of quotes if these count. Blank rows are left out.
fn sample(text: &str, has_quotes: bool) -> Vec<[usize; 4]> {
    let mut rows = Vec::new();
    let mut row = [0; 4];
    let (mut quoted, mut is_start, mut is_blank) = (false, true, true);
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        if at >= SAMPLED_BYTES || rows.len() >= SAMPLED_ROWS {
            // The last row may be incomplete.
            return rows;
        }
        let next = characters.peek().map(|(_, next)| *next);
        let ends = next.is_none_or(|next| next.is_whitespace() || DELIMITERS.contains(&next));
        let place = DELIMITERS.iter().position(|known| *known == c);
        match c {
            '"' if quoted && next == Some('"') => {
                characters.next();
            }
            '"' if quoted => quoted = !ends,
            '"' if is_start => quoted = has_quotes,
            '\n' | '\r' if !quoted => {
                if !is_blank {
                    rows.push(std::mem::take(&mut row));
                }
                (is_start, is_blank) = (true, true);
                continue;
            }
            _ => {}
        }
        if let Some(number) = place.filter(|_| !quoted).and_then(|place| row.get_mut(place)) {
            *number += 1;
        }
        is_start = place.is_some() || (is_start && c == ' ');
        is_blank &= c.is_whitespace();
    }
    if !is_blank {
        rows.push(row);
    }
    rows
}

/// Reads row by row.
struct Reader<'t> {
    rest: &'t str,
    delimiter: char,
    /// Nothing closes a quote with at least this many bytes after it. So the text is not searched for each
    /// quote again.
    unclosed: usize,
}

impl<'t> Reader<'t> {
    const fn new(text: &'t str, delimiter: char) -> Self {
        Self { rest: text, delimiter, unclosed: usize::MAX }
    }

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
        let mut is_start = true;
        let mut characters = self.rest.chars();
        while let Some(c) = characters.next() {
            match c {
                '"' if is_start => {
                    let inside = characters.as_str();
                    match self.closing_quote(inside).and_then(|end| inside.split_at_checked(end)) {
                        Some((quoted, after)) => {
                            value = quoted.replace("\"\"", "\"");
                            characters = after.get(1..).unwrap_or_default().chars();
                        }
                        None => value.push(c),
                    }
                    is_start = false;
                }
                '\n' | '\r' => {
                    if c == '\r' && characters.as_str().starts_with('\n') {
                        characters.next();
                    }
                    break;
                }
                _ if c == self.delimiter && row.len() + 1 < MAX_COLUMNS => {
                    row.push(std::mem::take(&mut value));
                    is_start = true;
                }
                _ => {
                    value.push(c);
                    is_start &= c == ' ';
                }
            }
        }
        self.rest = characters.as_str();
        row.push(value);
    }

    /// Where the quote is that closes a value: the delimiter or the end of the row comes after it. Other
    /// quotes are part of the value, because some programs do not double them.
    fn closing_quote(&mut self, inside: &str) -> Option<usize> {
        let mut from = 0;
        while inside.len() < self.unclosed {
            let Some(at) = inside.get(from..).and_then(|rest| rest.find('"')).map(|at| from + at) else {
                self.unclosed = 0;
                return None;
            };
            let after = inside.get(at + 1..)?;
            // A row of values without quotes may begin a value with one by chance: tabs end it.
            if self.delimiter == '\t' && inside.get(from..at)?.contains('\t') {
                self.unclosed = inside.len() - at;
                return None;
            }
            if after.starts_with('"') {
                from = at + 2;
                continue;
            }
            let next = after.trim_start_matches(' ').chars().next();
            if next.is_none_or(|next| matches!(next, '\n' | '\r') || next == self.delimiter) {
                return Some(at);
            }
            from = at + 1;
        }
        None
    }
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
            ("a;b\n1,5;2,5\n3,5;4,5", ',', "| a | b |\n| --- | --- |\n| 1,5 | 2,5 |\n| 3,5 | 4,5 |"),
            ("sep=;\r\na;b\r\n1;2", ',', "| a | b |\n| --- | --- |\n| 1 | 2 |"),
            ("\"sep=|\"\na|b,c", ',', "| a | b,c |\n| --- | --- |"),
            (
                "a,b\n3\" pipe,\"4\" pipe\", x",
                ',',
                "| a | b |  |\n| --- | --- | --- |\n| 3\" pipe | 4\" pipe | x |",
            ),
            ("a,b\n\"open,1\n2,3", ',', "| a | b |\n| --- | --- |\n| \"open | 1 |\n| 2 | 3 |"),
            ("a\tb\n\"open\t1\n2\t\"3\"", '\t', "| a | b |\n| --- | --- |\n| \"open | 1 |\n| 2 | 3 |"),
            (",b\nc,1\nd,2", ',', "|  | b |\n| --- | --- |\n| c | 1 |\n| d | 2 |"),
            ("A b;;\na;b;c\n1;2;3", ',', "A b\n\n| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |"),
            ("a;b;c\n1;2;3", '\t', "| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |"),
            (
                "Rain, 2024\n\na;b\n1;2\n3;4",
                ',',
                "Rain, 2024\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |",
            ),
        ];
        for (text, delimiter, expected) in rows {
            let output = markdown(text, delimiter, usize::MAX, &Interrupt::never());
            assert_eq!((output.text.as_str(), output.cut), (expected, false), "{text:?}");
        }
    }

    #[test]
    fn quotes_that_nothing_closes_take_linear_time() {
        let rows = "\"a\n".repeat(200_000);
        for (text, delimiter) in [(format!("{rows}b\tc\"d"), '\t'), (rows, ',')] {
            let output = markdown(&text, delimiter, usize::MAX, &Interrupt::never());
            assert_eq!(output.text.matches("| \"a |").count(), 200_000, "{delimiter:?}");
        }
    }

    #[test]
    fn rows_beyond_the_limit_are_left_out() {
        let output = markdown("a\n1\n2\n3\n", ',', 22, &Interrupt::never());
        assert_eq!((output.text.as_str(), output.cut), ("| a |\n| --- |\n| 1 |\n| 2 |", true));
    }
}
