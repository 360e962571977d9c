//! The facts that a durable store writes, and their binary form.
//!
//! A store that survives its process writes what has happened, not what was called: *these pages were
//! admitted*, *this page ended so*, *this document*, *this event was delivered*. A new process folds the
//! facts of a job into its queue: admitted pages that have not ended wait. So a file does not depend on the
//! code of the queue that wrote it. Leases and the pace of hosts are no facts; they begin anew.
//!
//! [`LocalStore`](crate::LocalStore) makes the facts and folds them. A [`Journal`] writes them to a medium.
//!
//! Facts are written in blocks. A block contains everything that one change of the store means for one job,
//! and it is valid as a whole or not at all.
//!
//! ```text
//! block  = 0xb1, version, fact*, checksum (SipHash-1-3 of all before it, 8 bytes)
//! fact   = tag, length, field*
//! ```
//!
//! Numbers are in the variable-length form of LEB128, except for keys and ids, which are random and have a
//! fixed length. Later versions may add optional fields to the end of a fact; earlier ones skip them. A
//! reader stops at a kind of fact that it does not know, because it cannot tell what it would miss.
//!
//! A journal may [`compact`] the blocks of a job beside its work: it folds the oldest ones into a few blocks
//! of [parts](Part) that say the same in less space. Opening reads the parts and the later blocks, so it
//! costs what waits and not what was.
//!
//! ```
//! use gleaner_store::journal::{Block, BlockWriter, Damage, Fact, PageListWriter};
//! use gleaner_frontier::{Candidate, QueuedPage, UrlKey};
//!
//! let mut pages = PageListWriter::default();
//! pages.push(&QueuedPage {
//!     key: UrlKey::from_raw(7),
//!     https: true,
//!     external: false,
//!     host: "example.com",
//!     path: "/about",
//!     depth: 1,
//!     priority: Candidate::NORMAL,
//!     deferral: 0,
//! });
//! let mut block = BlockWriter::default();
//! block.push(&Fact::Admitted { by: None, pages: pages.finish() });
//! let bytes = block.finish();
//!
//! for fact in Block::open(&bytes)?.facts() {
//!     if let Fact::Admitted { pages, .. } = fact? {
//!         assert_eq!(pages.pages().count(), 1);
//!     }
//! }
//! assert_eq!(Block::open(&bytes[1..]), Err(Damage::Checksum));
//! # Ok::<(), Damage>(())
//! ```

mod block;
mod damage;
mod decoder;
mod durability;
mod fact;
mod field;
mod lists;
mod page_list;
mod port;
mod stored;
mod totals;
#[cfg(any(test, feature = "testing"))]
mod vec;

pub use block::{BLOCK_VERSION, Block, BlockWriter, Facts};
pub use damage::Damage;
pub(crate) use durability::Durability;
pub use fact::{Fact, NoteChange};
pub use lists::{Depths, DepthsWriter, Keys, KeysWriter};
pub use page_list::{PageList, PageListWriter, Pages};
pub use port::{
    Batch, Committed, Journal, MAX_JOB_NUMBER, NewDocument, NoJournal, Room, Row, Stall, StoredHistory,
    StoredScrape, StoredState,
};
pub use stored::{Part, ReadFacts, StoredDocument, StoredFacts};
pub use totals::Totals;
#[cfg(any(test, feature = "testing"))]
pub use vec::VecJournal;

pub use crate::memory::{
    Cleaned, Compacted, CompactedJob, clean, compact, compact_store, ended_pages, is_delivered,
};

#[cfg(test)]
mod properties;
