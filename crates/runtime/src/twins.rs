//! The other spellings of a page.
//!
//! `deduplicateSimilarURLs` takes `/town`, `/town/` and `/town/index.html` for one page, and the spelling that
//! is met first is requested. A server that knows another spelling only answers the first one with an error
//! although the page exists. So the spellings that were met are remembered, as one number each, and are asked
//! for once the page is missing; and so is each spelling that is met later. A host that is busy has not said
//! that the page is missing.
//!
//! Only what a link or a sitemap has named is asked for: a guess for each missing page would double the
//! requests to a site with many stale links. This state is not stored: a process that resumes a job knows the
//! spellings that it meets itself.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gleaner_frontier::{Identity, UrlKey};
use url::Url;

/// Maximum number of spellings that a crawl remembers; further ones are not asked for.
const MAX_SPELLINGS: usize = 500_000;
/// Maximum number of missing pages that a crawl remembers.
const MAX_MISSING: usize = 100_000;
/// Maximum number of spellings of one missing page that are asked for at once.
const MAX_ASKED: usize = 4;

/// Distinguishes the key of a spelling from that of a page.
const KEY_MARK: u64 = 0x7477_696e_5f75_726c;

/// The spellings of the pages of one crawl.
#[derive(Debug)]
pub(crate) struct Twins {
    /// Distinguishes spellings of the path, the scheme and the host.
    exact: Identity,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Keys of the spellings that were met.
    met: HashSet<UrlKey>,
    /// The pages that answered with an error, each with the spelling that was requested.
    missing: HashMap<UrlKey, UrlKey>,
}

impl Twins {
    pub(crate) fn new(seed: u128) -> Self {
        Self { exact: Identity::from_options(true, false).with_seed(seed), state: Mutex::default() }
    }

    /// The key of this spelling of a page.
    pub(crate) fn key(&self, page: UrlKey, url: &Url) -> UrlKey {
        let spelling = self.exact.key(url).to_raw().rotate_left(23);
        UrlKey::from_raw(page.to_raw() ^ spelling ^ KEY_MARK)
    }

    /// Notes that a spelling of a page was met. Returns its key if the page is missing under another one: then
    /// it is a page of its own.
    pub(crate) fn meet(&self, page: UrlKey, url: &Url) -> Option<UrlKey> {
        if url.path().contains(';') {
            // Session ids give a page endless spellings.
            return None;
        }
        let key = self.key(page, url);
        let mut state = self.lock();
        if state.met.len() < MAX_SPELLINGS {
            state.met.insert(key);
        }
        state.missing.get(&page).is_some_and(|requested| *requested != key).then_some(key)
    }

    /// Notes that a page is missing as `url`, the spelling that was requested first. Returns the other spellings
    /// that were met, with their keys.
    pub(crate) fn miss(&self, page: UrlKey, url: &Url, identity: &Identity) -> Vec<(Url, UrlKey)> {
        let own = self.key(page, url);
        let spellings = Identity::spellings(url);
        let others = spellings.into_iter().filter(|other| identity.key(other) == page);
        let others: Vec<_> = others.map(|other| (self.key(page, &other), other)).collect();
        let mut state = self.lock();
        if state.missing.len() < MAX_MISSING {
            state.missing.insert(page, own);
        }
        let met = others.into_iter().filter(|(key, _)| *key != own && state.met.contains(key));
        met.take(MAX_ASKED).map(|(key, url)| (url, key)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> Url {
        Url::parse("https://site.example/").unwrap().join(path).unwrap()
    }

    #[test]
    fn spellings_that_were_met_are_asked_for_and_others_are_not() {
        let (twins, identity) = (Twins::new(7), Identity::from_options(false, true));
        for (requested, met) in [
            ("/town", "/town/"),
            ("/river/", "/river"),
            ("/mill/", "/mill/index.html"),
            ("/mall/Default.aspx", "/mall/"),
            ("/sea?a=1&b=2", "/sea/?b=2&a=1"),
            ("/hill", "http://www.site.example/hill"),
        ] {
            let page = identity.key(&url(requested));
            assert_eq!(identity.key(&url(met)), page);
            for spelling in [requested, met] {
                assert_eq!(twins.meet(page, &url(spelling)), None, "the page is not missing");
            }
            let asked = twins.miss(page, &url(requested), &identity);
            let paths: Vec<_> = asked.iter().map(|(url, _)| url.path()).collect();
            assert_eq!(paths, [url(met).path()], "{requested}");
            assert_eq!(twins.meet(page, &url(requested)), None, "it was requested");
        }
        let page = identity.key(&url("/alone"));
        twins.meet(page, &url("/alone?utm_source=x"));
        assert!(twins.miss(page, &url("/alone"), &identity).is_empty());
    }

    #[test]
    fn a_spelling_that_is_met_later_is_a_page_of_its_own() {
        let (twins, identity) = (Twins::new(7), Identity::from_options(false, true));
        let page = identity.key(&url("/town"));
        assert!(twins.miss(page, &url("/town"), &identity).is_empty());
        assert_eq!(twins.meet(page, &url("/town/")), Some(twins.key(page, &url("/town/"))));
        assert_eq!(twins.meet(page, &url("/town?utm_source=x")), None, "the same path");
        assert_eq!(twins.meet(page, &url("/town;jsessionid=1")), None, "endless spellings");
    }
}
