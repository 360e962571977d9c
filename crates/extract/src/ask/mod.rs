//! Asking a model for what the page's own evidence left open.

mod answer;
mod extractor;
mod list;
mod prompt;
mod units;

pub(crate) use answer::object as answer_object;
pub use extractor::{Coverage, Extractor, MAX_LEAF_CALLS, PageExtraction, RecalledPage, Task};
pub use list::{MAX_LIST_CALLS, MAX_ROWS_PER_CALL};
