//! The store in memory with a journal: what it gives is what it would give without one.

mod compaction;
mod model;
mod reopened;
mod stalls;
