//! The store of gleaner is its queue.
//!
//! A job, its pages waiting, its documents and its failures live in one place, so that each step of a page is one
//! transaction: a page is leased, worked on, and finished together with the links it gave. Whoever crashes
//! in between loses a lease, which expires; another worker takes the page, and its document is stored once.
//!
//! [`Store`] is the contract, [`MemoryStore`] keeps it in memory (documents beyond a bound go to a temporary
//! file), and [`conformance`] is the suite that every store runs.
//!
//! ```
//! # async fn example() -> Result<(), gleaner_store::Error> {
//! use std::time::Duration;
//! use gleaner_store::{MemoryStore, Store};
//!
//! let store = MemoryStore::default();
//! let now = Duration::from_secs(1_700_000_000);
//! assert!(store.lease(10, now).await?.pages.is_empty());
//! # Ok(())
//! # }
//! ```

pub mod conformance;
mod error;
mod job;
mod memory;
mod results;
mod store;

pub use error::{Error, ErrorKind};
pub use job::{
    FinishedPage, JobKind, JobSnapshot, LeasedPage, Leases, NewJob, PageFailure, PageFailures, PageOutcome,
    ReadBound, Receipt, Retention, Slice,
};
pub use memory::{MAX_LISTED_FAILURES, MemoryConfig, MemoryStore};
pub use results::{DEFAULT_RETAINED_BYTES, MAX_UNREAD_BYTES, MAX_UNREAD_DOCUMENTS};
pub use store::Store;
