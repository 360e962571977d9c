//! The contract of gleaner: requests, options, documents, events and errors.
//!
//! Two forms of every request live here. The *wire form* ([`request`]) mirrors the JSON of the public
//! web-data API field by field. The *checked form* ([`plan`]) is what the engine works on: every default
//! filled in, every rule already held. The only way from one to the other is the check, which reports all
//! [`Fault`]s of a request at once, each with its JSON path.
//!
//! No I/O, no clock, no async runtime.

mod check;
mod document;
mod error;
pub mod event;
mod id;
mod job;
pub mod limits;
pub mod plan;
pub mod request;
pub mod response;
mod safe_url;

pub use check::parse_json;
pub use document::{ActionResults, CacheState, Document, MetaValue, Metadata, ProxyUsed};
pub use error::{ErrorCode, Fault, Faults, PageError};
pub use id::JobId;
pub use job::{ExtractState, JobKind, JobState};
pub use safe_url::SafeUrl;
