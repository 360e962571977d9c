//! Exact escaping: a character gets a backslash if Markdown would read it as markup, and otherwise not.

use gleaner_types::Interrupt;
use memchr::memchr2_iter;

/// How often the characters occur in a block that act as markup only in pairs.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct DelimiterCounts {
    pub(super) stars: usize,
    pub(super) underscores: usize,
    pub(super) backticks: usize,
    pub(super) tildes: usize,
    /// The block has text that renderers may turn into a link (a GFM autolink).
    pub(super) autolink: bool,
    /// Write [`DOLLAR_PLACEHOLDER`] for a dollar.
    pub(super) defer_dollars: bool,
}

/// Replaces a dollar of the text until the whole page is written. If the page has formulas the dollar needs a
/// backslash, because readers that support formulas would find one between this dollar and the next. The
/// character does not occur in text otherwise.
const DOLLAR_PLACEHOLDER: &str = "\u{1}";

/// Replaces each [`DOLLAR_PLACEHOLDER`] by a dollar, with a backslash if `escape`.
pub(super) fn resolve_dollars(text: &str, escape: bool) -> String {
    text.replace(DOLLAR_PLACEHOLDER, if escape { "\\$" } else { "$" })
}

impl DelimiterCounts {
    /// Adds the characters of a text.
    pub(super) fn add(&mut self, text: &str) {
        self.autolink |= has_autolink(text);
        for byte in text.bytes() {
            match byte {
                b'*' => self.stars += 1,
                b'_' => self.underscores += 1,
                b'`' => self.backticks += 1,
                b'~' => self.tildes += 1,
                _ => {}
            }
        }
    }
}

/// Does a text have the start of a GFM autolink (GFM, 6.9)? An autolink includes a backslash that follows it,
/// so the character after the backslash would not be escaped.
pub(super) fn has_autolink(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr2_iter(b':', b'.', bytes).any(|at| {
        bytes.get(at..).is_some_and(|rest| rest.starts_with(b"://"))
            || at
                .checked_sub(3)
                .and_then(|start| bytes.get(start..=at))
                .is_some_and(|four| four.eq_ignore_ascii_case(b"www."))
    })
}

/// Can the byte need an escape in some context?
pub(super) const fn is_special(byte: u8) -> bool {
    matches!(byte, b'\\' | b'*' | b'_' | b'`' | b'~' | b'<' | b'&' | b']' | b'[' | b'!' | b'|' | b'$')
}

/// Writes text of a paragraph. `following` is the first character after the text on the same line.
pub(super) fn text(
    text: &str,
    following: Option<char>,
    counts: &DelimiterCounts,
    cell: bool,
    interrupt: &Interrupt,
    out: &mut String,
) {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(is_special) {
        if interrupt.spend(1) {
            return;
        }
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let previous = out.chars().next_back();
        let mut characters = from.chars();
        let Some(character) = characters.next() else { return };
        let after = characters.as_str();
        let next = after.chars().next().or(following);
        rest = after;
        if character == '$' && counts.defer_dollars {
            out.push_str(DOLLAR_PLACEHOLDER);
            continue;
        }
        if needs_escape(character, previous, next, after, counts, cell) {
            if character == '<' && counts.autolink && previous.is_some_and(|c| !c.is_whitespace()) {
                out.push_str("&lt;");
                continue;
            }
            out.push('\\');
        }
        out.push(character);
    }
    out.push_str(rest);
}

/// Writes a text as the content of a table cell, with `<br>` for line ends.
pub(crate) fn cell(value: &str, out: &mut String, interrupt: &Interrupt) {
    let mut counts = DelimiterCounts::default();
    counts.add(value);
    for (at, line) in value.trim().lines().enumerate() {
        if at > 0 {
            out.push_str("<br>");
        }
        let visible: String = line.chars().filter(|c| !c.is_control()).collect();
        text(&visible, Some('<'), &counts, true, interrupt, out);
    }
}

fn needs_escape(
    character: char,
    previous: Option<char>,
    next: Option<char>,
    after: &str,
    counts: &DelimiterCounts,
    cell: bool,
) -> bool {
    let space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match character {
        '*' => counts.stars > 1 && !(space(previous) && space(next)),
        '_' => counts.underscores > 1 && !(space(previous) && space(next)) && !(word(previous) && word(next)),
        '~' => counts.tildes > 1 && !(space(previous) && space(next)),
        '`' => counts.backticks > 1,
        '\\' => next.is_none_or(|c| c.is_ascii_punctuation()),
        '<' => next.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')),
        '&' => is_reference(after),
        ']' => matches!(next, Some('(' | ':')),
        '[' => next == Some('^'),
        '!' => next == Some('[') && after.is_empty(),
        '|' => cell,
        _ => false,
    }
}

/// Is an ampersand followed by `after` the start of a character reference?
fn is_reference(after: &str) -> bool {
    let Some(end) = after.bytes().take(40).position(|byte| byte == b';') else { return false };
    let name = after.get(..end).unwrap_or_default();
    let digits = |digits: &str, radix| !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    match name.strip_prefix('#') {
        Some(number) => match number.strip_prefix(['x', 'X']) {
            Some(hex) => digits(hex, 16),
            None => digits(number, 10),
        },
        None => !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric()),
    }
}

