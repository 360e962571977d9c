//! Which URLs name the same page.
//!
//! The canonical form is computed as text and then hashed, so a crawl remembers eight bytes per page instead
//! of its URL. Folding is deliberately narrow: merging two pages loses one of them, while crawling a page
//! twice only costs a request. A rule exists here only if servers practically never distinguish the two
//! spellings, or if the crawl asked for it with `ignoreQueryParameters` or `deduplicateSimilarURLs`. Paths
//! are always case-sensitive.

mod key;
mod path;
mod query;

pub use key::UrlKey;

use gleaner_types::plan::CrawlRules;
use siphasher::sip::SipHasher13;
use url::Url;

use crate::percent::{is_normalised, push_normalised};
use crate::site::{bare_host, without_root_dot};

/// The hash key of [`Identity::new`]. It is fixed, so that a stored crawl recognizes its pages after a
/// restart.
pub const DEFAULT_SEED: u128 = 0x676c_6561_6e65_7220_6672_6f6e_7469_6572;

const HTTPS: &str = "https://";

/// Canonical forms of at most this many bytes are built on the stack.
const STACK_BYTES: usize = 256;

/// Decides which URLs name the same page, under the rules of a crawl.
///
/// ```
/// use gleaner_frontier::Identity;
/// use url::Url;
///
/// let identity = Identity::from_options(false, true);
/// let one = Url::parse("http://www.example.com/a/index.html?utm_source=x&b=2&a=1#top")?;
/// let two = Url::parse("https://example.com/a?a=1&b=2")?;
/// assert_eq!(identity.canonical(&one), "https://example.com/a?a=1&b=2");
/// assert_eq!(identity.key(&one), identity.key(&two));
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Identity {
    ignore_query: bool,
    fold_similar: bool,
    hasher: SipHasher13,
}

impl Identity {
    /// The identity rules of a crawl: `ignore_query_parameters` and `deduplicate_similar_urls`.
    #[must_use]
    pub fn new(rules: &CrawlRules) -> Self {
        Self::from_options(rules.ignore_query_parameters, rules.deduplicate_similar_urls)
    }

    /// As [`Identity::new`], from the two rules alone.
    #[must_use]
    pub fn from_options(ignore_query: bool, fold_similar: bool) -> Self {
        Self { ignore_query, fold_similar, hasher: SipHasher13::new_with_key(&DEFAULT_SEED.to_le_bytes()) }
    }

    /// The same rules with another hash key.
    ///
    /// With [`DEFAULT_SEED`] a site that knows this library can compute URLs with equal keys, which hides one
    /// of its own pages, or with close keys, which makes lookups slow. To prevent that, give each crawl a
    /// random seed and keep it with the crawl.
    #[must_use]
    pub fn with_seed(mut self, seed: u128) -> Self {
        self.hasher = SipHasher13::new_with_key(&seed.to_le_bytes());
        self
    }

    /// The key of the page that `url` names.
    ///
    /// The fast path allocates nothing, because this runs for every link of every page.
    #[must_use]
    pub fn key(&self, url: &Url) -> UrlKey {
        self.fast_key(url)
            .unwrap_or_else(|| UrlKey::from_raw(self.hasher.hash(self.canonical(url).as_bytes())))
    }

    /// The key of a URL whose canonical form differs from the URL only in scheme and fragment, as for most
    /// links of most pages. One pass checks this; `None` if the URL may need folding.
    fn fast_key(&self, url: &Url) -> Option<UrlKey> {
        let after_scheme = match url.scheme() {
            "https" => url.as_str().get(HTTPS.len()..)?,
            "http" if self.fold_similar => url.as_str().get("http://".len()..)?,
            _ => return None,
        };
        let path = url.path();
        let is_canonical = hash_route(url).is_none()
            && (self.ignore_query || url.query().is_none())
            && url.username().is_empty()
            && url.password().is_none()
            && self.is_canonical_host(url)
            && is_normalised(path.as_bytes())
            && (!self.fold_similar || path::is_folded(path));
        if !is_canonical {
            return None;
        }
        let after_scheme = after_scheme.get(..after_scheme.len() - len_after_path(url))?;
        let mut bytes = [0; STACK_BYTES];
        let bytes = bytes.get_mut(..HTTPS.len() + after_scheme.len())?;
        let (head, tail) = bytes.split_at_mut_checked(HTTPS.len())?;
        head.copy_from_slice(HTTPS.as_bytes());
        tail.copy_from_slice(after_scheme.as_bytes());
        Some(UrlKey::from_raw(self.hasher.hash(bytes)))
    }

