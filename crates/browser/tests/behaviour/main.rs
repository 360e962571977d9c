//! Behaviour with a real Chromium. Without one, each test says that it was skipped; with `CI=true`, that is a
//! failure.

mod actions;
mod conformance;
mod documents;
mod emulation;
mod escapes;
mod life;
mod pages;
mod screenshots;
mod support;
