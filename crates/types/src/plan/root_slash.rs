//! URLs as their users write them. The URL standard adds a slash to a URL without a path
//! (`https://example.com`). Users who wrote it without a slash look for it without one.

use std::borrow::Cow;

use url::{Position, Url};

/// Whether `reference`, from which `url` was parsed, has a host and no path, so that the slash of `url` was
/// added. References relative to a page have no host.
///
/// ```
/// use gleaner_types::plan::omits_slash;
///
/// let url = url::Url::parse("https://example.com")?;
/// assert!(omits_slash("https://example.com", &url) && !omits_slash("https://example.com/", &url));
/// # Ok::<(), url::ParseError>(())
/// ```
#[must_use]
pub fn omits_slash(reference: &str, url: &Url) -> bool {
    let Some((before, rest)) = reference.split_once("//") else { return false };
    let is_web = |scheme: &str| ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    let names_host = before.is_empty() || before.strip_suffix(':').is_some_and(is_web);
    let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
    let path = rest.get(end..).unwrap_or_default();
    names_host && end > 0 && !path.starts_with(['/', '\\']) && url.path() == "/"
}

/// The URL without the slash of an empty path.
///
/// ```
/// use gleaner_types::plan::without_slash;
///
/// for (url, written) in [
///     ("https://example.com/", "https://example.com"),
///     ("https://example.com/?q", "https://example.com?q"),
///     ("https://example.com/a/", "https://example.com/a/"),
/// ] {
///     assert_eq!(without_slash(&url::Url::parse(url)?), written);
/// }
/// # Ok::<(), url::ParseError>(())
/// ```
#[must_use]
pub fn without_slash(url: &Url) -> Cow<'_, str> {
    let (before, after) = (&url[..Position::BeforePath], &url[Position::AfterPath..]);
    match (url.path(), after) {
        ("/", "") => Cow::Borrowed(before),
        ("/", after) => Cow::Owned(format!("{before}{after}")),
        _ => Cow::Borrowed(url.as_str()),
    }
}

/// The URL as it was written: without the slash if that was added.
#[must_use]
pub fn as_written(url: &Url, slash_added: bool) -> Cow<'_, str> {
    if slash_added { without_slash(url) } else { Cow::Borrowed(url.as_str()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_host_without_a_path_omits_the_slash() {
        let base = Url::parse("https://example.com/").unwrap();
        for (reference, omits) in [
            ("https://example.com", true),
            ("HTTP://example.com:8080", true),
            ("//example.com", true),
            ("https://example.com?q", true),
            ("https://example.com#part", true),
            ("https://example.com/", false),
            ("https://example.com\\", false),
            ("https://example.com/?q", false),
            ("https://example.com/a", false),
            ("", false),
            ("/", false),
            ("?q=//x", false),
            ("#//", false),
        ] {
            let url = base.join(reference).unwrap();
            assert_eq!(omits_slash(reference, &url), omits, "{reference}");
            if omits {
                let written = without_slash(&url);
                assert_eq!(Url::parse(&written).as_ref(), Ok(&url), "{reference}: the same URL");
                assert!(!written.ends_with('/') && !written.contains("/?"), "{reference}: {written}");
            }
        }
    }
}
