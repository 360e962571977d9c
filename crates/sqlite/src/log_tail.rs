//! The end of SQLite's write-ahead log. SQLite reads the log up to the first frame that is damaged and
//! ignores the rest without a word; this says what the rest is.
//!
//! The format is that of <https://www.sqlite.org/fileformat2.html#walformat>. Each commit is synced before
//! the next begins, so power loss damages at most the last one. If several commits follow a damaged frame,
//! the medium has changed data that was durable.

use std::io::{self, Read};

/// Bytes before the first frame, and before the page in each frame.
const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// The magic number without its last bit, which tells the order of bytes in checksums.
const MAGIC: u32 = 0x377f_0682;

/// What SQLite ignores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LogTail {
    /// Where it begins, in bytes.
    pub(crate) offset: u64,
    /// Frames of this generation of the log.
    pub(crate) frames: u64,
    /// Commits among them.
    pub(crate) commits: u64,
}

impl LogTail {
    /// True if it has data that was durable.
    pub(crate) const fn is_damage(&self) -> bool {
        self.commits > 1
    }
}

/// The checksum of the log, which continues from frame to frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Checksum {
    sums: (u32, u32),
    is_big_endian: bool,
}

impl Checksum {
    fn add(&mut self, bytes: &[u8]) {
        let (mut first, mut second) = self.sums;
        let (pairs, _) = bytes.as_chunks::<8>();
        for &[a, b, c, d, e, f, g, h] in pairs {
            let (x, y) = match self.is_big_endian {
                true => (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h])),
                false => (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])),
            };
            first = first.wrapping_add(x).wrapping_add(second);
            second = second.wrapping_add(y).wrapping_add(first);
        }
        self.sums = (first, second);
    }
}

/// The number at this index of big-endian numbers.
fn number(bytes: &[u8], index: usize) -> u32 {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers.get(index).map_or(0, |number| u32::from_be_bytes(*number))
}

/// The bytes that a checksum covers.
fn prefix(bytes: &[u8], length: usize) -> &[u8] {
    bytes.get(..length).unwrap_or(bytes)
}

/// Fills the buffer; false at the end of the file.
fn fill(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(buffer) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        result => result.map(|()| true),
    }
}

/// The end of this log that SQLite ignores.
pub(crate) fn log_tail(log: &mut impl Read) -> io::Result<LogTail> {
    let mut header = [0; HEADER];
    if !fill(log, &mut header)? || number(&header, 0) & !1 != MAGIC {
        return Ok(LogTail::default());
    }
    let mut checksum = Checksum { sums: (0, 0), is_big_endian: number(&header, 0) & 1 == 1 };
    checksum.add(prefix(&header, 24));
    let page = number(&header, 2) as usize;
    if checksum.sums != (number(&header, 6), number(&header, 7)) || !(512..=65_536).contains(&page) {
        return Ok(LogTail::default());
    }
    let salts = (number(&header, 4), number(&header, 5));
    let mut tail = LogTail { offset: HEADER as u64, ..LogTail::default() };
    let (mut is_intact, mut offset) = (true, HEADER as u64);
    let (mut frame, mut content) = ([0; FRAME_HEADER], vec![0; page]);
    while fill(log, &mut frame)? && fill(log, &mut content)? {
        offset += (FRAME_HEADER + page) as u64;
        // Frames of earlier generations are left behind those of this one.
        if (number(&frame, 2), number(&frame, 3)) != salts {
            is_intact = false;
            continue;
        }
        checksum.add(prefix(&frame, 8));
        checksum.add(&content);
        is_intact &= checksum.sums == (number(&frame, 4), number(&frame, 5));
        let is_commit = number(&frame, 1) != 0;
        if is_intact && is_commit {
            tail = LogTail { offset, ..LogTail::default() };
        } else {
            tail.frames += 1;
            tail.commits += u64::from(is_commit);
        }
    }
    Ok(tail)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rusqlite::Connection;

    use super::*;

    /// A log of three commits, each with a page or two.
    fn log() -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "journal_mode", "WAL").unwrap();
        connection.execute_batch("CREATE TABLE a(x)").unwrap();
        for _ in 0..2 {
            connection.execute_batch("INSERT INTO a VALUES(randomblob(100))").unwrap();
        }
        fs::read(folder.path().join("a.db-wal")).unwrap()
    }

    fn tail(log: &[u8]) -> LogTail {
        log_tail(&mut &log[..]).unwrap()
    }

    #[test]
    fn an_intact_log_has_no_tail() {
        let log = log();
        assert_eq!(tail(&log), LogTail { offset: log.len() as u64, frames: 0, commits: 0 });
        assert_eq!(tail(&[]), LogTail::default());
        assert_eq!(tail(&[0; 10_000]), LogTail::default());
    }

    #[test]
    fn a_damaged_last_commit_is_no_damage_of_durable_data() {
        let mut log = log();
        let end = log.len();
        log[end - 1] ^= 1;
        let found = tail(&log);
        assert!(found.frames >= 1 && found.commits == 1 && !found.is_damage(), "{found:?}");
        assert!(found.offset < end as u64);
        log.truncate(end - 10);
        assert_eq!(tail(&log).commits, 0, "an incomplete frame is not counted");
    }

    #[test]
    fn commits_after_a_damaged_one_are_counted() {
        let mut log = log();
        log[HEADER + FRAME_HEADER] ^= 1;
        let found = tail(&log);
        assert_eq!((found.offset, found.commits, found.is_damage()), (HEADER as u64, 3, true));
    }

    #[test]
    fn frames_of_an_earlier_generation_are_not_counted() {
        let log = log();
        let mut longer = log.clone();
        let frame = FRAME_HEADER + number(&log, 2) as usize;
        let mut old = log[HEADER..HEADER + frame].to_vec();
        old[8] ^= 1;
        longer.extend_from_slice(&old);
        assert_eq!(tail(&longer), tail(&log));
    }
}
