//! Errors of jobs, and the advice when to retry.

use std::fmt;
use std::time::Duration;

use gleaner_types::response::ErrorBody;
use gleaner_types::{ErrorCode, Fault, FaultPath, Faults, MAP_TIMED_OUT, PageError, SCRAPE_TIMED_OUT};
use tokio::task::JoinError;

/// The advised wait before a retry if a team has too many jobs, or too many pages in one.
pub const QUEUE_FULL_PAUSE: Duration = Duration::from_secs(10);

/// The advised wait before a retry if the engine is stopping.
const STOPPED_PAUSE: Duration = Duration::from_secs(1);

/// Why a job could not start or could not be read. The layers above the runtime, and implementations of its
/// ports, use the same type.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    code: Option<ErrorCode>,
    text: String,
    retry_after: Option<Duration>,
    faults: Option<Faults>,
}

/// Kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The page gave no document.
    Page,
    /// The request is invalid by rules that depend on its job, such as a webhook for pages that are added to
    /// a batch; [`Error::faults`] lists them.
    Rules,
    /// The store, the accounts provider or another port failed.
    Store,
    /// The team has no such job of this kind, or its results have expired.
    NotFound,
    /// The documents of the job were read before, and the store no longer has them.
    Gone,
    /// The job has ended, or the idempotency key was used before.
    Conflict,
    /// The team has too few credits.
    InsufficientCredits,
    /// The key is unknown.
    Unauthorized,
    /// The team may not do this, or the webhook's address is refused.
    Forbidden,
    /// Too many requests or jobs; [`Error::retry_after`] says when to retry.
    RateLimited,
    /// The engine was built without a part that the request needs.
    Unsupported,
    /// The engine is stopping, or its tokio runtime has ended; another one may take its place after
    /// [`Error::retry_after`].
    Stopped,
}

