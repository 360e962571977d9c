use regex::{Error, RegexBuilder, RegexSetBuilder};

use super::path::Path;
use super::report::{Code, Report};
use super::text::quote;
use crate::limits::{MAX_PATTERN_CLASSES, MAX_PATTERN_COMPILED_BYTES, MAX_PATTERNS_COMPILED_BYTES};

/// Can these patterns be compiled, each and together?
///
/// A short pattern can stand for a huge automaton (`(a{999}){999}`), and a thousand that are each just small enough
/// are still too much. So the cheap looks come first, and no step can cost more than its bound: classes are counted;
/// then each pattern is parsed without building anything; then all are built as one set under the
/// bound of a list; and only when that bound holds for their sum is each built alone under its own.
pub(crate) fn patterns(patterns: Option<Vec<String>>, path: &Path<'_>, report: &mut Report) -> Vec<String> {
    let patterns = patterns.unwrap_or_default();
    let classes: usize = patterns.iter().map(|pattern| count_classes(pattern)).sum();
    if classes > MAX_PATTERN_CLASSES {
        report.fault(Code::OutOfRange, path, |name| {
            format!(
                "{name} must have at most {MAX_PATTERN_CLASSES} character classes together, not {classes}"
            )
        });
        return patterns;
    }
    let mut sound = true;
    for (index, pattern) in patterns.iter().enumerate() {
        // A bound of nothing stops the compiler at its first step, after the parser has passed the pattern.
        if let Err(Error::Syntax(error)) = RegexBuilder::new(pattern).size_limit(0).build() {
            sound = false;
            report.fault(Code::InvalidValue, &path.index(index), |name| {
                format!("{name} is not a regular expression: {} in {}", last_line(&error), quote(pattern))
            });
        }
    }
    if sound {
        sizes(&patterns, path, report);
    }
    patterns
}

fn sizes(patterns: &[String], path: &Path<'_>, report: &mut Report) {
    /// How many are built to find the one to blame, where all together are too large.
    const MOST_TRIED: usize = 16;
    let together = RegexSetBuilder::new(patterns).size_limit(MAX_PATTERNS_COMPILED_BYTES).build();
    let mut tried: Vec<(usize, &String)> = patterns.iter().enumerate().collect();
    if together.is_err() {
        // The longest first: a large automaton needs some text.
        tried.sort_by_key(|(_, pattern)| std::cmp::Reverse(pattern.len()));
        tried.truncate(MOST_TRIED);
    }
    let mut blamed = false;
    for (index, pattern) in tried {
        if RegexBuilder::new(pattern).size_limit(MAX_PATTERN_COMPILED_BYTES).build().is_err() {
            blamed = true;
            report.fault(Code::OutOfRange, &path.index(index), |name| {
                format!(
                    "{name} is too large: compiled it takes more than {MAX_PATTERN_COMPILED_BYTES} bytes ({})",
                    quote(pattern)
                )
            });
        }
    }
    if together.is_err() && !blamed {
        report.fault(Code::OutOfRange, path, |name| {
            format!("{name} are too large together: compiled they take more than {MAX_PATTERNS_COMPILED_BYTES} bytes")
        });
    }
}

/// How many classes a pattern may have at most: brackets, and escapes that stand for many characters.
pub(super) fn count_classes(pattern: &str) -> usize {
    let mut escaped = false;
    let mut classes = 0;
    for byte in pattern.bytes() {
        let class = if escaped { b"wWdDsSpPbB".contains(&byte) } else { byte == b'[' };
        classes += usize::from(class);
        escaped = byte == b'\\' && !escaped;
    }
    classes
}

/// The parser draws its error over several lines; the last one says what it is.
fn last_line(error: &str) -> &str {
    error.lines().last().unwrap_or(error).trim_start_matches("error: ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_counted_as_the_parser_meets_them() {
        assert_eq!(count_classes(r"/blog/.*\.html$"), 0);
        assert_eq!(count_classes(r"\d+[a-z]\w"), 3);
        assert_eq!(count_classes(r"\\w\[x"), 0);
    }
}
