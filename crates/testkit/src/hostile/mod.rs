//! Servers that do what no server should.

mod canary;
mod pages;
mod proxy;
mod raw;

pub use canary::Canary;
pub use pages::{HostilePage, PageServer};
pub use proxy::ProxyServer;
pub use raw::{RawServer, Step};
