//! Reads yes and no in several languages.

/// Words for yes, in lower case.
const YES: [&str; 13] =
    ["yes", "true", "ja", "oui", "sí", "si", "sim", "tak", "да", "1", "✓", "✔", "included"];
/// Words for no, in lower case.
const NO: [&str; 13] =
    ["no", "false", "nein", "non", "não", "nie", "нет", "0", "✗", "✘", "none", "not included", "nee"];

/// The answer that a text in lower case is.
pub(crate) fn yes_no(lower: &str) -> Option<bool> {
    if YES.contains(&lower) {
        Some(true)
    } else if NO.contains(&lower) {
        Some(false)
    } else {
        None
    }
}
