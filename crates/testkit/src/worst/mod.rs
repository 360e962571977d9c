//! Worst cases: hostile pages, and hostile requests for them.
//!
//! One table for the test that checks how each case ends, and for the program that measures how much each
//! case delays other clients.

mod attack;
mod bodies;
mod fields;
mod requests;
mod rules;
mod selectors;
mod shapes;

pub use attack::{Attack, ExpectedEnd, WorstCase};
pub use shapes::{PAGE_SHAPES, PageShape};

/// The size of a worst case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Small enough for a test to run all cases: bodies of about 100 KB.
    Moderate,
    /// As large as the limits on requests and bodies allow, or large enough to cause harm.
    Full,
}

impl Size {
    /// Selects the value for this size.
    #[must_use]
    pub const fn of(self, moderate: usize, full: usize) -> usize {
        match self {
            Self::Moderate => moderate,
            Self::Full => full,
        }
    }
}

/// All worst cases.
#[must_use]
pub fn worst_cases() -> Vec<WorstCase> {
    [selectors::CASES, rules::CASES, fields::CASES, bodies::CASES, requests::CASES].concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    #[test]
    fn every_case_has_a_unique_name_and_a_request() {
        let mut names = BTreeSet::new();
        for case in worst_cases() {
            assert!(names.insert((case.kind, case.name)), "{case} is listed twice");
            let attack = case.attack(Size::Moderate);
            let body = attack.body_at("http://127.0.0.1:80");
            assert!(body.len() <= 2 << 20 && !body.contains("{site}"), "{case}: {} bytes", body.len());
            let pages: usize = attack.pages.iter().map(|page| page.body().len()).sum();
            assert!(pages <= 2 << 20, "{case}: {pages} bytes");
            let is_json = serde_json::from_str::<Value>(&body).is_ok();
            assert!(is_json || matches!(attack.ends, ExpectedEnd::Refused(_)), "{case}");
        }
        assert!(names.len() >= 60, "{} cases", names.len());
    }
}
