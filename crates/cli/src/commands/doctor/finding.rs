//! The result of a check, with its remedy.

use std::fmt;

use serde::Serialize;

use crate::printable::printable_line;

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    /// The name of the check.
    check: &'static str,
    state: State,
    text: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

/// How a part of the system is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// It works.
    Ok,
    /// Good to know.
    Note,
    /// It is not installed, and most pages do not need it.
    Missing,
    /// It is there and does not work.
    Broken,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Missing => "missing",
            Self::Broken => "broken",
        })
    }
}

impl Finding {
    pub(super) fn ok(check: &'static str, text: impl Into<String>) -> Self {
        Self { check, state: State::Ok, text: text.into(), remedy: None }
    }

    pub(super) fn note(check: &'static str, text: impl Into<String>, remedy: &str) -> Self {
        Self { check, state: State::Note, text: text.into(), remedy: Some(remedy.to_owned()) }
    }

    pub(super) fn missing(check: &'static str, text: impl Into<String>, remedy: &str) -> Self {
        Self { check, state: State::Missing, text: text.into(), remedy: Some(remedy.to_owned()) }
    }

    pub(super) fn broken(check: &'static str, text: impl Into<String>, remedy: &str) -> Self {
        Self { check, state: State::Broken, text: text.into(), remedy: Some(remedy.to_owned()) }
    }

    /// Whether something does not work that should.
    pub(super) fn is_broken(&self) -> bool {
        self.state == State::Broken
    }

    /// The finding for a terminal: its line, and one with the remedy.
    pub(super) fn lines(&self) -> String {
        let mut lines = format!("{:<8} {:<12} {}", self.state, self.check, printable_line(&self.text));
        if let Some(remedy) = &self.remedy {
            lines.push_str(&format!("\n{:22}-> {}", "", printable_line(remedy)));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_a_line_and_one_with_its_remedy() {
        assert_eq!(Finding::ok("dns", "it resolves").lines(), "ok       dns          it resolves");
        let finding = Finding::missing("fonts", "none\n\u{1b}[2J", "install some");
        let lines = "missing  fonts        none \u{fffd}[2J\n                      -> install some";
        assert_eq!(finding.lines(), lines);
        assert!(!finding.is_broken() && Finding::broken("dns", "", "").is_broken());
    }
}
