//! The check of requests: first the shape of the body, then the rules. It reports every fault of both and
//! returns a plan.

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
pub use wire::parse_json;
