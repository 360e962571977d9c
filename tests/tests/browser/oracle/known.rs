//! The differences that are meant, with their reasons.

use super::compare::What;

/// A difference that a choice of a case causes.
pub(super) struct Known {
    pub(super) what: What,
    /// The names of the choices; a case must have all of them.
    pub(super) choices: &'static [&'static str],
    pub(super) reason: &'static str,
}

const fn known(what: What, choices: &'static [&'static str], reason: &'static str) -> Known {
    Known { what, choices, reason }
}

pub(super) const KNOWN: &[Known] = &[
    known(
        What::Title,
        &["a secure cookie"],
        "Chromium trusts plain HTTP on loopback; gleaner keeps secure cookies for https",
    ),
    known(
        What::Title,
        &["a cookie for all sites"],
        "Chromium wants `Secure` beside `SameSite=None`; a scrape has one site, and gleaner sends the cookie",
    ),
    known(
        What::Links,
        &["without scripts"],
        "Chromium runs scripts, so `noscript` is text; the static fetch runs none and reads its content",
    ),
    known(
        What::Title,
        &["header in single quotes"],
        "gleaner takes the charset of a header in single quotes, which is what the server means",
    ),
    known(
        What::Links,
        &["header in single quotes"],
        "the query of a link is written in the charset of the page, which differs as for its title",
    ),
];
