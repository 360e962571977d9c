//! Texts of a request in messages: short, on one line, without control characters.

/// Longest part of a request that a message repeats, in characters.
const MAX_ECHO_CHARS: usize = 80;

/// The beginning of a text, with `…` if it was cut.
pub(crate) fn shorten(text: &str) -> String {
    let mut characters = text.chars();
    let mut short: String = characters.by_ref().take(MAX_ECHO_CHARS).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}

/// A text in quotes, shortened and escaped.
pub(crate) fn quote(text: &str) -> String {
    format!("{:?}", shorten(text))
}

/// A URL in quotes for a message, without parts that may contain secrets: user name, password, query and
/// fragment.
#[cfg(feature = "contract")]
pub(crate) fn quote_url(text: &str) -> String {
    let end = text.find(['?', '#']).unwrap_or(text.len());
    let (visible, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let (before, after) = match visible.rsplit_once('@') {
        Some((before, after)) => (before, Some(after)),
        None => (visible, None),
    };
    let shown = match after {
        Some(after) => {
            let scheme =
                before.split_once("://").map(|(scheme, _)| format!("{scheme}://")).unwrap_or_default();
            format!("{scheme}…@{after}")
        }
        None => before.to_owned(),
    };
    let mut shown = shorten(&shown);
    if !rest.is_empty() && !shown.ends_with('…') {
        shown.push('…');
    }
    format!("{shown:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_urls_contain_no_secrets() {
        for (url, shown) in [
            ("https://a.example/x?token=hush#y", "\"https://a.example/x…\""),
            ("https://me:hush@a.example/", "\"https://…@a.example/\""),
            ("me:hush@a.example", "\"…@a.example\""),
            ("ftp://a.example", "\"ftp://a.example\""),
        ] {
            assert_eq!(quote_url(url), shown);
        }
    }

    #[test]
    fn long_values_are_cut_and_control_characters_escaped() {
        assert_eq!(quote("a\u{1b}[31m\n"), "\"a\\u{1b}[31m\\n\"");
        assert_eq!(shorten(&"é".repeat(1000)).chars().count(), MAX_ECHO_CHARS + 1);
    }
}
