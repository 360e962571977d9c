use std::any::Any;
use std::fmt;

use gleaner_types::response::ErrorBody;
use gleaner_types::{ErrorCode, Faults};

/// Why the engine could not do what it was asked.
#[derive(Debug)]
pub struct Error {
    inner: Box<Inner>,
}

#[derive(Debug)]
enum Inner {
    Request(Faults),
    Fetcher(gleaner_fetch::ConfigError),
    Transform(gleaner_transform::Error),
    Job(gleaner_runtime::Error),
    Configuration(&'static str),
    Unsupported {
        code: ErrorCode,
        text: String,
    },
    /// With the data that was found.
    #[cfg_attr(not(feature = "extract"), expect(dead_code, reason = "only extraction gives data"))]
    Incomplete {
        text: String,
        found: Box<dyn Any + Send + Sync>,
    },
}

/// Kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request breaks rules; [`Error::faults`] lists all of them.
    Request,
    /// The engine is configured in a way that cannot work.
    Configuration,
    /// The request needs something that this engine was built without: a browser
    /// ([`EngineBuilder::renderer`](crate::EngineBuilder::renderer)), stealth proxies
    /// ([`stealth_proxies`](crate::EngineBuilder::stealth_proxies)), a language model
    /// ([`model`](crate::EngineBuilder::model)), a search engine ([`search`](crate::EngineBuilder::search)),
    /// or a cache ([`no_cache`](crate::EngineBuilder::no_cache) leaves it out). The message names none of
    /// these: clients may read it.
    Unsupported,
    /// The page gave no document.
    Page,
    /// The data that was found does not fill the type that was asked for; [`Error::found`] has it.
    Incomplete,
    /// The store failed, or does not know the job.
    Store,
}

impl Error {
    pub(crate) fn unsupported(code: ErrorCode, text: impl Into<String>) -> Self {
        Inner::Unsupported { code, text: text.into() }.into()
    }

    pub(crate) fn configuration(text: &'static str) -> Self {
        Inner::Configuration(text).into()
    }

    /// Which kind of failure this is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match &*self.inner {
            Inner::Request(_) => ErrorKind::Request,
            Inner::Fetcher(_) | Inner::Configuration(_) => ErrorKind::Configuration,
            Inner::Transform(error) if error.is_request() => ErrorKind::Request,
            Inner::Transform(_) => ErrorKind::Page,
            Inner::Unsupported { .. } => ErrorKind::Unsupported,
            Inner::Incomplete { .. } => ErrorKind::Incomplete,
            Inner::Job(error) => match error.kind() {
                gleaner_runtime::ErrorKind::Rules => ErrorKind::Request,
                gleaner_runtime::ErrorKind::Page => ErrorKind::Page,
                gleaner_runtime::ErrorKind::Unsupported => ErrorKind::Unsupported,
                _ => ErrorKind::Store,
            },
        }
    }

    /// Does the request break rules?
    #[must_use]
    pub fn is_request(&self) -> bool {
        self.kind() == ErrorKind::Request
    }

    /// Was the engine built without what the request needs, such as a browser or a model?
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        self.kind() == ErrorKind::Unsupported
    }

    /// Did the page give no document? Another try later may do better.
    #[must_use]
    pub fn is_page(&self) -> bool {
        self.kind() == ErrorKind::Page
    }

    /// Does the data that was found not fill the type that was asked for?
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.kind() == ErrorKind::Incomplete
    }

    /// The contract's code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match &*self.inner {
            Inner::Request(faults) => faults.error_code(),
            Inner::Fetcher(_) | Inner::Configuration(_) => ErrorCode::BadRequest,
            Inner::Transform(error) => error.code(),
            Inner::Job(error) => error.code(),
            Inner::Unsupported { code, .. } => *code,
            Inner::Incomplete { .. } => ErrorCode::ScrapeSiteError,
        }
    }

    /// The status that an answer over HTTP has.
    #[must_use]
    pub fn http_status(&self) -> u16 {
        match &*self.inner {
            Inner::Job(error) => error.http_status(),
            _ => self.code().http_status(),
        }
    }

    /// The body that an answer over HTTP has.
    #[must_use]
    pub fn body(&self) -> ErrorBody {
        match &*self.inner {
            Inner::Request(faults) => faults.clone().into(),
            Inner::Job(error) => error.body(),
            _ => ErrorBody::with_code(self.code(), self.to_string()),
        }
    }

    /// All that is wrong with the request, where that is the reason.
    #[must_use]
    pub fn faults(&self) -> Option<&Faults> {
        match &*self.inner {
            Inner::Request(faults) => Some(faults),
            Inner::Job(error) => error.faults(),
            _ => None,
        }
    }
}

impl From<Inner> for Error {
    fn from(inner: Inner) -> Self {
        Self { inner: Box::new(inner) }
    }
}

impl From<Faults> for Error {
    fn from(faults: Faults) -> Self {
        Inner::Request(faults).into()
    }
}

impl From<gleaner_fetch::ConfigError> for Error {
    fn from(error: gleaner_fetch::ConfigError) -> Self {
        Inner::Fetcher(error).into()
    }
}

impl From<gleaner_transform::Error> for Error {
    fn from(error: gleaner_transform::Error) -> Self {
        Inner::Transform(error).into()
    }
}

impl From<gleaner_runtime::Error> for Error {
    fn from(error: gleaner_runtime::Error) -> Self {
        Inner::Job(error).into()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.inner {
            Inner::Request(faults) => faults.fmt(f),
            Inner::Fetcher(error) => error.fmt(f),
            Inner::Transform(error) => error.fmt(f),
            Inner::Job(error) => error.fmt(f),
            Inner::Configuration(text) => f.write_str(text),
            Inner::Unsupported { text, .. } | Inner::Incomplete { text, .. } => f.write_str(text),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(feature = "extract")]
impl Error {
    /// The data that was found, where it does not fill the type that was asked for.
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
        let gleaner_extract_jobs::Incomplete { text, found } = incomplete;
        Inner::Incomplete { text, found }.into()
    }
}
