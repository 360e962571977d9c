//! The scope of a crawl: which URLs belong to it.

mod automaton;
mod file_kind;
mod patterns;
mod reason;
mod start_path;

pub use reason::SkipReason;

use gleaner_types::FaultPath;
use gleaner_types::plan::CrawlRules;
use url::Url;

use crate::error::{Error, ErrorKind};
use crate::identity::hash_route;
use crate::site::{bare_host, distinct_port, registrable_domain, without_root_dot};
use automaton::TooCostly;
use file_kind::Kind;
use patterns::Patterns;
use start_path::{StartPath, segment_count};

/// Maximum length of a URL in bytes. Servers commonly reject longer ones, and crawler traps grow them.
pub const MAX_URL_BYTES: usize = 8192;

/// Fixed cost of a decision in steps, without patterns, as [`CrawlScope::decide_counting`] counts them.
const BASE_STEPS: u64 = 100;

/// What a crawl does with a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decision {
    /// A page of the site: it is crawled, and its links are followed.
    Inside,
    /// A page of another site that the crawl may fetch: its links are not followed.
    External,
    /// The URL is not crawled, for this reason.
    Rejected(SkipReason),
}

/// The scope of a crawl as a function from URL to [`Decision`].
///
/// Everything that does not depend on the URL is computed once: the patterns are compiled and the start URL
/// is parsed. One decision takes at most some milliseconds, whatever the patterns; a URL that needs more is
/// [rejected](SkipReason::TooCostly). A caller that decides about many URLs counts the steps
/// ([`decide_counting`](CrawlScope::decide_counting)) and yields to other work.
///
/// ```
/// use gleaner_frontier::{CrawlScope, Decision, SkipReason};
/// # use gleaner_types::plan::{CrawlRules, SitemapMode};
/// use url::Url;
///
/// # let rules = CrawlRules {
/// #     exclude_paths: vec!["^/docs/old/".to_owned()],
/// #     include_paths: vec![], regex_on_full_url: false, max_discovery_depth: None, max_path_depth: None,
/// #     sitemap: SitemapMode::Include, ignore_query_parameters: false, deduplicate_similar_urls: true,
/// #     crawl_entire_domain: false, allow_external_links: false, allow_subdomains: false,
/// #     ignore_robots_txt: false, robots_user_agent: None,
/// # };
/// // `rules` excludes `^/docs/old/`.
/// let start = Url::parse("https://example.com/docs")?;
/// let scope = CrawlScope::new(&start, &rules)?;
/// let decide = |url: &str| scope.decide(&Url::parse(url).expect("a URL"), false);
///
/// assert_eq!(decide("https://www.example.com/docs/intro"), Decision::Inside);
/// assert_eq!(decide("https://example.com/docs-old"), Decision::Rejected(SkipReason::OutsideStartPath));
/// assert_eq!(decide("https://example.com/docs/old/a"), Decision::Rejected(SkipReason::Excluded));
/// assert_eq!(decide("https://example.org/docs/"), Decision::Rejected(SkipReason::OtherHost));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct CrawlScope {
    /// The start URL, without its fragment unless that is a hash route.
    start: Url,
    host: Box<str>,
    port: Option<u16>,
    /// `None` if the host has no registrable domain, so no host is a subdomain.
    domain: Option<Box<str>>,
    start_path: StartPath,
    max_segments: Option<usize>,
    excludes: Patterns,
    includes: Patterns,
    on_full_url: bool,
    allow_subdomains: bool,
    allow_external: bool,
}

/// The relation of a host to the site that is crawled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    SameHost,
    Subdomain,
    Foreign,
}

impl CrawlScope {
    /// The scope of a crawl that starts at `start`.
    ///
    /// # Errors
    ///
    /// If `start` is not an `http` or `https` URL, or if a pattern is invalid; the message names it.
    pub fn new(start: &Url, rules: &CrawlRules) -> Result<Self, Error> {
        let host = match start.host_str() {
            Some(host) if matches!(start.scheme(), "http" | "https") => host,
            _ => {
                return Err(Error::new(
                    ErrorKind::BadStart,
                    FaultPath::key("url"),
                    "a crawl starts at an http or https URL with a host",
                ));
            }
        };
        Ok(Self {
            host: bare_host(host).into(),
            port: distinct_port(start),
            domain: registrable_domain(host).map(Into::into),
            start_path: StartPath::new(start.path(), rules.crawl_entire_domain),
            max_segments: rules.max_path_depth.map(|depth| {
                segment_count(start.path()).saturating_add(usize::try_from(depth).unwrap_or(usize::MAX))
            }),
            excludes: Patterns::new("excludePaths", &rules.exclude_paths)?,
            includes: Patterns::new("includePaths", &rules.include_paths)?,
            on_full_url: rules.regex_on_full_url,
            allow_subdomains: rules.allow_subdomains,
            allow_external: rules.allow_external_links,
            start: without_plain_fragment(start),
        })
    }

