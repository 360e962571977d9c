//! The least work that a program must do, for comparison with gleaner.
//!
//! Each floor is careful code for one purpose and does nothing else: no robots.txt, no limits, no Markdown,
//! no results.

mod crawl;
mod links;

pub use crawl::{Finder, client, crawl, fetch_all};
pub use links::{links_by_rewriter, links_by_tree};