/// Writes the address of a link.
pub(super) fn destination(address: &str, cell: bool, out: &mut String) {
    let mut depth = 0_i32;
    let mut paired = true;
    for byte in address.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        paired &= depth >= 0;
    }
    let plain = !address.is_empty()
        && paired
        && depth == 0
        && !address.starts_with('<')
        && !address.bytes().any(|byte| byte <= b' ' || byte == 0x7F);
    if plain {
        escape_into(
            address,
            false,
            |c, next| c == '\\' && next.is_some_and(|n| n.is_ascii_punctuation()) || cell && c == '|',
            out,
        );
    } else {
        out.push('<');
        escape_into(
            address,
            false,
            |c, next| {
                matches!(c, '<' | '>')
                    || c == '\\' && next.is_none_or(|n| n.is_ascii_punctuation())
                    || cell && c == '|'
            },
            out,
        );
        out.push('>');
    }
}

/// Writes a link's title, without its quotes.
pub(super) fn title(title: &str, cell: bool, out: &mut String) {
    escape_into(
        title,
        true,
        |c, next| c == '"' || c == '\\' && next.is_none_or(|n| n.is_ascii_punctuation()) || cell && c == '|',
        out,
    );
}

/// Writes a text with a backslash before each character that `needs` it. Control characters are dropped, and
/// so are line ends unless `keep_lines`.
fn escape_into(text: &str, keep_lines: bool, needs: impl Fn(char, Option<char>) -> bool, out: &mut String) {
    let mut characters = text.chars().peekable();
    let mut at = 0;
    while let Some(c) = characters.next() {
        at += c.len_utf8();
        if c == '\n' && keep_lines {
            out.push(c);
            continue;
        }
        if c.is_control() {
            if c.is_whitespace() && !out.ends_with(' ') {
                out.push(' ');
            }
            continue;
        }
        if needs(c, characters.peek().copied())
            || (c == '&' && is_reference(text.get(at..).unwrap_or_default()))
        {
            out.push('\\');
        }
        out.push(c);
    }
}

/// Escapes the start of a paragraph's line that would begin another kind of block. The line is already
/// rendered.
pub(super) fn line_start(line: &str, first: bool, out: &mut String) {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let ends_marker = |at: usize| line.as_bytes().get(at).is_none_or(u8::is_ascii_whitespace);
    let at = match line.as_bytes().first() {
        Some(b'#') => {
            let level = line.bytes().take_while(|byte| *byte == b'#').count();
            (level <= 6 && ends_marker(level)).then_some(0)
        }
        Some(b'>') => Some(0),
        Some(b'+' | b'-') if ends_marker(1) => Some(0),
        Some(b'*') if ends_marker(1) => Some(0),
        Some(b'-' | b'_' | b'*') if is_rule(line) => Some(0),
        Some(b'=') if !first && line.bytes().all(|byte| matches!(byte, b'=' | b' ')) => Some(0),
        Some(b'-' | b':' | b'|')
            if !first && line.bytes().all(|byte| matches!(byte, b'-' | b':' | b'|' | b' ')) =>
        {
            Some(0)
        }
        Some(b'~') if line.starts_with("~~~") => Some(0),
        Some(b'0'..=b'9') if digits <= 9 && matches!(line.as_bytes().get(digits), Some(b'.' | b')')) => {
            ends_marker(digits + 1).then_some(digits)
        }
        _ => None,
    };
    let (before, after) = line.split_at_checked(at.unwrap_or(0)).unwrap_or((line, ""));
    out.push_str(before);
    if at.is_some() {
        out.push('\\');
    }
    out.push_str(after);
}

/// Would the line be a thematic break (or underline a heading)?
fn is_rule(line: &str) -> bool {
    let Some(mark) = line.bytes().next() else { return false };
    line.bytes().all(|byte| byte == mark || byte == b' ' || byte == b'\t')
        && (mark == b'-' || line.bytes().filter(|byte| *byte == mark).count() >= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(raw: &str) -> String {
        let mut counts = DelimiterCounts::default();
        counts.add(raw);
        let mut out = String::new();
        text(raw, None, &counts, false, &Interrupt::never(), &mut out);
        let mut line = String::new();
        line_start(&out, true, &mut line);
        line
    }

    #[test]
    fn only_markup_is_escaped() {
        let rows = [
            ("2 * 3 * 4", "2 * 3 * 4"),
            ("*a*", "\\*a\\*"),
            ("price*", "price*"),
            ("snake_case_name", "snake_case_name"),
            ("_a_", "\\_a\\_"),
            ("a < b", "a < b"),
            ("<script>", "\\<script>"),
            ("https://e.example/<script>", "https://e.example/&lt;script>"),
            ("https://e.example/ <script>", "https://e.example/ \\<script>"),
            ("WWW.e.example<b>", "WWW.e.example&lt;b>"),
            ("AT&T &amp; &x", "AT&T \\&amp; &x"),
            ("[a](b)", "[a\\](b)"),
            ("[a]: b", "[a\\]: b"),
            ("[a] b", "[a] b"),
            ("# x", "\\# x"),
            ("#x", "#x"),
            ("1. x", "1\\. x"),
            ("1.5 x", "1.5 x"),
            ("- x", "\\- x"),
            ("-x", "-x"),
            ("---", "\\---"),
            ("> x", "\\> x"),
            ("a\\b \\* c", "a\\b \\\\* c"),
            ("`", "`"),
            ("`a`", "\\`a\\`"),
            ("~5 to 7", "~5 to 7"),
        ];
        for (raw, expected) in rows {
            assert_eq!(escaped(raw), expected, "{raw}");
        }
    }
}
