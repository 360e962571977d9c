//! The content of `Refresh` and of `<meta http-equiv="refresh">`.

/// White space of HTML.
const SPACE: [char; 5] = ['\t', '\n', '\u{C}', '\r', ' '];

/// When a page asks to be replaced, and by what (HTML Standard, "shared declarative refresh steps").
///
/// ```
/// use gleaner_types::Refresh;
///
/// let refresh = Refresh::parse("3; URL = '/next'").unwrap();
/// assert_eq!((refresh.seconds, refresh.url), (3, "/next"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refresh<'a> {
    /// The delay in whole seconds; `u64::MAX` if it is longer.
    pub seconds: u64,
    /// The URL as written, relative to the base of the page. If it is empty, the page loads itself again.
    pub url: &'a str,
}

impl<'a> Refresh<'a> {
    /// Parses the content; `None` if a browser ignores it.
    #[must_use]
    pub fn parse(content: &'a str) -> Option<Self> {
        let content = content.trim_start_matches(SPACE);
        let digits = content.find(|character: char| !character.is_ascii_digit()).unwrap_or(content.len());
        let (number, rest) = content.split_at_checked(digits)?;
        if number.is_empty() && !rest.starts_with('.') {
            return None;
        }
        let seconds = if number.is_empty() { 0 } else { number.parse().unwrap_or(u64::MAX) };
        let rest = rest.trim_start_matches(|character: char| character == '.' || character.is_ascii_digit());
        if !rest.is_empty() && !rest.starts_with([';', ',']) && !rest.starts_with(SPACE) {
            return None;
        }
        let rest = rest.trim_start_matches(SPACE);
        let target = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_start_matches(SPACE);
        Some(Self { seconds, url: address(target).trim_matches(SPACE) })
    }
}

/// The URL of `url='/next'`.
fn address(target: &str) -> &str {
    let value = match target.split_at_checked(3) {
        Some((name, after)) if name.eq_ignore_ascii_case("url") => {
            let Some(value) = after.trim_start_matches(SPACE).strip_prefix('=') else { return target };
            value.trim_start_matches(SPACE)
        }
        _ => target,
    };
    let mut inside = value.chars();
    match inside.next() {
        Some(quote @ ('"' | '\'')) => inside.as_str().split(quote).next().unwrap_or_default(),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_are_those_of_the_standard() {
        for (content, expected) in [
            ("0", Some((0, ""))),
            ("5;", Some((5, ""))),
            ("0;url=/n", Some((0, "/n"))),
            ("0;/n", Some((0, "/n"))),
            ("0 /n", Some((0, "/n"))),
            ("0,/n", Some((0, "/n"))),
            (" \t\n\u{C}\r1 \n; \t uRL \n= \t '/n' x", Some((1, "/n"))),
            ("0;url=\"/n", Some((0, "/n"))),
            ("0;url='/n\"'", Some((0, "/n\""))),
            ("0;'/n'", Some((0, "/n"))),
            ("0;url=", Some((0, ""))),
            ("0;url", Some((0, "url"))),
            ("0;url/n", Some((0, "url/n"))),
            ("0;ur=/n", Some((0, "ur=/n"))),
            ("0;;/n", Some((0, ";/n"))),
            ("0;url=url=/n", Some((0, "url=/n"))),
            ("1.5.7;/n", Some((1, "/n"))),
            (".5;/n", Some((0, "/n"))),
            (".", Some((0, ""))),
            ("99999999999999999999;/n", Some((u64::MAX, "/n"))),
            ("0;ü/ñ", Some((0, "ü/ñ"))),
            ("", None),
            (";/n", None),
            ("url=/n", None),
            ("-1;/n", None),
            ("0x;/n", None),
            ("0url=/n", None),
        ] {
            let found = Refresh::parse(content).map(|refresh| (refresh.seconds, refresh.url));
            assert_eq!(found, expected, "{content:?}");
        }
    }
}
