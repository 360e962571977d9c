//! Reads what a page has besides its content: links, images, metadata, attributes.

pub(crate) mod attributes;
mod byline;
mod date;
pub(crate) mod images;
mod inferred;
pub(crate) mod json_ld;
pub(crate) mod link_pass;
pub(crate) mod links;
pub(crate) mod metadata;
mod month;
pub(crate) mod picture;
pub(crate) mod shell;
mod shell_vocabulary;
mod slug;
pub(crate) mod state;
mod tag_metadata;
mod title;
pub(crate) mod title_parts;
