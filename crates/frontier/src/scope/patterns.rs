//! The compiled `includePaths` and `excludePaths` of a crawl.
//!
//! All patterns of a list form one automaton, so a URL is scanned once however many there are. Patterns that
//! match only at the start (`^/blog/`) form an automaton of their own, which usually stops after a few bytes.

use std::sync::Arc;

use gleaner_types::FaultPath;
use gleaner_types::limits::MAX_PATTERN_NESTING;
use gleaner_types::plan::{PatternFault, PatternFaultKind, pattern_faults};
use regex_automata::nfa::thompson::{self, Compiler, WhichCaptures};
use regex_automata::util::syntax;

use super::automaton::{Automaton, TooCostly};
use crate::error::{Error, ErrorKind};
use crate::percent::decoded;

#[derive(Debug, Clone, Default)]
pub(super) struct Patterns {
    at_start: Option<Arc<Automaton>>,
    anywhere: Option<Arc<Automaton>>,
}

impl Patterns {
    /// Compiles the list of the request field `field`.
    pub(super) fn new(field: &str, patterns: &[String]) -> Result<Self, Error> {
        if let Some(fault) = pattern_faults(patterns).into_iter().next() {
            return Err(pattern_error(field, &fault));
        }
        // Patterns that pass the check compile.
        let compile_error = |error: &dyn std::error::Error| {
            let message = format!("{field} cannot be compiled: {error}");
            Error::new(ErrorKind::BadPattern, FaultPath::key(field), message)
        };
        let config = syntax::Config::new().nest_limit(MAX_PATTERN_NESTING);
        let (mut at_start, mut anywhere) = (Vec::new(), Vec::new());
        for pattern in patterns {
            let parsed = syntax::parse_with(pattern, &config).map_err(|error| compile_error(&error))?;
            let is_anchored = parsed.properties().look_set_prefix().contains_anchor_haystack();
            let list = if is_anchored { &mut at_start } else { &mut anywhere };
            list.push(parsed);
        }
        let mut compiler = Compiler::new();
        compiler.configure(thompson::Config::new().which_captures(WhichCaptures::None));
        let build = |parsed: &Vec<_>| {
            if parsed.is_empty() {
                return Ok(None);
            }
            let nfa = compiler.build_many_from_hir(parsed).map_err(|error| compile_error(&error))?;
            Ok(Some(Arc::new(Automaton::new(nfa))))
        };
        Ok(Self { at_start: build(&at_start)?, anywhere: build(&anywhere)? })
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.at_start.is_none() && self.anywhere.is_none()
    }

    /// True if a pattern matches `text`, either as it is or with its escapes decoded: `^/über` must match
    /// `/%C3%BCber`.
    pub(super) fn matches(&self, text: &str, steps: &mut u64) -> Result<bool, TooCostly> {
        if self.is_empty() {
            return Ok(false);
        }
        if self.is_match(text, steps)? {
            return Ok(true);
        }
        decoded(text).map_or(Ok(false), |text| self.is_match(&text, steps))
    }

    fn is_match(&self, text: &str, steps: &mut u64) -> Result<bool, TooCostly> {
        for automaton in [&self.at_start, &self.anywhere].into_iter().flatten() {
            if automaton.is_match(text, steps)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn pattern_error(field: &str, fault: &PatternFault) -> Error {
    let kind = match fault.kind {
        PatternFaultKind::TooMany => ErrorKind::TooManyPatterns,
        PatternFaultKind::TooLong => ErrorKind::PatternTooLong,
        PatternFaultKind::TooLarge => ErrorKind::PatternsTooLarge,
        _ => ErrorKind::BadPattern,
    };
    let list = FaultPath::key(field);
    let path = match fault.index {
        Some(index) => list.then(index),
        None => list,
    };
    let message = format!("{path} {}", fault.text);
    Error::new(kind, path, message)
}
