//! Checks the regular expressions of a schema, which have the syntax of ECMA-262.

use std::fmt::Write;

use regex::{Regex, RegexBuilder};

/// Size limit of one compiled regular expression of a schema, in bytes.
pub(super) const MAX_SCHEMA_PATTERN_BYTES: usize = 1 << 20;

/// White space by ECMA-262.
const SPACE: &str = r"\t-\r \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";

/// Starts of groups that look around, which the `regex` crate does not know.
const LOOKAROUND: [&str; 4] = ["(?=", "(?!", "(?<=", "(?<!"];

/// Whether a `pattern` is a regular expression within the size limit. The `regex` crate knows neither
/// lookaround nor back-references: of a pattern with them, the rest is checked.
pub(super) fn is_valid(pattern: &str) -> bool {
    compiled(pattern).is_some() || compiled(&without_lookaround(pattern)).is_some()
}

/// A `pattern` in the `regex` crate; `None` if it has lookaround or back-references, or is too large.
fn compiled(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(&rust_syntax(pattern)?).size_limit(MAX_SCHEMA_PATTERN_BYTES).build().ok()
}

/// A pattern whose lookaround is plain groups, and whose back-references are empty.
fn without_lookaround(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        if let Some(start) = LOOKAROUND.iter().find(|start| rest.starts_with(**start)) {
            out.push_str("(?:");
            rest = rest.get(start.len()..).unwrap_or_default();
            continue;
        }
        let length =
            if first == '\\' { 1 + rest.chars().nth(1).map_or(0, char::len_utf8) } else { first.len_utf8() };
        let (taken, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
        let is_reference =
            first == '\\' && taken.chars().nth(1).is_some_and(|digit| matches!(digit, '1'..='9'));
        out.push_str(if is_reference { "(?:)" } else { taken });
        rest = behind;
    }
    out
}

/// A pattern that values are checked with.
#[derive(Debug, Clone)]
pub(in crate::schema) struct EcmaPattern {
    pattern: Regex,
    /// What lookaheads at the start of the pattern demand or forbid.
    ahead: Vec<(Regex, bool)>,
}

impl EcmaPattern {
    /// Compiles a pattern. Lookaheads right behind `^` are checked one by one; `None` with other lookaround
    /// or with back-references.
    pub(in crate::schema) fn compile(pattern: &str) -> Option<Self> {
        if let Some(pattern) = compiled(pattern) {
            return Some(Self { pattern, ahead: Vec::new() });
        }
        let mut rest = pattern.strip_prefix('^')?;
        let mut ahead = Vec::new();
        while let Some(start) = ["(?=", "(?!"].iter().find(|start| rest.starts_with(**start)) {
            let end = end_of_group(rest)?;
            let inner = rest.get(start.len()..end)?;
            ahead.push((compiled(&format!("^(?:{inner})"))?, *start == "(?="));
            rest = rest.get(end + 1..)?;
        }
        // The lookaheads of `^(?=a)b|c` are those of one alternative.
        if rest.contains('|') && !rest.contains('(') {
            return None;
        }
        Some(Self { pattern: compiled(&format!("^{rest}"))?, ahead })
    }

    /// Whether a text matches.
    pub(in crate::schema) fn is_match(&self, text: &str) -> bool {
        self.pattern.is_match(text)
            && self.ahead.iter().all(|(ahead, wanted)| ahead.is_match(text) == *wanted)
    }
}

/// Where the group at the start of a pattern is closed.
fn end_of_group(pattern: &str) -> Option<usize> {
    let (mut depth, mut in_class, mut is_escaped) = (0_usize, false, false);
    for (at, found) in pattern.char_indices() {
        match found {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            ']' => in_class = false,
            '[' => in_class = true,
            '(' if !in_class => depth += 1,
            ')' if !in_class => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// An ECMA-262 pattern in the syntax of the `regex` crate; `None` if it has an escape that ECMA-262 lacks.
///
/// Only what differs is rewritten. `\d`, `\s` and `\w` are small sets in ECMA-262. The crate reads sets
/// of all Unicode instead, which would take common patterns such as `^\w{1,255}$` past the size limit.
fn rust_syntax(pattern: &str) -> Option<String> {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                'd' => out.push_str("[0-9]"),
                'D' => out.push_str("[^0-9]"),
                'w' => out.push_str("[A-Za-z0-9_]"),
                'W' => out.push_str("[^A-Za-z0-9_]"),
                's' => write!(out, "[{SPACE}]").ok()?,
                'S' => write!(out, "[^{SPACE}]").ok()?,
                'a' => return None,
                'c' => {
                    let letter = chars.next().filter(char::is_ascii_alphabetic)?;
                    write!(out, r"\x{{{:x}}}", u32::from(letter) % 32).ok()?;
                }
                other => out.extend(['\\', other]),
            },
            // Sets within sets and set operations do not exist in ECMA-262.
            '[' if in_class => out.push_str(r"\["),
            '&' | '~' | '-' if in_class && chars.peek() == Some(&c) => {
                chars.next();
                out.extend([c, '\\', c]);
            }
            _ => {
                in_class = (in_class || c == '[') && c != ']';
                out.push(c);
            }
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile_as_ecma_262_reads_them() {
        for pattern in [
            "",
            r"^[A-Z]{2}\d{1,20}$",
            r"^\w{1,255}$",
            r"^\S{1,40}$",
            r"^[\w.+-]+@[\w-]+\.[\w.-]+$",
            r"^\d{4}-\d{2}-\d{2}$",
            r"^https?:\/\/",
            r"\cJ|\u0041|\x41|\p{L}",
            "[[]",
            "[a&&b]",
            "[+--]",
            "(?<year>[0-9]+)",
        ] {
            assert!(compiled(pattern).is_some(), "{pattern}");
        }
    }

    #[test]
    fn what_no_engine_takes_or_takes_too_much_is_refused() {
        for pattern in ["(", "[", "a{2,1}", "*", r"\", r"\a", r"\c1", "(?=", r"(\w{999}){999}"] {
            assert!(!is_valid(pattern), "{pattern}");
        }
    }

    #[test]
    fn lookahead_at_the_start_is_checked_and_other_lookaround_is_valid() {
        let rows = [
            (r"^(?=.*\d)[A-Z0-9-]+$", "KF-4", true),
            (r"^(?=.*\d)[A-Z0-9-]+$", "KF", false),
            (r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$", "12.5", true),
            (r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$", "-", false),
            (r"^(?=.{1,3}$)[a-z)]+$", "abcd", false),
        ];
        for (pattern, text, expected) in rows {
            assert_eq!(EcmaPattern::compile(pattern).unwrap().is_match(text), expected, "{pattern}: {text}");
        }
        for pattern in ["(?=a)", r"(a)\1", r"^a(?=\d)", r"(?<!x)y"] {
            assert!(is_valid(pattern) && EcmaPattern::compile(pattern).is_none(), "{pattern}");
        }
    }

    #[test]
    fn classes_and_escapes_are_rewritten() {
        let rows = [
            (r"\d[\D]", Some("[0-9][[^0-9]]")),
            (r"\\d", Some(r"\\d")),
            (r"[[]\[", Some(r"[\[]\[")),
            ("[a--b]--", Some(r"[a-\-b]--")),
            (r"\cJ", Some(r"\x{a}")),
            (r"\a", None),
        ];
        for (pattern, expected) in rows {
            assert_eq!(rust_syntax(pattern).as_deref(), expected, "{pattern}");
        }
    }
}
