//! What this process has used, as `/proc` reports it.

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

/// Bytes that this process has sent to a disk so far, in whole pages of memory; `None` if the system does not
/// report it.
#[must_use]
pub fn written_bytes() -> Option<u64> {
    number("/proc/self/io", "write_bytes:")
}

fn number(file: &str, field: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(field))?;
    value.trim().trim_end_matches(" kB").parse().ok()
}
