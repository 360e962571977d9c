//! Pure crawl rules of gleaner: canonical URLs, scope, depth, robots, sitemaps, and the in-memory queue.
mod error;
mod identity;
mod percent;
mod queue;
mod robots;
mod scope;
mod site;
pub mod sitemap;

pub use error::{Error, ErrorKind};
pub use identity::{DEFAULT_SEED, Identity, UrlKey};
pub use queue::{
    Admitted, Candidate, Counts, DEFAULT_LEASE_TIME, DEFAULT_MAX_ATTEMPTS, DEFAULT_MAX_IN_FLIGHT, DEFAULT_MAX_PER_HOST,
    DEFAULT_MAX_QUEUED_PER_JOB, Finished, Frontier, FrontierConfig, JobRules, JobSlot, Lease, LeaseId, Leased, LostPage,
    MAX_IDLE_HOSTS, MAX_SHAPES, MAX_WAIT, Observation, Outcome, Pace, PutOff, Trap,
};
pub use robots::{MAX_CRAWL_DELAY, MAX_ROBOTS_BYTES, MAX_ROBOTS_SITEMAPS, RobotsPolicy, RobotsRule};
pub use scope::{
    CrawlScope, Decision, MAX_COMPILED_PATTERNS, MAX_PATTERN_CHARS, MAX_PATTERNS, MAX_URL_BYTES, Reason,
};
pub use sitemap::{Sitemap, SitemapEntry, SitemapWarning};
