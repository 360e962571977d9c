//! Fits the crates of the network and of pages to the ports of the runtime.

mod fetch;
mod transform;

pub(crate) use fetch::FetchAdapter;
pub(crate) use transform::{LinkRules, TransformAdapter};
