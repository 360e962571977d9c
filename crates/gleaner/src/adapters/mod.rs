//! Implements the ports of the runtime with the crates for fetching and transforming.

mod cookies;
mod fetch;
mod transform;

pub(crate) use fetch::FetchAdapter;
pub(crate) use transform::{LinkRules, TransformAdapter};
