use serde::{Deserialize, Serialize};

/// Pages of one file that are converted unless a request asks for fewer.
pub const MAX_PAGES: u32 = 10_000;

/// Objects that one file may declare.
pub const MAX_OBJECTS: usize = 1_000_000;

/// Bytes that the streams of one file may inflate to, pictures left out.
pub const MAX_INFLATED_BYTES: u64 = 256 * 1024 * 1024;

/// Bytes of Markdown that one file may give.
pub const MAX_MARKDOWN_BYTES: usize = 64 * 1024 * 1024;

/// What may be spent on a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Options {
    /// At most so many pages are converted, from the first; [`MAX_PAGES`] by default.
    pub max_pages: u32,
    /// A file that declares more objects is refused; [`MAX_OBJECTS`] by default.
    pub max_objects: usize,
    /// A file whose streams inflate to more bytes is refused, pictures left out; [`MAX_INFLATED_BYTES`] by default.
    pub max_inflated_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_pages: MAX_PAGES, max_objects: MAX_OBJECTS, max_inflated_bytes: MAX_INFLATED_BYTES }
    }
}

impl Options {
    /// At most so many pages are converted, from the first; 0 converts none and still counts them.
    #[must_use]
    pub const fn max_pages(mut self, pages: u32) -> Self {
        self.max_pages = pages;
        self
    }

    /// A file that declares more objects is refused.
    #[must_use]
    pub const fn max_objects(mut self, objects: usize) -> Self {
        self.max_objects = objects;
        self
    }

    /// A file whose streams inflate to more bytes is refused, pictures left out.
    #[must_use]
    pub const fn max_inflated_bytes(mut self, bytes: u64) -> Self {
        self.max_inflated_bytes = bytes;
        self
    }
}
