//! The reasons why stored bytes cannot be read.

use std::fmt;

/// Why stored bytes cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damage {
    /// The bytes end too early.
    Truncated,
    /// The checksum does not match.
    Checksum,
    /// A value is impossible.
    Invalid,
    /// A later version wrote them.
    Newer,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "the record ends too early",
            Self::Checksum => "the checksum of the record does not match",
            Self::Invalid => "the record has an impossible value",
            Self::Newer => "a later version wrote the record",
        })
    }
}

impl std::error::Error for Damage {}
