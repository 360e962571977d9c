//! What a process has used, as `/proc` reports it.

use std::{fs, io};

/// Peak memory of this process so far (`VmHWM`), in KiB; `None` if the system does not report it.
#[must_use]
pub fn peak_memory() -> Option<u64> {
    number("/proc/self/status", "VmHWM:")
}

/// Memory of this process now (`VmRSS`), in KiB; `None` if the system does not report it.
#[must_use]
pub fn resident_memory() -> Option<u64> {
    number("/proc/self/status", "VmRSS:")
}

/// Peak memory of another process so far, or since [`reset_peak_memory`], in KiB; `None` if the system does
/// not report it.
#[must_use]
pub fn peak_memory_of(process: u32) -> Option<u64> {
    number(&format!("/proc/{process}/status"), "VmHWM:")
}

/// Memory of another process now, in KiB; `None` if the system does not report it.
#[must_use]
pub fn resident_memory_of(process: u32) -> Option<u64> {
    number(&format!("/proc/{process}/status"), "VmRSS:")
}

/// Makes the peak memory of another process that of now (proc_pid_clear_refs(5)).
///
/// # Errors
/// If the system does not permit it.
pub fn reset_peak_memory(process: u32) -> io::Result<()> {
    fs::write(format!("/proc/{process}/clear_refs"), "5")
}

/// Bytes that this process has sent to a disk so far, in whole pages of memory; `None` if the system does not
/// report it.
#[must_use]
pub fn written_bytes() -> Option<u64> {
    number("/proc/self/io", "write_bytes:")
}

fn number(file: &str, field: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(field))?;
    value.trim().trim_end_matches(" kB").parse().ok()
}
