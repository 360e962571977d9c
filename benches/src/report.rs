//! The cost of one crawl.

use std::fmt;
use std::time::Duration;

use crate::peak_memory;

/// The outcome of one crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// Pages fetched.
    pub pages: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
    /// Links found on them, including repeats.
    pub links: u64,
    /// Time from the first request to the last response.
    pub elapsed: Duration,
}

impl Report {
    /// Pages per second.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a rate that is only printed")]
    pub fn rate(&self) -> f64 {
        self.pages as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

impl fmt::Display for Report {
    /// One line of JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{{\"pages\":{},\"pages_per_second\":{:.0},\"seconds\":{:.3},\"bytes\":{},\"links\":{},\
             \"peak_memory_kib\":{}}}",
            self.pages,
            self.rate(),
            self.elapsed.as_secs_f64(),
            self.bytes,
            self.links,
            peak_memory().unwrap_or(0),
        )
    }
}
