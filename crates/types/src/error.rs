use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::FaultPath;

/// What is wrong with one field of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Fault {
    /// Kind of fault: `unknown_field`, `missing_field`, `wrong_type`, `out_of_range`, `invalid_value`, `conflict`,
    /// `unsupported_option` (known, but not offered), `invalid_json`, `too_many_faults` (the closing one, where there
    /// are more than are listed). More may come.
    pub code: String,
    /// Where: keys and indexes such as `["formats", 1, "quality"]`; empty for the body itself.
    pub path: FaultPath,
    /// What is wrong and what would be right, naming the field.
    pub message: String,
}

impl Fault {
    /// A fault of code `invalid_value`: what stands at this place is not what may stand there, in this request at least.
    #[must_use]
    pub fn invalid_value(path: FaultPath, message: impl Into<String>) -> Self {
        Self { code: "invalid_value".to_owned(), path, message: message.into() }
    }
}

/// Everything that is wrong with a request; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// All faults, in the order of the body; `None` where there are none.
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

    /// The contract's code for the request as a whole: `UNSUPPORTED_OPTION` where asking for what is not offered is
    /// all that is wrong with it, `BAD_REQUEST_INVALID_JSON` where it is not JSON, else `BAD_REQUEST`.
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

/// [`Fault::code`] of what is known but not offered.
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

/// The codes of the contract for what went wrong with a request, a page or a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum ErrorCode {
    /// The request breaks a rule.
    BadRequest,
    /// The body is not JSON.
    BadRequestInvalidJson,
    /// The target is refused by policy.
    ScrapeBlocked,
    /// The deadline ran out.
    ScrapeTimeout,
    /// The host name does not resolve.
    ScrapeDnsResolutionError,
    /// TLS failed.
    ScrapeSslError,
    /// The connection failed or the answer was not HTTP.
    ScrapeSiteError,
    /// The page needs a browser action that failed.
    ScrapeActionError,
    /// The body is of a kind that cannot be scraped.
    ScrapeUnsupportedFileError,
    /// The body exceeds the limit.
    ScrapeBodyTooLarge,
    /// A PDF could not be parsed.
    ScrapePdfError,
    /// The cache holds no copy of the wanted age.
    ScrapeNoCachedData,
    /// All ways to fetch the page failed.
    ScrapeAllEnginesFailed,
    /// robots.txt forbids it.
    CrawlDenial,
    /// Actions need a browser, and none is built in.
    ScrapeActionsNotSupported,
    /// Screenshots need a browser, and none is built in.
    ScrapeScreenshotNotSupported,
    /// A language model is needed, and none is configured.
    ModelNotConfigured,
    /// A search engine is needed, and none is configured.
    SearchNotConfigured,
    /// The option is known but not offered.
    UnsupportedOption,
    /// Ours.
    UnknownError,
}

impl ErrorCode {
    /// The code as it stands on the wire.
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

    /// The HTTP status that an answer with this code has.
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
    /// The contract's code.
    pub code: ErrorCode,
    /// What happened, in words; holds neither secrets nor resolved addresses.
    pub message: String,
}

impl PageError {
    /// A failure of this kind. Where time ran out, the message begins with [`SCRAPE_TIMED_OUT`].
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let message = message.into();
        if code == ErrorCode::ScrapeTimeout && !message.starts_with(SCRAPE_TIMED_OUT) {
            return Self { code, message: format!("{SCRAPE_TIMED_OUT}: {message}") };
        }
        Self { code, message }
    }
}

/// What the message of a page begins with whose time ran out: clients look for it.
pub const SCRAPE_TIMED_OUT: &str = "Scrape timed out";
/// What the message of a map begins with whose time ran out: clients look for it.
pub const MAP_TIMED_OUT: &str = "Map timed out";

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PageError {}
