//! The body of every error response.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ErrorCode, Fault, FaultPath, Faults, PageError};

/// The body of every error response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ErrorBody {
    /// Always false.
    pub success: bool,
    /// What is wrong, in words.
    pub error: String,
    /// The error code, if there is one for this error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
    /// All faults of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Vec<Fault>>,
}

impl ErrorBody {
    /// An error without a code, such as `Job not found`.
    #[must_use]
    pub fn new(error: impl Into<String>) -> Self {
        Self { success: false, error: error.into(), code: None, details: None }
    }

    /// An error with a code. An [`ErrorCode::BadRequest`] is also listed in `details`, as a fault of the
    /// request as a whole, because clients read the faults of a request there.
    #[must_use]
    pub fn with_code(code: ErrorCode, error: impl Into<String>) -> Self {
        let error = error.into();
        let details = (code == ErrorCode::BadRequest)
            .then(|| vec![Fault::invalid_value(FaultPath::default(), error.clone())]);
        Self { success: false, error, code: Some(code), details }
    }
}

/// ```
/// use gleaner_types::plan::CrawlPlan;
/// use gleaner_types::response::ErrorBody;
/// use serde_json::json;
///
/// let body = json!({"url": "https://example.com/", "limit": -5});
/// let faults = CrawlPlan::from_json(&body).unwrap_err();
/// assert_eq!(faults.http_status(), 400);
/// assert_eq!(
///     serde_json::to_value(ErrorBody::from(faults))?,
///     json!({
///         "success": false,
///         "error": "`limit` must be an integer of at least 1, not -5",
///         "code": "BAD_REQUEST",
///         "details": [{
///             "code": "out_of_range",
///             "path": ["limit"],
///             "message": "`limit` must be an integer of at least 1, not -5"
///         }]
///     })
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
impl From<Faults> for ErrorBody {
    fn from(faults: Faults) -> Self {
        let code = faults.error_code();
        let first = faults.as_slice().first().map(|fault| fault.message.clone()).unwrap_or_default();
        Self { success: false, error: first, code: Some(code), details: Some(faults.into_iter().collect()) }
    }
}

impl From<PageError> for ErrorBody {
    fn from(error: PageError) -> Self {
        Self::with_code(error.code, error.message)
    }
}
