//! The transform from outside: bytes of a page in, a document out.

mod charset;
mod content;
mod document;
mod embedded_state;
mod feeds;
mod files;
mod forms;
mod hostile;
mod injection;
mod languages;
mod markdown;
mod parts;
#[cfg(feature = "pdf")]
mod pdf;
mod shell_set;
mod shells;
mod site_memory;
