//! Misbehaving servers, and servers that record what clients do.

mod canary;
mod pages;
mod proxy;
mod raw;

pub use canary::Canary;
pub use pages::{HostilePage, PageServer};
pub use proxy::ProxyServer;
pub use raw::{RawServer, Step};
