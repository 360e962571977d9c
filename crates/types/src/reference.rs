//! References relative to a URL.

use url::{ParseError, Url};

/// Parses a reference relative to `base`, as browsers do.
///
/// ```
/// let base = url::Url::parse("https://example.com/a/")?;
/// assert_eq!(gleaner_types::join(&base, "///other.example/b")?.as_str(), "https://other.example/b");
/// # Ok::<(), url::ParseError>(())
/// ```
///
/// # Errors
/// If the reference is not a URL.
pub fn join(base: &Url, reference: &str) -> Result<Url, ParseError> {
    base.join(host_reference(base, reference))
}

/// The reference with at most two slashes before its host: on the web, more of them mean the same (URL
/// Standard, "special authority ignore slashes state"), which `Url::join` refuses.
#[must_use]
pub fn host_reference<'a>(base: &Url, reference: &'a str) -> &'a str {
    let slashes = reference.find(|c| !matches!(c, '/' | '\\')).unwrap_or_default();
    if slashes < 3 || !matches!(base.scheme(), "http" | "https") {
        return reference;
    }
    reference.get(slashes - 2..).unwrap_or(reference)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_two_slashes_lead_to_a_host_on_the_web_alone() {
        let web = Url::parse("http://a.example/b/c").unwrap();
        for (reference, expected) in [
            ("///x.example/y", "http://x.example/y"),
            ("//\\/\\x.example", "http://x.example/"),
            ("\\\\\\x.example/../y", "http://x.example/y"),
            ("//x.example", "http://x.example/"),
            ("/y///z", "http://a.example/y///z"),
            ("", "http://a.example/b/c"),
        ] {
            assert_eq!(join(&web, reference).unwrap().as_str(), expected, "{reference}");
        }
        assert!(join(&web, "///").is_err());
        let file = Url::parse("file:///a/b").unwrap();
        assert_eq!(join(&file, "///c").unwrap().as_str(), "file:///c");
    }
}
