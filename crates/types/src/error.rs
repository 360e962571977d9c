//! Faults of requests, errors of pages, and the error codes of the API.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::FaultPath;

/// A fault of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Fault {
    /// The kind of fault: `unknown_field`, `missing_field`, `wrong_type`, `out_of_range`, `invalid_value`,
    /// `conflict`, `unsupported_option`, `invalid_json`, or `too_many_faults` (the last fault, if more are
    /// not listed). More kinds may be added.
    pub code: String,
    /// The location: keys and indexes such as `["formats", 1, "quality"]`; empty for the body itself.
    pub path: FaultPath,
    /// A message that names the field and says what is wrong and what is allowed.
    pub message: String,
}

impl Fault {
    /// A fault of kind `invalid_value`: this request must not have this value at this path.
    #[must_use]
    pub fn invalid_value(path: FaultPath, message: impl Into<String>) -> Self {
        Self { code: "invalid_value".to_owned(), path, message: message.into() }
    }
}

/// All faults of a request, at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// These faults, in the order of the body; `None` if there are none.
    #[must_use]
    pub fn new(faults: Vec<Fault>) -> Option<Self> {
        (!faults.is_empty()).then_some(Self(faults))
    }

    /// One fault of the body as a whole.
    pub(crate) fn single(code: &str, message: impl Into<String>) -> Self {
        Self(vec![Fault { code: code.to_owned(), path: FaultPath::default(), message: message.into() }])
    }

    /// The faults, at least one.
    #[must_use]
    pub fn as_slice(&self) -> &[Fault] {
        &self.0
    }

    /// The error code of the request as a whole: `UNSUPPORTED_OPTION` if its only faults are unsupported
    /// options, `BAD_REQUEST_INVALID_JSON` if it is not JSON, else `BAD_REQUEST`.
    #[must_use]
    pub fn error_code(&self) -> ErrorCode {
        let all = |code: &str| self.0.iter().all(|fault| fault.code == code);
        if all(UNSUPPORTED_OPTION) {
            ErrorCode::UnsupportedOption
        } else if all(INVALID_JSON) {
            ErrorCode::BadRequestInvalidJson
        } else {
            ErrorCode::BadRequest
        }
    }

    /// The HTTP status of [`error_code`](Self::error_code).
    #[must_use]
    pub fn http_status(&self) -> u16 {
        self.error_code().http_status()
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Self(vec![fault])
    }
}

impl IntoIterator for Faults {
    type Item = Fault;
    type IntoIter = std::vec::IntoIter<Fault>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// [`Fault::code`] of an unsupported option.
pub(crate) const UNSUPPORTED_OPTION: &str = "unsupported_option";
/// [`Fault::code`] of a body that is not JSON.
pub(crate) const INVALID_JSON: &str = "invalid_json";

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            f.write_str(&fault.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}

/// Error codes of requests, pages and jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum ErrorCode {
    /// The request is invalid.
    BadRequest,
    /// The body is not JSON.
    BadRequestInvalidJson,
    /// Policy forbids the target.
    ScrapeBlocked,
    /// The deadline passed.
    ScrapeTimeout,
    /// The host name does not resolve.
    ScrapeDnsResolutionError,
    /// TLS failed.
    ScrapeSslError,
    /// The connection failed, or the response was not HTTP.
    ScrapeSiteError,
    /// A browser action failed.
    ScrapeActionError,
    /// The body has a type that cannot be scraped.
    ScrapeUnsupportedFileError,
    /// The body exceeds the limit.
    ScrapeBodyTooLarge,
    /// A PDF could not be parsed.
    ScrapePdfError,
    /// The cache has no copy of the requested age.
    ScrapeNoCachedData,
    /// Every method of fetching the page failed.
    ScrapeAllEnginesFailed,
    /// robots.txt forbids the page.
    CrawlDenial,
    /// Actions need a browser, and the engine has none.
    ScrapeActionsNotSupported,
    /// Screenshots need a browser, and the engine has none.
    ScrapeScreenshotNotSupported,
    /// A language model is needed, and none is configured.
    ModelNotConfigured,
    /// A search engine is needed, and none is configured.
    SearchNotConfigured,
    /// The option is known but not supported.
    UnsupportedOption,
    /// An internal error.
    UnknownError,
}