    /// True if host and port are already canonical. `www.` takes the slow path, which knows public suffixes.
    fn is_canonical_host(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let folds = self.fold_similar && (matches!(url.port(), Some(80 | 443)) || host.starts_with("www."));
        !folds && !host.ends_with('.')
    }

    /// The canonical form of `url`: an absolute URL that parses to itself and is its own canonical form.
    ///
    /// Always: user name and password are removed; so is a fragment that is not a hash route (`#/x`, `#!x`);
    /// percent-encoding is normalized; a trailing dot of the host is removed. [`Url`] itself normalizes
    /// default ports, dot segments, letter case of scheme and host, IDN and the empty path.
    ///
    /// With `deduplicateSimilarURLs`: `http` becomes `https`; a leading `www.`, trailing slashes, index
    /// files, session ids and tracking parameters are removed; query parameters are sorted by name
    /// (parameters with the same name keep their order). With `ignoreQueryParameters` the query is removed.
    #[must_use]
    pub fn canonical(&self, url: &Url) -> String {
        let mut out = String::with_capacity(url.as_str().len() + 8);
        self.push_origin(&mut out, url);
        self.push_path(&mut out, url);
        if !self.ignore_query {
            self.push_query(&mut out, url);
        }
        if let Some(route) = hash_route(url) {
            out.push('#');
            push_normalised(&mut out, route.as_bytes(), |_| false);
        }
        out
    }

    /// The spellings of `url` that `deduplicateSimilarURLs` takes for the same page because of their path,
    /// scheme and `www.`: with and without a trailing slash, and with each name of an index file. `url` itself
    /// may be one of them.
    #[must_use]
    pub fn spellings(url: &Url) -> Vec<Url> {
        let host = url.host_str().unwrap_or_default();
        let hosts = [bare_host(host).to_owned(), format!("www.{}", bare_host(host))];
        let mut spellings = Vec::new();
        for path in path::spellings(url.path()) {
            for (scheme, host) in
                ["https", "http"].into_iter().flat_map(|scheme| hosts.iter().map(move |host| (scheme, host)))
            {
                let mut spelling = url.clone();
                spelling.set_path(&path);
                // A host that takes no `www.`, such as an address, gives the same URL again.
                let _ = spelling.set_host(Some(host.as_str()));
                let _ = spelling.set_scheme(scheme);
                if !spellings.contains(&spelling) {
                    spellings.push(spelling);
                }
            }
        }
        spellings
    }

    fn push_origin(&self, out: &mut String, url: &Url) {
        let is_web = matches!(url.scheme(), "http" | "https");
        out.push_str(if is_web && self.fold_similar { "https" } else { url.scheme() });
        out.push_str("://");
        let host = url.host_str().unwrap_or_default();
        out.push_str(if self.fold_similar { bare_host(host) } else { without_root_dot(host) });
        let port = url.port().filter(|port| !(is_web && self.fold_similar && matches!(port, 80 | 443)));
        if let Some(port) = port {
            out.push(':');
            out.push_str(&port.to_string());
        }
    }

    fn push_path(&self, out: &mut String, url: &Url) {
        let from = out.len();
        let path = url.path().as_bytes();
        if is_normalised(path) {
            out.push_str(url.path());
        } else {
            push_normalised(out, path, |_| false);
        }
        if self.fold_similar {
            path::fold(out, from);
        }
    }

    fn push_query(&self, out: &mut String, url: &Url) {
        let Some(query) = url.query() else { return };
        if self.fold_similar {
            query::push_folded(out, query);
        } else {
            out.push('?');
            push_normalised(out, query.as_bytes(), |_| false);
        }
    }
}

/// The length of query and fragment in bytes, with their delimiters.
fn len_after_path(url: &Url) -> usize {
    let length = |part: Option<&str>| part.map_or(0, |part| part.len() + 1);
    length(url.query()) + length(url.fragment())
}

/// The fragment, if it is a hash route (`/x` or `!x`) and so names a page of its own. `#/` and `#!` name the
/// page itself.
pub(crate) fn hash_route(url: &Url) -> Option<&str> {
    let fragment = url.fragment()?;
    let routed = fragment.strip_prefix('/').or_else(|| fragment.strip_prefix('!'))?;
    (!routed.is_empty() && routed != "/").then_some(fragment)
}

#[cfg(test)]
mod tests;
