//! Detects endless families of URLs: calendars, facets, session ids, links relative to themselves.
//!
//! None of these can be distinguished from real pages with certainty, so no page is ever dropped. The URLs of
//! each *shape* (without numbers, dates and names) are counted, and a frequent shape goes behind rare ones:
//! the more suspicious the shape, the sooner, and the further back the more URLs it has. A site that consists
//! of `/p/1`, `/p/2`, ... is crawled completely; a site with a calendar is crawled before its calendar.
//!
//! If the caller reports fingerprints (see [`Fingerprint`]), shapes whose pages repeat nearly the same text
//! are deferred too, including their waiting pages: soft 404s, and traps that no URL reveals.
//!
//! Alternative: a fixed limit per shape. It would lose the tail of every large archive.

mod shape;
mod trap;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use url::Url;

use self::shape::{Shape, shape_of_queued, shape_of_url};
pub use self::trap::{Deferral, Trap};
use crate::Fingerprint;

/// Maximum number of shapes that are counted per job; further shapes count as new.
pub const MAX_SHAPES: usize = 65_536;

/// Distance for a URL that is almost certainly a trap.
const TRAP_DISTANCE: u8 = 8;

/// Maximum distance.
const MAX_DISTANCE: u8 = 15;

/// Number of latest fingerprints that are kept per shape.
const RECENT_FINGERPRINTS: usize = 4;

/// Minimum number of pages of a shape before it can count as repeating.
const MIN_PAGES: u32 = 8;

/// A hash of the shape of a URL: pages of one shape are of one kind.
pub(super) fn kind_of(url: &Url) -> u32 {
    shape_of_url(url).hash as u32
}

/// A hash of the shape of a URL: its host without the port, its path without numbers, dates and the last
/// name, and the names of its query parameters. URLs of one shape are usually pages of one kind, such as the
/// products of a shop. The hash stays the same within a version of this crate.
#[must_use]
pub fn url_shape(url: &Url) -> u64 {
    shape_of_url(url).hash
}

/// Statistics about the text of the pages of one shape.
#[derive(Debug)]
struct ShapeContent {
    shape: u64,
    pages: u32,
    /// Pages whose text nearly equals one of the latest pages before.
    near_duplicates: u32,
    recent: [Option<Fingerprint>; RECENT_FINGERPRINTS],
}

impl ShapeContent {
    const fn repeats(&self) -> bool {
        self.pages >= MIN_PAGES && self.near_duplicates.saturating_mul(4) >= self.pages.saturating_mul(3)
    }
}

/// The shapes of the URLs of a job.
#[derive(Debug, Default)]
pub(super) struct Traps {
    shapes: HashTable<(u64, u32)>,
    contents: HashTable<ShapeContent>,
    /// At least one shape repeats the same text.
    any_repeats: bool,
    /// Paths whose query parameters were found to combine endlessly. Combinations of two parameters, which
    /// are inconclusive by themselves, are deferred there too.
    faceted: HashTable<u64>,
    deferred: [u64; Trap::ALL.len()],
}

impl Traps {
    /// Counts a URL, and returns whether it is deferred.
    pub(super) fn count(&mut self, url: &Url) -> Option<Deferral> {
        self.count_shape(shape_of_url(url))
    }

    /// As [`count`](Self::count), for the page `path` on `host`.
    pub(super) fn count_queued(&mut self, host: &str, path: &str) -> Option<Deferral> {
        self.count_shape(shape_of_queued(host, path))
    }

    fn count_shape(&mut self, Shape { hash, trap, faceted_path }: Shape) -> Option<Deferral> {
        let trap = self.reason_for(hash, trap, faceted_path);
        let has_capacity = self.shapes.len() < MAX_SHAPES;
        let same_shape = match self.shapes.entry(hash, |existing| existing.0 == hash, |existing| existing.0) {
            Entry::Occupied(mut entry) => {
                let count = &mut entry.get_mut().1;
                *count = count.saturating_add(1);
                *count
            }
            Entry::Vacant(slot) => {
                if has_capacity {
                    slot.insert((hash, 1));
                }
                1
            }
        };
        let deferral = deferral(trap, self.effective_count(trap, faceted_path, same_shape))?;
        if trap == Trap::Facets
            && let Some(path) = faceted_path
            && self.faceted.len() < MAX_SHAPES
            && !self.is_faceted(path)
        {
            self.faceted.insert_unique(path, path, |path| *path);
        }
        if let Some(count) =
            Trap::ALL.iter().position(|existing| *existing == trap).and_then(|at| self.deferred.get_mut(at))
        {
            *count += 1;
        }
        Some(deferral)
    }

