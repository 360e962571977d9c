//! Pictures of characters: pages draw emoji as images, and keep the character or its name in the alternative
//! text. They are written as that text.

use crate::names;
use crate::tree::{Attr, NodeId, Tree};

/// Words of classes that platforms give to pictures of characters.
const CLASSES: &[&str] = &[
    "emoji",
    "emojione",
    "emoticon",
    "ipsemoji",
    "joypixels",
    "smiley",
    "smilie",
    "smilies",
    "twemoji",
    "wp-smiley",
];

/// Maximum length of a text of such a picture, in bytes: the longest emoji is a family of four, and some
/// pictures have a few of them.
const MAX_TEXT_BYTES: usize = 64;

/// Maximum number of words of the name of an emoji.
const MAX_NAME_WORDS: usize = 4;

/// The text of an image that stands for characters; `None` for any other image.
pub(super) fn text(tree: &Tree, image: NodeId) -> Option<String> {
    let texts = [Attr::Alt, Attr::Title].map(|name| tree.attribute(image, name).unwrap_or_default().trim());
    if let Some(text) = texts.into_iter().find(|text| is_pictogram(text)) {
        return Some(text.to_owned());
    }
    if !is_named(tree, image) {
        return None;
    }
    let is_name = |text: &&str| {
        !text.is_empty()
            && text.len() <= MAX_TEXT_BYTES
            && text.split_ascii_whitespace().nth(MAX_NAME_WORDS).is_none()
    };
    from_address(tree.attribute(image, Attr::Src).unwrap_or_default())
        .filter(|_| texts.into_iter().all(str::is_empty))
        .or_else(|| texts.into_iter().find(is_name).map(str::to_owned))
}

/// Does the class of an image name it as the picture of a character?
fn is_named(tree: &Tree, image: NodeId) -> bool {
    names::class_words(names::class(tree, image)).any(|word| {
        let word = word.to_ascii_lowercase();
        CLASSES.contains(&word.as_str())
            || ["-emoji", "_emoji"].iter().any(|end| word.ends_with(end))
            || ["emoji-", "emoji_"].iter().any(|start| word.starts_with(start))
    })
}

/// Does a text consist of emoji and other pictograms?
fn is_pictogram(text: &str) -> bool {
    // A keycap is a digit with a mark after it.
    let is_keycap = text.contains('\u{20E3}');
    !text.is_empty()
        && text.len() <= MAX_TEXT_BYTES
        && text.chars().any(|c| !is_modifier(c))
        && text.chars().all(|c| {
            is_modifier(c)
                || is_pictograph(c)
                || (is_keycap && (c.is_ascii_digit() || matches!(c, '#' | '*')))
        })
}

/// Does a character change the emoji before it or join two?
const fn is_modifier(c: char) -> bool {
    matches!(c, '\u{200D}' | '\u{20E3}' | '\u{FE0E}' | '\u{FE0F}' | '\u{E0020}'..='\u{E007F}')
}

/// Is a character in a block of pictograms?
const fn is_pictograph(c: char) -> bool {
    matches!(
        c,
        '\u{A9}'
            | '\u{AE}'
            | '\u{203C}'
            | '\u{2049}'
            | '\u{2122}'
            | '\u{2139}'
            | '\u{2190}'..='\u{21FF}'
            | '\u{2300}'..='\u{23FF}'
            | '\u{24C2}'
            | '\u{25A0}'..='\u{27BF}'
            | '\u{2900}'..='\u{297F}'
            | '\u{2B00}'..='\u{2BFF}'
            | '\u{3030}'
            | '\u{303D}'
            | '\u{3297}'
            | '\u{3299}'
            | '\u{1F000}'..='\u{1FAFF}'
    )
}

/// The emoji that the file name of an image gives by its code points: `1f468-200d-1f469.png`.
fn from_address(address: &str) -> Option<String> {
    let path = address.split(['?', '#']).next()?;
    let (stem, _) = path.rsplit('/').next()?.split_once('.')?;
    if stem.len() > MAX_TEXT_BYTES {
        return None;
    }
    let character = |digits: &str| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
    let text: Option<String> = stem.split(['-', '_']).map(character).collect();
    text.filter(|text| is_pictogram(text))
}

#[cfg(test)]
mod tests {
    use crate::markdown::tests::check_page;

    #[test]
    fn pictures_of_characters_become_text() {
        check_page(&[
            ("the character", "<p>a <img class=emoji alt='❓' src=/72x72/2753.png> b", "a ❓ b"),
            ("its name", "<p>a <img class=emoji alt=':smile:' title=':smile:' src=s.png> b", "a :smile: b"),
            ("without a class", "<p>a<img alt='👍🏽' src=x.svg>b", "a👍🏽b"),
            ("a smiley of a forum", "<p>a <img class='smilie smilie--sprite' alt=':)' src=x.gif>", "a :)"),
            ("a class with a prefix", "<p><img class=wp-smiley alt=';-)' src=x.gif> b", ";-) b"),
            ("a keycap", "<p><img alt='1\u{fe0f}\u{20e3}' src=1.png> b", "1\u{fe0f}\u{20e3} b"),
            ("a flag", "<p><img class=twemoji alt='🇳🇴' src=x.png>", "🇳🇴"),
            ("a family", "<p><img alt='👨\u{200d}👩\u{200d}👧' src=x.png> b", "👨\u{200d}👩\u{200d}👧 b"),
            ("by its file name", "<p>a <img class=emoji src='/svg/1f600.svg?v=1'>", "a 😀"),
            ("only a title", "<p>a <img class=notion-emoji title='💡' src=x.png>", "a 💡"),
            ("in a heading", "<h2><img class=emoji alt='🧊' src=x.png> Ice</h2>", "## 🧊 Ice"),
            ("stars", "<p><img alt='★★★☆☆' src=3.png>", "★★★☆☆"),
            ("a picture of something", "<p><img alt='The pier' src=p.png>", "![The pier](p.png)"),
            (
                "a picture with a long text",
                "<p><img class=emoji-guide alt='The window in which you choose an emoji' src=p.png>",
                "![The window in which you choose an emoji](p.png)",
            ),
            ("numbers", "<p><img alt='12' src=p.png>", "![12](p.png)"),
        ]);
    }
}
