use std::fmt;

use serde::{Deserialize, Serialize};

/// What is wrong with one field of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Kind of fault: `unknown_field`, `missing_field`, `wrong_type`, `out_of_range`, `invalid_value`, `conflict`.
    pub code: String,
    /// Where, as a JSON path: `formats[1].quality`; empty for the body itself.
    pub path: String,
    /// What is wrong and what would be right, naming the field.
    pub message: String,
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

    /// The faults, at least one.
    #[must_use]
    pub fn as_slice(&self) -> &[Fault] {
        &self.0
    }
}

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

/// Why a page gave no document. Page failures are data: they never fail a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageError {
    /// The contract's code.
    pub code: ErrorCode,
    /// What happened, in words; holds neither secrets nor resolved addresses.
    pub message: String,
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PageError {}
