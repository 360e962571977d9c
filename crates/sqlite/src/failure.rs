//! Errors of SQLite and of the file system as errors of the store.

use std::io;

use gleaner_store::journal::Damage;
use gleaner_store::{Error, ErrorKind};
use rusqlite::ErrorCode;

/// The error of SQLite. `action` says what failed, such as "a document could not be read".
pub(crate) fn sqlite(action: &str, error: &rusqlite::Error) -> Error {
    let kind = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => ErrorKind::Full,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ErrorKind::Busy,
        Some(
            ErrorCode::SystemIoFailure
            | ErrorCode::CannotOpen
            | ErrorCode::PermissionDenied
            | ErrorCode::ReadOnly
            | ErrorCode::OutOfMemory
            | ErrorCode::FileLockingProtocolFailed
            | ErrorCode::OperationInterrupted,
        ) => ErrorKind::Io,
        // The file does not have what this crate wrote: trying again does not help.
        _ => ErrorKind::Damaged,
    };
    Error::new(kind, format!("{action}: {error}"))
}

/// The error of the file system.
pub(crate) fn file(action: &str, error: &io::Error) -> Error {
    let kind = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorKind::Full,
        _ => ErrorKind::Io,
    };
    Error::new(kind, format!("{action}: {error}"))
}

/// The error of bytes at a place, such as "block 7 of job 3".
pub(crate) fn damage(table: &str, place: &str, damage: Damage) -> Error {
    let kind = if damage == Damage::Newer { ErrorKind::Newer } else { ErrorKind::Damaged };
    Error::new(kind, format!("{place} in table {table} cannot be read: {damage}"))
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    #[test]
    fn kinds_follow_the_codes() {
        for (code, kind) in [
            (ffi::SQLITE_FULL, ErrorKind::Full),
            (ffi::SQLITE_IOERR, ErrorKind::Io),
            (ffi::SQLITE_CORRUPT, ErrorKind::Damaged),
            (ffi::SQLITE_NOTADB, ErrorKind::Damaged),
            (ffi::SQLITE_BUSY, ErrorKind::Busy),
            (ffi::SQLITE_CANTOPEN, ErrorKind::Io),
            (ffi::SQLITE_CONSTRAINT_PRIMARYKEY, ErrorKind::Damaged),
            (ffi::SQLITE_TOOBIG, ErrorKind::Damaged),
        ] {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            assert_eq!(sqlite("it failed", &error).kind(), kind, "{error}");
        }
        assert_eq!(sqlite("it failed", &rusqlite::Error::InvalidQuery).kind(), ErrorKind::Damaged);
        let full = io::Error::from(io::ErrorKind::StorageFull);
        assert_eq!(file("it failed", &full).kind(), ErrorKind::Full);
        let text = damage("fact", "block 7 of job 3", Damage::Checksum).to_string();
        assert!(text.starts_with("block 7 of job 3 in table fact"), "{text}");
    }
}
