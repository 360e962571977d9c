//! The error type of the library, and its kinds.

use std::any::Any;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use gleaner_types::response::ErrorBody;
use gleaner_types::{ErrorCode, Faults};

/// Why the engine could not fulfil a request.
///
/// ```no_run
/// # async fn example(engine: gleaner::Engine) {
/// use gleaner::ScrapeRequest;
///
/// match engine.scrape(ScrapeRequest::new("https://example.com/")).await {
///     Ok(page) => println!("{}", page.markdown.unwrap_or_default()),
///     Err(error) if error.is_egress_denied() => println!("not a public address: {error}"),
///     Err(error) if error.is_timeout() => println!("try it with a longer `timeout`: {error}"),
///     Err(error) if error.is_request() => println!("a mistake in the request: {error}"),
///     Err(error) => println!("{}: {error}", error.code()),
/// }
/// # }
/// ```
///
/// Its text, and that of its [`source`](StdError::source), hold no secrets and no resolved addresses. The
/// source is the error of the crate that failed, mostly a [`JobError`](crate::JobError); its text is that of
/// this error.
#[derive(Debug)]
pub struct Error {
    inner: Box<Inner>,
}

#[derive(Debug)]
enum Inner {
    Fetcher(gleaner_fetch::ConfigError),
    Transform(gleaner_transform::Error),
    Job(gleaner_runtime::Error),
    Store(gleaner_store::Error),
    Configuration(&'static str),
    /// With the extracted data.
    #[cfg_attr(not(feature = "extract"), expect(dead_code, reason = "only extraction returns data"))]
    Incomplete {
        text: String,
        found: Box<dyn Any + Send + Sync>,
    },
}

/// Kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request is invalid; [`Error::faults`] lists every fault.
    Request,
    /// A setting of the engine is invalid.
    Configuration,
    /// The request needs something that this engine was built without: a browser
    /// ([`EngineBuilder::renderer`](crate::EngineBuilder::renderer)), stealth proxies
    /// ([`stealth_proxies`](crate::Network::stealth_proxies)), a language model
    /// ([`model`](crate::EngineBuilder::model)), a search engine ([`search`](crate::EngineBuilder::search)),
    /// or a cache ([`no_cache`](crate::Storage::no_cache) removes it). The message names none of these
    /// methods, because clients of a server may read it.
    Unsupported,
    /// The page gave no document.
    Page,
    /// The extracted data does not fill the requested type; [`Error::found`] has it.
    Incomplete,
    /// There are too many jobs or waiting pages; [`Error::retry_after`] says when to try again.
    RateLimited,
    /// The address of the webhook is refused, or the team may not do this.
    Forbidden,
    /// The store failed, its file cannot be opened, or it does not know the job. Or the engine has stopped.
    Store,
}

impl Error {
    fn new(inner: Inner) -> Self {
        Self { inner: Box::new(inner) }
    }

    pub(crate) fn unsupported(code: ErrorCode, text: impl Into<String>) -> Self {
        gleaner_runtime::Error::unsupported(code, text).into()
    }

