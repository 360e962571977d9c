use gleaner_types::Document;

/// Adds to the `warning` of a document.
pub fn warn(document: &mut Document, remark: &str) {
    let first = document.warning.take();
    document.warning = Some(joined(first, remark));
}

/// Two remarks as one text.
pub(crate) fn joined(first: Option<String>, remark: &str) -> String {
    first.map_or_else(|| remark.to_owned(), |first| format!("{first}; {remark}"))
}
