//! The kinds of crawler traps, and the deferral of a page.

use std::fmt;

/// Why a page is deferred: crawled after the other pages of its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Trap {
    /// The same path segment occurs three times: a link relative to itself (`/a/b/a/b/a`).
    RepeatedSegments,
    /// More path segments than real sites use.
    VeryDeep,
    /// One of many URLs with a session id.
    SessionId,
    /// One of many URLs that end with a date, or query one.
    Calendar,
    /// One of many combinations of query parameters.
    Facets,
    /// One of very many URLs that differ only in a number or name.
    ManyAlike,
    /// One of many URLs whose pages have nearly the same text.
    NearDuplicates,
}

impl Trap {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::RepeatedSegments,
        Self::VeryDeep,
        Self::SessionId,
        Self::Calendar,
        Self::Facets,
        Self::ManyAlike,
        Self::NearDuplicates,
    ];

    /// Number of URLs of a shape that are crawled before it is deferred.
    pub(super) const fn threshold(self) -> u32 {
        match self {
            Self::RepeatedSegments | Self::VeryDeep | Self::NearDuplicates => 0,
            Self::SessionId => 8,
            Self::Calendar => 24,
            Self::Facets => 32,
            Self::ManyAlike => 2000,
        }
    }
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RepeatedSegments => "the same path segment occurs three times",
            Self::VeryDeep => "it has more than 16 path segments",
            Self::SessionId => "it is one of many URLs with a session id",
            Self::Calendar => "it is one of many URLs that name a date",
            Self::Facets => "it is one of many combinations of query parameters",
            Self::ManyAlike => "it is one of very many URLs of the same shape",
            Self::NearDuplicates => "the pages of its shape have nearly the same text",
        })
    }
}

/// Why, and how far, a page is deferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Deferral {
    /// The reason.
    pub trap: Trap,
    /// Number of URLs with its shape that the job has found.
    pub same_shape: u32,
    /// The distance, 1 to 15: a page with a smaller distance goes first, whatever its depth and priority.
    pub distance: u8,
}
