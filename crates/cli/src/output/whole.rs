//! Writing in wholes: what a full disk leaves of a line or a file is taken back.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process;

/// What is written to at its end, and can be cut off there.
pub(super) trait Tail: Write {
    /// The length in bytes; `None` where there is none, as of a pipe or a device.
    fn size(&self) -> io::Result<Option<u64>>;

    /// Drops all behind `size`.
    fn cut(&mut self, size: u64) -> io::Result<()>;
}

impl Tail for File {
    fn size(&self) -> io::Result<Option<u64>> {
        let metadata = self.metadata()?;
        Ok(metadata.is_file().then_some(metadata.len()))
    }

    fn cut(&mut self, size: u64) -> io::Result<()> {
        self.set_len(size)?;
        self.seek(SeekFrom::Start(size)).map(drop)
    }
}

/// Writes all of `bytes` at the end of `out`, or nothing of them: what was written before an error is cut off.
///
/// Where others write to the same file at the same time, what they wrote is never cut.
///
/// # Errors
/// Those of the writer.
pub(super) fn append(out: &mut impl Tail, bytes: &[u8]) -> io::Result<()> {
    let before = out.size().ok().flatten();
    let (mut rest, mut written) = (bytes, 0);
    while !rest.is_empty() {
        let error = match out.write(rest) {
            Ok(0) => io::Error::from(io::ErrorKind::WriteZero),
            Ok(count) => {
                written += count as u64;
                rest = rest.get(count..).unwrap_or_default();
                continue;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => error,
        };
        if let Some(before) = before
            && out.size().is_ok_and(|now| now == Some(before + written))
        {
            let _ = out.cut(before);
        }
        return Err(error);
    }
    Ok(())
}

/// Writes a file that is there whole or not at all: under another name first, which is given up for `path` once all is
/// written. A file that was there stays until then.
///
/// # Errors
/// Those of the disk, and of `write`.
pub(super) fn put(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let blocking = blocking(path);
    let written = File::create(&blocking)
        .and_then(|mut file| write(&mut file))
        .and_then(|()| fs::rename(&blocking, path));
    if written.is_err() {
        let _ = fs::remove_file(&blocking);
    }
    written
}

/// Names the process, so that two that write the same page do not take each other's file.
fn blocking(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".{}.new", process::id()));
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with so much room, which takes a few bytes at a time.
    struct Disk {
        kept: Vec<u8>,
        room: usize,
        others_write: bool,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let count = bytes.len().min(3).min(self.room);
            if count == 0 {
                if self.others_write {
                    self.kept.extend_from_slice(b"theirs\n");
                }
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.room -= count;
            self.kept.extend_from_slice(&bytes[..count]);
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Tail for Disk {
        fn size(&self) -> io::Result<Option<u64>> {
            Ok(Some(self.kept.len() as u64))
        }

        fn cut(&mut self, size: u64) -> io::Result<()> {
            self.kept.truncate(usize::try_from(size).unwrap());
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_leaves_whole_lines() {
        for room in 0..20 {
            let mut disk = Disk { kept: Vec::new(), room, others_write: false };
            let mut taken = 0;
            while append(&mut disk, b"a line\n").is_ok() {
                taken += 1;
            }
            assert_eq!(disk.kept, b"a line\n".repeat(taken), "{room} bytes of room");
            assert_eq!(taken, room / 7);
        }
    }

    #[test]
    fn what_others_wrote_meanwhile_is_not_cut() {
        let mut disk = Disk { kept: Vec::new(), room: 4, others_write: true };
        assert_eq!(append(&mut disk, b"a line\n").unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(disk.kept, b"a litheirs\n");
    }

    #[test]
    fn a_file_is_written_on_behind_what_was_cut() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("list");
        let mut file = File::create(&path).unwrap();
        append(&mut file, b"one\ntwo\n").unwrap();
        file.cut(4).unwrap();
        append(&mut file, b"three\n").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one\nthree\n");
    }

    #[test]
    fn a_file_that_could_not_be_written_leaves_the_earlier_one() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("page.md");
        put(&path, |file| file.write_all(b"earlier")).unwrap();
        let failed = put(&path, |file| {
            file.write_all(b"half of the n")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"earlier");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "something was left beside it");
    }
}
