//! The Markdown of parts.

use super::{Kind, Part};
use crate::{Error, ErrorKind, MAX_MARKDOWN_BYTES};

/// The Markdown of the parts.
pub(super) fn markdown(parts: &[Part]) -> Result<String, Error> {
    let mut out = String::new();
    let mut before: Option<&Kind> = None;
    for part in parts {
        let text = of(&part.kind);
        if text.is_empty() {
            continue;
        }
        let is_list = |kind: &Kind| matches!(kind, Kind::Item(_));
        if let Some(before) = before {
            out.push_str(if is_list(before) && is_list(&part.kind) { "\n" } else { "\n\n" });
        }
        out.push_str(&text);
        before = Some(&part.kind);
        if out.len() > MAX_MARKDOWN_BYTES {
            return Err(ErrorKind::TooMuchMarkdown { limit: MAX_MARKDOWN_BYTES }.into());
        }
    }
    Ok(out)
}

fn of(kind: &Kind) -> String {
    match kind {
        Kind::Paragraph(text) => paragraph(&text.markdown()),
        Kind::Heading(level, text) => {
            let text = text.markdown();
            let text = text.trim().trim_end_matches('#').trim_end();
            if text.is_empty() {
                String::new()
            } else {
                format!("{} {text}", "#".repeat(usize::from(*level)))
            }
        }
        Kind::Item(item) => {
            let indent = "   ".repeat(item.depth.saturating_sub(1));
            let text = paragraph(&item.text.markdown());
            match item.number {
                Some((number, close)) => format!("{indent}{number}{close} {text}"),
                None => format!("{indent}- {text}"),
            }
        }
        Kind::Code(found) => code(&found.lines),
        Kind::Table(table) => table.markdown(),
    }
}

/// A text whose beginning is not that of another block.
fn paragraph(text: &str) -> String {
    let text = text.trim();
    let first = text.chars().next();
    let is_rule = text.len() >= 3 && text.chars().all(|c| matches!(c, '-' | '=' | ' '));
    let is_block = match first {
        Some('#' | '>' | '|' | '=') => true,
        Some('+' | '-') => is_rule || text.chars().nth(1).is_none_or(char::is_whitespace),
        _ => false,
    };
    if is_block {
        return format!("\\{text}");
    }
    // `1. ` would begin a list.
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    match (text.get(..digits), text.get(digits..)) {
        (Some(number), Some(rest)) if (1..=9).contains(&digits) && rest.starts_with(['.', ')']) => {
            let is_marker = rest.chars().nth(1).is_none_or(char::is_whitespace);
            if is_marker { format!("{number}\\{rest}") } else { text.to_owned() }
        }
        _ => text.to_owned(),
    }
}

/// Code between fences that are longer than any run of backticks in it.
fn code(lines: &[String]) -> String {
    if lines.iter().all(|line| line.trim().is_empty()) {
        return String::new();
    }
    let longest =
        lines.iter().flat_map(|line| line.split(|c: char| c != '`')).map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.clamp(2, 15) + 1);
    format!("{fence}\n{}\n{fence}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::super::Item;
    use super::super::code::Code;
    use super::*;
    use crate::layout::Text;

    #[test]
    fn the_beginning_of_a_paragraph_is_not_markup() {
        for (text, expected) in [
            ("plain", "plain"),
            ("# one", "\\# one"),
            ("- one", "\\- one"),
            ("-5 degrees", "-5 degrees"),
            ("1. one", "1\\. one"),
            ("1.5 one", "1.5 one"),
            ("2024) ", "2024\\)"),
            ("----", "\\----"),
        ] {
            assert_eq!(paragraph(text), expected, "{text}");
        }
    }

    #[test]
    fn parts_are_separated() {
        let part = |kind: Kind| Part { kind, size: 10.0, is_bold: false, lines: 1 };
        let item = |depth, number, text| Kind::Item(Item { depth, number, text: Text::plain(text) });
        let parts = [
            part(Kind::Heading(2, Text::plain("Title #"))),
            part(item(1, None, "one")),
            part(item(2, Some((3, '.')), "inner")),
            part(item(1, None, "1) x")),
            part(Kind::Code(Code { lines: vec!["a".to_owned(), "```".to_owned()], left: 0.0, width: 5.0 })),
            part(Kind::Paragraph(Text::plain("end"))),
        ];
        assert_eq!(
            markdown(&parts).unwrap(),
            "## Title\n\n- one\n   3. inner\n- 1\\) x\n\n````\na\n```\n````\n\nend"
        );
    }
}
