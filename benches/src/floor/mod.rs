//! The least that a program must do: what gleaner is compared with.
//!
//! Each floor is written the way a careful engineer would write it for that one purpose, and does nothing else: no
//! robots.txt, no limits, no Markdown, no results.

mod crawl;
mod links;

pub use crawl::{Finder, client, crawl, fetch_all};
pub use links::{links_by_rewriter, links_by_tree};
