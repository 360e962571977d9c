//! Lists of waiting pages.

use std::fmt;

use gleaner_frontier::{QueuedPage, UrlKey};

use super::Damage;
use super::decoder::{Decoder, put_bytes, put_varint};
use super::field::Field;

const HTTPS: u8 = 1;
const EXTERNAL: u8 = 1 << 1;

/// A page without anything.
const EMPTY: QueuedPage<'static> = QueuedPage {
    key: UrlKey::from_raw(0),
    https: false,
    external: false,
    host: "",
    path: "",
    depth: 0,
    priority: 0,
    deferral: 0,
};

/// Collects waiting pages in the order of their arrival.
///
/// What a page has in common with the one before it is written once. So a page takes its key, its path and
/// one or two bytes, if many of its neighbours are on the same host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageListWriter {
    /// The complete groups.
    bytes: Vec<u8>,
    /// What the pages of the current group have in common.
    common: Vec<u8>,
    /// The pages of the current group.
    pages: Vec<u8>,
    count: u64,
    /// What the next page has in common with its group, for the comparison.
    next: Vec<u8>,
}

impl PageListWriter {
    /// Adds a page.
    pub fn push(&mut self, page: &QueuedPage<'_>) {
        self.next.clear();
        write_common(page, &mut self.next);
        if self.next != self.common {
            self.end_group();
            std::mem::swap(&mut self.next, &mut self.common);
        }
        page.key.write(&mut self.pages);
        put_bytes(&mut self.pages, page.path.as_bytes());
        self.count += 1;
    }

    /// Bytes of the pages so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len() + self.common.len() + self.pages.len()
    }

    /// Whether it has no pages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.count == 0
    }

    /// The pages so far.
    #[must_use]
    pub fn finish(&mut self) -> PageList<'_> {
        self.end_group();
        self.common.clear();
        PageList { bytes: &self.bytes }
    }

    /// Removes all pages.
    pub fn clear(&mut self) {
        let Self { bytes, common, pages, count, next } = self;
        [bytes, common, pages, next].into_iter().for_each(Vec::clear);
        *count = 0;
    }

    fn end_group(&mut self) {
        if self.count > 0 {
            self.bytes.append(&mut self.common);
            put_varint(&mut self.bytes, self.count);
            self.bytes.append(&mut self.pages);
            self.count = 0;
        }
    }
}

/// Writes what a page has in common with its neighbours.
fn write_common(page: &QueuedPage<'_>, out: &mut Vec<u8>) {
    let https = if page.https { HTTPS } else { 0 };
    let external = if page.external { EXTERNAL } else { 0 };
    out.extend_from_slice(&[https | external, page.priority, page.deferral]);
    put_varint(out, u64::from(page.depth));
    put_bytes(out, page.host.as_bytes());
}

/// Reads what the pages of a group have in common.
fn read_common<'a>(from: &mut Decoder<'a>) -> Result<QueuedPage<'a>, Damage> {
    let [flags, priority, deferral] = from.array()?;
    if flags & !(HTTPS | EXTERNAL) != 0 {
        return Err(Damage::Newer);
    }
    Ok(QueuedPage {
        https: flags & HTTPS != 0,
        external: flags & EXTERNAL != 0,
        priority,
        deferral,
        depth: u32::read(from)?,
        host: from.text()?,
        ..EMPTY
    })
}

/// Waiting pages in the order of their arrival.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct PageList<'a> {
    bytes: &'a [u8],
}

impl<'a> PageList<'a> {
    /// The list with these bytes, which [`as_bytes`](Self::as_bytes) gave.
    #[must_use]
    pub const fn from_bytes(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// Its bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The pages.
    #[must_use]
    pub fn pages(&self) -> Pages<'a> {
        Pages { from: Decoder::new(self.bytes), common: EMPTY, left: 0 }
    }
}

impl fmt::Debug for PageList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.pages()).finish()
    }
}

impl<'a> Field<'a> for PageList<'a> {
    fn write(&self, out: &mut Vec<u8>) {
        put_bytes(out, self.bytes);
    }

    fn read(from: &mut Decoder<'a>) -> Result<Self, Damage> {
        Ok(Self { bytes: from.bytes()? })
    }
}

/// The pages of a list. Nothing follows an error.
#[derive(Debug, Clone)]
pub struct Pages<'a> {
    from: Decoder<'a>,
    /// What the pages of the current group have in common.
    common: QueuedPage<'a>,
    /// Pages of the current group that were not read.
    left: u64,
}

impl<'a> Pages<'a> {
    fn read(&mut self) -> Result<Option<QueuedPage<'a>>, Damage> {
        while self.left == 0 {
            if self.from.is_empty() {
                return Ok(None);
            }
            self.common = read_common(&mut self.from)?;
            self.left = self.from.varint()?;
        }
        self.left -= 1;
        Ok(Some(QueuedPage { key: UrlKey::read(&mut self.from)?, path: self.from.text()?, ..self.common }))
    }
}

impl<'a> Iterator for Pages<'a> {
    type Item = Result<QueuedPage<'a>, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        let page = self.read().transpose()?;
        if page.is_err() {
            (self.from, self.left) = (Decoder::default(), 0);
        }
        Some(page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(number: u64, host: &'static str, depth: u32) -> QueuedPage<'static> {
        let key = UrlKey::from_raw(number);
        let path = "/a/path/of/thirty/characters/x";
        QueuedPage { key, https: true, host, path, depth, ..EMPTY }
    }

    #[test]
    fn pages_keep_their_order_across_groups() {
        let mut writer = PageListWriter::default();
        let pages =
            [("a.example", 1), ("a.example", 1), ("b.example", 1), ("a.example", 1), ("a.example", 2)];
        let pages: Vec<QueuedPage<'_>> =
            (0..).zip(pages).map(|(number, (host, depth))| page(number, host, depth)).collect();
        for page in &pages {
            writer.push(page);
        }
        let read: Result<Vec<_>, _> = writer.finish().pages().collect();
        assert_eq!(read.unwrap(), pages);
        // A finished list can be continued.
        writer.push(&page(9, "a.example", 2));
        assert_eq!(writer.finish().pages().count(), 6);
        writer.clear();
        assert!(writer.is_empty());
        assert_eq!(writer.len(), 0);
        assert_eq!(writer.finish().pages().count(), 0);
    }

    #[test]
    fn a_page_takes_nine_bytes_and_its_path() {
        let mut writer = PageListWriter::default();
        for number in 0..10_000 {
            writer.push(&page(number, "www.example.com", 3));
        }
        let (bytes, path) = (writer.finish().as_bytes().len(), page(0, "", 0).path.len());
        assert_eq!(bytes, 10_000 * (9 + path) + 22, "one group");
        writer.clear();
        for number in 0..50 {
            writer.push(&page(number, "www.example.com", 3));
            writer.push(&page(number, "x.example.com", 3));
        }
        let bytes = writer.finish().as_bytes().len();
        assert_eq!(bytes, 100 * (9 + path) + 50 * (21 + 19), "a group for each page");
    }

    #[test]
    fn a_count_beyond_the_end_is_damage() {
        let mut bytes = Vec::new();
        write_common(&page(1, "a.example", 0), &mut bytes);
        put_varint(&mut bytes, u64::MAX);
        let read: Vec<_> = PageList::from_bytes(&bytes).pages().collect();
        assert_eq!(read, [Err(Damage::Truncated)]);
        bytes[0] = 0x80;
        let read: Vec<_> = PageList::from_bytes(&bytes).pages().collect();
        assert_eq!(read, [Err(Damage::Newer)]);
    }
}