    /// What [`count`](Self::count) would return for one more such URL.
    pub(super) fn preview(&self, url: &Url) -> Option<Deferral> {
        let Shape { hash, trap, faceted_path } = shape_of_url(url);
        let trap = self.reason_for(hash, trap, faceted_path);
        let existing = self.shapes.find(hash, |existing| existing.0 == hash).map_or(0, |existing| existing.1);
        deferral(trap, self.effective_count(trap, faceted_path, existing.saturating_add(1)))
    }

    /// Records the fingerprint of the page `path` on `host`. True if its shape repeats the same text.
    pub(super) fn record(&mut self, host: &str, path: &str, fingerprint: Fingerprint) -> bool {
        let shape = shape_of_queued(host, path).hash;
        let has_capacity = self.contents.len() < MAX_SHAPES;
        let content =
            match self.contents.entry(shape, |existing| existing.shape == shape, |existing| existing.shape) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(slot) if has_capacity => slot
                    .insert(ShapeContent {
                        shape,
                        pages: 0,
                        near_duplicates: 0,
                        recent: [None; RECENT_FINGERPRINTS],
                    })
                    .into_mut(),
                Entry::Vacant(_) => return false,
            };
        content.pages = content.pages.saturating_add(1);
        let is_near = content.recent.iter().flatten().any(|existing| existing.is_near(fingerprint));
        content.near_duplicates = content.near_duplicates.saturating_add(u32::from(is_near));
        content.recent.rotate_right(1);
        if let Some(newest) = content.recent.first_mut() {
            *newest = Some(fingerprint);
        }
        let repeats = content.repeats();
        self.any_repeats |= repeats;
        repeats
    }

    /// The new deferral of a waiting page, if its shape was found to repeat, or its path to combine
    /// parameters endlessly, since it was queued.
    pub(super) fn late_deferral(&self, host: &str, path: &str, deferral: u8) -> Option<u8> {
        if deferral >= TRAP_DISTANCE || (!self.any_repeats && (self.faceted.is_empty() || deferral > 0)) {
            return None;
        }
        let Shape { hash, faceted_path, .. } = shape_of_queued(host, path);
        if self.repeats(hash) {
            return Some(TRAP_DISTANCE);
        }
        (deferral == 0 && faceted_path.is_some_and(|path| self.is_faceted(path))).then_some(1)
    }

    /// The reason for which a URL of this shape may be deferred.
    fn reason_for(&self, hash: u64, trap: Trap, faceted_path: Option<u64>) -> Trap {
        if self.repeats(hash) {
            Trap::NearDuplicates
        } else if trap == Trap::ManyAlike && faceted_path.is_some_and(|path| self.is_faceted(path)) {
            Trap::Facets
        } else {
            trap
        }
    }

    /// The number of URLs with the same shape, raised above the threshold on a path that is known to combine
    /// endlessly.
    fn effective_count(&self, trap: Trap, faceted_path: Option<u64>, same_shape: u32) -> u32 {
        let is_faceted = trap == Trap::Facets && faceted_path.is_some_and(|path| self.is_faceted(path));
        if is_faceted { same_shape.max(trap.threshold() + 1) } else { same_shape }
    }

    fn is_faceted(&self, path: u64) -> bool {
        self.faceted.find(path, |existing| *existing == path).is_some()
    }

    fn repeats(&self, shape: u64) -> bool {
        self.any_repeats
            && self
                .contents
                .find(shape, |existing| existing.shape == shape)
                .is_some_and(ShapeContent::repeats)
    }

    /// The number of deferred URLs for each reason that occurred.
    pub(super) fn counts(&self) -> impl Iterator<Item = (Trap, u64)> {
        Trap::ALL.into_iter().zip(self.deferred).filter(|(_, count)| *count > 0)
    }
}

