//! Shared fakes of the behaviour tests: HTTP servers on loopback, model providers, and engines that may
//! connect to them.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "test code: a broken assumption ends the test"
)]

mod engine;
mod model;
mod server;

pub use engine::{engine, engine_builder, links_only, schema};
pub use model::{Ending, KEY, PROVIDERS, Task, base_url, model, model_builder, reply, request, task_of};
pub use server::{FakeResponse, FakeServer, ReceivedRequest};
