use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a file could not be converted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Error {
    kind: ErrorKind,
}

/// What kind of error it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes do not begin as a PDF does.
    NotPdf,
    /// The file can only be opened with a password.
    Encrypted,
    /// The file declares more objects than allowed.
    TooManyObjects {
        /// How many are allowed.
        limit: usize,
    },
    /// The file holds more values than allowed: numbers, names, strings, lists.
    TooManyValues {
        /// How many are allowed.
        limit: usize,
    },
    /// The file's streams inflate to more than allowed.
    TooLarge {
        /// How many bytes are allowed.
        limit: u64,
    },
    /// The first page has more on it than can be laid out: pieces of text and lines, or pictures without an end.
    TooManyMarks {
        /// How many texts and rules a page may draw.
        limit: u64,
    },
    /// The file gives more Markdown than allowed.
    TooMuchMarkdown {
        /// How many bytes are allowed.
        limit: usize,
    },
    /// The file is damaged beyond what can be read.
    Malformed {
        /// What is wrong, in the parser's words.
        reason: String,
    },
    /// The parser panicked: a fault of the parser that this file brings out.
    Panicked,
}

impl Error {
    pub(crate) fn malformed(reason: impl fmt::Display) -> Self {
        // The parser names itself and its own project, which are nothing to who reads this.
        let reason = reason.to_string();
        let reason = match reason.split_once("missing feature of lopdf: ") {
            Some((_, feature)) => {
                format!("reading it is not supported: {}", feature.split(';').next().unwrap_or_default())
            }
            None => reason,
        };
        // It quotes the file too: enough to find the place, and nothing that a terminal would obey.
        let reason = reason.chars().filter(|c| !c.is_control()).take(200).collect();
        ErrorKind::Malformed { reason }.into()
    }

    /// What kind of error it is.
    #[must_use]
    pub const fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Would a password help?
    #[must_use]
    pub const fn is_encrypted(&self) -> bool {
        matches!(self.kind, ErrorKind::Encrypted)
    }

    /// Was the file refused for what it would cost?
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
            ErrorKind::NotPdf => f.write_str("the bytes are no PDF: one begins with `%PDF-`"),
            ErrorKind::Encrypted => {
                f.write_str("the PDF is encrypted and needs a password, which cannot be given here")
            }
            ErrorKind::TooManyObjects { limit } => {
                write!(f, "the PDF declares more than {limit} objects, which are all that may be read")
            }
            ErrorKind::TooManyValues { limit } => {
                write!(f, "the PDF holds more than {limit} values, which are all that may be read")
            }
            ErrorKind::TooLarge { limit } => {
                write!(f, "the PDF inflates to more than {limit} bytes, which are all that may be read")
            }
            ErrorKind::TooManyMarks { limit } => {
                write!(
                    f,
                    "the first page of the PDF has more on it than can be laid out, which is {limit} pieces of text and lines at most"
                )
            }
            ErrorKind::TooMuchMarkdown { limit } => {
                write!(f, "the PDF gives more than {limit} bytes of Markdown, which are all that may be kept")
            }
            ErrorKind::Malformed { reason } => write!(f, "the PDF is damaged: {reason}"),
            ErrorKind::Panicked => f.write_str("the PDF brings out a fault of the parser"),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_words_about_the_file() {
        for (reason, told) in [
            ("missing xref entry", "the PDF is damaged: missing xref entry"),
            ("bad\u{1b}[2J name", "the PDF is damaged: bad[2J name"),
            (
                "PDF parsing error: missing feature of lopdf: filter X; please open an issue at https://parser.example/",
                "the PDF is damaged: reading it is not supported: filter X",
            ),
        ] {
            assert_eq!(Error::malformed(reason).to_string(), told);
        }
    }
}
