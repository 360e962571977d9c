//! PDF bytes to Markdown, page by page, with hostile files as the normal case.
//!
//! The layout analysis is that of `pdf-inspector`, which reads files with `lopdf`. This crate stands before it: a file
//! is first looked through for what would cost more than it is worth (a [scan](Options::max_inflated_bytes) of its bytes
//! that inflates what is packed once and keeps nothing, then loads with bounds that weigh its tables and object streams,
//! inflate every stream which the analysis may read, and reckon how much its pages read again), the analysis runs in a thread of its own
//! with a large stack, where a panic is one file's failure, and what comes out is made safe to render.
//!
//! What a thread cannot hold back is an abort of the process: a stack that overflows all the same, or memory that cannot
//! be had. Nor can anything stop a file that costs more than was reckoned. Where files come from strangers, convert them
//! in a child process: [`serve`] is what such a process does, within limits that the operating system holds, and
//! [`request_head`] and [`read_answer`] are what its parent writes and reads. Starting it is the parent's to do.
//!
//! ```
//! use gleaner_pdf::{ErrorKind, Options, convert};
//!
//! let error = convert(b"<html>not a PDF</html>", &Options::default()).unwrap_err();
//! assert_eq!(*error.kind(), ErrorKind::NotPdf);
//! ```
//!
//! No I/O and no clock but those of [`serve`]; the memory held is a small multiple of the file and of
//! [`Options::max_inflated_bytes`], and a kilobyte for each text that is drawn ([`MAX_TEXTS`]).

mod convert;
mod cut;
mod error;
mod fonts;
mod forms;
mod limits;
mod load;
mod marks;
mod options;
mod safe;
mod scan;
mod shape;
mod streams;
mod wire;
mod worker;

pub use convert::{Converted, STACK_BYTES, convert};
pub use error::{Error, ErrorKind};
pub use fonts::MAX_FONT_BYTES;
pub use forms::MAX_FORM_BYTES;
pub use limits::{Limits, MAX_WORKER_MEMORY, MAX_WORKER_SECONDS, ended_by_time};
pub use marks::{MAX_MARK_PAIRS, MAX_PAGE_MARKS, MAX_TEXTS};
pub use options::{MAX_INFLATED_BYTES, MAX_MARKDOWN_BYTES, MAX_OBJECTS, MAX_PAGES, Options};
pub use shape::MAX_VALUES;
pub use wire::{MAX_ANSWER_BYTES, read_answer, request_head};
pub use worker::{WORKER_ENVIRONMENT, serve};
