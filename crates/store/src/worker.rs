//! Workers, and the leases that they hold.

use std::fmt;
use std::time::Duration;

use uuid::Uuid;

/// Identifies one run of an engine, which leases pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(Uuid);

impl WorkerId {
    /// A new id, which no other worker has.
    #[must_use]
    pub fn random() -> Self {
        Self(Uuid::now_v7())
    }

    /// The worker with this id.
    #[must_use]
    pub const fn from_uuid(id: Uuid) -> Self {
        Self(id)
    }

    /// The id.
    #[must_use]
    pub const fn as_uuid(&self) -> Uuid {
        self.0
    }
}

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Identifies a lease. The store makes the ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeaseId {
    /// Distinguishes the leases of one epoch. Several leases of a page may share it in different epochs.
    pub number: u64,
    /// The run of the store, or the term of the worker, in which the page was leased. A lease of an earlier
    /// epoch is never valid.
    pub epoch: u64,
}

/// The result of [`Store::renew`](crate::Store::renew).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Renewal {
    /// The term of the worker ends at this time, since the Unix epoch, unless it is renewed before; `None` if
    /// it has no end.
    pub renew_before: Option<Duration>,
    /// Leases that the worker has lost: work on their pages should stop.
    pub lost: Vec<LeaseId>,
}

impl Renewal {
    /// A term without an end, with no lost leases.
    #[must_use]
    pub const fn unlimited() -> Self {
        Self { renew_before: None, lost: Vec::new() }
    }
}
