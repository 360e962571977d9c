//! Checks the regular expressions of a schema, which have the syntax of ECMA-262.

use std::fmt::Write;

use regex::RegexBuilder;

/// Size limit of one compiled regular expression of a schema, in bytes.
pub(super) const MAX_SCHEMA_PATTERN_BYTES: usize = 1 << 20;

/// White space by ECMA-262.
const SPACE: &str = r"\t-\r \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";

/// Whether a `pattern` compiles within the size limit. Lookaround and back-references do not.
pub(super) fn compiles(pattern: &str) -> bool {
    rust_syntax(pattern).is_some_and(|pattern| {
        RegexBuilder::new(&pattern).size_limit(MAX_SCHEMA_PATTERN_BYTES).build().is_ok()
    })
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
            assert!(compiles(pattern), "{pattern}");
        }
    }

    #[test]
    fn what_no_engine_takes_or_takes_too_much_is_refused() {
        for pattern in ["(", "[", "a{2,1}", "*", r"\", r"\a", r"\c1", "(?=a)", r"(a)\1", r"(\w{999}){999}"] {
            assert!(!compiles(pattern), "{pattern}");
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
