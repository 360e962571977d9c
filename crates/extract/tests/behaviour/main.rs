//! What a program that embeds the crate would notice, with models that are scripted.

mod budget;
mod hostile;
mod lists;
mod lying;
mod page;
mod support;
