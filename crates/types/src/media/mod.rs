//! Media types: read from headers and names of files, computed from first bytes, and what each is for a
//! reader of pages. The fetcher, the transform, the frontier and the command all ask here, so that they agree
//! on what is a page.

mod extension;
mod kind;
mod media_type;
mod sniff;

pub use extension::of_extension;
pub use kind::MediaKind;
pub use media_type::MediaType;
pub use sniff::{SNIFFED_BYTES, computed, is_binary_byte, is_pdf, is_recognised, is_text, signature};
