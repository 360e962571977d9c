//! Proxies: pools of them, which of them a request goes through, and when it goes again through a better one.
//!
//! Proxies are what the embedder configures and nothing else; the environment is never asked. A pool's own
//! addresses are held against a policy of the pool's, so that a proxy on a private network is opened by name
//! and opens nothing for pages.

mod bot_challenge;
mod connect;
mod pool;
#[expect(clippy::module_inception, reason = "one proxy, beside the pool of them")]
mod proxy;
mod route;
#[cfg(test)]
mod script;
mod secret;
mod socks5;

pub(crate) use bot_challenge::{is_wall, wants_better_proxy};
pub use pool::{MAX_COOL_DOWN, MAX_PROXIES, MIN_COOL_DOWN, ProxyPool};
pub use proxy::Proxy;
pub(crate) use proxy::{Destination, ProxyFailure};
pub use route::MAX_PROXY_TRIES;
pub(crate) use route::{Proxies, ProxySession, Tier};