    pub(crate) fn configuration(text: &'static str) -> Self {
        Self::new(Inner::Configuration(text))
    }

    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match &*self.inner {
            Inner::Fetcher(_) | Inner::Configuration(_) => ErrorKind::Configuration,
            Inner::Transform(error) if error.is_request() => ErrorKind::Request,
            Inner::Transform(_) => ErrorKind::Page,
            Inner::Incomplete { .. } => ErrorKind::Incomplete,
            Inner::Store(_) => ErrorKind::Store,
            Inner::Job(error) => match error.kind() {
                gleaner_runtime::ErrorKind::Rules => ErrorKind::Request,
                gleaner_runtime::ErrorKind::Page => ErrorKind::Page,
                gleaner_runtime::ErrorKind::Unsupported => ErrorKind::Unsupported,
                gleaner_runtime::ErrorKind::RateLimited => ErrorKind::RateLimited,
                gleaner_runtime::ErrorKind::Forbidden => ErrorKind::Forbidden,
                _ => ErrorKind::Store,
            },
        }
    }

    /// Whether the request is invalid: [`ErrorKind::Request`], mostly with [`ErrorCode::BadRequest`].
    #[must_use]
    pub fn is_request(&self) -> bool {
        self.kind() == ErrorKind::Request
    }

    /// Whether a setting of the engine is invalid: [`ErrorKind::Configuration`], only of builders.
    #[must_use]
    pub fn is_configuration(&self) -> bool {
        self.kind() == ErrorKind::Configuration
    }

    /// Whether the address of the webhook is refused, or the team may not do this: [`ErrorKind::Forbidden`].
    #[must_use]
    pub fn is_forbidden(&self) -> bool {
        self.kind() == ErrorKind::Forbidden
    }

    /// Whether the cause is the store or the end of the engine: [`ErrorKind::Store`]. Further predicates tell
    /// the causes apart that a program can act on, such as [`is_stopped`](Self::is_stopped).
    #[must_use]
    pub fn is_store(&self) -> bool {
        self.kind() == ErrorKind::Store
    }

    /// Whether the engine was built without something that the request needs, such as a browser or a model:
    /// [`ErrorKind::Unsupported`], with codes such as [`ErrorCode::ModelNotConfigured`] and
    /// [`ErrorCode::UnsupportedOption`].
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        self.kind() == ErrorKind::Unsupported
    }

    /// Whether the page gave no document: [`ErrorKind::Page`]. [`code`](Self::code) has the cause.
    #[must_use]
    pub fn is_page(&self) -> bool {
        self.kind() == ErrorKind::Page
    }

    /// Whether the extracted data does not fill the requested type: [`ErrorKind::Incomplete`].
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.kind() == ErrorKind::Incomplete
    }

    /// Whether the time ran out: [`ErrorCode::ScrapeTimeout`], for a page or for a map.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        self.code() == ErrorCode::ScrapeTimeout
    }

    /// Whether a rule forbids the page: robots.txt ([`ErrorCode::CrawlDenial`]) or the egress policy
    /// ([`ErrorCode::ScrapeBlocked`]).
    ///
    /// A response with status 401 or 403 is no error: it is a document, and its `metadata.statusCode` has
    /// the status.
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        matches!(self.code(), ErrorCode::CrawlDenial | ErrorCode::ScrapeBlocked)
    }

    /// Whether the egress policy forbids the scheme, the port or the address of the page or of a redirect:
    /// [`ErrorCode::ScrapeBlocked`]. [`EngineBuilder::allow_private`](crate::EngineBuilder::allow_private)
    /// allows private addresses. A refused webhook is [`ErrorKind::Forbidden`] instead.
    #[must_use]
    pub fn is_egress_denied(&self) -> bool {
        self.code() == ErrorCode::ScrapeBlocked
    }

    /// Whether there are too many jobs or waiting pages: [`ErrorKind::RateLimited`]. It has no code of its
    /// own: the contract answers with status 429.
    #[must_use]
    pub fn is_rate_limited(&self) -> bool {
        self.kind() == ErrorKind::RateLimited
    }

    /// Whether the engine was [stopped](crate::Engine::stop), or the tokio runtime that it works in has
    /// ended: [`ErrorKind::Store`].
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        matches!(&*self.inner, Inner::Job(error) if error.is_stopped())
    }

    /// Whether the store has no such job: [`ErrorKind::Store`].
    #[must_use]
    pub fn is_unknown_job(&self) -> bool {
        match &*self.inner {
            Inner::Job(error) => error.is_not_found(),
            Inner::Store(error) => error.is_unknown_job(),
            _ => false,
        }
    }

    /// Whether the documents of a job were read by another handle, so that the store no longer has them
    /// ([`Job::gone`](crate::Job::gone)): [`ErrorKind::Store`].
    #[must_use]
    pub fn is_gone(&self) -> bool {
        matches!(&*self.inner, Inner::Job(error) if error.is_gone())
    }

    /// Whether the job has ended, so that it cannot be changed any more: [`ErrorKind::Store`].
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        matches!(&*self.inner, Inner::Job(error) if error.is_conflict())
    }

    /// Whether another process, or another engine of this one, has the file of the store open for writing;
    /// the text says which: [`ErrorKind::Store`].
    #[must_use]
    pub fn is_store_busy(&self) -> bool {
        self.is_of_store(gleaner_store::Error::is_busy)
    }

    /// Whether a later version of this program wrote the file of the store: [`ErrorKind::Store`].
    #[must_use]
    pub fn is_store_newer(&self) -> bool {
        self.is_of_store(gleaner_store::Error::is_newer)
    }

    /// Whether the file of the store is damaged; the text names the place: [`ErrorKind::Store`].
    #[must_use]
    pub fn is_store_damaged(&self) -> bool {
        self.is_of_store(gleaner_store::Error::is_damaged)
    }

    /// Whether the file is not a store, or the database does not fit this program: [`ErrorKind::Store`].
    #[must_use]
    pub fn is_store_unsuitable(&self) -> bool {
        self.is_of_store(gleaner_store::Error::is_unsuitable)
    }

    fn is_of_store(&self, predicate: fn(&gleaner_store::Error) -> bool) -> bool {
        matches!(&*self.inner, Inner::Store(error) if predicate(error))
    }

    /// How long to wait before the next attempt, if this is known: of [`ErrorKind::RateLimited`].
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match &*self.inner {
            Inner::Job(error) => error.retry_after(),
            _ => None,
        }
    }

    /// The contract's code; [`ErrorCode::UnknownError`] also if the contract has none.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match &*self.inner {
            Inner::Fetcher(_) | Inner::Configuration(_) => ErrorCode::BadRequest,
            Inner::Transform(error) => error.code(),
            Inner::Job(error) => error.code(),
            Inner::Store(_) => ErrorCode::UnknownError,
            Inner::Incomplete { .. } => ErrorCode::ScrapeSiteError,
        }
    }

    /// The status of the HTTP response to the request.
    #[must_use]
    pub fn http_status(&self) -> u16 {
        match &*self.inner {
            Inner::Job(error) => error.http_status(),
            _ => self.code().http_status(),
        }
    }

    /// The body of the HTTP response to the request, as the contract has it. It is for clients of a server,
    /// so the text of an error of the store is left out.
    #[must_use]
    pub fn body(&self) -> ErrorBody {
        match &*self.inner {
            Inner::Job(error) => error.body(),
            // The text names files of the server.
            Inner::Store(_) => ErrorBody::with_code(self.code(), "the engine failed on this request"),
            _ => ErrorBody::with_code(self.code(), self.to_string()),
        }
    }

    /// Every fault of the request, if it is invalid, each with its path and a message for people.
    ///
    /// ```no_run
    /// # async fn example(engine: gleaner::Engine) {
    /// use gleaner::CrawlRequest;
    ///
    /// let refused = engine.crawl(CrawlRequest::new("https://example.com/").limit(0)).await;
    /// if let Some(faults) = refused.as_ref().err().and_then(gleaner::Error::faults) {
    ///     for fault in faults.as_slice() {
    ///         println!("{}", fault.message); // `limit` must be an integer of at least 1, not 0
    ///     }
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn faults(&self) -> Option<&Faults> {
        match &*self.inner {
            Inner::Job(error) => error.faults(),
            _ => None,
        }
    }
}

