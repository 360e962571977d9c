use std::fmt;

use gleaner_types::ErrorCode;

/// Why a page could not be transformed.
///
/// Bad markup is never an error: every sequence of bytes that is text has a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
}

/// What kind of error it is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The body is of a kind that holds no text, such as an image or an archive.
    UnsupportedMedia {
        /// What the body is: a media type such as `image/png`.
        media_type: String,
    },
    /// The body is a PDF, and no PDF parser is built in.
    PdfNotSupported,
    /// The body is a PDF that cannot be read.
    Pdf {
        /// Why, in words.
        reason: String,
        /// It can only be opened with a password.
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
    /// The [`Interrupt`](gleaner_types::Interrupt) of the work was raised before it was done.
    Interrupted,
}

impl Error {
    pub(crate) fn unsupported(media_type: impl Into<String>) -> Self {
        ErrorKind::UnsupportedMedia { media_type: media_type.into() }.into()
    }

    /// What kind of error it is.
    #[must_use]
    pub const fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// The contract's code.
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

    /// Is it the body that cannot be scraped, whatever the options?
    #[must_use]
    pub const fn is_unsupported(&self) -> bool {
        matches!(self.kind, ErrorKind::UnsupportedMedia { .. } | ErrorKind::PdfNotSupported)
    }

    /// Did the work end because its [`Interrupt`](gleaner_types::Interrupt) was raised?
    #[must_use]
    pub const fn is_interrupted(&self) -> bool {
        matches!(self.kind, ErrorKind::Interrupted)
    }

    /// Is the request at fault?
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
                    "the body is {media_type}, which holds no text; HTML, XML, JSON, CSV, feeds and plain text can be scraped"
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
                    "`{selector}` is not a CSS selector: {reason}; right would be `article`, `#main` or `div.content > p`"
                )
            }
            ErrorKind::Interrupted => {
                f.write_str("Scrape timed out: the page was still being transformed when its time was over")
            }
        }
    }
}

impl std::error::Error for Error {}
