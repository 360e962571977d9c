//! PDF bytes to Markdown, page by page, with hostile files as the normal case.
//!
//! The layout analysis is that of `pdf-inspector`, which reads files with `lopdf`. This crate stands before it: a file
//! is first looked through for what would cost more than it is worth (a [scan](Options::max_inflated_bytes) of its bytes
//! that inflates what is packed once and keeps nothing, then loads with bounds that weigh its tables and object streams,
//! inflate every stream which the analysis may read, and reckon how much its pages read again), the analysis runs in a thread of its own
//! with a large stack, where a panic is one file's failure, and what comes out is made safe to render.
//!
//! What a thread cannot hold back is an abort of the process: a stack that overflows all the same, or memory that cannot
//! be had. Where files come from strangers and the process must not end, convert in a child process.
//!
//! ```
//! use gleaner_pdf::{ErrorKind, Options, convert};
//!
//! let error = convert(b"<html>not a PDF</html>", &Options::default()).unwrap_err();
//! assert_eq!(*error.kind(), ErrorKind::NotPdf);
//! ```
//!
//! No I/O, no clock; the memory held is a small multiple of the file and of [`Options::max_inflated_bytes`].

mod convert;
mod cut;
mod error;
mod fonts;
mod forms;
mod load;
mod options;
mod safe;
mod scan;
mod shape;
mod streams;

pub use convert::{Converted, STACK_BYTES, convert};
pub use error::{Error, ErrorKind};
pub use fonts::MAX_FONT_BYTES;
pub use forms::MAX_FORM_BYTES;
pub use options::{MAX_INFLATED_BYTES, MAX_OBJECTS, MAX_PAGES, Options};
pub use shape::MAX_VALUES;
