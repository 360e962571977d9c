//! Validity and cost of the patterns of a crawl (`includePaths`, `excludePaths`).
//!
//! A short pattern can compile to a huge automaton (`(a{999}){999}`), and a thousand patterns that are each
//! just small enough are too large together. So the cheap checks come first, and each check bounds the cost
//! of the next one: characters, then classes, then the compiled states of each pattern and their sum.

use std::error::Error as _;

use regex_automata::nfa::thompson::{self, Compiler, WhichCaptures};
use regex_automata::util::syntax;

use crate::limits::{
    MAX_FAULTS, MAX_PATTERN_CHARS, MAX_PATTERN_CLASSES, MAX_PATTERN_COMPILED_BYTES, MAX_PATTERN_NESTING,
    MAX_PATTERN_STATES, MAX_PATTERNS, MAX_PATTERNS_CHARS, MAX_PATTERNS_STATES,
};
use crate::quote::quote;

/// A fault of a list of patterns.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PatternFault {
    /// The index of the faulty pattern; `None` for the list as a whole.
    pub index: Option<usize>,
    /// The kind of fault.
    pub kind: PatternFaultKind,
    /// A description to append to the name of the pattern or the list: `is not a regular expression: ...`.
    pub text: String,
}

/// Kinds of [`PatternFault`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PatternFaultKind {
    /// The pattern is not a regular expression.
    Syntax,
    /// There are more than [`MAX_PATTERNS`].
    TooMany,
    /// A pattern has more than [`MAX_PATTERN_CHARS`] characters, or all together have more than
    /// [`MAX_PATTERNS_CHARS`].
    TooLong,
    /// A pattern, or the list up to and including it, is too expensive to match.
    TooLarge,
}

/// The faults of a list of patterns, at most the first [`MAX_FAULTS`]. Empty if the list is valid.
#[must_use]
pub fn pattern_faults(patterns: &[String]) -> Vec<PatternFault> {
    let faults = too_long(patterns);
    if !faults.is_empty() {
        return faults;
    }
    if let Some(fault) = too_many_classes(patterns) {
        return vec![fault];
    }
    too_large(patterns)
}

fn too_long(patterns: &[String]) -> Vec<PatternFault> {
    if patterns.len() > MAX_PATTERNS {
        let text = format!("must have at most {MAX_PATTERNS} patterns, not {}", patterns.len());
        return vec![PatternFault { index: None, kind: PatternFaultKind::TooMany, text }];
    }
    let mut faults = Vec::new();
    let mut all = 0;
    for (index, pattern) in patterns.iter().enumerate() {
        let length = pattern.chars().count();
        all += length;
        if length > MAX_PATTERN_CHARS && faults.len() < MAX_FAULTS {
            let text = format!("must have at most {MAX_PATTERN_CHARS} characters, not {length}");
            faults.push(PatternFault { index: Some(index), kind: PatternFaultKind::TooLong, text });
        }
    }
    if faults.is_empty() && all > MAX_PATTERNS_CHARS {
        let text = format!("must have at most {MAX_PATTERNS_CHARS} characters together, not {all}");
        faults.push(PatternFault { index: None, kind: PatternFaultKind::TooLong, text });
    }
    faults
}

fn too_many_classes(patterns: &[String]) -> Option<PatternFault> {
    let classes: usize = patterns.iter().map(|pattern| class_cost(pattern)).sum();
    (classes > MAX_PATTERN_CLASSES).then(|| PatternFault {
        index: None,
        kind: PatternFaultKind::TooLarge,
        text: format!(
            "must have at most {MAX_PATTERN_CLASSES} character classes together, not {classes} (one that \
             ignores case counts for more)"
        ),
    })
}

/// Compiles the patterns in order, and stops at the first that is too large, alone or together with those
/// before it.
fn too_large(patterns: &[String]) -> Vec<PatternFault> {
    let mut compiler = Compiler::new();
    compiler.syntax(syntax::Config::new().nest_limit(MAX_PATTERN_NESTING)).configure(
        thompson::Config::new()
            .nfa_size_limit(Some(MAX_PATTERN_COMPILED_BYTES))
            .which_captures(WhichCaptures::None),
    );
    let mut faults = Vec::new();
    let mut states = 0;
    for (index, pattern) in patterns.iter().enumerate() {
        let (kind, text) = match compiler.build(pattern) {
            Ok(nfa) => {
                let own = nfa.states().len();
                states += own;
                if own > MAX_PATTERN_STATES {
                    let text = format!(
                        "is too large: it compiles to {own} states, but at most {MAX_PATTERN_STATES} are \
                         allowed ({})",
                        quote(pattern)
                    );
                    (PatternFaultKind::TooLarge, text)
                } else if states > MAX_PATTERNS_STATES {
                    let text = format!(
                        "makes the patterns too large together: up to this one they compile to {states} \
                         states, but at most {MAX_PATTERNS_STATES} are allowed ({})",
                        quote(pattern)
                    );
                    (PatternFaultKind::TooLarge, text)
                } else {
                    continue;
                }
            }
            Err(error) if error.size_limit().is_some() => {
                let text = format!(
                    "is too large: it compiles to more than {MAX_PATTERN_COMPILED_BYTES} bytes ({})",
                    quote(pattern)
                );
                (PatternFaultKind::TooLarge, text)
            }
            Err(error) => {
                let why = error.source().map_or_else(|| error.to_string(), ToString::to_string);
                let text = format!("is not a regular expression: {} in {}", last_line(&why), quote(pattern));
                (PatternFaultKind::Syntax, text)
            }
        };
        faults.push(PatternFault { index: Some(index), kind, text });
        if kind == PatternFaultKind::TooLarge || faults.len() >= MAX_FAULTS {
            break;
        }
    }
    faults
}

