//! The queue in the database: pages that a job has seen, blocks of waiting pages, and the commits of finished
//! pages.

mod admission;
mod block;
mod caches;
mod commit;
mod committer;
mod effects;
mod finish;
mod finished;
mod graph;
mod graph_tables;
mod host;
mod offer;

pub(crate) use self::admission::{NewPages, admit, check_capacity, queue_space};
pub(crate) use self::block::{BlockPage, DecodedBlock, encode_block};
pub(crate) use self::caches::{Additions, Caches};
pub(crate) use self::committer::Committer;
pub(crate) use self::finished::{BlockId, CommittedPage, EndedPage, EndedRow, GivenUp};
pub(crate) use self::host::HeldHosts;
