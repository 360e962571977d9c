//! Brackets in the text of a link or a picture: where they do not pair up they would end it early, or not at all.

use std::ops::Range;

/// Escapes the brackets of a link's text, which begins at `start`, where they do not pair up. What is in `closed` binds
/// tighter than brackets do: code and pictures, as ranges of `out` in their order.
pub(super) fn escape(out: &mut String, start: usize, closed: &[Range<usize>]) {
    let Some(text) = out.get(start..).filter(|text| text.contains(['[', ']'])) else { return };
    if pair_up(text, start, closed) {
        return;
    }
    let text = text.to_owned();
    out.truncate(start);
    let mut escaped = false;
    for (c, open) in characters(&text, start, closed) {
        if open && matches!(c, '[' | ']') && !escaped {
            out.push('\\');
        }
        escaped = open && c == '\\' && !escaped;
        out.push(c);
    }
}

fn pair_up(text: &str, start: usize, closed: &[Range<usize>]) -> bool {
    let mut depth = 0_i32;
    let mut escaped = false;
    for (c, open) in characters(text, start, closed) {
        match c {
            '[' if open && !escaped => depth += 1,
            ']' if open && !escaped => depth -= 1,
            _ => {}
        }
        escaped = open && c == '\\' && !escaped;
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// The characters of a text that begins at `start`, and whether each is outside of what is closed.
fn characters<'t>(
    text: &'t str,
    start: usize,
    closed: &'t [Range<usize>],
) -> impl Iterator<Item = (char, bool)> + 't {
    let mut closed = closed.iter().peekable();
    text.char_indices().map(move |(at, c)| {
        let at = start + at;
        while closed.next_if(|range| range.end <= at).is_some() {}
        (c, !closed.peek().is_some_and(|range| range.contains(&at)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_are_escaped_where_they_do_not_pair_up() {
        let rows = [
            ("a", "a"),
            ("[a]", "[a]"),
            ("a]", "a\\]"),
            ("]a[", "\\]a\\["),
            ("a\\]", "a\\]"),
            ("\\\\]", "\\\\\\]"),
            ("` ]", "` \\]"),
        ];
        for (text, expected) in rows {
            let mut out = format!("[{text}");
            escape(&mut out, 1, &[]);
            assert_eq!(out, format!("[{expected}"), "{text}");
        }
        let mut out = "[`]` ![a](b]) ]".to_owned();
        escape(&mut out, 1, &[1..4, 5..13]);
        assert_eq!(out, "[`]` ![a](b]) \\]");
        let mut out = "[`[` `]`".to_owned();
        escape(&mut out, 1, &[1..4, 5..8]);
        assert_eq!(out, "[`[` `]`");
    }
}
