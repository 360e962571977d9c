//! Renders pages with Chromium, whose only network is gleaner's guard.
//!
//! [`Browser`] implements [`Render`](gleaner_fetch::Render) of the fetcher. It starts a Chromium at
//! the first page and speaks the DevTools protocol with it over two pipes, so no port is open. Every page
//! gets a browser context of its own: cookies, storage and targets that end with it.
//!
//! - **Egress**: each request of a page is intercepted and answered through the fetcher's
//!   [`RenderProxy`](gleaner_fetch::RenderProxy). What escapes the interception reaches a proxy that
//!   refuses everything; no name is resolved.
//! - **Sandbox**: Chromium's own sandbox is on. A program that runs as root names another user for it.
//! - **Life**: dropping a render closes its page. The processes end with the [`Browser`], or with the
//!   program: Chromium ends when its pipes are closed.

#[cfg(not(unix))]
compile_error!("gleaner-browser speaks with Chromium over pipes that only Unix has");

mod action;
mod blocking;
mod browser;
mod builder;
mod capture;
mod config;
mod consent;
mod cookies;
mod document;
mod emulate;
mod find;
#[doc(hidden)]
pub mod fuzzing;
mod lossy;
mod page;
mod pool;
mod process;
mod protocol;
mod sec_fetch;
mod styles;
mod wire;

pub use browser::{Browser, BrowserStats, Inventory};
pub use builder::{
    BrowserBuilder, ConfigError, DEFAULT_RECYCLE_ABOVE_MEMORY, DEFAULT_RECYCLE_AFTER_PAGES,
    DEFAULT_START_TIMEOUT,
};
pub use find::BrowserNotFound;
