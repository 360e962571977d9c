//! Pure page transformation of gleaner: bytes in, [`Document`](gleaner_types::Document) out.
//!
//! A page is parsed once into an arena tree; links, images, metadata, main content, Markdown and cleaned HTML are all
//! read off it. No I/O, no clock, no recursion on input depth. Time and memory grow no faster than the input: what could
//! (selectors over siblings, links below a long base, blocks of text) has a bound, beyond which the page's warning says
//! what was left out, or less is given. All of it ends soon after its [`Interrupt`](gleaner_types::Interrupt) is raised,
//! and the memory of one page is bounded by [`page_memory`], or by what it is told ([`transform_within`]).
//!
//! Links alone, for pages that are only crawled through:
//!
//! ```
//! use gleaner_transform::{Input, links};
//!
//! let url = "https://example.org/docs/".parse()?;
//! let body = b"<a href=intro.html>Intro</a> <a href=javascript:x>no</a>";
//! let found = links(Input { url: &url, content_type: Some("text/html"), body })?;
//! assert_eq!(found.links[0].url.as_str(), "https://example.org/docs/intro.html");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Markdown of a piece of HTML: [`html_to_markdown`]. Whole documents as the contract has them: [`transform`].

mod address;
mod body;
mod branding;
mod charset;
mod content;
mod error;
mod footnote;
mod furniture;
mod html;
mod markdown;
mod memory;
mod names;
mod page;
mod select;
mod summary;
mod transform;
mod tree;
mod view;
mod words;

#[doc(hidden)]
pub use content::training;

pub use address::MAX_RESOLVED_BYTES;
pub use body::is_pdf;
pub use charset::{CharsetSource, Decoded, decode};
pub use error::{Error, ErrorKind};
pub use memory::{MAX_PAGE_MEMORY, page_memory};
pub use page::links::{Link, LinkKind, MAX_LINKS, PageLinks};
pub use select::{MAX_SELECTOR_BYTES, SELECTOR_STEPS_PER_BYTE, Selection};
pub use summary::WARNING as EXTRACTIVE_SUMMARY;
pub use transform::{
    Input, MAX_BODY_BYTES, Page, check_selector, html_to_markdown, links, transform, transform_within,
};

pub(crate) use markdown::fence as markdown_fence;

/// PDFs that are converted in another process: what passes between it and its parent, and what becomes of it.
#[cfg(feature = "pdf")]
pub mod pdf {
    pub use gleaner_pdf::{
        Converted, Error, Limits, MAX_ANSWER_BYTES, MAX_WORKER_MEMORY, MAX_WORKER_SECONDS, Options,
        WORKER_ENVIRONMENT, ended_by_time, read_answer, request_head, serve,
    };

    pub use crate::body::pdf::{convert_options, converted_page};
}
