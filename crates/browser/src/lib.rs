//! Renders pages with Chromium, whose only network is gleaner's guard.

mod capture;
mod config;
mod consent;
mod document;
mod emulate;
mod find;
mod page;
mod pool;
mod process;
mod protocol;
mod sec_fetch;
mod styles;
mod wire;

pub use find::BrowserNotFound;
