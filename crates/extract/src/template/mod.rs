//! Template memory: what a model found on two pages of one template is found on the others without it.
//!
//! A site's pages of one kind are written by one program, so a value stands at the same mark on each. From
//! the values that a model found and the gate proved, rules are induced that lead to them: labels and
//! attributes before positions, as those outlive a change of layout. A rule counts once two pages bear it
//! out. Every page is checked: its structure, its share of filled places, each value's type. What does not
//! fit is read by the model again, which either confirms the rule or begins a new layout.
//!
//! Why not wrappers that are learned from the page alone: without values that are known to be right there is
//! nothing to tell a price from a postcode.

mod memory;
mod page_view;
mod rule;
mod signature;

pub use memory::{Drift, MAX_CLUSTERS, MAX_LAYOUTS, MAX_RULES, MIN_SUPPORT, TemplateMemory};
