//! Invisible characters in front of addresses: copied texts have them, and an address with one is another one.

/// Invisible characters with a name.
const NAMED: [(char, &str); 8] = [
    ('\u{a0}', "no-break space"),
    ('\u{ad}', "soft hyphen"),
    ('\u{200b}', "zero-width space"),
    ('\u{200c}', "zero-width non-joiner"),
    ('\u{200d}', "zero-width joiner"),
    ('\u{200e}', "left-to-right mark"),
    ('\u{2060}', "word joiner"),
    ('\u{feff}', "byte-order mark"),
];

/// Says which character of an address is invisible, if one is, and where. It looks in front of the host only:
/// a path may have any character.
pub(crate) fn invisible(address: &str) -> Option<String> {
    let end = address.find("://").unwrap_or(address.len());
    let before = address.get(..end).unwrap_or_default();
    let start = before.chars().take_while(|letter| !letter.is_ascii_alphanumeric()).count();
    let checked = if end < address.len() { before.chars().count() } else { start };
    let (place, letter) =
        before.chars().take(checked).enumerate().find(|(_, letter)| is_invisible(*letter))?;
    let name = NAMED.iter().find(|(named, _)| *named == letter).map(|(_, name)| format!(" ({name})"));
    let (place, code) = (place + 1, u32::from(letter));
    Some(format!(
        "character {place} is U+{code:04X}{}, which is invisible: delete it",
        name.unwrap_or_default()
    ))
}

fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{2000}'..='\u{200f}'
        | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{3000}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_character_and_its_place_are_named() {
        for (address, want) in [
            ("\u{200b}https://a.example/", Some("character 1 is U+200B (zero-width space)")),
            ("\u{feff}a.example", Some("character 1 is U+FEFF (byte-order mark)")),
            ("\"\u{2066}a.example", Some("character 2 is U+2066, which")),
            ("http\u{ad}s://a.example", Some("character 5 is U+00AD (soft hyphen)")),
            ("https://a.example/\u{200b}", None),
            ("a\u{200c}b.example", None),
            ("https://a.example", None),
            ("", None),
        ] {
            let found = invisible(address);
            assert_eq!(found.is_some(), want.is_some(), "{address:?}: {found:?}");
            assert!(found.unwrap_or_default().contains(want.unwrap_or_default()), "{address:?}");
        }
    }
}
