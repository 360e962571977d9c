//! The names and modes of the files of a store. On Unix, only the user of the process may read them.

use std::ffi::OsString;
#[cfg(unix)]
use std::fs::Permissions;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _};
#[cfg(not(unix))]
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// The path with this at its end, such as `-wal`.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

/// Creates an empty file. `-wal` and `-shm` get the mode of the main file, so SQLite must not create it.
///
/// # Errors
/// Those of the file system; [`io::ErrorKind::AlreadyExists`] if it exists. An existing file is not opened:
/// closing it would release the locks that SQLite holds for this process.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    private(OpenOptions::new().write(true).create_new(true)).open(path)
}

/// Creates an empty file unless it exists. Its name is as durable as what it will contain. Returns its path
/// without links: after that, SQLite and this crate name the files beside it, whatever path leads to it. The
/// second value is true if the file is new.
pub(crate) fn ensure(path: &Path) -> io::Result<(PathBuf, bool)> {
    match create(path) {
        Ok(_) => {
            let path = fs::canonicalize(path)?;
            path.parent().map_or(Ok(()), sync_folder)?;
            Ok((path, true))
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok((fs::canonicalize(path)?, false)),
        Err(error) => Err(error),
    }
}

/// The device of a file and its number there; `None` if the system has no such numbers.
///
/// # Errors
/// Those of the file system; [`io::ErrorKind::NotFound`] if the path leads to no file.
pub(crate) fn identity(path: &Path) -> io::Result<Option<(u64, u64)>> {
    let found = fs::metadata(path)?;
    #[cfg(unix)]
    let identity = {
        use std::os::unix::fs::MetadataExt as _;
        Some((found.dev(), found.ino()))
    };
    #[cfg(not(unix))]
    let identity = {
        drop(found);
        None
    };
    Ok(identity)
}

/// The length of a file in bytes; 0 if it does not exist. Anything else than a file is refused: the modes of
/// a device are not ours to change, and opening a pipe waits for its other end.
pub(crate) fn length(path: &Path) -> io::Result<u64> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => Ok(found.len()),
        Ok(_) => Err(refused(path, "is not a file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error),
    }
}

/// Opens a file for reading and writing, and creates it if it does not exist. A link is not followed.
pub(crate) fn open_or_create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    private(&mut options).open(path)
}

/// Takes from others the right to read a file, if it exists. A link is refused.
#[cfg(unix)]
pub(crate) fn restrict(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        metadata => metadata?,
    };
    if metadata.is_symlink() {
        return Err(refused(path, "is a link"));
    }
    let mode = metadata.permissions().mode();
    if mode & 0o077 == 0 { Ok(()) } else { fs::set_permissions(path, Permissions::from_mode(mode & 0o700)) }
}

#[cfg(not(unix))]
pub(crate) fn restrict(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Checks that a path is a folder of this user, if it exists, and takes from others the right to read it.
pub(crate) fn restrict_folder(path: &Path) -> io::Result<()> {
    let metadata = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        metadata => metadata?,
    };
    #[cfg(unix)]
    let is_own = std::os::unix::fs::MetadataExt::uid(&metadata) == rustix::process::geteuid().as_raw();
    #[cfg(not(unix))]
    let is_own = true;
    if metadata.is_dir() && is_own {
        return restrict(path);
    }
    Err(refused(path, "is not a folder of this user"))
}

fn refused(path: &Path, reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, format!("{} {reason}", path.display()))
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.mode(0o600)
}

#[cfg(not(unix))]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Creates a folder that only this user may read, unless it has one already. Returns true if it created it.
pub(crate) fn create_folder(path: &Path) -> io::Result<bool> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    match builder.create(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => restrict_folder(path).map(|()| false),
        Err(error) => Err(error),
    }
}

/// Writes the first bytes of a file to their places again, at most this many, if it exists, and syncs it. A
/// failed sync may leave them in the memory of the system as if they were on the medium.
pub(crate) fn write_again(path: &Path, length: u64) -> io::Result<()> {
    let mut file = match OpenOptions::new().read(true).write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file?,
    };
    let (mut buffer, mut offset) = (vec![0; 64 << 10], 0);
    loop {
        let left = usize::try_from(length.saturating_sub(offset)).unwrap_or(usize::MAX);
        let read = file.read(&mut buffer)?.min(left);
        let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
        write_at(&mut file, bytes, offset)?;
        offset += bytes.len() as u64;
    }
    file.sync_all()
}

