//! The differences that are meant, with their reasons.

use super::compare::What;

/// A difference that choices of a case cause.
pub(super) struct Known {
    pub(super) what: &'static [What],
    /// A case must have one choice of each of these groups.
    pub(super) choices: &'static [&'static [&'static str]],
    pub(super) reason: &'static str,
}

impl Known {
    /// True if it explains that this differs in a case with these choices.
    pub(super) fn explains(&self, what: What, names: &[&str]) -> bool {
        let is_chosen = |group: &&[&str]| group.iter().any(|choice| names.contains(choice));
        self.what.contains(&what) && self.choices.iter().all(is_chosen)
    }
}

pub(super) const KNOWN: &[Known] = &[
    Known {
        what: &[What::Title],
        choices: &[&["a secure cookie"]],
        reason: "Chromium trusts plain HTTP on loopback; gleaner keeps secure cookies for https",
    },
    Known {
        what: &[What::Title],
        choices: &[&["a cookie for all sites"]],
        reason: "Chromium demands `Secure` beside `SameSite=None`; a scrape has one site, so gleaner sends it",
    },
    Known {
        what: &[What::Links],
        choices: &[&["without scripts"]],
        reason: "`noscript` is text where scripts run; the static fetch runs none and reads what is in it",
    },
    Known {
        what: &[What::Links],
        choices: &[&["control characters"]],
        reason: "Chromium reads a NUL in an address as U+FFFD; gleaner drops NULs before it reads a page",
    },
    Known {
        what: &[What::Links],
        choices: &[&["characters in paths"]],
        reason: "Chromium escapes `^` and `|` in paths; the crate `url` follows the older set of the URL Standard",
    },
    Known {
        what: &[What::Title, What::Links],
        choices: &[&["header in single quotes"]],
        reason: "gleaner takes a charset in single quotes, which is what the server means",
    },
];
