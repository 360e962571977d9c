//! Proxies: their pools, which proxy a request goes through, and when it is repeated through a better one.
//!
//! Only the embedder configures proxies; the environment is never read. The addresses of proxies are checked
//! against a policy of their pool, so a proxy on a private network can be allowed without allowing pages
//! there.

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

pub(crate) use bot_challenge::{is_bot_challenge, wants_better_proxy};
pub use pool::{MAX_COOL_DOWN, MAX_PROXIES, MIN_COOL_DOWN, ProxyPool};
pub use proxy::Proxy;
pub(crate) use proxy::{Destination, ProxyFailure};
pub use route::MAX_PROXY_TRIES;
pub(crate) use route::{Proxies, ProxySession, Tier};
