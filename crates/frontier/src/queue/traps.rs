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

use std::fmt;
use std::hash::Hasher;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use siphasher::sip::SipHasher13;
use url::Url;

use crate::Fingerprint;

/// Shapes that are counted in one job; further ones are taken for new.
pub const MAX_SHAPES: usize = 65_536;

/// Of a path so many segments are looked at.
const MAX_SEGMENTS: usize = 64;

/// Paths with more segments count as very deep.
const DEEP: usize = 16;

/// Queries longer than this count as grown.
const LONG_QUERY: usize = 256;

/// How far what is almost certainly a trap is put off at once.
const FAR: u8 = 8;

/// How far anything is put off at most.
const FURTHEST: u8 = 15;

/// Of the pages of a shape this many last fingerprints are kept to compare with.
const RECENT: usize = 4;

/// So many pages of a shape have to be known before it can be found to say the same over and over.
const ENOUGH: u32 = 8;

/// Why a page is put off: crawled after the others of its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Trap {
    /// The same path segment three times: a link relative to itself (`/a/b/a/b/a`).
    RepeatedSegments,
    /// More path segments than people make.
    VeryDeep,
    /// One of many URLs with a session id.
    SessionId,
    /// One of many URLs that end with a date, or ask for one.
    Calendar,
    /// One of many combinations of query parameters.
    Facets,
    /// One of very many URLs that differ only in a number or name.
    ManyAlike,
    /// One of many URLs whose pages say nearly the same.
    NearDuplicates,
}

impl Trap {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::RepeatedSegments,
        Self::VeryDeep,
        Self::SessionId,
        Self::Calendar,
        Self::Facets,
        Self::ManyAlike,
        Self::NearDuplicates,
    ];

    /// So many of a shape are crawled before it is put off.
    const fn patience(self) -> u32 {
        match self {
            Self::RepeatedSegments | Self::VeryDeep | Self::NearDuplicates => 0,
            Self::SessionId => 8,
            Self::Calendar => 24,
            Self::Facets => 32,
            Self::ManyAlike => 2000,
        }
    }
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RepeatedSegments => "the same path segment comes three times",
            Self::VeryDeep => "it has more than 16 path segments",
            Self::SessionId => "it is one of many URLs with a session id",
            Self::Calendar => "it is one of many URLs that name a date",
            Self::Facets => "it is one of many combinations of query parameters",
            Self::ManyAlike => "it is one of very many URLs of the same shape",
            Self::NearDuplicates => "the pages of its shape say nearly the same",
        })
    }
}

/// Why, and how far, a page is put off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PutOff {
    /// Why.
    pub trap: Trap,
    /// How many of its shape the job has come upon.
    pub alike: u32,
    /// How far back it goes, 1 to 15: what is less far goes first, whatever its depth and priority.
    pub distance: u8,
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
    pub(super) fn count(&mut self, url: &Url) -> Option<PutOff> {
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
    pub(super) fn look_up(&self, url: &Url) -> Option<PutOff> {
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

fn judge(trap: Trap, alike: u32) -> Option<PutOff> {
    let distance = match trap.patience() {
        0 => FAR,
        patience if alike <= patience => return None,
        patience => 1 + u8::try_from((alike / patience).ilog2()).unwrap_or(FURTHEST),
    };
    Some(PutOff { trap, alike, distance: distance.min(FURTHEST) })
}

struct Shape {
    hash: u64,
    /// What it would be put off for.
    trap: Trap,
    /// Its very path, where it has more than one parameter.
    combined: Option<u64>,
}

fn shape_of_url(url: &Url) -> Shape {
    shape_of(url.host_str().unwrap_or_default(), url.path(), url.query().unwrap_or_default())
}

/// The shape of what is queued: a host, perhaps with a port, and all that stands behind it.
fn shape_of_rest(host: &str, rest: &str) -> Shape {
    // As a URL has its host: without the port.
    let host = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let rest = rest.split_once('#').map_or(rest, |(rest, _)| rest);
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    shape_of(host, path, query)
}

/// The shape of a URL: its host, its path with numbers, dates and the last name taken out, and what its query asks.
fn shape_of(host: &str, path: &str, raw_query: &str) -> Shape {
    // The key is fixed: who makes two shapes collide only puts off pages of his own.
    let mut hasher = SipHasher13::new_with_keys(0, 0);
    let mut write = |text: &str| {
        hasher.write(text.as_bytes());
        hasher.write_u8(0xff);
    };
    write(host);
    let segments: Vec<&str> =
        path.split('/').filter(|segment| !segment.is_empty()).take(MAX_SEGMENTS).collect();
    let mut ends_with_date = false;
    for (index, segment) in segments.iter().enumerate() {
        let is_last = index + 1 == segments.len();
        if segment.bytes().all(|byte| byte.is_ascii_digit()) {
            write("#");
        } else if is_date(segment) {
            write("@");
            ends_with_date = is_last;
        } else if is_last {
            let extension = segment.rsplit_once('.').map_or("", |(_, extension)| extension);
            write("*");
            write(extension);
        } else {
            for piece in segment.split(|c: char| c.is_ascii_digit()) {
                write(piece);
            }
        }
    }
    ends_with_date |= ends_with_year_and_month(&segments);
    let query = Query::of(raw_query);
    let trap = if is_repetitive(&segments) {
        Trap::RepeatedSegments
    } else if segments.len() > DEEP {
        Trap::VeryDeep
    } else if query.session {
        Trap::SessionId
    } else if query.date || (ends_with_date && query.parameters == 0) {
        Trap::Calendar
    } else if query.parameters >= 3 || query.long {
        Trap::Facets
    } else {
        // The names of one or two parameters belong to the shape; which subset of many was chosen does not.
        for pair in raw_query.split('&') {
            write(name_of(pair));
        }
        Trap::ManyAlike
    };
    hasher.write_u8(trap as u8);
    Shape { hash: hasher.finish(), trap, combined: (query.parameters >= 2).then(|| hash_of_path(host, path)) }
}

fn hash_of_path(host: &str, path: &str) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(0, 1);
    for text in [host, path] {
        hasher.write(text.as_bytes());
        hasher.write_u8(0xff);
    }
    hasher.finish()
}

#[derive(Default)]
struct Query {
    parameters: usize,
    session: bool,
    date: bool,
    long: bool,
}

impl Query {
    fn of(query: &str) -> Self {
        let mut found = Self { long: query.len() > LONG_QUERY, ..Self::default() };
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let name = name_of(pair);
            let value = pair.split_once('=').map_or("", |(_, value)| value);
            found.parameters += 1;
            found.session |= is_session_name(name) || is_token(value);
            found.date |= is_date(value) || (is_calendar_name(name) && !value.is_empty());
        }
        found
    }
}