/// Writes at an offset. The next read is after what was written.
#[cfg(unix)]
fn write_at(file: &mut File, bytes: &[u8], offset: u64) -> io::Result<()> {
    use std::os::unix::fs::FileExt as _;
    file.write_all_at(bytes, offset)
}

#[cfg(not(unix))]
fn write_at(file: &mut File, bytes: &[u8], offset: u64) -> io::Result<()> {
    file.seek(io::SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

/// Makes the names in a folder durable. Only Unix can do that.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(path)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_added_to_the_whole_name() {
        assert_eq!(beside(Path::new("/a/jobs.db"), "-wal"), Path::new("/a/jobs.db-wal"));
    }

    #[test]
    fn an_existing_file_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        create(&path).unwrap();
        assert_eq!(create(&path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert!(!ensure(&path).unwrap().1);
        assert!(ensure(&folder.path().join("new")).unwrap().1);
        assert!(folder.path().join("new").exists());
        assert!(create_folder(&folder.path().join("folder")).unwrap());
        assert!(!create_folder(&folder.path().join("folder")).unwrap());
        assert!(create_folder(&path).is_err(), "a file is no folder");
        sync_folder(folder.path()).unwrap();
    }

    #[test]
    fn a_file_that_is_written_again_has_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_again(&path, 1).unwrap();
        assert!(!path.exists());
        let bytes: Vec<u8> = (0..200_000_u32).map(|number| (number / 7) as u8).collect();
        fs::write(&path, &bytes).unwrap();
        for length in [0, 100_000, u64::MAX] {
            write_again(&path, length).unwrap();
            assert!(fs::read(&path).unwrap() == bytes);
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_not_written_again_takes_no_space() {
        use std::os::unix::fs::MetadataExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        File::create(&path).unwrap().set_len(64 << 20).unwrap();
        write_again(&path, 4096).unwrap();
        let found = path.metadata().unwrap();
        assert!(found.len() == 64 << 20 && found.blocks() * 512 < 32 << 20, "{} blocks", found.blocks());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let [target, link, inner] = ["target", "link", "inner"].map(|name| folder.path().join(name));
        symlink(&target, &link).unwrap();
        assert!(open_or_create(&link).is_err() && !target.exists());
        assert!(ensure(&link).is_err() && !target.exists());
        fs::create_dir(&target).unwrap();
        assert!(restrict(&link).is_err());
        assert!(create_folder(&link).is_err());
        create(&inner).unwrap();
        fs::remove_file(&link).unwrap();
        symlink(&inner, &link).unwrap();
        assert_eq!(ensure(&link).unwrap(), (fs::canonicalize(&inner).unwrap(), false));
    }

    #[cfg(unix)]
    #[test]
    fn others_lose_the_right_to_read() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let [file, inner] = ["file", "folder"].map(|name| folder.path().join(name));
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        restrict(&file).unwrap();
        create(&file).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o664)).unwrap();
        restrict(&file).unwrap();
        create_folder(&inner).unwrap();
        fs::set_permissions(&inner, Permissions::from_mode(0o755)).unwrap();
        create_folder(&inner).unwrap();
        assert_eq!((mode(&file), mode(&inner)), (0o600, 0o700));
        // Only root can give it away.
        if std::os::unix::fs::chown(&inner, Some(12_345), None).is_ok() {
            assert!(create_folder(&inner).is_err());
        }
    }

    #[cfg(unix)]
    #[test]
    fn others_may_not_read() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str| folder.path().join(name).metadata().unwrap().permissions().mode() & 0o777;
        create(&folder.path().join("file")).unwrap();
        open_or_create(&folder.path().join("lock")).unwrap();
        create_folder(&folder.path().join("folder")).unwrap();
        assert_eq!((mode("file"), mode("lock"), mode("folder")), (0o600, 0o600, 0o700));
    }
}
