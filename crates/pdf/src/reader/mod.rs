//! Reads the objects, pages and texts of a file within budgets.
//!
//! `pdfboss-core` and `pdfboss-text` parse and decode. Everything that they read from the file comes from
//! [`File`], which counts it.

mod annotations;
mod bullets;
mod cff;
mod content;
mod file;
mod fonts;
mod links;
mod marks;
mod page;
mod pages;
mod sections;
mod sfnt;
mod table;
mod tame;
mod type3;
mod xfa;
mod xml;
mod xmp;

pub use self::content::MAX_PAGE_TEXTS;
pub(crate) use self::file::File;
pub use self::file::MAX_VALUES;
pub(crate) use self::links::Link;
pub(crate) use self::page::{ReadPage, Reader};
pub(crate) use self::pages::{PageNode, pages};
pub(crate) use self::xfa::form;
pub(crate) use self::xmp::xmp;