    /// Decides about `url`. `from_external` is true if it was found on an external page.
    ///
    /// The start URL is always inside: it is fetched for its links, whatever the patterns say (see
    /// [`CrawlScope::fits_patterns`]). Use this for the target of a redirect, too.
    #[must_use]
    pub fn decide(&self, url: &Url, from_external: bool) -> Decision {
        self.decide_counting(url, from_external, &mut 0)
    }

    /// As [`decide`](Self::decide), and adds the cost to `steps`. A step takes about five nanoseconds; one
    /// decision takes fewer than a million.
    pub fn decide_counting(&self, url: &Url, from_external: bool, steps: &mut u64) -> Decision {
        let mut matching = 0;
        let decision = self.classify(url, from_external, &mut matching);
        *steps += matching + BASE_STEPS + url.as_str().len() as u64 / 4;
        decision.unwrap_or_else(Decision::Rejected)
    }

    /// True if the patterns of the crawl allow the page at `url` in the results.
    ///
    /// [`CrawlScope::decide`] checks this for every page except the start page, which is fetched even if
    /// `includePaths` does not match it or `excludePaths` does.
    #[must_use]
    pub fn fits_patterns(&self, url: &Url) -> bool {
        self.check_patterns(url, &mut 0).is_ok()
    }

    fn classify(&self, url: &Url, from_external: bool, steps: &mut u64) -> Result<Decision, SkipReason> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(SkipReason::UnsupportedScheme);
        }
        if url.as_str().len() > MAX_URL_BYTES {
            return Err(SkipReason::TooLong);
        }
        if from_external {
            return Err(SkipReason::FoundOnExternalPage);
        }
        if self.is_start(url) {
            return Ok(Decision::Inside);
        }
        let relation = self.relation(url);
        let inside = match relation {
            Relation::SameHost => true,
            Relation::Subdomain => self.allow_subdomains,
            Relation::Foreign => false,
        };
        if !inside && !self.allow_external {
            return Err(match relation {
                Relation::Subdomain => SkipReason::Subdomain,
                _ => SkipReason::OtherHost,
            });
        }
        if file_kind::kind(url) == Kind::File {
            return Err(SkipReason::BinaryFile);
        }
        if !inside {
            if self.excludes.matches(url.as_str(), steps)? {
                return Err(SkipReason::Excluded);
            }
            return Ok(Decision::External);
        }
        if relation == Relation::SameHost && !self.start_path.contains(url.path()) {
            return Err(SkipReason::OutsideStartPath);
        }
        if self.max_segments.is_some_and(|max| segment_count(url.path()) > max) {
            return Err(SkipReason::TooDeep);
        }
        self.check_patterns(url, steps)?;
        Ok(Decision::Inside)
    }

    fn check_patterns(&self, url: &Url, steps: &mut u64) -> Result<(), SkipReason> {
        let text = if self.on_full_url { url.as_str() } else { url.path() };
        if self.excludes.matches(text, steps)? {
            return Err(SkipReason::Excluded);
        }
        if !self.includes.is_empty() && !self.includes.matches(text, steps)? {
            return Err(SkipReason::NotIncluded);
        }
        Ok(())
    }

    fn relation(&self, url: &Url) -> Relation {
        let Some(host) = url.host_str().map(without_root_dot) else { return Relation::Foreign };
        if distinct_port(url) != self.port {
            return Relation::Foreign;
        }
        if host == &*self.host || host.strip_prefix("www.") == Some(&self.host) {
            return Relation::SameHost;
        }
        match &self.domain {
            // Most links lead to other sites: their names differ, which takes no search of the rules.
            Some(domain) if host.contains(&**domain) && registrable_domain(host) == Some(domain) => {
                Relation::Subdomain
            }
            _ => Relation::Foreign,
        }
    }

    fn is_start(&self, url: &Url) -> bool {
        let before_fragment =
            |url: &Url| url.as_str().len() - url.fragment().map_or(0, |text| text.len() + 1);
        let (start, other) = (&self.start, url);
        if start.as_str() == other.as_str() {
            return true;
        }
        hash_route(other).is_none()
            && start.fragment().is_none()
            && start.as_str().len() == before_fragment(other)
            && other.as_str().starts_with(start.as_str())
    }
}

/// Whether the name in `url` is that of a file and not of a page: an image, an archive, a media file, a font or a
/// program. [`CrawlScope::decide`] rejects such a URL as [`SkipReason::BinaryFile`], unless it may be that of a
/// page, such as `/wiki/File:Harbour.jpg`: then only its content type tells.
#[must_use]
pub fn looks_like_file(url: &Url) -> bool {
    file_kind::kind(url) != Kind::Page
}

impl From<TooCostly> for SkipReason {
    fn from(TooCostly: TooCostly) -> Self {
        Self::TooCostly
    }
}

fn without_plain_fragment(url: &Url) -> Url {
    let mut url = url.clone();
    if hash_route(&url).is_none() {
        url.set_fragment(None);
    }
    url
}

#[cfg(test)]
mod tests;
