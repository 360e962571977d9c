//! Shared fakes of the behaviour tests: services on loopback, model providers, and engines that may reach
//! them.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "code of tests: a broken assumption ends the test"
)]

mod engine;
mod model;
mod service;

pub use engine::{engine, links_only, local, schema};
pub use model::{Ending, KEY, PROVIDERS, Task, base, builder, model, reply, request, task_of};
pub use service::{Asked, Fake, Says};
