//! What is read off a page besides its content: links, images, metadata, attributes.

pub(crate) mod attributes;
mod byline;
mod date;
mod facts;
pub(crate) mod images;
pub(crate) mod link_pass;
pub(crate) mod links;
pub(crate) mod metadata;
mod month;
pub(crate) mod picture;
mod published;
pub(crate) mod shell;
mod slug;
pub(crate) mod structured;
mod title;
pub(crate) mod title_parts;
