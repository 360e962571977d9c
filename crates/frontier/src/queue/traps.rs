//! Families of URLs that may go on for ever: calendars, facets, session ids, links relative to themselves.
//!
//! None of these can be told from real pages for certain, so nothing is ever dropped. URLs of one *shape* are counted
//! (numbers, dates and names taken out of them), and what is many of its shape goes behind what is few: the more
//! suspicious the shape, the sooner, and the further back the more there are. A site that is all `/p/1`, `/p/2`, ...
//! is crawled whole; one that has a calendar beside it is crawled before its calendar is.
//!
//! Where the caller tells what pages said (see [`Fingerprint`]), shapes whose pages turn out to say nearly the same go
//! back as well, those of them that wait already included: soft 404s, and traps that no URL gives away.
//!
//! A fixed cap for each shape, the obvious alternative, loses the tail of every large archive.

mod shape;
mod trap;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use url::Url;

use self::shape::{Shape, shape_of_rest, shape_of_url};
pub use self::trap::{Deferral, Trap};
use crate::Fingerprint;

/// Shapes that are counted in one job; further ones are taken for new.
pub const MAX_SHAPES: usize = 65_536;

/// How far what is almost certainly a trap is put off at once.
const FAR: u8 = 8;

/// How far anything is put off at most.
const FURTHEST: u8 = 15;

/// Of the pages of a shape this many last fingerprints are kept to compare with.
const RECENT: usize = 4;

/// So many pages of a shape have to be known before it can be found to say the same over and over.
const ENOUGH: u32 = 8;

/// A hash of the shape of a URL: pages of one shape are of one kind.
pub(super) fn kind_of(url: &Url) -> u32 {
    shape_of_url(url).hash as u32
}

/// What the pages of one shape said.
#[derive(Debug)]
struct Content {
    shape: u64,
    pages: u32,
    /// Pages that said nearly what one of the last few before them had said.
    near: u32,
    recent: [Option<Fingerprint>; RECENT],
}

impl Content {
    const fn repeats(&self) -> bool {
        self.pages >= ENOUGH && self.near.saturating_mul(4) >= self.pages.saturating_mul(3)
    }
}

/// The shapes of a job's URLs.
#[derive(Debug, Default)]
pub(super) struct Traps {
    shapes: HashTable<(u64, u32)>,
    contents: HashTable<Content>,
    /// Some shape is known to say the same over and over.
    any_repeats: bool,
    /// Paths whose parameters were found to combine without end. Combinations of two, of which no one could tell before,
    /// are put off there as well.
    faceted: HashTable<u64>,
    put_off: [u64; Trap::ALL.len()],
}

impl Traps {
    /// Counts a URL, and tells whether it is put off.
    pub(super) fn count(&mut self, url: &Url) -> Option<Deferral> {
        let Shape { hash, trap, combined } = shape_of_url(url);
        let trap = self.trap_of(hash, trap, combined);
        let room = self.shapes.len() < MAX_SHAPES;
        let alike = match self.shapes.entry(hash, |known| known.0 == hash, |known| known.0) {
            Entry::Occupied(mut entry) => {
                let count = &mut entry.get_mut().1;
                *count = count.saturating_add(1);
                *count
            }
            Entry::Vacant(slot) => {
                if room {
                    slot.insert((hash, 1));
                }
                1
            }
        };
        let verdict = judge(trap, self.at_least(trap, combined, alike))?;
        if trap == Trap::Facets
            && let Some(path) = combined
            && self.faceted.len() < MAX_SHAPES
            && !self.is_faceted(path)
        {
            self.faceted.insert_unique(path, path, |path| *path);
        }
        if let Some(count) =
            Trap::ALL.iter().position(|known| *known == trap).and_then(|at| self.put_off.get_mut(at))
        {
            *count += 1;
        }
        Some(verdict)
    }

    /// What [`count`](Self::count) would say of one more such URL.
    pub(super) fn look_up(&self, url: &Url) -> Option<Deferral> {
        let Shape { hash, trap, combined } = shape_of_url(url);
        let trap = self.trap_of(hash, trap, combined);
        let known = self.shapes.find(hash, |known| known.0 == hash).map_or(0, |known| known.1);
        judge(trap, self.at_least(trap, combined, known.saturating_add(1)))
    }