fn name_of(pair: &str) -> &str {
    pair.split_once('=').map_or(pair, |(name, _)| name)
}

fn is_session_name(name: &str) -> bool {
    ["sid", "sess", "session", "sessionid", "session_id", "session-id", "phpsessid", "jsessionid"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(name))
}

fn is_calendar_name(name: &str) -> bool {
    ["date", "day", "month", "week", "year", "from_date", "to_date", "startdate", "enddate"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(name))
}

/// True for what looks like a random value: long, letters and digits mixed, nothing else.
fn is_token(value: &str) -> bool {
    value.len() >= 24
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// `2026-01`, `2026-01-31`, `20260131` with a plausible month.
fn is_date(text: &str) -> bool {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).take(9).collect();
    let shaped = match text.len() {
        7 | 10 => text.bytes().enumerate().all(|(at, byte)| {
            if at == 4 || at == 7 { matches!(byte, b'-' | b'_' | b'.') } else { byte.is_ascii_digit() }
        }),
        8 => digits.len() == 8,
        _ => false,
    };
    let number = |digits: Option<&[u8]>| {
        digits.unwrap_or_default().iter().fold(0_u32, |sum, digit| sum * 10 + u32::from(digit - b'0'))
    };
    shaped && (1900..2200).contains(&number(digits.get(..4))) && (1..=12).contains(&number(digits.get(4..6)))
}

/// `.../2026/01` or `.../2026/01/31`, with nothing behind: the page of a month or day, not an article of that day.
fn ends_with_year_and_month(segments: &[&str]) -> bool {
    let is = |segment: &str, range: std::ops::Range<u32>| {
        segment.len() <= 4 && segment.parse().is_ok_and(|number| range.contains(&number))
    };
    match segments {
        [.., year, month, day] if is(year, 1900..2200) && is(month, 1..13) => is(day, 1..32),
        [.., year, month] => is(year, 1900..2200) && is(month, 1..13),
        _ => false,
    }
}

/// True where a segment that is no number comes three times. At most [`MAX_SEGMENTS`] are compared.
fn is_repetitive(segments: &[&str]) -> bool {
    let is_name = |segment: &&&str| !segment.bytes().all(|byte| byte.is_ascii_digit());
    // Most paths are too short for it, and are not sorted.
    if segments.iter().filter(is_name).count() < 3 {
        return false;
    }
    let mut names: Vec<&str> = segments.iter().filter(is_name).copied().collect();
    names.sort_unstable();
    names.windows(3).any(|same| same.first() == same.last())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(&format!("https://a.test{text}")).unwrap()
    }

    #[test]
    fn what_a_url_would_be_put_off_for() {
        for (text, trap) in [
            ("/", Trap::ManyAlike),
            ("/about", Trap::ManyAlike),
            ("/p/123", Trap::ManyAlike),
            ("/blog?page=2", Trap::ManyAlike),
            ("/forum?f=2&t=12", Trap::ManyAlike),
            ("/2026/01/31/a-story", Trap::ManyAlike),
            ("/news/2026-01-31/a-story", Trap::ManyAlike),
            ("/v/1234567890", Trap::ManyAlike),
            ("/1/1/1/1", Trap::ManyAlike),
            ("/calendar/2026/01", Trap::Calendar),
            ("/calendar/2026/1/31/", Trap::Calendar),
            ("/events/2026-01", Trap::Calendar),
            ("/events?date=2026-01-31", Trap::Calendar),
            ("/events?month=7&year=2031", Trap::Calendar),
            ("/shop?color=red&size=m&sort=price", Trap::Facets),
            ("/x?sid=1", Trap::SessionId),
            ("/x?id=5&t=0a1b2c3d4e5f60718293a4b5c6", Trap::SessionId),
            ("/a/b/a/b/a/b", Trap::RepeatedSegments),
            ("/x/x/x", Trap::RepeatedSegments),
        ] {
            assert_eq!(shape_of_url(&url(text)).trap, trap, "{text}");
        }
        let deep = format!("/{}", (0..20).map(|n| format!("s{n}x")).collect::<Vec<_>>().join("/"));
        assert_eq!(shape_of_url(&url(&deep)).trap, Trap::VeryDeep);
        let grown = format!("/x?q={}", "word+".repeat(60));
        assert_eq!(shape_of_url(&url(&grown)).trap, Trap::Facets);
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
    fn what_waits_has_the_shape_that_its_url_had() {
        for text in ["/", "/a/b?c=1", "/a#/route?x", "/p/12/", "/calendar/2026/01?x", "/x?a&b&c"] {
            let url = Url::parse(&format!("http://a.test:8080{text}")).unwrap();
            assert_eq!(shape_of_rest("a.test:8080", text).hash, shape_of_url(&url).hash, "{text}");
        }
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