impl From<Faults> for Error {
    fn from(faults: Faults) -> Self {
        gleaner_runtime::Error::from(faults).into()
    }
}

impl From<gleaner_fetch::ConfigError> for Error {
    fn from(error: gleaner_fetch::ConfigError) -> Self {
        Self::new(Inner::Fetcher(error))
    }
}

impl From<gleaner_transform::Error> for Error {
    fn from(error: gleaner_transform::Error) -> Self {
        Self::new(Inner::Transform(error))
    }
}

impl From<gleaner_runtime::Error> for Error {
    fn from(error: gleaner_runtime::Error) -> Self {
        Self::new(Inner::Job(error))
    }
}

impl From<gleaner_store::Error> for Error {
    fn from(error: gleaner_store::Error) -> Self {
        Self::new(Inner::Store(error))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.inner {
            Inner::Fetcher(error) => error.fmt(f),
            Inner::Transform(error) => error.fmt(f),
            Inner::Job(error) => error.fmt(f),
            Inner::Store(error) => error.fmt(f),
            Inner::Configuration(text) => f.write_str(text),
            Inner::Incomplete { text, .. } => f.write_str(text),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &*self.inner {
            Inner::Fetcher(error) => Some(error),
            Inner::Transform(error) => Some(error),
            Inner::Job(error) => Some(error),
            Inner::Store(error) => Some(error),
            Inner::Configuration(_) | Inner::Incomplete { .. } => None,
        }
    }
}

#[cfg(feature = "extract")]
impl Error {
    /// The extracted data, if it does not fill the requested type.
    #[must_use]
    pub fn found(&self) -> Option<&crate::ExtractResult> {
        match &*self.inner {
            Inner::Incomplete { found, .. } => found.downcast_ref(),
            _ => None,
        }
    }
}

#[cfg(feature = "extract")]
impl From<gleaner_extract_jobs::Incomplete> for Error {
    fn from(incomplete: gleaner_extract_jobs::Incomplete) -> Self {
        Self::new(Inner::Incomplete { text: incomplete.text, found: incomplete.found })
    }
}

#[cfg(test)]
mod tests {
    use gleaner_types::PageError;

