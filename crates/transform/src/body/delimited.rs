//! CSV and TSV to a Markdown table (RFC 4180, read leniently).

/// A table has at most so many columns; values beyond are joined to the last.
const MAX_COLUMNS: usize = 512;

/// A Markdown table; the first row is its header.
pub(crate) fn markdown(text: &str, delimiter: char) -> String {
    let delimiter = if delimiter == ',' { likeliest(text) } else { delimiter };
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row = Vec::new();
    let mut value = String::new();
    let mut quoted = false;
    let mut characters = text.trim_start_matches('\u{FEFF}').chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                value.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if value.is_empty() => quoted = true,
            '\n' | '\r' if !quoted => {
                if c == '\r' && characters.peek() == Some(&'\n') {
                    characters.next();
                }
                row.push(std::mem::take(&mut value));
                rows.push(std::mem::take(&mut row));
            }
            _ if c == delimiter && !quoted && row.len() + 1 < MAX_COLUMNS => {
                row.push(std::mem::take(&mut value));
            }
            _ => value.push(c),
        }
    }
    if !value.is_empty() || !row.is_empty() {
        row.push(value);
        rows.push(row);
    }
    rows.retain(|row| row.iter().any(|value| !value.trim().is_empty()));
    // The header is as wide as the widest row among the first: a later, wider row loses nothing, its cells stay.
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    for (index, row) in rows.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        out.push('|');
        for value in row {
            out.push(' ');
            cell(value, &mut out);
            out.push_str(" |");
        }
        if index == 0 {
            out.push_str(&"  |".repeat(columns - row.len()));
            out.push_str("\n|");
            out.push_str(&" --- |".repeat(columns));
        }
    }
    out
}

/// Some exporters write semicolons into what they call comma-separated.
fn likeliest(text: &str) -> char {
    let line = text.lines().next().unwrap_or_default();
    let count = |delimiter: char| line.matches(delimiter).count();
    [',', ';', '\t', '|'].into_iter().rev().max_by_key(|delimiter| count(*delimiter)).unwrap_or(',')
}

fn cell(value: &str, out: &mut String) {
    for c in value.trim().chars() {
        match c {
            '\n' => out.push_str("<br>"),
            '|' | '\\' | '<' | '*' | '_' | '`' | '[' => {
                out.push('\\');
                out.push(c);
            }
            _ if c.is_control() => {}
            _ => out.push(c),
        }
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
            ("", ',', ""),
        ];
        for (text, delimiter, expected) in rows {
            assert_eq!(markdown(text, delimiter), expected, "{text:?}");
        }
    }
}
