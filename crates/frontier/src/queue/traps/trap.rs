use std::fmt;

/// Why a page is put off: crawled after the others of its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Trap {
    /// The same path segment three times: a link relative to itself (`/a/b/a/b/a`).
    RepeatedSegments,
    /// More path segments than people make.
    VeryDeep,
    /// One of many URLs with a session id.
    SessionId,
    /// One of many URLs that end with a date, or ask for one.
    Calendar,
    /// One of many combinations of query parameters.
    Facets,
    /// One of very many URLs that differ only in a number or name.
    ManyAlike,
    /// One of many URLs whose pages say nearly the same.
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

    /// So many of a shape are crawled before it is put off.
    pub(super) const fn patience(self) -> u32 {
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
            Self::RepeatedSegments => "the same path segment comes three times",
            Self::VeryDeep => "it has more than 16 path segments",
            Self::SessionId => "it is one of many URLs with a session id",
            Self::Calendar => "it is one of many URLs that name a date",
            Self::Facets => "it is one of many combinations of query parameters",
            Self::ManyAlike => "it is one of very many URLs of the same shape",
            Self::NearDuplicates => "the pages of its shape say nearly the same",
        })
    }
}

/// Why, and how far, a page is put off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deferral {
    /// Why.
    pub trap: Trap,
    /// How many of its shape the job has come upon.
    pub alike: u32,
    /// How far back it goes, 1 to 15: what is less far goes first, whatever its depth and priority.
    pub distance: u8,
}
