//! Texts with places to lines, blocks and tables in reading order, for one page at a time.
//!
//! Each step is a file: [`layers`] drops invisible texts over visible ones; [`slanted`] takes texts at an
//! angle; [`token`] cuts the texts of a page into pieces in a frame in which they read from left to right and
//! downward; [`mono`] finds fonts of code; [`margin`] drops numbers of lines; [`bullets`] finds bullets that
//! are shapes; [`heads`] turns heads of tables; [`notes`] puts values of forms behind their labels;
//! [`accents`] puts accents on their letters; [`fragment`] joins the pieces of a line; [`ruled`] finds tables
//! between lines; [`cells`] divides cells that nearly touch; [`columns`] finds the order of columns, with
//! [`wide`] tables over them; [`line`] joins what is on one line; [`aligned`] finds tables without lines;
//! [`hyphen`] tells breaks of words from their hyphens. [`tagged`] replaces these steps where the file says
//! what its texts are, with [`tagged_table`] for the columns of its tables. All of them are linear in the
//! texts of a page, or sort them.

mod accents;
mod aligned;
mod bidi;
mod bullets;
mod cells;
mod chars;
mod columns;
mod fragment;
mod heads;
mod hyphen;
mod layers;
mod line;
mod margin;
mod mono;
mod notes;
mod page;
mod ruled;
mod slanted;
mod table;
mod tagged;
mod tagged_table;
mod text;
mod token;
mod wide;
mod widths;

pub(crate) use self::chars::key;
pub(crate) use self::line::Line;
pub(crate) use self::margin::Margin;
pub(crate) use self::page::{Item, PageLayout, Region, is_unreadable, lay_out, paragraphs};
pub(crate) use self::table::Table;
pub(crate) use self::tagged::{Block, Role};
pub(crate) use self::text::Text;
