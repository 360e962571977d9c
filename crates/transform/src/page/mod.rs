//! What is read off a page besides its content: links, images, metadata, attributes.

pub(crate) mod attributes;
mod date;
mod facts;
pub(crate) mod images;
pub(crate) mod link_pass;
pub(crate) mod links;
pub(crate) mod metadata;
pub(crate) mod picture;
pub(crate) mod shell;
pub(crate) mod structured;
mod title;
