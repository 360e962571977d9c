//! Failures of this machine, which say nothing about a host.

use std::fs::File;
use std::io;

/// The kind of an error that means that this process or machine has no descriptor, no port or no memory for
/// another connection.
pub(crate) const EXHAUSTED: io::ErrorKind = io::ErrorKind::OutOfMemory;

/// `ENFILE`, `EMFILE` and `ENOBUFS`, or their names in Windows. The standard library has no kinds for them.
const CODES: &[i32] = if cfg!(windows) {
    &[10_024, 10_055]
} else if cfg!(any(target_os = "linux", target_os = "android")) {
    &[23, 24, 105]
} else {
    &[23, 24, 55]
};

/// True if this process or machine has no descriptor or no memory for another connection.
pub(crate) fn is_exhausted(error: &io::Error) -> bool {
    error.kind() == EXHAUSTED || error.raw_os_error().is_some_and(|code| CODES.contains(&code))
}

/// The kind of an error: [`EXHAUSTED`] for all that mean it.
pub(crate) fn kind_of(error: &io::Error) -> io::ErrorKind {
    if is_exhausted(error) { EXHAUSTED } else { error.kind() }
}

/// True if no file can be opened now. The resolver of the C library needs some, and without them it may say
/// that a name does not exist.
pub(crate) fn lacks_descriptors() -> bool {
    cfg!(unix) && File::open("/dev/null").is_err_and(|error| is_exhausted(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_faults_of_this_machine_are_exhaustion() {
        for code in CODES {
            assert_eq!(kind_of(&io::Error::from_raw_os_error(*code)), EXHAUSTED, "{code}");
        }
        for kind in [io::ErrorKind::ConnectionRefused, io::ErrorKind::TimedOut, io::ErrorKind::Other] {
            assert_eq!(kind_of(&io::Error::from(kind)), kind);
        }
        assert!(!lacks_descriptors());
    }
}
