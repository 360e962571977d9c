//! Renders pages with Chromium, whose only network is gleaner's guard.

mod config;
mod emulate;
mod find;
mod page;
mod pool;
mod process;
mod protocol;
mod sec_fetch;
mod wire;

pub use find::BrowserNotFound;
