//! The test suites for implementations of the ports of this crate: call one in a test of yours.
//!
//! Each panics at the first rule that is broken, with a message. They need a tokio runtime whose time is not
//! paused.
//!
//! ```
//! use gleaner_fetch::{MemoryCache, conformance};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! conformance::cache_store(&MemoryCache::default()).await;
//! # }
//! ```

pub use crate::cache::conformance::cache_store;
pub use crate::render::conformance::render;
pub use crate::resolve::conformance::resolve;
