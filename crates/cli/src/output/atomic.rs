//! Atomic writes: if the disk is full, a partial line or file is removed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process;

/// A writer that appends, and that can be truncated.
pub(super) trait Tail: Write {
    /// The length in bytes; `None` if there is none, as for a pipe or a device.
    fn size(&self) -> io::Result<Option<u64>>;

    /// Truncates to `size`.
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

/// Appends all of `bytes` to `out`, or nothing: a part written before an error is cut off.
///
/// If other processes write to the same file, their data is never cut off.
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

/// Writes a whole file or nothing: under a temporary name, which is renamed to `path` at the end. An existing
/// file stays until then.
///
/// # Errors
/// Errors of the file system and of `write`.
pub(super) fn write_file(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let temporary = temporary_path(path);
    let written = File::create(&temporary)
        .and_then(|mut file| write(&mut file))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// The temporary path. It contains the process id, so that two processes that write the same page do not use
/// the same file.
fn temporary_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".{}.new", process::id()));
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with limited space, which accepts a few bytes at a time.
    struct Disk {
        content: Vec<u8>,
        space: usize,
        others_write: bool,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let count = bytes.len().min(3).min(self.space);
            if count == 0 {
                if self.others_write {
                    self.content.extend_from_slice(b"theirs\n");
                }
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.space -= count;
            self.content.extend_from_slice(&bytes[..count]);
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Tail for Disk {
        fn size(&self) -> io::Result<Option<u64>> {
            Ok(Some(self.content.len() as u64))
        }

        fn cut(&mut self, size: u64) -> io::Result<()> {
            self.content.truncate(usize::try_from(size).unwrap());
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_leaves_whole_lines() {
        for space in 0..20 {
            let mut disk = Disk { content: Vec::new(), space, others_write: false };
            let mut taken = 0;
            while append(&mut disk, b"a line\n").is_ok() {
                taken += 1;
            }
            assert_eq!(disk.content, b"a line\n".repeat(taken), "{space} bytes of space");
            assert_eq!(taken, space / 7);
        }
    }

    #[test]
    fn data_of_other_processes_is_not_cut_off() {
        let mut disk = Disk { content: Vec::new(), space: 4, others_write: true };
        assert_eq!(append(&mut disk, b"a line\n").unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(disk.content, b"a litheirs\n");
    }

    #[test]
    fn a_file_is_continued_after_a_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        let mut file = File::create(&path).unwrap();
        append(&mut file, b"one\ntwo\n").unwrap();
        file.cut(4).unwrap();
        append(&mut file, b"three\n").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one\nthree\n");
    }

    #[test]
    fn a_failed_write_leaves_the_earlier_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.md");
        write_file(&path, |file| file.write_all(b"earlier")).unwrap();
        let failed = write_file(&path, |file| {
            file.write_all(b"half of the n")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"earlier");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a temporary file remains");
    }
}
