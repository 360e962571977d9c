//! What one crawl cost.

use std::fmt;
use std::time::Duration;

/// The outcome of one crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// Pages fetched.
    pub pages: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
    /// Links found on them, repeats included.
    pub links: u64,
    /// From the first request to the last answer.
    pub elapsed: Duration,
}

impl Report {
    /// Pages a second.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a rate for people to read")]
    pub fn rate(&self) -> f64 {
        self.pages as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

impl fmt::Display for Report {
    /// One line of JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{{\"pages\":{},\"pages_per_second\":{:.0},\"seconds\":{:.3},\"bytes\":{},\"links\":{},\"peak_memory_kib\":{}}}",
            self.pages,
            self.rate(),
            self.elapsed.as_secs_f64(),
            self.bytes,
            self.links,
            peak_memory().unwrap_or(0),
        )
    }
}

/// The most memory that this process has held so far (`VmHWM`), in KiB; `None` where the system does not say.
#[must_use]
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}
