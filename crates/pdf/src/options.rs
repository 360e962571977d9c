//! Limits on the cost of converting a PDF.

use serde::{Deserialize, Serialize};

/// Default most pages of one file that are converted.
pub const MAX_PAGES: u32 = 10_000;

/// Default most objects of one file.
pub const MAX_OBJECTS: usize = 1_000_000;

/// Default most bytes that the streams of one file may inflate to while it is read.
pub const MAX_INFLATED_BYTES: u64 = 256 * 1024 * 1024;

/// Most bytes of Markdown of one file.
pub const MAX_MARKDOWN_BYTES: usize = 64 * 1024 * 1024;

/// Limits of the cost of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Options {
    /// Most pages that are converted, from the first. Default: [`MAX_PAGES`].
    pub max_pages: u32,
    /// Most objects. A file that declares more is refused. Default: [`MAX_OBJECTS`].
    pub max_objects: usize,
    /// Most bytes that streams inflate to while the file is read; a stream counts each time. Conversion ends
    /// before the page that exceeds it. Default: [`MAX_INFLATED_BYTES`].
    pub max_inflated_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_pages: MAX_PAGES, max_objects: MAX_OBJECTS, max_inflated_bytes: MAX_INFLATED_BYTES }
    }
}

impl Options {
    /// Sets the most pages that are converted, from the first; 0 converts none and still counts them.
    #[must_use]
    pub const fn max_pages(mut self, pages: u32) -> Self {
        self.max_pages = pages;
        self
    }

    /// Sets the most objects. A file that declares more is refused.
    #[must_use]
    pub const fn max_objects(mut self, objects: usize) -> Self {
        self.max_objects = objects;
        self
    }

    /// Sets the most bytes that streams inflate to while the file is read.
    #[must_use]
    pub const fn max_inflated_bytes(mut self, bytes: u64) -> Self {
        self.max_inflated_bytes = bytes;
        self
    }
}
