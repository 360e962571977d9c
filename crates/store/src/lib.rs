//! The store of gleaner, which is also its queue.
//!
//! The store keeps a job, its waiting pages, its documents and its failures together, so that each step of a
//! page is one transaction: a page is leased, fetched, and finished together with its links. The lease of a
//! page that is not finished expires, the page is leased again, and its document is stored once.
//!
//! The contract of [`Store`] allows several workers. With a store that [survives its
//! process](Store::is_durable), jobs go on in the next one: it compiles them again from their requests.
//!
//! [`Store`] is the contract. [`MemoryStore`] implements it in memory; documents above a limit, and long
//! queues, go to temporary files. [`LocalStore`] is the same over a [`journal`], which survives the process.
//! With the feature `testing`, `conformance` is the test suite for every store.
//!
//! ```
//! # async fn example() -> Result<(), gleaner_store::Error> {
//! use std::time::Duration;
//! use gleaner_store::{MemoryStore, Store, WorkerId};
//!
//! let store = MemoryStore::default();
//! let now = Duration::from_secs(1_700_000_000);
//! assert!(store.lease(WorkerId::random(), 10, now).await?.pages.is_empty());
//! # Ok(())
//! # }
//! ```

mod accounting;
mod admission;
mod conclusion;
#[cfg(feature = "testing")]
pub mod conformance;
mod ended_jobs;
mod error;
mod given_up;
mod history;
mod host_hold;
mod job;
pub mod journal;
mod memory;
mod note;
mod outbox;
pub mod parts;
mod queue_spill;
mod request;
mod result_space;
mod results;
mod scrape;
mod store;
mod stored_form;
mod stored_job;
mod team;
mod warning;
mod worker;

pub use accounting::{Accounting, EndedJob, Reservation, Shortage, grant_operation};
pub use admission::Admission;
pub use conclusion::Conclusion;
pub use ended_jobs::EndedJobs;
pub use error::{Error, ErrorKind};
pub use history::{HistoryKey, PastScrape, TrackedScrape};
pub use host_hold::{HostGuard, HostHold};
pub use job::{
    BlockedPage, FailurePosition, FinishedPage, JobFailure, JobListing, JobSnapshot, JsonSlice, LeasedPage,
    Leases, NewJob, PageFailure, PageFailures, PageOutcome, ReadBound, Receipt, Retention, Slice, WaitingFor,
};
pub use memory::{
    ALWAYS_LISTED_FAILURES, LocalStore, MAX_ACTIVITIES, MAX_ALL_LISTED_FAILURES, MAX_HISTORIES,
    MAX_HISTORY_BYTES, MAX_IDEMPOTENCY_KEYS, MAX_KEPT_SCRAPE_BYTES, MAX_KEPT_SCRAPES, MAX_LISTED_FAILURES,
    MAX_UNSETTLED_JOBS, MemoryConfig, MemoryStore,
};
pub use note::{MAX_NOTE_BYTES, MAX_NOTES_PER_JOB, Note, NoteKind, NoteValue};
pub use outbox::{
    DELIVERY_LEASE, DeadLetter, DeliveryOutcome, DueEvent, DueEvents, EventId, MAX_LISTED_DEAD_LETTERS,
};
pub use request::{ApiVersion, JobRequest};
pub use result_space::{DEFAULT_ALL_RETAINED_BYTES, DEFAULT_SPILLED_BYTES};
pub use results::{DEFAULT_RETAINED_BYTES, MAX_UNREAD_BYTES, MAX_UNREAD_DOCUMENTS};
pub use scrape::scrape_id;
pub use store::Store;
pub use stored_job::StoredJob;
pub use team::{JobAccount, TeamId, TeamLoad};
pub use warning::{JobWarning, MAX_WARNINGS};
pub use worker::{LeaseId, Renewal, WorkerId};
