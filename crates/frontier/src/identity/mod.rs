//! When two URLs are the same page.
//!
//! The canonical form is computed as text and then hashed: a crawl remembers eight bytes a page, not its URL. Folding
//! is deliberately narrow. Merging two pages loses one for good, while crawling a page twice only costs a request, so
//! a rule is here only where servers that tell the two spellings apart are practically unknown (or where the crawl
//! asked for it by `ignoreQueryParameters` or `deduplicateSimilarURLs`). Paths are always case-sensitive.

mod key;
mod path;
mod query;

pub use key::UrlKey;

use gleaner_types::plan::CrawlRules;
use siphasher::sip::SipHasher13;
use url::Url;

use crate::percent::{is_normalised, push_normalised};
use crate::site::{bare_host, without_root_dot};

/// The hash key of [`Identity::new`]. Fixed, so that a stored crawl finds its pages again.
pub const DEFAULT_SEED: u128 = 0x676c_6561_6e65_7220_6672_6f6e_7469_6572;

const HTTPS: &str = "https://";

/// Longer canonical forms are put together on the heap, in bytes.
const PLAIN_BYTES: usize = 256;

/// Tells which URLs name one page, under the rules of a crawl.
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
    /// The identity of a crawl's pages: `ignore_query_parameters` and `deduplicate_similar_urls` of its rules.
    #[must_use]
    pub fn new(rules: &CrawlRules) -> Self {
        Self::from_options(rules.ignore_query_parameters, rules.deduplicate_similar_urls)
    }

    /// As [`Identity::new`], from the two rules alone.
    #[must_use]
    pub fn from_options(ignore_query: bool, fold_similar: bool) -> Self {
        Self { ignore_query, fold_similar, hasher: SipHasher13::new_with_key(&DEFAULT_SEED.to_le_bytes()) }
    }

    /// The same identity with another hash key.
    ///
    /// With [`DEFAULT_SEED`] a site that knows this library can compute URLs whose keys are equal, and so hide one of its
    /// own pages, or are close to each other, and so make look-ups slow. Whoever minds gives each crawl a random seed
    /// and keeps it as long as the crawl.
    #[must_use]
    pub fn with_seed(mut self, seed: u128) -> Self {
        self.hasher = SipHasher13::new_with_key(&seed.to_le_bytes());
        self
    }

    /// The key of the page that `url` names.
    ///
    /// Nothing is allocated: this is asked of every link of every page.
    #[must_use]
    pub fn key(&self, url: &Url) -> UrlKey {
        self.plain_key(url)
            .unwrap_or_else(|| UrlKey::from_raw(self.hasher.hash(self.canonical(url).as_bytes())))
    }

    /// The key where the canonical form is the URL as it stands but for its scheme and fragment: most links of most
    /// pages. What makes it so is tested in one pass; whatever may need folding is left to the long way.
    fn plain_key(&self, url: &Url) -> Option<UrlKey> {
        let after_scheme = match url.scheme() {
            "https" => url.as_str().get(HTTPS.len()..)?,
            "http" if self.fold_similar => url.as_str().get("http://".len()..)?,
            _ => return None,
        };
        let path = url.path();
        let settled = hash_route(url).is_none()
            && (self.ignore_query || url.query().is_none())
            && url.username().is_empty()
            && url.password().is_none()
            && self.is_plain_host(url)
            && is_normalised(path.as_bytes())
            && (!self.fold_similar || path::is_folded(path));
        if !settled {
            return None;
        }
        let after_scheme = after_scheme.get(..after_scheme.len() - behind_path(url))?;
        let mut bytes = [0; PLAIN_BYTES];
        let bytes = bytes.get_mut(..HTTPS.len() + after_scheme.len())?;
        let (head, tail) = bytes.split_at_mut_checked(HTTPS.len())?;
        head.copy_from_slice(HTTPS.as_bytes());
        tail.copy_from_slice(after_scheme.as_bytes());
        Some(UrlKey::from_raw(self.hasher.hash(bytes)))
    }

    /// True where host and port are canonical as they stand. `www.` is left to the long way, which knows suffixes.
    fn is_plain_host(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let folds = self.fold_similar && (matches!(url.port(), Some(80 | 443)) || host.starts_with("www."));
        !folds && !host.ends_with('.')
    }

    /// The canonical form of `url`: an absolute URL which parses to itself and is its own canonical form.
    ///
    /// Always: user name and password are dropped; so is a fragment unless it is a hash route (`#/x`, `#!x`);
    /// percent-encoding is brought to one form; a trailing dot of the host is dropped. Default ports, dot segments,
    /// letter case of scheme and host, IDN and the empty path are settled by [`Url`] itself.
    ///
    /// With `deduplicateSimilarURLs`: `http` is `https`, a leading `www.` goes, so do trailing slashes, index files,
    /// session ids and tracking parameters; query parameters are sorted by name (parameters of one name keep their
    /// order). With `ignoreQueryParameters` the query is dropped.
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

    fn push_origin(&self, out: &mut String, url: &Url) {
        let web = matches!(url.scheme(), "http" | "https");
        out.push_str(if web && self.fold_similar { "https" } else { url.scheme() });
        out.push_str("://");
        let host = url.host_str().unwrap_or_default();
        out.push_str(if self.fold_similar { bare_host(host) } else { without_root_dot(host) });
        let port = url.port().filter(|port| !(web && self.fold_similar && matches!(port, 80 | 443)));
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

/// How long query and fragment are, with the marks before them.
fn behind_path(url: &Url) -> usize {
    let length = |part: Option<&str>| part.map_or(0, |part| part.len() + 1);
    length(url.query()) + length(url.fragment())
}

/// The fragment where it names a page of its own (`/x` or `!x`). `#/` and `#!` name the page itself.
pub(crate) fn hash_route(url: &Url) -> Option<&str> {
    let fragment = url.fragment()?;
    let routed = fragment.strip_prefix('/').or_else(|| fragment.strip_prefix('!'))?;
    (!routed.is_empty() && routed != "/").then_some(fragment)
}

#[cfg(test)]
mod tests;
