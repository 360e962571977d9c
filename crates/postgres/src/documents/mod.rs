//! The documents of jobs.

mod encoding;
mod expiry;
mod insert;
mod lost;
mod read;
mod stored;
mod take;

pub(crate) use self::encoding::{EncodedDocument, encode};
pub(crate) use self::insert::{NewDocument, insert};
pub(crate) use self::stored::{StoredDocument, document_at};
