//! From a body to a plan: the shape first, then the rules, and every fault of both.

mod actions;
mod bounds;
mod country;
mod formats;
mod headers;
mod hints;
mod json_schema;
mod language;
mod location;
mod path;
mod patterns;
mod report;
mod rules;
mod shape;
mod text;
mod walk;
mod webhook;
mod wire;

pub use bounds::{Checked, RequestBounds};
pub(crate) use text::{quote, quote_url, shorten};
pub use wire::parse_json;
