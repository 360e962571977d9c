//! Grounding: no claim of a model comes out unless the page states it.
//!
//! A claim is a value with a quote. The quote must be on the page, and the value must follow from the quote
//! by a declared normaliser. The result is the normaliser's value, never the model's own. A claim that fails
//! is empty, with a reason. Whether a quote is about the right property is the model's judgement and is not
//! proved.

mod clause;
mod folded_text;
mod link_address;
mod link_table;
mod number;
mod token;
mod verifier;
mod visible_text;

pub(crate) use folded_text::FoldedText;
pub(crate) use link_table::LinkTable;
pub use link_table::MAX_LINK_IDS;
pub use verifier::MAX_CLAIMS;
pub(crate) use verifier::{ClaimOutcome, ClaimVerifier};
