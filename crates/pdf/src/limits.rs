//! Limits of memory and CPU time of a process, enforced by the operating system.

use std::io;
use std::process::ExitStatus;

use serde::{Deserialize, Serialize};

/// Most bytes of address space of a process that converts a file.
pub const MAX_WORKER_MEMORY: u64 = 1024 * 1024 * 1024;

/// Most seconds of CPU time of a process that converts a file.
pub const MAX_WORKER_SECONDS: u64 = 30;

/// Limits of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of address space: allocations, the program, and reserved stacks (64 MiB). At most
    /// [`MAX_WORKER_MEMORY`], the default.
    pub memory: u64,
    /// Seconds of CPU time of all threads. At most [`MAX_WORKER_SECONDS`], the default.
    pub seconds: u64,
    /// Run with a lower priority than other processes.
    pub yields: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory: MAX_WORKER_MEMORY, seconds: MAX_WORKER_SECONDS, yields: false }
    }
}

/// Whether this process was ended because it used up its CPU time. False on systems that do not report it.
#[must_use]
pub fn ended_by_time(status: ExitStatus) -> bool {
    system::ended_by_time(status)
}

/// Applies the limits to this process. Limits that are already lower stay.
pub(crate) fn apply(limits: &Limits) -> io::Result<()> {
    system::apply(limits)
}

#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd", target_os = "macos"))]
mod system {
    use std::io;
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;

    use rustix::process::{Resource, Rlimit, Signal, getrlimit, nice, setrlimit};

    use super::Limits;

    /// Added to the niceness of a process that yields.
    const NICE: i32 = 10;

    pub(super) fn apply(limits: &Limits) -> io::Result<()> {
        // No core dump if a limit ends the process.
        lower(Resource::Core, 0, 0)?;
        // SIGXCPU at the limit, and SIGKILL a second later.
        lower(Resource::Cpu, limits.seconds, limits.seconds.saturating_add(1))?;
        let memory = lower(Resource::As, limits.memory, limits.memory);
        // macOS has this limit but refuses to lower it.
        if !cfg!(target_os = "macos") {
            memory?;
        }
        if limits.yields {
            nice(NICE)?;
        }
        Ok(())
    }

    fn lower(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
        let present = getrlimit(resource);
        let least =
            |present: Option<u64>, wanted: u64| Some(present.map_or(wanted, |limit| limit.min(wanted)));
        let lowered = Rlimit { current: least(present.current, soft), maximum: least(present.maximum, hard) };
        Ok(setrlimit(resource, lowered)?)
    }

    pub(super) fn ended_by_time(status: ExitStatus) -> bool {
        status.signal() == Some(Signal::XCPU.as_raw())
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd", target_os = "macos")))]
mod system {
    use std::io;
    use std::process::ExitStatus;

    use super::Limits;

    pub(super) fn apply(_limits: &Limits) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn ended_by_time(_status: ExitStatus) -> bool {
        false
    }
}
