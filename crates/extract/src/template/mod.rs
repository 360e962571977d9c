//! What the pages of a template teach about each other.
//!
//! [`TemplateMemory`]: values that a model found on two pages of a template are found on its other pages
//! without a model.
//!
//! One program writes all pages of a kind on a site, so a value stands at the same mark on each of them. From
//! the values that a model found and that were verified, this module induces rules that lead to them: labels
//! and attributes before positions, as those survive a change of layout. A rule counts once two pages confirm
//! it. Every page is checked for its structure, its share of filled fields, and the type of each value. A
//! page that does not fit is read by the model again, which either confirms the rules or starts a new layout.
//!
//! Without a model, [`SiteTexts`] compares the texts of the pages. What is constant over pages is template,
//! and what varies is a value: titles lose the name of the shop, and labels are known by their recurrence.
//!
//! Alternative: wrappers learned from the page alone. Without values that are known to be right, nothing
//! distinguishes a price from a postcode.

mod memory;
mod page_view;
pub(crate) mod recurring;
mod rule;
mod short_texts;
mod signature;
mod site_texts;
mod title_parts;

pub use memory::{MAX_CLUSTERS, MAX_LAYOUTS, MAX_RULES, MIN_SUPPORT, TemplateDrift, TemplateMemory};
pub use site_texts::{MAX_TAUGHT_PAGES, SiteTexts};

pub(crate) use recurring::Recurring;
