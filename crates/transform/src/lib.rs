//! Pure page transformation of gleaner: bytes in, [`Document`](gleaner_types::Document) out.
//!
//! A page is parsed once into an arena tree. Links, images, metadata, main content, Markdown and cleaned HTML
//! are all read from that tree. There is no I/O, no clock, and no recursion over the depth of the input.
//!
//! Time and memory grow at most linearly with the input. What could grow faster (selectors over siblings,
//! links with a long base, blocks of text) has a bound. Beyond the bound the output is cut, and usually the
//! page's warning says what was left out. All work ends soon after its
//! [`Interrupt`](gleaner_types::Interrupt) is raised. [`page_memory`] bounds the memory of one page;
//! [`transform_within`] takes a lower bound.
//!
//! Only the links of a page, for pages that are crawled but not stored:
//!
//! ```
//! use gleaner_transform::{Input, links};
//!
//! let url = "https://example.org/docs/".parse()?;
//! let body = b"<a href=intro.html>Intro</a> <a href=javascript:x>no</a>";
//! let found = links(Input::new(&url, Some("text/html"), body))?;
//! assert_eq!(found.links[0].url.as_str(), "https://example.org/docs/intro.html");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`html_to_markdown`] converts a piece of HTML. [`transform`] makes a whole document of the contract.
//! [`transform_on_site`] also leaves out what recurs on the pages of a site, with a bounded [`SiteMemory`].

mod ad_block;
mod body;
mod branding;
mod charset;
mod content;
mod error;
mod footnote;
mod html;
mod label;
mod markdown;
mod memory;
mod names;
mod notice;
mod page;
mod resolver;
mod select;
mod summary;
mod transform;
mod tree;
mod unseen;
mod view;
mod words;

#[doc(hidden)]
pub use content::training;

pub use branding::add_computed_styles;
pub use charset::{CharsetSource, DOCUMENT_CHARSET, Decoded, decode};
pub use content::SiteMemory;
pub use error::{Error, ErrorKind};
pub use memory::{MAX_PAGE_MEMORY, page_memory};
pub use page::links::{Link, LinkKind, MAX_LINKS, PageLinks};
pub use resolver::MAX_RESOLVED_BYTES;
pub use select::{MAX_SELECTOR_BYTES, SELECTOR_STEPS_PER_BYTE, Selection};
pub use transform::{
    Input, MAX_BODY_BYTES, Page, check_selector, html_to_markdown, links, transform, transform_on_site,
    transform_within,
};

pub(crate) use markdown::fence as markdown_fence;

/// PDF conversion in a separate process: the messages between the processes, and the page made from the
/// result.
#[cfg(feature = "pdf")]
pub mod pdf {
    pub use gleaner_pdf::{
        Converted, Error, Limits, MAX_ANSWER_BYTES, MAX_WORKER_MEMORY, MAX_WORKER_SECONDS, Options,
        WORKER_ENVIRONMENT, ended_by_time, read_answer, request_head, serve,
    };

    pub use crate::body::pdf::{convert_options, converted_page};
}
