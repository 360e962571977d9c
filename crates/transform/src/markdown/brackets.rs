//! Brackets in the text of a link or an image: unbalanced ones would end the text early or not at all.

use std::ops::Range;

/// Escapes the brackets in the text of a link, which begins at `start`, if they are unbalanced. `atomic` has
/// the ranges of `out`, in order, that bind tighter than brackets: code, images and raw text.
pub(super) fn escape(out: &mut String, start: usize, atomic: &[Range<usize>]) {
    let Some(text) = out.get(start..).filter(|text| text.contains(['[', ']'])) else { return };
    if are_balanced(text, start, atomic) {
        return;
    }
    let text = text.to_owned();
    out.truncate(start);
    let mut escaped = false;
    for (c, open) in characters(&text, start, atomic) {
        if open && matches!(c, '[' | ']') && !escaped {
            out.push('\\');
        }
        escaped = open && c == '\\' && !escaped;
        out.push(c);
    }
}

fn are_balanced(text: &str, start: usize, atomic: &[Range<usize>]) -> bool {
    let mut depth = 0_i32;
    let mut escaped = false;
    for (c, open) in characters(text, start, atomic) {
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

/// The characters of a text that begins at `start`, each with whether it is outside of all atomic ranges.
fn characters<'t>(
    text: &'t str,
    start: usize,
    atomic: &'t [Range<usize>],
) -> impl Iterator<Item = (char, bool)> + 't {
    let mut atomic = atomic.iter().peekable();
    text.char_indices().map(move |(at, c)| {
        let at = start + at;
        while atomic.next_if(|range| range.end <= at).is_some() {}
        (c, !atomic.peek().is_some_and(|range| range.contains(&at)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unbalanced_brackets_are_escaped() {
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
