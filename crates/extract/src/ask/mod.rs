//! Asking a model for what the page's own evidence left open.

mod among;
mod answer;
mod extractor;
mod list;
mod prompt;
mod prose;
mod record;
mod stated;
mod summarise;
mod units;
mod values;

pub use among::{MAX_UNPAID_PAGES, SiteMemory, SitePosition};
pub(crate) use answer::object as answer_object;
pub use extractor::{Coverage, Extractor, MAX_LEAF_CALLS, PageExtraction, RecalledPage, Task};
pub use list::{MAX_LIST_CALLS, MAX_ROWS_PER_CALL};
pub(crate) use prompt::fence;
pub use prose::MAX_PROSE_CALLS;
pub use summarise::{MAX_SUMMARY_CALLS, PageSummary};
pub use values::MAX_VALUES_CALLS;
