//! Words to the person at the terminal, on standard error. What is written there is no result.

use std::fmt::Display;
use std::io::{self, Write};

use crate::printable::printable;

/// Writes a line. What came from the network is made harmless on the way; a standard error that is closed is not an error.
pub(crate) fn say(text: impl Display) {
    let _ = writeln!(io::stderr(), "{}", printable(&text.to_string()));
}
