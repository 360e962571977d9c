//! What a process may take of memory and computing time, held by the operating system.

use std::io;
use std::process::ExitStatus;

use serde::{Deserialize, Serialize};

/// What a process that converts a file may take, at most.
pub const MAX_WORKER_MEMORY: u64 = 1024 * 1024 * 1024;

/// Seconds of computing that a process which converts a file may take, at most.
pub const MAX_WORKER_SECONDS: u64 = 30;

/// What one process may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of its address space: what it allocates, its program, and the stacks that it reserves (64 MiB). Never more
    /// than [`MAX_WORKER_MEMORY`], which is the default.
    pub memory: u64,
    /// Seconds of computing, over all of its threads. Never more than [`MAX_WORKER_SECONDS`], which is the default.
    pub seconds: u64,
    /// Let other processes go first.
    pub yields: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory: MAX_WORKER_MEMORY, seconds: MAX_WORKER_SECONDS, yields: false }
    }
}

/// Has this process ended because its seconds were used up? False where the system does not tell.
#[must_use]
pub fn ended_by_time(status: ExitStatus) -> bool {
    held::ended_by_time(status)
}

/// Holds this process to the limits from here on. Limits that are lower already stay.
pub(crate) fn hold(limits: &Limits) -> io::Result<()> {
    held::hold(limits)
}

#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd", target_os = "macos"))]
mod held {
    use std::io;
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;

    use rustix::process::{Resource, Rlimit, Signal, getrlimit, nice, setrlimit};

    use super::Limits;

    /// How much later others go first.
    const NICE: i32 = 10;

    pub(super) fn hold(limits: &Limits) -> io::Result<()> {
        // A process that dies of its limits leaves nothing behind.
        lower(Resource::Core, 0, 0)?;
        // A signal ends it at the limit, and one that nothing can hold up a second later.
        lower(Resource::Cpu, limits.seconds, limits.seconds.saturating_add(1))?;
        let memory = lower(Resource::As, limits.memory, limits.memory);
        // macOS has the limit, and refuses to lower it.
        if !cfg!(target_os = "macos") {
            memory?;
        }
        if limits.yields {
            nice(NICE)?;
        }
        Ok(())
    }

    fn lower(resource: Resource, limit: u64, most: u64) -> io::Result<()> {
        let held = getrlimit(resource);
        let least = |held: Option<u64>, wanted: u64| Some(held.map_or(wanted, |held| held.min(wanted)));
        let lowered = Rlimit { current: least(held.current, limit), maximum: least(held.maximum, most) };
        Ok(setrlimit(resource, lowered)?)
    }

    pub(super) fn ended_by_time(status: ExitStatus) -> bool {
        status.signal() == Some(Signal::XCPU.as_raw())
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd", target_os = "macos")))]
mod held {
    use std::io;
    use std::process::ExitStatus;

    use super::Limits;

    pub(super) fn hold(_limits: &Limits) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn ended_by_time(_status: ExitStatus) -> bool {
        false
    }
}
