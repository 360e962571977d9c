//! The reasons why a PDF cannot be converted.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a file could not be converted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Error {
    kind: ErrorKind,
}

/// The kind of an [`Error`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes do not begin like a PDF.
    NotPdf,
    /// The file can only be opened with a password.
    Encrypted,
    /// The file declares more objects than allowed.
    TooManyObjects {
        /// Most objects.
        limit: usize,
    },
    /// More values are read from the file than allowed: numbers, names, strings, arrays.
    TooManyValues {
        /// Most values.
        limit: u64,
    },
    /// The streams that are read inflate to more than allowed.
    TooLarge {
        /// Most bytes.
        limit: u64,
    },
    /// The first page draws more than can be laid out.
    TooManyMarks {
        /// Most texts of a page.
        limit: u64,
    },
    /// The file gives more Markdown than allowed.
    TooMuchMarkdown {
        /// Most bytes.
        limit: usize,
    },
    /// The file is too damaged to be read.
    Malformed {
        /// What is wrong, from the parser.
        reason: String,
    },
    /// The parser panicked: a bug of the parser that this file triggers.
    Panicked,
}

impl Error {
    pub(crate) fn malformed(reason: impl fmt::Display) -> Self {
        // The parser quotes the file: keep enough to find the place, but no control characters for a
        // terminal.
        let reason = reason.to_string().chars().filter(|c| !c.is_control()).take(200).collect();
        ErrorKind::Malformed { reason }.into()
    }

    /// The kind of the error.
    #[must_use]
    pub const fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Whether the file needs a password.
    #[must_use]
    pub const fn is_encrypted(&self) -> bool {
        matches!(self.kind, ErrorKind::Encrypted)
    }

    /// Whether the file exceeds a limit of its cost.
    #[must_use]
    pub const fn is_limit(&self) -> bool {
        matches!(
            self.kind,
            ErrorKind::TooManyObjects { .. }
                | ErrorKind::TooManyValues { .. }
                | ErrorKind::TooLarge { .. }
                | ErrorKind::TooManyMarks { .. }
                | ErrorKind::TooMuchMarkdown { .. }
        )
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self { kind }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ErrorKind::NotPdf => f.write_str("the bytes are not a PDF: a PDF begins with `%PDF-`"),
            ErrorKind::Encrypted => {
                f.write_str("the PDF is encrypted and needs a password, which is not supported")
            }
            ErrorKind::TooManyObjects { limit } => {
                write!(f, "the PDF declares more than {limit} objects, the limit")
            }
            ErrorKind::TooManyValues { limit } => {
                write!(f, "reading the PDF takes more than {limit} values, the limit")
            }
            ErrorKind::TooLarge { limit } => {
                write!(f, "the PDF inflates to more than {limit} bytes, the limit")
            }
            ErrorKind::TooManyMarks { limit } => {
                write!(f, "the first page of the PDF draws too much to be laid out: at most {limit} texts")
            }
            ErrorKind::TooMuchMarkdown { limit } => {
                write!(f, "the PDF gives more than {limit} bytes of Markdown, the limit")
            }
            ErrorKind::Malformed { reason } => write!(f, "the PDF is damaged: {reason}"),
            ErrorKind::Panicked => f.write_str("the PDF triggers a bug of the parser"),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_about_the_file() {
        for (reason, expected) in [
            ("missing xref entry", "the PDF is damaged: missing xref entry"),
            ("bad\u{1b}[2J name", "the PDF is damaged: bad[2J name"),
        ] {
            assert_eq!(Error::malformed(reason).to_string(), expected);
        }
    }
}
