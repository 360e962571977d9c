//! Which kinds of pages needed a browser, so that the next ones are rendered without a first request.
//!
//! A kind is the [shape](gleaner_frontier::url_shape) of a URL on its host and port. A kind is rendered at
//! once after [`NEEDED_IN_A_ROW`] of its pages needed a browser, with no other page between them. One in
//! [`AUDIT_EVERY`] of its pages is still requested as served first: if it does not need a browser any more,
//! the kind is forgotten. Only kinds that needed a browser are stored, and no part of a page.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gleaner_frontier::url_shape;
use url::{Position, Url};

/// Maximum number of stored kinds; those that were not used for longest are evicted.
const MAX_KINDS: usize = 65_536;

/// Pages in a row that must need a browser before the next ones are rendered at once.
const NEEDED_IN_A_ROW: u8 = 3;

/// One in this many pages of a kind is requested as served first.
const AUDIT_EVERY: u32 = 32;

/// A host with its port, and the shape of a URL.
type Kind = (Box<str>, u64);

/// The kinds of pages that needed a browser.
#[derive(Debug, Default)]
pub(crate) struct RenderingMemory {
    kinds: Mutex<Kinds>,
}

/// The kinds in two generations: when the newer one is full, it replaces the older one, which evicts the
/// kinds that were not used since the last change.
#[derive(Debug, Default)]
struct Kinds {
    newer: HashMap<Kind, Record>,
    older: HashMap<Kind, Record>,
}

/// The last pages of a kind.
#[derive(Debug, Clone, Copy, Default)]
struct Record {
    /// Pages in a row that needed a browser, up to [`NEEDED_IN_A_ROW`].
    needed: u8,
    /// Pages since the kind was known to need a browser.
    pages: u32,
}

impl RenderingMemory {
    /// Is a page to be rendered at once? Counts it: one page in [`AUDIT_EVERY`] is not.
    pub(crate) fn render_at_once(&self, url: &Url) -> bool {
        let kind = kind_of(url);
        // The first audit of a kind depends on its shape, so that the kinds of a host differ.
        let phase = u32::try_from(kind.1 % u64::from(AUDIT_EVERY)).unwrap_or(0);
        let mut kinds = self.lock();
        let Some(record) = kinds.take(&kind) else { return false };
        let is_known = record.needed >= NEEDED_IN_A_ROW;
        let is_audit = record.pages % AUDIT_EVERY == phase;
        kinds.put(kind, Record { pages: record.pages.wrapping_add(u32::from(is_known)), ..record });
        is_known && !is_audit
    }

    /// Records whether a page that was requested as served first needed a browser.
    pub(crate) fn record(&self, url: &Url, needed: bool) {
        let kind = kind_of(url);
        let mut kinds = self.lock();
        let record = kinds.take(&kind).unwrap_or_default();
        if needed {
            let needed = record.needed.saturating_add(1).min(NEEDED_IN_A_ROW);
            kinds.put(kind, Record { needed, ..record });
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kinds> {
        self.kinds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kinds {
    fn take(&mut self, kind: &Kind) -> Option<Record> {
        self.newer.remove(kind).or_else(|| self.older.remove(kind))
    }

    fn put(&mut self, kind: Kind, record: Record) {
        if self.newer.len() >= MAX_KINDS / 2 {
            self.older = std::mem::take(&mut self.newer);
        }
        self.newer.insert(kind, record);
    }
}

fn kind_of(url: &Url) -> Kind {
    (Box::from(&url[Position::BeforeHost..Position::AfterPort]), url_shape(url))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> Url {
        format!("https://a.example{path}").parse().unwrap()
    }

    fn learned() -> RenderingMemory {
        let memory = RenderingMemory::default();
        for page in ["/p/one", "/p/two", "/p/three"] {
            assert!(!memory.render_at_once(&url(page)));
            memory.record(&url(page), true);
        }
        memory
    }

    #[test]
    fn three_pages_in_a_row_teach_the_kind() {
        let memory = RenderingMemory::default();
        let page = url("/p/1");
        for needed in [true, true, false, true, true] {
            memory.record(&page, needed);
            assert!((0..64).all(|_| !memory.render_at_once(&page)));
        }
        memory.record(&page, true);
        assert!((0..2).any(|_| memory.render_at_once(&page)));
    }

    #[test]
    fn one_page_in_thirty_two_is_audited() {
        let memory = learned();
        let rendered = (0..320).filter(|page| memory.render_at_once(&url(&format!("/p/n{page}")))).count();
        assert_eq!(rendered, 310);
    }

    #[test]
    fn an_audit_forgets_the_kind() {
        let memory = learned();
        memory.record(&url("/p/other"), false);
        assert!((0..64).all(|_| !memory.render_at_once(&url("/p/x"))));
        let kinds = memory.lock();
        assert!(kinds.newer.is_empty() && kinds.older.is_empty());
    }

    #[test]
    fn other_kinds_hosts_and_ports_are_not_affected() {
        let memory = learned();
        for other in ["https://a.example/q/one", "https://b.example/p/one", "https://a.example:8443/p/one"] {
            assert!((0..2).all(|_| !memory.render_at_once(&other.parse().unwrap())), "{other}");
        }
        assert!((0..2).any(|_| memory.render_at_once(&url("/p/one"))));
    }

    #[test]
    fn the_number_of_kinds_is_bounded_and_used_ones_stay() {
        let memory = learned();
        for host in 0..MAX_KINDS + 1_000 {
            memory.record(&format!("https://h{host}.example/p/one").parse().unwrap(), true);
            if host % 1_000 == 0 {
                memory.render_at_once(&url("/p/one"));
            }
        }
        let kinds = memory.lock();
        assert!(kinds.newer.len() + kinds.older.len() <= MAX_KINDS);
        drop(kinds);
        assert!((0..2).any(|_| memory.render_at_once(&url("/p/one"))));
    }
}
