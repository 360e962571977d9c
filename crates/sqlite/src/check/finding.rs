//! A fault that the check of a file reports.

use std::fmt;

/// Something in a file that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The table; `sqlite` for the structure of the file, `secrets` for the files beside it.
    pub table: &'static str,
    /// The place within the table, such as "block 7 of job 3".
    pub place: String,
    /// What is wrong.
    pub problem: String,
}

impl Finding {
    pub(crate) fn new(table: &'static str, place: String, problem: &str) -> Self {
        Self { table, place, problem: problem.to_owned() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.table, self.place, self.problem)
    }
}