    /// Takes in what the page behind `rest` on `host` said. True where its shape says the same over and over.
    pub(super) fn learn(&mut self, host: &str, rest: &str, said: Fingerprint) -> bool {
        let shape = shape_of_rest(host, rest).hash;
        let room = self.contents.len() < MAX_SHAPES;
        let content = match self.contents.entry(shape, |known| known.shape == shape, |known| known.shape) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(slot) if room => {
                slot.insert(Content { shape, pages: 0, near: 0, recent: [None; RECENT] }).into_mut()
            }
            Entry::Vacant(_) => return false,
        };
        content.pages = content.pages.saturating_add(1);
        let near = content.recent.iter().flatten().any(|known| known.is_near(said));
        content.near = content.near.saturating_add(u32::from(near));
        content.recent.rotate_right(1);
        if let Some(newest) = content.recent.first_mut() {
            *newest = Some(said);
        }
        let repeats = content.repeats();
        self.any_repeats |= repeats;
        repeats
    }

    /// How far a page that waits is to go back, if since it was queued its shape was found to say the same, or its path to
    /// combine parameters without end.
    pub(super) fn goes_back(&self, host: &str, rest: &str, put_off: u8) -> Option<u8> {
        if put_off >= FAR || (!self.any_repeats && (self.faceted.is_empty() || put_off > 0)) {
            return None;
        }
        let Shape { hash, combined, .. } = shape_of_rest(host, rest);
        if self.repeats(hash) {
            return Some(FAR);
        }
        (put_off == 0 && combined.is_some_and(|path| self.is_faceted(path))).then_some(1)
    }

    /// What a URL of this shape is put off for, by what is known of the job.
    fn trap_of(&self, hash: u64, trap: Trap, combined: Option<u64>) -> Trap {
        if self.repeats(hash) {
            Trap::NearDuplicates
        } else if trap == Trap::ManyAlike && combined.is_some_and(|path| self.is_faceted(path)) {
            Trap::Facets
        } else {
            trap
        }
    }

    /// How many alike there are at least: on a path that is known for it, more than are borne.
    fn at_least(&self, trap: Trap, combined: Option<u64>, alike: u32) -> u32 {
        let known = trap == Trap::Facets && combined.is_some_and(|path| self.is_faceted(path));
        if known { alike.max(trap.patience() + 1) } else { alike }
    }

    fn is_faceted(&self, path: u64) -> bool {
        self.faceted.find(path, |known| *known == path).is_some()
    }

    fn repeats(&self, shape: u64) -> bool {
        self.any_repeats
            && self.contents.find(shape, |known| known.shape == shape).is_some_and(Content::repeats)
    }

    /// How many were put off, for each reason.
    pub(super) fn counts(&self) -> impl Iterator<Item = (Trap, u64)> {
        Trap::ALL.into_iter().zip(self.put_off).filter(|(_, count)| *count > 0)
    }
}

fn judge(trap: Trap, alike: u32) -> Option<Deferral> {
    let distance = match trap.patience() {
        0 => FAR,
        patience if alike <= patience => return None,
        patience => 1 + u8::try_from((alike / patience).ilog2()).unwrap_or(FURTHEST),
    };
    Some(Deferral { trap, alike, distance: distance.min(FURTHEST) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(&format!("https://a.test{text}")).unwrap()
    }

    #[test]
    fn a_path_that_combines_without_end_sends_its_pairs_back() {
        let mut traps = Traps::default();
        let pair = "/shop?colour=red&size=m";
        assert_eq!(traps.count(&url(pair)), None);
        assert_eq!(traps.goes_back("a.test", pair, 0), None);
        for n in 0..40 {
            traps.count(&url(&format!("/shop?colour={n}&size=m&sort=price")));
        }
        assert_eq!(traps.goes_back("a.test", pair, 0), Some(1));
        assert_eq!(traps.goes_back("a.test", pair, 1), None, "once");
        assert_eq!(traps.look_up(&url(pair)).map(|verdict| verdict.trap), Some(Trap::Facets));
        for other in ["/shop", "/shop?page=2", "/forum?f=2&t=12"] {
            assert_eq!(traps.look_up(&url(other)), None, "{other}");
            assert_eq!(traps.goes_back("a.test", other, 0), None, "{other}");
        }
    }

    #[test]
    fn the_more_the_further() {
        let mut traps = Traps::default();
        let distances: Vec<_> = (0..400)
            .map(|n| traps.count(&url(&format!("/cal/{}/{}", 2000 + n / 12, 1 + n % 12))))
            .map(|verdict| verdict.map_or(0, |verdict| verdict.distance))
            .collect();
        assert_eq!((distances[23], distances[24], distances[50], distances[399]), (0, 1, 2, 5));
        assert!(distances.is_sorted());
        assert_eq!(traps.look_up(&url("/other/2026/01")), None, "another calendar");
        assert_eq!(traps.look_up(&url("/cal/2026/01")).map(|verdict| verdict.alike), Some(401));
        assert_eq!(traps.counts().collect::<Vec<_>>(), [(Trap::Calendar, 376)]);
    }

    #[test]
    fn pages_that_say_the_same_send_their_shape_back() {
        let mut traps = Traps::default();
        let soft = Fingerprint::from_raw(0x0123_4567_89ab_cdef);
        for n in 0..ENOUGH {
            assert_eq!(traps.goes_back("a.test", "/gone/x", 0), None);
            assert_eq!(traps.look_up(&url("/gone/y")), None);
            let repeats = traps.learn("a.test", &format!("/gone/{n}x"), soft);
            assert_eq!(repeats, n + 1 == ENOUGH && n * 4 >= ENOUGH * 3, "{n}");
            // Another shape, each page of which says something else.
            traps.learn(
                "a.test",
                &format!("/news/{n}x"),
                Fingerprint::from_raw(u64::from(n).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            );
        }
        assert_eq!(traps.goes_back("a.test", "/gone/x", 0), Some(FAR));
        assert_eq!(traps.goes_back("a.test", "/gone/x", FAR), None, "once");
        assert_eq!(traps.goes_back("a.test", "/news/x", 0), None);
        assert_eq!(traps.look_up(&url("/gone/y")).map(|verdict| verdict.trap), Some(Trap::NearDuplicates));
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