fn deferral(trap: Trap, same_shape: u32) -> Option<Deferral> {
    let distance = match trap.threshold() {
        0 => TRAP_DISTANCE,
        threshold if same_shape <= threshold => return None,
        threshold => 1 + u8::try_from((same_shape / threshold).ilog2()).unwrap_or(MAX_DISTANCE),
    };
    Some(Deferral { trap, same_shape, distance: distance.min(MAX_DISTANCE) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(&format!("https://a.test{text}")).unwrap()
    }

    #[test]
    fn pairs_are_deferred_on_a_path_with_endless_combinations() {
        let mut traps = Traps::default();
        let pair = "/shop?colour=red&size=m";
        assert_eq!(traps.count(&url(pair)), None);
        assert_eq!(traps.late_deferral("a.test", pair, 0), None);
        for n in 0..40 {
            traps.count(&url(&format!("/shop?colour={n}&size=m&sort=price")));
        }
        assert_eq!(traps.late_deferral("a.test", pair, 0), Some(1));
        assert_eq!(traps.late_deferral("a.test", pair, 1), None, "once");
        assert_eq!(traps.preview(&url(pair)).map(|deferral| deferral.trap), Some(Trap::Facets));
        for other in ["/shop", "/shop?page=2", "/forum?f=2&t=12"] {
            assert_eq!(traps.preview(&url(other)), None, "{other}");
            assert_eq!(traps.late_deferral("a.test", other, 0), None, "{other}");
        }
    }

    #[test]
    fn frequent_shapes_are_deferred_further() {
        let mut traps = Traps::default();
        let distances: Vec<_> = (0..400)
            .map(|n| traps.count(&url(&format!("/cal/{}/{}", 2000 + n / 12, 1 + n % 12))))
            .map(|deferral| deferral.map_or(0, |deferral| deferral.distance))
            .collect();
        assert_eq!((distances[23], distances[24], distances[50], distances[399]), (0, 1, 2, 5));
        assert!(distances.is_sorted());
        assert_eq!(traps.preview(&url("/other/2026/01")), None, "another calendar");
        assert_eq!(traps.preview(&url("/cal/2026/01")).map(|deferral| deferral.same_shape), Some(401));
        assert_eq!(traps.counts().collect::<Vec<_>>(), [(Trap::Calendar, 376)]);
    }

    #[test]
    fn a_repeating_shape_is_deferred() {
        let mut traps = Traps::default();
        let soft = Fingerprint::from_raw(0x0123_4567_89ab_cdef);
        for n in 0..MIN_PAGES {
            assert_eq!(traps.late_deferral("a.test", "/gone/x", 0), None);
            assert_eq!(traps.preview(&url("/gone/y")), None);
            let repeats = traps.record("a.test", &format!("/gone/{n}x"), soft);
            assert_eq!(repeats, n + 1 == MIN_PAGES && n * 4 >= MIN_PAGES * 3, "{n}");
            // Another shape, whose pages all differ.
            traps.record(
                "a.test",
                &format!("/news/{n}x"),
                Fingerprint::from_raw(u64::from(n).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            );
        }
        assert_eq!(traps.late_deferral("a.test", "/gone/x", 0), Some(TRAP_DISTANCE));
        assert_eq!(traps.late_deferral("a.test", "/gone/x", TRAP_DISTANCE), None, "once");
        assert_eq!(traps.late_deferral("a.test", "/news/x", 0), None);
        assert_eq!(traps.preview(&url("/gone/y")).map(|deferral| deferral.trap), Some(Trap::NearDuplicates));
    }

    #[test]
    fn shapes_are_bounded() {
        let mut traps = Traps::default();
        for n in 0..MAX_SHAPES + 10 {
            let letters: String = n.to_string().bytes().map(|digit| char::from(digit + 49)).collect();
            assert_eq!(traps.count(&url(&format!("/{letters}/x"))), None);
        }
        assert_eq!(traps.shapes.len(), MAX_SHAPES);
    }
}
