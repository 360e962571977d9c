//! Joins warnings of a document.

use gleaner_types::Document;

/// Appends to the `warning` of a document.
pub fn warn(document: &mut Document, warning: &str) {
    let first = document.warning.take();
    document.warning = Some(joined(first, warning));
}

/// Joins two warnings.
pub(crate) fn joined(first: Option<String>, second: &str) -> String {
    first.map_or_else(|| second.to_owned(), |first| format!("{first}; {second}"))
}
