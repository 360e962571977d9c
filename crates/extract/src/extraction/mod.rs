//! Reading pages: the page's own evidence first, then a model for the fields that the evidence leaves open.

mod answer;
mod choices;
mod extractor;
mod list;
mod matched_run;
mod plain_values;
mod prompt;
mod prose;
mod record;
mod record_run;
mod row_schema;
mod session;
mod site;
mod summarise;
mod withheld;

pub(crate) use answer::object as answer_object;
pub use extractor::{ClusterPageResult, Coverage, Extractor, PageExtraction, Task};
pub use list::{MAX_LIST_CALLS, MAX_ROWS_PER_CALL};
pub use plain_values::MAX_VALUES_CALLS;
pub(crate) use prompt::fence;
pub use prose::MAX_PROSE_CALLS;
pub use session::MAX_LEAF_CALLS;
pub use site::{MAX_UNPAID_PAGES, SiteMemory, SitePosition, extract_pages};
pub use summarise::{MAX_SUMMARY_CALLS, PageSummary};