impl ErrorCode {
    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BadRequest => "BAD_REQUEST",
            Self::BadRequestInvalidJson => "BAD_REQUEST_INVALID_JSON",
            Self::ScrapeBlocked => "SCRAPE_BLOCKED",
            Self::ScrapeTimeout => "SCRAPE_TIMEOUT",
            Self::ScrapeDnsResolutionError => "SCRAPE_DNS_RESOLUTION_ERROR",
            Self::ScrapeSslError => "SCRAPE_SSL_ERROR",
            Self::ScrapeSiteError => "SCRAPE_SITE_ERROR",
            Self::ScrapeActionError => "SCRAPE_ACTION_ERROR",
            Self::ScrapeUnsupportedFileError => "SCRAPE_UNSUPPORTED_FILE_ERROR",
            Self::ScrapeBodyTooLarge => "SCRAPE_BODY_TOO_LARGE",
            Self::ScrapePdfError => "SCRAPE_PDF_ERROR",
            Self::ScrapeNoCachedData => "SCRAPE_NO_CACHED_DATA",
            Self::ScrapeAllEnginesFailed => "SCRAPE_ALL_ENGINES_FAILED",
            Self::CrawlDenial => "CRAWL_DENIAL",
            Self::ScrapeActionsNotSupported => "SCRAPE_ACTIONS_NOT_SUPPORTED",
            Self::ScrapeScreenshotNotSupported => "SCRAPE_SCREENSHOT_NOT_SUPPORTED",
            Self::ModelNotConfigured => "MODEL_NOT_CONFIGURED",
            Self::SearchNotConfigured => "SEARCH_NOT_CONFIGURED",
            Self::UnsupportedOption => "UNSUPPORTED_OPTION",
            Self::UnknownError => "UNKNOWN_ERROR",
        }
    }

    /// The HTTP status of an answer with this code.
    #[must_use]
    pub const fn http_status(self) -> u16 {
        match self {
            Self::BadRequest
            | Self::BadRequestInvalidJson
            | Self::ScrapeActionsNotSupported
            | Self::ScrapeScreenshotNotSupported
            | Self::ModelNotConfigured
            | Self::SearchNotConfigured => 400,
            Self::ScrapeBlocked => 403,
            Self::ScrapeNoCachedData => 404,
            Self::ScrapeTimeout => 408,
            Self::ScrapeDnsResolutionError
            | Self::ScrapeSslError
            | Self::ScrapeSiteError
            | Self::ScrapeActionError
            | Self::ScrapeUnsupportedFileError
            | Self::ScrapeBodyTooLarge
            | Self::ScrapePdfError
            | Self::ScrapeAllEnginesFailed
            | Self::CrawlDenial
            | Self::UnsupportedOption => 422,
            Self::UnknownError => 500,
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a page gave no document. Page failures are data: they never fail a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PageError {
    /// The error code.
    pub code: ErrorCode,
    /// What happened, in words, without secrets and resolved IP addresses.
    pub message: String,
}

impl PageError {
    /// A failure with this code. The message of a timeout begins with [`SCRAPE_TIMED_OUT`].
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let message = message.into();
        if code == ErrorCode::ScrapeTimeout && !message.starts_with(SCRAPE_TIMED_OUT) {
            return Self { code, message: format!("{SCRAPE_TIMED_OUT}: {message}") };
        }
        Self { code, message }
    }
}

/// The beginning of the message of a page that timed out. Clients look for it.
pub const SCRAPE_TIMED_OUT: &str = "Scrape timed out";
/// The beginning of the message of a map that timed out. Clients look for it.
pub const MAP_TIMED_OUT: &str = "Map timed out";

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PageError {}
