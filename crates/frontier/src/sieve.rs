//! Links that a job has decided about already.
//!
//! Most links of most pages are menus: the same few dozen on every page of a site. The sieve remembers links by their
//! text, so that the ones that were met lately cost one hash in place of parsing, scope, identity and seen set. It is a
//! table of fixed size in which a new link takes the place of an older one: forgetting costs a second look, nothing else.
//! A set that remembers all would be the seen set over again, in a larger form.

use std::sync::atomic::{AtomicU64, Ordering};

use siphasher::sip::SipHasher13;

/// Links that a [`LinkSieve`] remembers at most: 512 KiB.
pub const SIEVE_SLOTS: usize = 1 << 16;

/// So few slots are set up for a start.
const FIRST_SLOTS: usize = 1 << 10;

/// A link as the sieve knows it: the hash of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkMark(u64);

/// Remembers which links of one job need not be looked at again. Threads share it without a lock.
///
/// Ask [`contains`](Self::contains) with the mark of a link before it is parsed. Where it is not there, decide about the
/// link as usual and keep its mark; when the page was finished, and the store has accepted that, give the marks of all of
/// its links to [`remember`](Self::remember). Not sooner: were the lease lost in between, the page's links would be
/// remembered as known and never be admitted.
///
/// The text is the absolute URL, or whatever names it for certain: for an `href` that begins with one slash, origin and
/// `href`. Two spellings of one page are two links here; that costs a second look.
///
/// Not for a job with [`JobRules::max_depth`](crate::JobRules::max_depth): there a link counts each time, since it may be
/// a shorter way.
///
/// Two links of one mark are taken for one, and the second is passed over. Marks have 64 bits and a secret key, so what
/// [`UrlKey`](crate::UrlKey) says of collisions holds here, for as many links as the table holds.
///
/// ```
/// use gleaner_frontier::LinkSieve;
///
/// let sieve = LinkSieve::with_seed(7);
/// let mark = sieve.mark("https://example.com/about");
/// assert!(!sieve.contains(mark));
/// // ... decided, admitted, the page finished ...
/// sieve.remember(&[mark]);
/// assert!(sieve.contains(mark));
/// ```
#[derive(Debug)]
pub struct LinkSieve {
    hasher: SipHasher13,
    slots: Box<[AtomicU64]>,
}

impl LinkSieve {
    /// An empty sieve of [`SIEVE_SLOTS`] with a key of its own, such as the job's id.
    #[must_use]
    pub fn with_seed(seed: u128) -> Self {
        Self::with_slots(seed, SIEVE_SLOTS)
    }

    /// For a job of at most so many pages: not larger than there can be use for.
    #[must_use]
    pub fn for_limit(seed: u128, limit: u64) -> Self {
        let wanted = usize::try_from(limit.saturating_mul(8)).unwrap_or(usize::MAX);
        Self::with_slots(seed, wanted.clamp(FIRST_SLOTS, SIEVE_SLOTS).next_power_of_two())
    }

    fn with_slots(seed: u128, slots: usize) -> Self {
        Self {
            hasher: SipHasher13::new_with_key(&seed.to_le_bytes()),
            slots: (0..slots).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// The mark of a link.
    #[must_use]
    pub fn mark(&self, text: &str) -> LinkMark {
        // 0 is an empty slot.
        LinkMark(self.hasher.hash(text.as_bytes()).max(1))
    }

    /// True where this link was remembered, and not forgotten since.
    #[must_use]
    pub fn contains(&self, link: LinkMark) -> bool {
        self.slot(link).is_some_and(|slot| slot.load(Ordering::Relaxed) == link.0)
    }

    /// Remembers links of a page whose finish was accepted.
    pub fn remember(&self, links: &[LinkMark]) {
        for link in links {
            if let Some(slot) = self.slot(*link) {
                slot.store(link.0, Ordering::Relaxed);
            }
        }
    }

    fn slot(&self, link: LinkMark) -> Option<&AtomicU64> {
        // The number of slots is a power of two.
        let mask = u64::try_from(self.slots.len()).unwrap_or(1).wrapping_sub(1);
        self.slots.get(usize::try_from(link.0 & mask).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_knows_what_it_was_told_and_nothing_else() {
        let sieve = LinkSieve::for_limit(1, 10);
        let marks: Vec<_> = (0..500).map(|n| sieve.mark(&format!("https://a.test/{n}"))).collect();
        assert!(marks.iter().all(|mark| !sieve.contains(*mark)));
        let (told, untold) = marks.split_at(250);
        sieve.remember(told);
        assert!(untold.iter().all(|mark| !sieve.contains(*mark)));
        let kept = told.iter().filter(|mark| sieve.contains(**mark)).count();
        assert!(kept > 200, "{kept} of 250 have a slot of their own");
    }

    #[test]
    fn it_does_not_grow() {
        let sieve = LinkSieve::for_limit(1, u64::MAX);
        assert_eq!(sieve.slots.len(), SIEVE_SLOTS);
        for n in 0..2 * SIEVE_SLOTS {
            sieve.remember(&[sieve.mark(&n.to_string())]);
        }
        assert!(sieve.contains(sieve.mark(&(2 * SIEVE_SLOTS - 1).to_string())), "the last one is there");
    }

    #[test]
    fn another_job_has_other_marks() {
        let (one, two) = (LinkSieve::with_seed(1), LinkSieve::with_seed(2));
        assert_ne!(one.mark("https://a.test/"), two.mark("https://a.test/"));
    }
}
