//! PDF bytes to Markdown, page by page, with hostile files as the normal case.
//!
//! `pdfboss-core` parses files and `pdfboss-text` finds their texts. This crate bounds both, and makes
//! Markdown of the texts:
//!
//! - Everything that the parsers read comes through budgets: values, [inflated
//!   bytes](Options::max_inflated_bytes), and the [texts](MAX_PAGE_TEXTS) that a page draws. A first page
//!   that exceeds one is an error; a later one ends the conversion.
//! - The layout puts texts in reading order. It finds columns, paragraphs, headings, lists, tables, code and
//!   links, and drops running heads and numbers of lines. Tags of the file replace it where they cover a page.
//! - It runs in a thread of its own with a large stack, where a panic is the failure of one file.
//! - The Markdown is made safe to render.
//!
//! A thread cannot prevent an abort of the process: by a stack that overflows anyway, or by a failed
//! allocation. Nor can it stop a file that takes long. So convert files from strangers in a child process:
//! [`serve`] does the child's work within limits that the operating system enforces, and [`request_head`] and
//! [`read_answer`] are for its parent, which starts and ends it.
//!
//! ```
//! use gleaner_pdf::{ErrorKind, Options, convert};
//!
//! let error = convert(b"<html>not a PDF</html>", &Options::default()).unwrap_err();
//! assert_eq!(*error.kind(), ErrorKind::NotPdf);
//! ```
//!
//! Only [`serve`] does I/O or uses a clock. The memory in use is a small multiple of the file and of
//! [`Options::max_inflated_bytes`], plus half a kilobyte for each text that a page draws.

mod convert;
mod document;
mod error;
mod layout;
mod limits;
mod options;
mod reader;
mod safe;
mod wire;
mod worker;

pub use convert::{Converted, STACK_BYTES, convert};
pub use error::{Error, ErrorKind};
pub use limits::{Limits, MAX_WORKER_MEMORY, MAX_WORKER_SECONDS, ended_by_time};
pub use options::{MAX_INFLATED_BYTES, MAX_MARKDOWN_BYTES, MAX_OBJECTS, MAX_PAGES, Options};
pub use reader::{MAX_PAGE_TEXTS, MAX_VALUES};
pub use wire::{MAX_ANSWER_BYTES, read_answer, request_head};
pub use worker::{WORKER_ENVIRONMENT, serve};
