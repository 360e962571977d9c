//! Asking a model for what the page's own evidence left open.

mod answer;
mod extractor;
mod list;
mod prompt;
mod units;

pub use extractor::{Coverage, Extractor, MAX_LEAF_CALLS, PageExtraction, Task};
pub use list::{MAX_LIST_CALLS, MAX_ROWS_PER_CALL};
