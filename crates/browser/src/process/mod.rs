//! One process of Chromium and what belongs to it: its pipes, its profile folder, its dead end.

mod dead_end;
pub(crate) mod memory;
mod spawn;
mod switches;

pub(crate) use spawn::{LaunchError, Process};
