//! The `includePaths` and `excludePaths` of a crawl, compiled once.
//!
//! All patterns of a list are one automaton ([`RegexSet`]): a URL is gone over once however many there are, in time
//! linear in its length. There is no backtracking, so no pattern is slow on some input.

use gleaner_types::limits;
use regex::{RegexBuilder, RegexSet, RegexSetBuilder};

use crate::error::{Error, ErrorKind};
use crate::percent::decoded;

/// At most so many patterns in one list.
pub const MAX_PATTERNS: usize = 1000;

/// At most so many characters in one pattern.
pub const MAX_PATTERN_CHARS: usize = 2000;

/// The patterns of one list together compile to at most so many bytes, and one of them to at most
/// [`limits::MAX_PATTERN_COMPILED_BYTES`].
pub const MAX_COMPILED_PATTERNS: usize = limits::MAX_PATTERNS_COMPILED_BYTES;

/// What matching may take beside the patterns themselves, in bytes: a cache, which is emptied when it is full.
const MATCHING_BYTES: usize = 1 << 20;

/// How deep groups in a pattern may nest.
const MAX_NESTING: u32 = 100;

/// How many patterns are built alone to find the one to blame, where all together are too large.
const MOST_BLAMED: usize = 16;

#[derive(Debug, Clone)]
pub(super) struct Patterns(RegexSet);

impl Patterns {
    /// Compiles the list that the request calls `field`.
    pub(super) fn new(field: &str, patterns: &[String]) -> Result<Self, Error> {
        if patterns.len() > MAX_PATTERNS {
            let message =
                format!("{field} has {} patterns; at most {MAX_PATTERNS} are allowed", patterns.len());
            return Err(Error::new(ErrorKind::TooManyPatterns, message));
        }
        for (index, pattern) in patterns.iter().enumerate() {
            let length = pattern.chars().count();
            if length > MAX_PATTERN_CHARS {
                let message = format!(
                    "{field}[{index}] has {length} characters; at most {MAX_PATTERN_CHARS} are allowed"
                );
                return Err(Error::new(ErrorKind::PatternTooLong, message));
            }
        }
        let builder = |pattern: &String, bytes| {
            RegexBuilder::new(pattern).size_limit(bytes).nest_limit(MAX_NESTING).build()
        };
        // A bound of nothing stops the compiler at its first step, after the parser has passed the pattern.
        for (index, pattern) in patterns.iter().enumerate() {
            if let Err(error @ regex::Error::Syntax(_)) = builder(pattern, 0) {
                let message = format!("{field}[{index}] is not a regular expression: {error}");
                return Err(Error::new(ErrorKind::BadPattern, message));
            }
        }
        let set = RegexSetBuilder::new(patterns)
            .size_limit(MAX_COMPILED_PATTERNS)
            .dfa_size_limit(MATCHING_BYTES)
            .nest_limit(MAX_NESTING)
            .build();
        // Then each on its own: one pattern is not to use up what is meant for a list. Where all together are too large,
        // nothing bounds what building each would cost, so only the longest are tried: a large automaton needs some text.
        let mut tried: Vec<(usize, &String)> = patterns.iter().enumerate().collect();
        if set.is_err() {
            tried.sort_by_key(|(_, pattern)| std::cmp::Reverse(pattern.len()));
            tried.truncate(MOST_BLAMED);
        }
        for (index, pattern) in tried {
            if builder(pattern, limits::MAX_PATTERN_COMPILED_BYTES).is_err() {
                let message = format!(
                    "{field}[{index}] compiles to more than {} bytes; use smaller repetitions",
                    limits::MAX_PATTERN_COMPILED_BYTES
                );
                return Err(Error::new(ErrorKind::PatternsTooLarge, message));
            }
        }
        set.map(Self).map_err(|_| {
            let message = format!(
                "{field} compiles to more than {MAX_COMPILED_PATTERNS} bytes in all; use fewer patterns"
            );
            Error::new(ErrorKind::PatternsTooLarge, message)
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True where a pattern is found in `text` as it stands or with its escapes resolved: `^/über` is meant for
    /// `/%C3%BCber`.
    pub(super) fn matches(&self, text: &str) -> bool {
        !self.0.is_empty()
            && (self.0.is_match(text) || decoded(text).is_some_and(|text| self.0.is_match(&text)))
    }
}
