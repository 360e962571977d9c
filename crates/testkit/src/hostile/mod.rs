//! Servers that do what no server should.

mod canary;
mod raw;

pub use canary::Canary;
pub use raw::{RawServer, Step};
