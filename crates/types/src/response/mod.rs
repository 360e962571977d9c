//! Answers on the wire. v2 and v1 share them unless a type says otherwise.
//!
//! Each answer is a whole body, including `success`: a transport only serialises it. Timestamps are RFC 3339
//! in UTC with milliseconds, as [`rfc3339`](crate::rfc3339) writes them.

mod activity;
mod error_body;
mod extract;
mod job;
mod map;
mod preview;
mod scrape;
mod team;

pub use activity::{Activities, Activity, ActivityKind};
pub use error_body::ErrorBody;
pub use extract::{ExtractStatus, ExtractSubmitted};
pub use job::{ActiveCrawl, ActiveCrawls, JobCancelled, JobErrors, JobStatus, JobSubmitted, ListedError};
pub use map::{MapLink, MapResponse, MapResponseV1};
pub use preview::{CrawlParams, CrawlParamsPreview};
pub use scrape::ScrapeResponse;
pub use team::{ConcurrencyCheck, CreditUsage, QueueStatus, TeamResponse, TokenUsage};