    use super::*;

    fn of_page(code: ErrorCode) -> Error {
        gleaner_runtime::Error::from(PageError::new(code, "text")).into()
    }

    #[test]
    fn predicates_cover_their_codes() {
        for (code, expected) in [
            (ErrorCode::ScrapeTimeout, [true, false, false]),
            (ErrorCode::CrawlDenial, [false, true, false]),
            (ErrorCode::ScrapeBlocked, [false, true, true]),
            (ErrorCode::ScrapeSiteError, [false, false, false]),
        ] {
            let error = of_page(code);
            assert_eq!(
                [error.is_timeout(), error.is_blocked(), error.is_egress_denied()],
                expected,
                "{code}"
            );
            assert!(error.is_page() && !error.is_rate_limited(), "{code}");
        }
        assert!(
            Error::from(gleaner_transform::Error::from(gleaner_transform::ErrorKind::Interrupted))
                .is_timeout()
        );
    }

    #[test]
    fn a_rate_limit_says_when_to_try_again() {
        let delay = Duration::from_secs(7);
        let error = Error::from(gleaner_runtime::Error::rate_limited("too many jobs", delay));
        assert!(error.is_rate_limited() && !error.is_page());
        assert_eq!((error.retry_after(), error.http_status()), (Some(delay), 429));
        assert_eq!(of_page(ErrorCode::ScrapeTimeout).retry_after(), None);
    }

    #[test]
    fn an_error_of_the_store_has_its_kind() {
        use gleaner_store::ErrorKind::{Busy, Damaged, Newer, Unsuitable};
        for (kind, expected) in [
            (Busy, [true, false, false, false]),
            (Newer, [false, true, false, false]),
            (Damaged, [false, false, true, false]),
            (Unsuitable, [false, false, false, true]),
        ] {
            let error = Error::from(gleaner_store::Error::new(kind, "/srv/jobs.db failed"));
            let found = [
                error.is_store_busy(),
                error.is_store_newer(),
                error.is_store_damaged(),
                error.is_store_unsuitable(),
            ];
            assert_eq!(found, expected, "{kind:?}");
            assert_eq!((error.is_store(), error.http_status()), (true, 500));
            assert!(!error.is_unknown_job() && !error.body().error.contains("jobs.db"));
            let source = error.source().and_then(|source| source.downcast_ref::<gleaner_store::Error>());
            assert_eq!(source.map(gleaner_store::Error::kind), Some(kind));
        }
        assert!(Error::from(gleaner_runtime::Error::not_found()).is_unknown_job());
    }

    #[test]
    fn the_source_is_the_error_of_the_crate_that_failed() {
        let error = of_page(ErrorCode::ScrapeSslError);
        let source = error.source().and_then(|source| source.downcast_ref::<gleaner_runtime::Error>());
        assert_eq!(source.map(gleaner_runtime::Error::code), Some(ErrorCode::ScrapeSslError));

        let network = crate::Network::new().add_root_certificates_pem("secret");
        assert!(!format!("{network:?}").contains("secret"));
        let error = crate::Engine::builder().network(network).build().unwrap_err();
        let source = error.source().and_then(|source| source.downcast_ref::<gleaner_fetch::ConfigError>());
        assert_eq!(
            source.map(gleaner_fetch::ConfigError::kind),
            Some(gleaner_fetch::ConfigErrorKind::RootCertificate)
        );
        assert!(!format!("{error:?}").contains("secret"));

        assert!(Error::configuration("text").source().is_none());
    }
}
