//! The `gleaner` program from outside.
#![expect(clippy::unwrap_used, reason = "tests may panic")]

mod basics;
#[cfg(target_os = "linux")]
mod browser;
mod config;
mod doctor;
mod durable;
#[cfg(target_os = "linux")]
mod ending;
mod extract;
#[cfg(target_os = "linux")]
mod full_disk;
mod jobs;
mod network;
mod openapi;
mod pdf;
mod secrets;
mod shell;
mod summary;
mod support;
mod webhook;
