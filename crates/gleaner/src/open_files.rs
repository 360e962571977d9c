//! How many files this process may have open. Each connection is one of them.

/// Most files that a process asks for. Some systems have no hard limit but refuse a large number.
const MAX_FILES: u64 = 10_240;

/// Raises the number of files that this process may have open, as far as the system lets it, and at most to
/// 10,240 if it was lower. Returns the number; `None` if the system has no such limit. Call it before
/// [`EngineBuilder::build`](crate::EngineBuilder::build): an engine bounds its connections by this number.
///
/// Child processes inherit it.
pub fn raise_open_files() -> Option<u64> {
    system::raise(MAX_FILES);
    open_files()
}

/// The number of files that this process may have open.
pub(crate) fn open_files() -> Option<u64> {
    system::limit()
}

/// The most open connections of an engine in a process with this limit, and how many of them may be kept for
/// further requests. The rest is for files, clients and the processes of a browser.
pub(crate) fn connections(files: u64, max_kept: usize) -> (usize, usize) {
    let files = usize::try_from(files).unwrap_or(usize::MAX);
    ((files / 2).max(1), (files / 4).min(max_kept))
}

#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd", target_os = "macos"))]
mod system {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    pub(super) fn raise(wanted: u64) {
        let present = getrlimit(Resource::Nofile);
        let wanted = present.maximum.map_or(wanted, |maximum| maximum.min(wanted));
        if present.current.is_some_and(|current| current < wanted) {
            // If it is refused, the limit stays as it is.
            let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: present.maximum });
        }
    }

    pub(super) fn limit() -> Option<u64> {
        getrlimit(Resource::Nofile).current
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd", target_os = "macos")))]
mod system {
    pub(super) fn raise(_wanted: u64) {}

    pub(super) fn limit() -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_never_falls() {
        let before = open_files();
        assert!(raise_open_files() >= before);
    }

    #[test]
    fn connections_leave_files_for_the_rest() {
        for (files, expected) in [(256, (128, 64)), (1_024, (512, 256)), (10_240, (5_120, 512)), (1, (1, 0))]
        {
            assert_eq!(connections(files, 512), expected, "{files}");
        }
    }
}
