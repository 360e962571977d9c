//! Compaction: the oldest blocks of a job become a few blocks that say the same in less space.
//!
//! Each step is one change of the journal, and changes no answer of a store that is opened over it. So a
//! journal may stop after any step, and a crash leaves nothing to repair.
//!
//! - [`compact`] folds the oldest blocks of the tail. Numbers, notes and retries become the new block of the
//!   state. Ended pages become a list of keys. Pages that still wait become a new block of the queue. Nothing
//!   else is kept of a page, unless the job has a depth limit: then the links of ended pages are.
//! - [`clean`] drops pages from a block of the queue that have ended since.
//!
//! What a crawl has learned about crawler traps is no fact, and is not kept.

mod job;
mod queue;
mod store;

pub use job::{Compacted, CompactedJob, compact};
pub use queue::{Cleaned, clean, ended_pages, is_delivered};
pub use store::compact_store;
