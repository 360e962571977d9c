//! The reasons why a body cannot be transformed.

use std::fmt;

use gleaner_types::ErrorCode;

/// Why a page could not be transformed.
///
/// Invalid markup is never an error: every body of text has a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
}

/// The kind of an [`Error`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The body holds no text: it is an image or an archive, for example.
    UnsupportedMedia {
        /// The media type of the body, such as `image/png`.
        media_type: String,
    },
    /// The body is a PDF, and the feature `pdf` is off.
    PdfNotSupported,
    /// The body is a PDF that cannot be read.
    Pdf {
        /// The reason, for people.
        reason: String,
        /// The file requires a password.
        encrypted: bool,
    },
    /// The body is larger than [`MAX_BODY_BYTES`](crate::MAX_BODY_BYTES).
    BodyTooLarge {
        /// The size of the body in bytes.
        bytes: usize,
    },
    /// A CSS selector of the request cannot be parsed.
    InvalidSelector {
        /// The selector as given.
        selector: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The [`Interrupt`](gleaner_types::Interrupt) was raised before the work was done.
    Interrupted,
}

impl Error {
    pub(crate) fn unsupported(media_type: impl Into<String>) -> Self {
        ErrorKind::UnsupportedMedia { media_type: media_type.into() }.into()
    }

    /// The kind of the error.
    #[must_use]
    pub const fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// The error code of the contract.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self.kind {
            ErrorKind::UnsupportedMedia { .. } => ErrorCode::ScrapeUnsupportedFileError,
            ErrorKind::PdfNotSupported | ErrorKind::Pdf { .. } => ErrorCode::ScrapePdfError,
            ErrorKind::BodyTooLarge { .. } => ErrorCode::ScrapeBodyTooLarge,
            ErrorKind::InvalidSelector { .. } => ErrorCode::BadRequest,
            ErrorKind::Interrupted => ErrorCode::ScrapeTimeout,
        }
    }

    /// True if no options could make the body scrapable.
    #[must_use]
    pub const fn is_unsupported(&self) -> bool {
        matches!(self.kind, ErrorKind::UnsupportedMedia { .. } | ErrorKind::PdfNotSupported)
    }

    /// True if the work ended because its [`Interrupt`](gleaner_types::Interrupt) was raised.
    #[must_use]
    pub const fn is_interrupted(&self) -> bool {
        matches!(self.kind, ErrorKind::Interrupted)
    }

    /// True if the request is invalid.
    #[must_use]
    pub const fn is_request(&self) -> bool {
        matches!(self.kind, ErrorKind::InvalidSelector { .. })
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
            ErrorKind::UnsupportedMedia { media_type } => {
                write!(
                    f,
                    "the body is {media_type}, which holds no text; \
                     HTML, XML, JSON, CSV, feeds and plain text can be scraped"
                )
            }
            ErrorKind::PdfNotSupported => f.write_str(
                "the body is a PDF, and no PDF parser is built in; `parsers: []` returns it as base64",
            ),
            ErrorKind::Pdf { reason, .. } => {
                write!(f, "{reason}; `parsers: []` returns the file as base64")
            }
            ErrorKind::BodyTooLarge { bytes } => {
                write!(f, "the body has {bytes} bytes; at most {} can be transformed", crate::MAX_BODY_BYTES)
            }
            ErrorKind::InvalidSelector { selector, reason } => {
                write!(
                    f,
                    "`{selector}` is not a CSS selector: {reason}; \
                     valid examples are `article`, `#main` and `div.content > p`"
                )
            }
            ErrorKind::Interrupted => {
                f.write_str("Scrape timed out: the time ran out while the page was being transformed")
            }
        }
    }
}

impl std::error::Error for Error {}
