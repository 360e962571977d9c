//! The defaults that differ between a program that embeds the engine and a client of the API.

use super::options::ScrapeOptions;
use super::{BatchScrapeRequest, CrawlRequest, ExtractRequest, MapRequest, ScrapeRequest};
use crate::limits::DEFAULT_MAX_AGE_MS;

/// The defaults of `max_age` and `skip_tls_verification`. All other defaults are the same for both.
///
/// `check` fills in those of the contract, because a body of the API is checked by it. The engine's methods
/// fill in those of a library before.
///
/// ```
/// use gleaner_types::request::{Defaults, ScrapeRequest};
///
/// let request = ScrapeRequest::new("https://example.com/");
/// let contract = request.clone().check()?.options;
/// assert!(contract.skip_tls_verification && contract.max_age.as_secs() == 2 * 86_400);
/// let library = request.with_defaults(Defaults::Library).check()?.options;
/// assert!(!library.skip_tls_verification && library.max_age.is_zero());
/// # Ok::<(), gleaner_types::Faults>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defaults {
    /// Of a program that embeds the engine: each page is fetched, and certificates are checked.
    Library,
    /// Of the API, as its clients expect: copies of up to two days are accepted, and any certificate is.
    Contract,
}

impl Defaults {
    fn fill(self, max_age: &mut Option<u64>, skip_tls_verification: &mut Option<bool>) {
        let (age, skip) = match self {
            Self::Library => (0, false),
            Self::Contract => (DEFAULT_MAX_AGE_MS, true),
        };
        max_age.get_or_insert(age);
        skip_tls_verification.get_or_insert(skip);
    }
}

impl ScrapeOptions {
    /// Fills in the defaults that depend on who sends the request, where it sets no value.
    #[must_use]
    pub fn with_defaults(mut self, defaults: Defaults) -> Self {
        defaults.fill(&mut self.max_age, &mut self.skip_tls_verification);
        self
    }
}

impl MapRequest {
    /// Fills in the defaults that depend on who sends the request, where it sets no value.
    #[must_use]
    pub fn with_defaults(mut self, defaults: Defaults) -> Self {
        defaults.fill(&mut self.max_age, &mut self.skip_tls_verification);
        self
    }
}

/// Writes `with_defaults` for requests with scrape options: `$options` are those of `$request`.
macro_rules! with_defaults {
    ($($type:ident($request:ident) $options:expr;)+) => {
        $(impl $type {
            /// Fills in the defaults that depend on who sends the request, where it sets no value.
            #[must_use]
            pub fn with_defaults(mut self, defaults: Defaults) -> Self {
                let $request = &mut self;
                let options: &mut ScrapeOptions = $options;
                defaults.fill(&mut options.max_age, &mut options.skip_tls_verification);
                self
            }
        })+
    };
}

with_defaults! {
    ScrapeRequest(request) &mut request.options;
    BatchScrapeRequest(request) &mut request.options;
    CrawlRequest(request) request.scrape_options.get_or_insert_default();
    ExtractRequest(request) request.scrape_options.get_or_insert_default();
}
