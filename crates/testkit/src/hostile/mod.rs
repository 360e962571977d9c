//! Servers that do what no server should.

mod canary;
mod proxy;
mod raw;

pub use canary::Canary;
pub use proxy::ProxyServer;
pub use raw::{RawServer, Step};