impl Error {
    fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        Self { kind, code: None, text: text.into(), retry_after: None, faults: None }
    }

    /// The rules of a crawl are invalid.
    pub(crate) fn rules(error: &gleaner_frontier::Error) -> Self {
        Faults::from(Fault::invalid_value(error.path().clone(), error.to_string())).into()
    }

    /// A field of the request is invalid.
    #[must_use]
    pub fn fault(field: &str, text: &str) -> Self {
        Faults::from(Fault::invalid_value(FaultPath::key(field), text)).into()
    }

    /// The job is unknown.
    #[must_use]
    pub fn not_found() -> Self {
        Self::new(ErrorKind::NotFound, "Job not found")
    }

    /// This many documents of a job were read by another handle.
    pub(crate) fn gone(documents: u64) -> Self {
        let text = format!(
            "the documents of this job are gone: {documents} were read before, and a job in memory keeps no \
             document that was read"
        );
        Self::new(ErrorKind::Gone, text)
    }

    /// The request conflicts with an earlier one.
    pub fn conflict(text: impl Into<String>) -> Self {
        Self::new(ErrorKind::Conflict, text)
    }

    /// The team has too few credits.
    pub fn insufficient_credits(text: impl Into<String>) -> Self {
        Self::new(ErrorKind::InsufficientCredits, text)
    }

    /// The API key is unknown.
    #[must_use]
    pub fn unauthorized() -> Self {
        Self::new(ErrorKind::Unauthorized, "Unauthorized: Invalid token")
    }

    /// The team may not do this.
    pub fn forbidden(text: impl Into<String>) -> Self {
        Self::new(ErrorKind::Forbidden, text)
    }

    /// Too many requests or jobs; the client may retry after `retry_after`.
    pub fn rate_limited(text: impl Into<String>, retry_after: Duration) -> Self {
        Self { retry_after: Some(retry_after), ..Self::new(ErrorKind::RateLimited, text) }
    }

    /// The engine was built without a part that the request needs. `code` is the contract's code for it.
    pub fn unsupported(code: ErrorCode, text: impl Into<String>) -> Self {
        Self { code: Some(code), ..Self::new(ErrorKind::Unsupported, text) }
    }

    /// The same error for a map, whose timeouts have another message in the contract.
    pub(crate) fn of_map(self) -> Self {
        match self.text.strip_prefix(SCRAPE_TIMED_OUT) {
            Some(rest) => Self { text: format!("{MAP_TIMED_OUT}{rest}"), ..self },
            None => self,
        }
    }

    /// The accounts provider, or another part that the embedder supplies, failed. The text is for the log;
    /// clients do not see it.
    pub fn failed(text: impl Into<String>) -> Self {
        Self { code: Some(ErrorCode::UnknownError), ..Self::new(ErrorKind::Store, text) }
    }

    /// The engine was stopped.
    pub(crate) fn stopped() -> Self {
        let text = "the engine is stopping; send the request again in a moment";
        Self { retry_after: Some(STOPPED_PAUSE), ..Self::new(ErrorKind::Stopped, text) }
    }

    /// The tokio runtime that the engine works in has ended.
    pub(crate) fn runtime_ended() -> Self {
        let text = "the tokio runtime of this engine has ended";
        Self { retry_after: Some(STOPPED_PAUSE), ..Self::new(ErrorKind::Stopped, text) }
    }

    /// A task of the engine did not end: it panicked, or the tokio runtime has ended.
    #[must_use]
    pub fn of_task(error: &JoinError) -> Self {
        match error.is_cancelled() {
            true => Self::runtime_ended(),
            false => Self::failed("the engine failed on this request"),
        }
    }

    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the page gave no document.
    #[must_use]
    pub fn is_page(&self) -> bool {
        self.kind == ErrorKind::Page
    }

    /// Whether there is no such job, or its results have expired.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        self.kind == ErrorKind::NotFound
    }

    /// Whether the engine was stopped, or its tokio runtime has ended.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.kind == ErrorKind::Stopped
    }

    /// Whether the documents of the job were read before, so that the store no longer has them.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.kind == ErrorKind::Gone
    }

    /// Whether there were too many requests or jobs. [`retry_after`](Self::retry_after) says when to retry.
    #[must_use]
    pub fn is_rate_limited(&self) -> bool {
        self.kind == ErrorKind::RateLimited
    }

    /// Whether the request is invalid; [`faults`](Self::faults) lists why.
    #[must_use]
    pub fn is_request(&self) -> bool {
        self.kind == ErrorKind::Rules
    }

    /// Whether the store, the accounts provider or another port failed.
    #[must_use]
    pub fn is_store(&self) -> bool {
        self.kind == ErrorKind::Store
    }

    /// Whether the job has ended, or the idempotency key was used before.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        self.kind == ErrorKind::Conflict
    }

    /// Whether the team has too few credits.
    #[must_use]
    pub fn is_insufficient_credits(&self) -> bool {
        self.kind == ErrorKind::InsufficientCredits
    }

    /// Whether the key is unknown.
    #[must_use]
    pub fn is_unauthorized(&self) -> bool {
        self.kind == ErrorKind::Unauthorized
    }

    /// Whether the team may not do this, or the webhook's address is refused.
    #[must_use]
    pub fn is_forbidden(&self) -> bool {
        self.kind == ErrorKind::Forbidden
    }

    /// Whether the engine was built without a part that the request needs.
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        self.kind == ErrorKind::Unsupported
    }

    /// The contract's code; [`ErrorCode::UnknownError`] if the contract has none for this.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.code.unwrap_or(ErrorCode::UnknownError)
    }

    /// All faults of an invalid request; `None` for other errors.
    #[must_use]
    pub fn faults(&self) -> Option<&Faults> {
        self.faults.as_ref()
    }

    /// How long to wait before a retry.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// The HTTP status of the response.
    #[must_use]
    pub fn http_status(&self) -> u16 {
        match self.kind {
            ErrorKind::NotFound | ErrorKind::Gone => 404,
            ErrorKind::Conflict => 409,
            ErrorKind::InsufficientCredits => 402,
            ErrorKind::Unauthorized => 401,
            ErrorKind::Forbidden => 403,
            ErrorKind::RateLimited => 429,
            ErrorKind::Stopped => 503,
            ErrorKind::Page | ErrorKind::Rules | ErrorKind::Store | ErrorKind::Unsupported => {
                self.code().http_status()
            }
        }
    }

    /// The HTTP body of the response. It does not contain the text of internal failures, which is for the
    /// log.
    #[must_use]
    pub fn body(&self) -> ErrorBody {
        if let Some(faults) = &self.faults {
            return faults.clone().into();
        }
        let text = match self.kind {
            ErrorKind::Store => "the engine failed on this request",
            _ => &self.text,
        };
        match self.code {
            Some(code) => ErrorBody::with_code(code, text),
            None => ErrorBody::new(text),
        }
    }
}

impl From<Faults> for Error {
    fn from(faults: Faults) -> Self {
        let error = Self::new(ErrorKind::Rules, faults.to_string());
        Self { code: Some(faults.error_code()), faults: Some(faults), ..error }
    }
}

impl From<PageError> for Error {
    fn from(error: PageError) -> Self {
        let PageError { code, message } = PageError::new(error.code, error.message);
        Self { code: Some(code), ..Self::new(ErrorKind::Page, message) }
    }
}

impl From<gleaner_store::Error> for Error {
    fn from(error: gleaner_store::Error) -> Self {
        match error.kind() {
            gleaner_store::ErrorKind::UnknownJob => Self::not_found(),
            gleaner_store::ErrorKind::JobEnded => Self::conflict("the job has ended"),
            gleaner_store::ErrorKind::TooManyJobs | gleaner_store::ErrorKind::Full => {
                Self::rate_limited(error.to_string(), QUEUE_FULL_PAUSE)
            }
            gleaner_store::ErrorKind::KeyUsed => Self::conflict(error.to_string()),
            _ => Self::failed(error.to_string()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}
