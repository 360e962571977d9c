//! Text from the network that is about to reach a terminal.

use std::borrow::Cow;

/// `text` without what a terminal takes as a command: C0 and C1 control characters and DEL become U+FFFD, save line feed
/// and tab. Bidirectional overrides, which make text read otherwise than it is, go the same way.
///
/// A page that holds an escape sequence could otherwise retitle the window, or rewrite lines that were printed before.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_unprintable) {
        Cow::Owned(
            text.chars().map(|letter| if is_unprintable(letter) { '\u{fffd}' } else { letter }).collect(),
        )
    } else {
        Cow::Borrowed(text)
    }
}

/// As [`printable`], and in one line: line feeds and tabs become spaces.
pub(crate) fn printable_line(text: &str) -> String {
    printable(text).replace(['\n', '\t'], " ")
}

fn is_unprintable(letter: char) -> bool {
    (letter.is_control() && !matches!(letter, '\n' | '\t'))
        || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_to_the_terminal_are_replaced_and_text_is_kept() {
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
}
