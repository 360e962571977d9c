//! The space that pages take in a queue.

use super::model::Candidate;
use super::packed;

/// The number of pages and the bytes that they take in a queue, for
/// [`Frontier::reserve`](crate::Frontier::reserve).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueSize {
    pub(super) pages: u64,
    pub(super) bytes: u64,
}

impl QueueSize {
    /// The size of these pages; `None` if one of them cannot be queued: it has another scheme than `http` or
    /// `https`, or the part of its URL after the host exceeds 64 KiB.
    #[must_use]
    pub fn of(pages: &[Candidate]) -> Option<Self> {
        let mut size = Self { pages: pages.len() as u64, bytes: 0 };
        for page in pages {
            if !super::is_queueable(&page.url) {
                return None;
            }
            size.bytes = size.bytes.saturating_add(packed::size_of(super::path_of(&page.url)));
        }
        Some(size)
    }

    /// What is left after this part.
    pub(super) const fn without(self, part: Self) -> Self {
        Self { pages: self.pages.saturating_sub(part.pages), bytes: self.bytes.saturating_sub(part.bytes) }
    }

    pub(super) const fn with(self, part: Self) -> Self {
        Self { pages: self.pages.saturating_add(part.pages), bytes: self.bytes.saturating_add(part.bytes) }
    }
}
