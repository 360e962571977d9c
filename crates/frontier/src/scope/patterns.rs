//! The `includePaths` and `excludePaths` of a crawl, compiled once.
//!
//! All patterns of a list are one automaton, so a URL is gone over once however many there are. Those that hold at the
//! beginning alone (`^/blog/`) are one of their own, which mostly ends after a few bytes.

use std::sync::Arc;

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
    /// Compiles the list that the request calls `field`.
    pub(super) fn new(field: &str, patterns: &[String]) -> Result<Self, Error> {
        if let Some(fault) = pattern_faults(patterns).into_iter().next() {
            return Err(refused(field, &fault));
        }
        // What the check has let through compiles.
        let broken = |error: &dyn std::error::Error| {
            Error::new(ErrorKind::BadPattern, format!("{field} cannot be compiled: {error}"))
        };
        let config = syntax::Config::new().nest_limit(MAX_PATTERN_NESTING);
        let (mut at_start, mut anywhere) = (Vec::new(), Vec::new());
        for pattern in patterns {
            let parsed = syntax::parse_with(pattern, &config).map_err(|error| broken(&error))?;
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
            let nfa = compiler.build_many_from_hir(parsed).map_err(|error| broken(&error))?;
            Ok(Some(Arc::new(Automaton::new(nfa))))
        };
        Ok(Self { at_start: build(&at_start)?, anywhere: build(&anywhere)? })
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.at_start.is_none() && self.anywhere.is_none()
    }

    /// True where a pattern is found in `text` as it stands or with its escapes resolved: `^/über` is meant for
    /// `/%C3%BCber`.
    pub(super) fn matches(&self, text: &str, steps: &mut u64) -> Result<bool, TooCostly> {
        if self.is_empty() {
            return Ok(false);
        }
        if self.finds(text, steps)? {
            return Ok(true);
        }
        decoded(text).map_or(Ok(false), |text| self.finds(&text, steps))
    }

    fn finds(&self, text: &str, steps: &mut u64) -> Result<bool, TooCostly> {
        for automaton in [&self.at_start, &self.anywhere].into_iter().flatten() {
            if automaton.finds(text, steps)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn refused(field: &str, fault: &PatternFault) -> Error {
    let kind = match fault.kind {
        PatternFaultKind::TooMany => ErrorKind::TooManyPatterns,
        PatternFaultKind::TooLong => ErrorKind::PatternTooLong,
        PatternFaultKind::TooLarge => ErrorKind::PatternsTooLarge,
        _ => ErrorKind::BadPattern,
    };
    let name = match fault.index {
        Some(index) => format!("{field}[{index}]"),
        None => field.to_owned(),
    };
    Error::new(kind, format!("{name} {}", fault.text))
}
