//! One page, from its navigation to its result.

mod activity;
mod current;
mod events;
mod frames;
mod load;
pub(crate) mod ready;
mod render;
mod setup;
mod state;
mod tab;
mod visits;

pub(crate) use current::FrameTarget;
pub(crate) use render::render;
pub(crate) use tab::{SCRIPT_TIMEOUT, Tab, WORLD};
