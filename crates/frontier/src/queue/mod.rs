//! The queue of pages to crawl.

mod allowance;
mod cold;
mod config;
mod frontier;
mod graph;
mod groups;
mod host;
mod hosts;
mod job;
mod lane;
mod model;
mod packed;
mod round;
mod seen;
mod slab;
mod tempo;
mod timers;
mod traps;
mod yard;

pub use cold::{COLD_BLOCK_BYTES, ColdBlock, ColdStorage};
pub use config::{
    DEFAULT_LEASE_TIME, DEFAULT_MAX_ATTEMPTS, DEFAULT_MAX_IN_FLIGHT, DEFAULT_MAX_PER_ADDRESS,
    DEFAULT_MAX_PER_HOST, DEFAULT_MAX_QUEUED_BYTES, DEFAULT_MAX_QUEUED_BYTES_PER_JOB,
    DEFAULT_MAX_QUEUED_PER_JOB, FrontierConfig, JobRules, MAX_IDLE_HOSTS, MAX_WAIT,
};
pub use frontier::Frontier;
pub use groups::{Group, GroupLoad};
pub use model::{
    Admitted, Candidate, Counts, DroppedPages, Finished, HostLimits, JobSlot, Lease, LeaseId, Leased,
    LostPage, Outcome, Pace,
};
pub use tempo::{MAX_BEFORE_FIRST_ANSWER, Observation};
pub use traps::{MAX_SHAPES, PutOff, Trap};

use url::{Position, Url};

use crate::identity::hash_route;

/// The part of a URL behind the host: path, query and hash route.
fn rest_of(url: &Url) -> &str {
    if hash_route(url).is_some() {
        &url[Position::BeforePath..]
    } else {
        &url[Position::BeforePath..Position::AfterQuery]
    }
}

/// The host, and the port where it is not the scheme's default.
fn host_of(url: &Url) -> &str {
    &url[Position::BeforeHost..Position::AfterPort]
}

fn is_queueable(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && rest_of(url).len() <= packed::MAX_REST
}
