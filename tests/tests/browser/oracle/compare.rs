//! Compares what two clients show of the cases.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::cases::Case;
use super::known::KNOWN;
use super::shown::Shown;

/// What differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// One shows a page and the other none.
    Failure,
    Address,
    Title,
    Links,
}

/// The differences between Chromium and the engine.
#[derive(Default)]
pub(super) struct Differences {
    /// A line for each that is not known.
    pub(super) table: String,
    /// The known ones that occurred, by their places in the table.
    pub(super) occurred: BTreeSet<usize>,
}

impl Differences {
    pub(super) fn between(chromium: &BTreeMap<usize, Shown>, engine: &BTreeMap<usize, Shown>) -> Self {
        let mut differences = Self::default();
        for (number, theirs) in chromium {
            let ours = engine.get(number).unwrap();
            let names = Case::new(*number).names();
            for (what, theirs, ours) in parts(theirs, ours) {
                if let Some(at) = KNOWN.iter().position(|known| known.explains(what, &names)) {
                    differences.occurred.insert(at);
                } else {
                    let names = names.join(", ");
                    let _ = writeln!(
                        differences.table,
                        "{number:3} {what:?}: Chromium {theirs:?}, gleaner {ours:?} ({names})"
                    );
                }
            }
        }
        differences
    }

    /// The known differences that did not occur: their reasons are no longer true.
    pub(super) fn stale(&self) -> Vec<&'static str> {
        let known = KNOWN.iter().enumerate();
        known.filter(|(at, _)| !self.occurred.contains(at)).map(|(_, known)| known.reason).collect()
    }
}

/// What differs between two pages: theirs and ours.
fn parts(theirs: &Shown, ours: &Shown) -> Vec<(What, String, String)> {
    if theirs.failure.is_some() || ours.failure.is_some() {
        let outcome = |shown: &Shown| shown.failure.clone().unwrap_or_else(|| "a page".to_owned());
        let is_same = theirs.failure.is_some() == ours.failure.is_some();
        return if is_same { Vec::new() } else { vec![(What::Failure, outcome(theirs), outcome(ours))] };
    }
    let only = |one: &Shown, other: &Shown| {
        one.links.difference(&other.links).cloned().collect::<Vec<_>>().join(" ")
    };
    let all = [
        (What::Address, theirs.address.clone(), ours.address.clone()),
        (What::Title, theirs.title.clone(), ours.title.clone()),
        (What::Links, only(theirs, ours), only(ours, theirs)),
    ];
    all.into_iter().filter(|(_, theirs, ours)| theirs != ours).collect()
}