/// The cost of parsing a pattern's character classes, in units of a plain class.
///
/// If case is ignored, the parser looks up each character of a bracketed class. That is cheap for `[a-z]` and
/// takes milliseconds for `[\W]`, which contains most of Unicode. In verbose mode (`(?x)`), this function
/// cannot find the ends of brackets, so the whole pattern counts as one set.
pub(crate) fn class_cost(pattern: &str) -> usize {
    /// The cost of a class with few letters, if case is ignored.
    const FOLDED: usize = 10;
    /// The cost of a class that may contain much of Unicode, if case is ignored.
    const BROAD: usize = 200;
    let flags = Flags::of(pattern);
    let (mut cost, mut depth, mut set) = (0, 0_usize, Set::default());
    // Directly after an opening bracket, a closing one is a literal character.
    let mut opening = false;
    let mut escaped = false;
    let mut before = 0;
    for byte in pattern.bytes() {
        match byte {
            _ if escaped => {
                if b"wWdDsSpPbB".contains(&byte) {
                    cost += if flags.folds { FOLDED } else { 1 };
                }
                if flags.folds && b"pP".contains(&byte) {
                    cost += BROAD;
                }
                set.broad |= b"WDSPpxuU".contains(&byte);
                opening = false;
            }
            b'\\' => {}
            b'[' => {
                if depth == 0 && !flags.verbose {
                    set = Set::default();
                }
                depth += 1;
                cost += 1;
                set.brackets += 1;
                opening = true;
            }
            b']' if depth > 0 && !opening => {
                depth -= 1;
                if depth == 0 && !flags.verbose && flags.folds && set.is_broad() {
                    cost += BROAD * set.brackets;
                    set = Set::default();
                }
            }
            b'^' | b'-' | b' ' | b'\t' if opening => {
                // `[^a]` within other brackets contains most of Unicode, like `[:^alpha:]`.
                set.broad |= byte == b'^' && set.brackets > 1;
                set.range |= byte == b'-';
            }
            _ => {
                set.broad |= byte == b'^' && before == b':';
                set.range |= byte == b'-';
                set.foreign |= !byte.is_ascii();
                opening = false;
            }
        }
        escaped = byte == b'\\' && !escaped;
        before = byte;
    }
    if flags.folds && set.is_broad() { cost + BROAD * set.brackets } else { cost }
}

/// Properties of the open brackets.
#[derive(Debug, Default)]
struct Set {
    /// The number of brackets, including nested ones.
    brackets: usize,
    /// An item may match much of Unicode.
    broad: bool,
    /// There may be a range.
    range: bool,
    /// There are non-ASCII characters.
    foreign: bool,
}

impl Set {
    const fn is_broad(&self) -> bool {
        self.broad || (self.range && self.foreign)
    }
}

/// Modes that a pattern's flags (`(?i)`, `(?x: ...)`) may switch on somewhere.
#[derive(Debug, Default)]
struct Flags {
    /// Case is ignored.
    folds: bool,
    /// White space and comments are ignored.
    verbose: bool,
}

impl Flags {
    fn of(pattern: &str) -> Self {
        let mut flags = Self::default();
        for group in pattern.split("(?").skip(1) {
            for flag in group.chars().take_while(|flag| "imsUuxR-".contains(*flag)) {
                flags.folds |= flag == 'i';
                flags.verbose |= flag == 'x';
            }
        }
        // In verbose mode, white space may split a group's flags, so assume `i` too.
        flags.folds |= flags.verbose;
        flags
    }
}

