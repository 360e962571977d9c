//! The queue of pages to crawl.

mod allowance;
mod changes;
mod config;
mod fair_queue;
mod frontier;
mod graph;
mod groups;
mod host;
mod host_queue;
mod hosts;
mod job;
mod model;
mod packed;
mod queue_size;
mod queued_page;
mod rate_controller;
mod scheduler;
mod seen;
mod slab;
mod spill;
mod timers;
mod traps;

pub use changes::{PageEnd, QueueChange, QueuedPage};
pub use config::{
    DEFAULT_INITIAL_PER_ADDRESS, DEFAULT_INITIAL_PER_HOST, DEFAULT_LEASE_TIME, DEFAULT_MAX_ATTEMPTS,
    DEFAULT_MAX_IN_FLIGHT, DEFAULT_MAX_QUEUED_BYTES, DEFAULT_MAX_QUEUED_BYTES_PER_JOB,
    DEFAULT_MAX_QUEUED_PER_JOB, FrontierConfig, JobRules, MAX_IDLE_HOSTS, MAX_WAIT,
};
pub use frontier::{Frontier, Restore};
pub use groups::{Group, GroupLoad};
pub use model::{
    Admitted, Candidate, Counts, DroppedPages, Finished, HostFeedback, HostLimits, HostLoad, HostPace,
    JobSlot, Lease, LeaseId, Leased, LostPage, Outcome,
};
pub use queue_size::QueueSize;
pub use rate_controller::{MAX_BEFORE_FIRST_RESPONSE, Observation};
pub use spill::{QueueSpill, SPILL_BLOCK_BYTES, SpilledBlock};
pub use traps::{Deferral, MAX_SHAPES, Trap, url_shape};

use url::{Position, Url};

use crate::identity::hash_route;

/// The part of a URL after the host: path, query and hash route.
fn path_of(url: &Url) -> &str {
    if hash_route(url).is_some() {
        &url[Position::BeforePath..]
    } else {
        &url[Position::BeforePath..Position::AfterQuery]
    }
}

/// The host, with the port if it is not the default of the scheme.
fn host_of(url: &Url) -> &str {
    &url[Position::BeforeHost..Position::AfterPort]
}

fn is_queueable(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && path_of(url).len() <= packed::MAX_PATH_BYTES
}
