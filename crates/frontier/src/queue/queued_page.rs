//! Converts a URL into the form in which the queue stores a page.

use super::changes::QueuedPage;
use super::model::Candidate;
use super::{host_of, is_queueable, path_of};

impl<'a> QueuedPage<'a> {
    /// A page as it is queued at this depth, without a deferral. `None` if the queue takes no such URL: it is
    /// neither `http` nor `https`, or the part after its host is longer than 65,535 bytes.
    #[must_use]
    pub fn of(page: &'a Candidate, depth: u32) -> Option<Self> {
        is_queueable(&page.url).then(|| Self {
            key: page.key,
            https: page.url.scheme() == "https",
            external: page.external,
            host: host_of(&page.url),
            path: path_of(&page.url),
            depth,
            priority: page.priority,
            deferral: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;
    use crate::identity::UrlKey;

    fn candidate(url: &str) -> Candidate {
        let url = Url::parse(url).unwrap();
        Candidate { url, key: UrlKey::from_raw(1), external: true, priority: 7 }
    }

    #[test]
    fn a_page_has_its_host_with_the_port_and_what_follows() {
        let page = candidate("http://u:p@a.example:8080/b?c=1#!d");
        let queued = QueuedPage::of(&page, 3).unwrap();
        assert_eq!((queued.host, queued.path, queued.https), ("a.example:8080", "/b?c=1#!d", false));
        assert_eq!((queued.depth, queued.priority, queued.external), (3, 7, true));
    }

    #[test]
    fn urls_that_no_queue_takes_give_no_page() {
        assert_eq!(QueuedPage::of(&candidate("ftp://a.example/"), 0), None);
        assert_eq!(QueuedPage::of(&candidate(&format!("https://a.example/{}", "x".repeat(65_535))), 0), None);
        assert!(
            QueuedPage::of(&candidate(&format!("https://a.example/{}", "x".repeat(65_534))), 0).is_some()
        );
    }
}
