//! Structured data: fits `gleaner-extract` to the documents of pages and to the desk's port.
//!
//! The format `json` is read off a page while it is transformed, without a model and so without waiting. Extract jobs are
//! done by the [`Planner`], which scrapes through the engine's own room and asks the embedder's model, if there is one,
//! within a budget.

mod fields;
mod planner;
mod shape;
mod sources;

pub(crate) use fields::{fill, reading};
pub use planner::DEFAULT_EXTRACT_TOKENS;
pub(crate) use planner::{Planner, PlannerParts};
pub use sources::{MAX_EXTERNAL_PAGES, MAX_EXTRACT_PAGES};
