//! PDF bytes to Markdown, page by page, with hostile files as the normal case.
//!
//! `pdf-inspector` analyses the layout; it reads files with `lopdf`. This crate protects both:
//!
//! - A file is first checked for its cost. A [scan](Options::max_inflated_bytes) of its bytes inflates each
//!   stream once and keeps nothing. Then bounded loads check its tables and object streams, inflate every
//!   stream that the analysis may read, and estimate how often its pages read them again.
//! - The analysis runs in a thread of its own with a large stack, where a panic is the failure of one file.
//! - The Markdown is made safe to render.
//!
//! A thread cannot prevent an abort of the process: by a stack that overflows anyway, or by a failed
//! allocation. Nor can it stop a file that costs more than estimated. So convert files from strangers in a
//! child process: [`serve`] does the child's work within limits that the operating system enforces, and
//! [`request_head`] and [`read_answer`] are for its parent, which starts and ends it.
//!
//! ```
//! use gleaner_pdf::{ErrorKind, Options, convert};
//!
//! let error = convert(b"<html>not a PDF</html>", &Options::default()).unwrap_err();
//! assert_eq!(*error.kind(), ErrorKind::NotPdf);
//! ```
//!
//! Only [`serve`] does I/O or uses a clock. The memory in use is a small multiple of the file and of
//! [`Options::max_inflated_bytes`], plus a kilobyte for each text that is drawn ([`MAX_TEXTS`]).

mod content;
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
mod syntax;
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
