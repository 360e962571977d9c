//! Messages to the user on standard error.

use std::fmt::Display;
use std::io::{self, Write};

use crate::printable::printable;

/// Writes a line without terminal control characters. A closed standard error is not an error.
pub(crate) fn say(text: impl Display) {
    let _ = writeln!(io::stderr(), "{}", printable(&text.to_string()));
}
