//! What the terminal of standard error can show.

use std::env;
use std::ffi::OsStr;
use std::io::{self, IsTerminal as _};

/// Whether standard error shows colours: see <https://no-color.org>.
#[expect(clippy::disallowed_methods, reason = "a command follows the conventions of terminals")]
pub(crate) fn has_colours() -> bool {
    has_cursor() && !is_set(env::var_os("NO_COLOR").as_deref())
}

/// Whether standard error is a terminal that can write a line again.
#[expect(clippy::disallowed_methods, reason = "a command follows the conventions of terminals")]
pub(crate) fn has_cursor() -> bool {
    io::stderr().is_terminal() && !is_dumb(env::var_os("TERM").as_deref())
}

fn is_set(variable: Option<&OsStr>) -> bool {
    variable.is_some_and(|value| !value.is_empty())
}

/// A terminal without a name is dumb, except on Windows, where terminals have none.
fn is_dumb(name: Option<&OsStr>) -> bool {
    name.map_or(cfg!(not(windows)), |name| name == "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dumb_terminals_and_empty_variables_are_known() {
        assert!(is_dumb(Some(OsStr::new("dumb"))) && !is_dumb(Some(OsStr::new("xterm-256color"))));
        assert_eq!(is_dumb(None), cfg!(not(windows)));
        for (variable, want) in [(None, false), (Some(""), false), (Some("0"), true), (Some("1"), true)] {
            assert_eq!(is_set(variable.map(OsStr::new)), want, "{variable:?}");
        }
    }
}
