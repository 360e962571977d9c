//! Text from the network on a terminal.

use std::borrow::Cow;

use gleaner::SafeUrl;
use url::Url;

/// `text` without terminal control: C0 and C1 control characters and DEL become U+FFFD, except line feed and
/// tab. So do bidirectional overrides, which make text look different from what it is.
///
/// Otherwise, an escape sequence in a page could change the window title or overwrite earlier lines.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_unprintable) {
        Cow::Owned(
            text.chars().map(|letter| if is_unprintable(letter) { '\u{fffd}' } else { letter }).collect(),
        )
    } else {
        Cow::Borrowed(text)
    }
}

/// Like [`printable`], in one line: line feeds and tabs become spaces.
pub(crate) fn printable_line(text: &str) -> String {
    printable(text).replace(['\n', '\t'], " ")
}

/// A URL in one line without possible secrets: user name, password, fragment and the values of its query.
/// Only files and standard output contain those.
pub(crate) fn printable_url(url: &Url) -> String {
    printable_line(&SafeUrl::from(url).to_string())
}

/// Like [`printable_url`], for a URL as users write it, possibly without a scheme.
pub(crate) fn printable_target(text: &str) -> String {
    if let Ok(url) = Url::parse(text)
        && url.has_host()
    {
        return printable_url(&url);
    }
    let end = text.find(['?', '#']).unwrap_or(text.len());
    let (shown, hidden) = text.split_at_checked(end).unwrap_or((text, ""));
    let authority = shown.trim_start_matches('/').split('/').next().unwrap_or_default();
    let shown = match authority.rsplit_once('@') {
        Some((_, host)) => {
            let path = shown.trim_start_matches('/').strip_prefix(authority).unwrap_or_default();
            format!("{host}{path}")
        }
        None => shown.to_owned(),
    };
    let mark = if hidden.is_empty() { "" } else { "…" };
    printable_line(&format!("{shown}{mark}"))
}

fn is_unprintable(letter: char) -> bool {
    (letter.is_control() && !matches!(letter, '\n' | '\t'))
        || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_control_is_replaced_and_text_is_kept() {
        for (name, text, want) in [
            ("plain", "a tea\n\thouse: 茶", "a tea\n\thouse: 茶"),
            ("escape", "\u{1b}[2Jgone", "\u{fffd}[2Jgone"),
            ("C1 introducer", "\u{9b}31m", "\u{fffd}31m"),
            ("carriage return", "safe\rfake", "safe\u{fffd}fake"),
            ("override", "gnp\u{202e}.exe", "gnp\u{fffd}.exe"),
        ] {
            assert_eq!(printable(text), want, "{name}");
        }
        assert_eq!(printable_line("two\nlines"), "two lines");
    }

    #[test]
    fn urls_are_shown_without_possible_secrets() {
        for (text, want) in [
            ("https://example.com/a?token=hush&page=2#hush", "https://example.com/a?token=…&page=…"),
            ("https://me:hush@example.com/a", "https://example.com/a"),
            ("example.com/a?token=hush", "example.com/a…"),
            ("localhost:3000/@me", "localhost:3000/@me"),
            ("me:hush@example.com/a", "example.com/a"),
            ("//me:hush@example.com", "example.com"),
            ("maybe", "maybe"),
            ("", ""),
        ] {
            assert_eq!(printable_target(text), want, "{text}");
        }
    }
}
