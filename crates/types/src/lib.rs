//! The contract of gleaner: requests, options, documents, events and errors.
//!
//! Every request has two forms. The *wire form* ([`request`]) mirrors the JSON of the public web-data API
//! field by field. The *checked form* ([`plan`]) is the engine's input: every default is filled in, and every
//! rule holds. Only the check turns one into the other. It reports all [`Fault`]s of a request at once, each
//! with its JSON path.
//!
//! The crate also has the answers and errors ([`response`]), the payloads of webhooks and watchers
//! ([`event`]) and every default and bound ([`limits`]). It uses no I/O, no clock and no async runtime.
//!
//! # A request from JSON
//!
//! ```
//! use gleaner_types::plan::CrawlPlan;
//! use serde_json::json;
//!
//! let plan = CrawlPlan::from_json(&json!({ "url": "example.com/docs/", "limit": 50 }))?;
//! assert_eq!(plan.target.url.as_str(), "https://example.com/docs/");
//!
//! let body = json!({ "url": "example.com", "maxDepth": 3, "limit": 0 });
//! let faults = CrawlPlan::from_json(&body).unwrap_err();
//! let messages: Vec<&str> = faults.as_slice().iter().map(|fault| fault.message.as_str()).collect();
//! assert_eq!(
//!     messages,
//!     [
//!         "`limit` must be an integer of at least 1, not 0",
//!         "unknown field `maxDepth`: in v2 it is `maxDiscoveryDepth`",
//!     ]
//! );
//! # Ok::<(), gleaner_types::Faults>(())
//! ```
//!
//! # A request of v1
//!
//! ```
//! use gleaner_types::request::v1;
//! use serde_json::json;
//!
//! let body = json!({ "urls": ["https://example.com/a.pdf"], "parsePDF": false });
//! let plan = v1::BatchScrapeRequest::plan_from_json(&body)?;
//! assert!(plan.options.pdf.is_none());
//! assert!(!plan.options.skip_tls_verification); // v1's default; v2's is true
//! # Ok::<(), gleaner_types::Faults>(())
//! ```
//!
//! # Features
//!
//! `contract`, on by default: requests, plans, documents, events and errors, and the JSON of all types.
//! Without it, the crate needs no serde, and has what the rules of crawls need:
//! [`CrawlRules`](plan::CrawlRules) and their patterns, [`FaultPath`], [`domain`], [`media`], [`limits`] and
//! small types beside them.

mod box_future;
#[cfg(feature = "contract")]
mod check;
#[cfg(feature = "contract")]
mod document;
pub mod domain;
#[cfg(feature = "contract")]
mod error;
#[cfg(feature = "contract")]
pub mod event;
mod fault_path;
#[cfg(feature = "contract")]
mod id;
mod interrupt;
#[cfg(feature = "contract")]
mod job;
pub mod limits;
pub mod media;
pub mod plan;
mod quote;
#[cfg(feature = "contract")]
mod redacted;
mod reference;
mod refresh;
#[cfg(feature = "contract")]
pub mod request;
#[cfg(feature = "contract")]
pub mod response;
mod safe_url;
#[cfg(feature = "contract")]
mod timestamp;
#[cfg(feature = "contract")]
mod weight;

pub use box_future::BoxFuture;
#[cfg(feature = "contract")]
pub use check::{Checked, RequestBounds, parse_json};
#[cfg(feature = "contract")]
pub use document::{ActionResults, CacheState, Document, FetchEngine, MetaValue, Metadata, ProxyUsed};
#[cfg(feature = "contract")]
pub use error::{ErrorCode, Fault, Faults, MAP_TIMED_OUT, PageError, SCRAPE_TIMED_OUT};
pub use fault_path::{FaultPath, PathPart};
#[cfg(feature = "contract")]
pub use id::JobId;
pub use interrupt::{Interrupt, RaiseOnDrop};
#[cfg(feature = "contract")]
pub use job::{ExtractState, JobKind, JobState};
pub use reference::{host_reference, join};
pub use refresh::Refresh;
pub use safe_url::SafeUrl;
#[cfg(feature = "contract")]
pub use timestamp::rfc3339;
#[cfg(feature = "contract")]
pub use weight::{is_heavier, weight};