/// The parser's error has several lines. The last one is the message.
fn last_line(error: &str) -> &str {
    error.lines().last().unwrap_or(error).trim_start_matches("error: ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_costs() {
        for (pattern, cost) in [
            (r"/blog/.*\.html$", 0),
            (r"\d+[a-z]\w", 3),
            (r"\\w\[x", 0),
            ("[]a]", 1),
            (r"[\W]", 2),
            ("(?i)[a-z]+", 1),
            (r"(?i)\d[\w-]", 21),
            (r"(?i)[\W]", 211),
            (r"(?i)[]\S]", 211),
            (r"(?i)[^]\S]", 211),
            ("(?i)[[:^alpha:]]", 402),
            ("(?i)[\u{e4}\u{f6}]", 1),
            ("(?i)[\u{e4}-\u{10ffff}]", 201),
            (r"(?i)\D[a]", 11),
            (r"(?is:[\x00-\x{10ffff}])", 201),
            (r"(?i)\p{Any}", 210),
            // The bracket in the comment closes nothing.
            ("(?x)[# ]\n\\W]", 211),
            ("(?P<name>[a])", 1),
        ] {
            assert_eq!(class_cost(pattern), cost, "{pattern}");
        }
    }

    #[test]
    fn invalid_lists_are_refused() {
        let text = |index: Option<usize>, text: &str| (index, text.to_owned());
        type Row = (&'static str, Vec<String>, (Option<usize>, String));
        let rows: Vec<Row> = vec![
            (
                "too many",
                vec!["x".to_owned(); 1_001],
                text(None, "must have at most 1000 patterns, not 1001"),
            ),
            (
                "too long",
                vec!["ok".to_owned(), "x".repeat(2_001)],
                text(Some(1), "must have at most 2000 characters, not 2001"),
            ),
            (
                "too long together",
                vec!["x".repeat(1_000); 101],
                text(None, "must have at most 100000 characters together, not 101000"),
            ),
            (
                "too many classes",
                vec!["[a]".repeat(600); 4],
                text(
                    None,
                    "must have at most 2000 character classes together, not 2400 (one that ignores case \
                     counts for more)",
                ),
            ),
            (
                "classes of all characters that ignore case",
                vec![r"(?i)[\W]{0}".to_owned(); 10],
                text(
                    None,
                    "must have at most 2000 character classes together, not 2110 (one that ignores case \
                     counts for more)",
                ),
            ),
            (
                "not closed",
                vec!["ok".to_owned(), "a(".to_owned()],
                text(Some(1), "is not a regular expression: unclosed group in \"a(\""),
            ),
            (
                "too large in bytes",
                vec!["(x{1000}){1000}".to_owned()],
                text(Some(0), "is too large: it compiles to more than 1048576 bytes (\"(x{1000}){1000}\")"),
            ),
        ];
        for (name, patterns, expected) in rows {
            let faults = pattern_faults(&patterns);
            assert_eq!(faults.len(), 1, "{name}: {faults:?}");
            assert_eq!((faults[0].index, faults[0].text.clone()), expected, "{name}");
        }
    }

    /// The compiler determines the numbers of states, so the test only checks that they are reported.
    #[test]
    fn states_are_limited_per_pattern_and_in_total() {
        for (name, patterns, index, start, end) in [
            (
                "one",
                vec!["ok".to_owned(), "(?:x{99}y){60}".to_owned()],
                1,
                "is too large: it compiles to ",
                " states, but at most 5000 are allowed (\"(?:x{99}y){60}\")",
            ),
            (
                "all",
                (0..10).map(|n| format!("{n}x{{999}}y{{999}}z{{999}}")).collect(),
                6,
                "makes the patterns too large together: up to this one they compile to ",
                " states, but at most 20000 are allowed (\"6x{999}y{999}z{999}\")",
            ),
        ] {
            let faults = pattern_faults(&patterns);
            assert_eq!(faults.len(), 1, "{name}: checking stops at the first: {faults:?}");
            assert_eq!(
                (faults[0].index, faults[0].kind),
                (Some(index), PatternFaultKind::TooLarge),
                "{name}"
            );
            let text = &faults[0].text;
            assert!(text.starts_with(start) && text.ends_with(end), "{name}: {text}");
        }
        // Lists like these kept a worker busy for a minute with one sitemap.
        for patterns in [
            (0..1_000).map(|n| format!("[ab]{{40}}c{n}")).collect::<Vec<_>>(),
            (0..150).map(|n| format!("(.*a.*b){{12}}z{n}")).collect(),
        ] {
            let faults = pattern_faults(&patterns);
            let [PatternFault { index: Some(index), kind: PatternFaultKind::TooLarge, text }] = &faults[..]
            else {
                panic!("refused: {faults:?}");
            };
            assert!(text.contains(&format!("({:?})", patterns[*index])), "it names the pattern: {text}");
        }
        let usual: Vec<String> = (0..400).map(|n| format!("^/shop/products/{n}-[a-z0-9-]+/?$")).collect();
        assert!(pattern_faults(&usual).is_empty());
    }

    #[test]
    fn every_invalid_pattern_is_reported() {
        let patterns = vec!["(".to_owned(); 300];
        let faults = pattern_faults(&patterns);
        assert_eq!(faults.len(), MAX_FAULTS);
        assert!(faults.iter().enumerate().all(|(index, fault)| fault.index == Some(index)));
        let nested = format!("{}x{}", "(".repeat(101), ")".repeat(101));
        assert_eq!(pattern_faults(&[nested])[0].kind, PatternFaultKind::Syntax);
    }
}
