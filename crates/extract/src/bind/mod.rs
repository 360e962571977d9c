//! Binding: chooses which of the page's values belongs to each property of the schema.
//!
//! Every reader adds scored candidates to the pool of each property. Values that independent readers agree on
//! score higher. A learned model chooses among the rules' values and the other texts of the page ([`score`]);
//! without one, the score decides. Below the bound of the model, or [`MIN_CONFIDENCE`] without one, nothing is
//! chosen, as an empty field is better than a wrong one.

mod codes;
mod concept;
mod concepts;
mod displayed_price;
mod element_names;
mod entity;
mod inferred_availability;
mod labels;
mod list_values;
mod nested_lists;
mod node_names;
mod page;
mod phrases;
mod pool;
mod price_context;
mod price_on_request;
mod price_words;
mod records;
mod related_sections;
mod score;
mod shop;
mod state;
mod target;
mod text_nodes;
mod unrelated;
mod words;

pub use records::MAX_RECORDS;
pub use state::MAX_STATE_OBJECTS;

pub(crate) use concept::{concept_name, is_known, is_meant, is_number_name};
pub(crate) use entity::{scalar, values};
pub(crate) use node_names::NodeNames;
pub(crate) use page::{
    bind, bind_with, clear, drop_disallowed_nulls, empty_object, field_options, leaf_targets,
    missing_in_rows, offered_values, pointer_order, provenance, set_at, set_growing,
};
pub(crate) use score::{
    GROUPS, Model, OfferedValue, PageSegments, WIDTH, feature_names, group_of, is_long_text,
};
pub(crate) use target::TargetField;
pub(crate) use unrelated::UnrelatedParts;
pub(crate) use words::{TextWords, folded, letters, overlap, words};

/// Lower bound on the score of a chosen value.
pub const MIN_CONFIDENCE: f64 = 0.3;
