//! Warnings about the parts of a sitemap that could not be read.

use std::fmt;

/// A part of a sitemap that could not be read. `Display` gives a sentence for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SitemapWarning {
    /// The file is not a sitemap, a feed or a list of URLs.
    NotASitemap,
    /// The file or its URLs together are larger than [`MAX_SITEMAP_BYTES`](super::MAX_SITEMAP_BYTES); the
    /// rest was not read.
    TooLarge,
    /// The file has more than [`MAX_SITEMAP_ENTRIES`](super::MAX_SITEMAP_ENTRIES) entries; the rest was not
    /// read.
    TooManyEntries,
    /// The gzip data is damaged or incomplete; the part that could be inflated was read.
    CorruptGzip,
    /// The XML is incomplete or malformed; the part before the error was read.
    Malformed {
        /// The position of the error, in bytes of the inflated file.
        position: u64,
    },
    /// Entries whose URL is missing, too long, invalid, or neither `http` nor `https`.
    BadUrls {
        /// The number of entries.
        count: u64,
    },
    /// References to entities that XML does not predefine. They were removed, never expanded.
    UnknownEntities {
        /// The number of entries.
        count: u64,
    },
}

impl fmt::Display for SitemapWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotASitemap => f.write_str("it is neither a sitemap, nor a feed, nor a list of URLs"),
            Self::TooLarge => f.write_str("it or its URLs are larger than 50 MiB; the rest was not read"),
            Self::TooManyEntries => f.write_str("it has more than 50000 entries; the rest was not read"),
            Self::CorruptGzip => {
                f.write_str("its gzip data is damaged or cut short; what could be inflated was read")
            }
            Self::Malformed { position } => {
                write!(f, "its XML is malformed at byte {position}; what stands before was read")
            }
            Self::BadUrls { count } => write!(f, "{count} entries have no usable URL"),
            Self::UnknownEntities { count } => {
                write!(f, "{count} references to unknown entities were left out")
            }
        }
    }
}
