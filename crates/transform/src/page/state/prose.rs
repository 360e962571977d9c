//! Tells the texts of a state from its other strings.

use crate::words::{is_of_word, is_unspaced, quarters_of_word};

/// A shorter string is no text of its own, in bytes.
const MIN_PROSE_BYTES: usize = 80;

/// Letters of the beginning of a text by which two versions of it are compared.
const FINGERPRINT_LETTERS: usize = 40;

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// Lines of text.
    Plain,
    /// Markdown.
    Markdown,
    /// HTML.
    Html,
}

/// The form of a text.
pub(super) fn form(text: &str) -> Form {
    if is_html(text) {
        Form::Html
    } else if is_markdown(text) {
        Form::Markdown
    } else {
        Form::Plain
    }
}

/// True for a text with tags that programs write around texts.
pub(super) fn is_html(text: &str) -> bool {
    const TAGS: [&str; 16] = [
        "</p>",
        "</div>",
        "</li>",
        "</h1>",
        "</h2>",
        "</h3>",
        "</h4>",
        "</td>",
        "</a>",
        "</strong>",
        "</b>",
        "</em>",
        "</i>",
        "</span>",
        "<br",
        "</blockquote>",
    ];
    memchr::memchr(b'<', text.as_bytes()).is_some()
        && TAGS.iter().any(|tag| memchr::memmem::find(text.as_bytes(), tag.as_bytes()).is_some())
}

/// True for a text with at least two signs of Markdown.
fn is_markdown(text: &str) -> bool {
    let is_sign = |line: &str| {
        let start = line.trim_start_matches([' ', '>']);
        let heading = start.trim_start_matches('#');
        let number = start.trim_start_matches(|c: char| c.is_ascii_digit());
        (heading.len() < start.len() && heading.starts_with(' '))
            || ["- ", "* ", "+ ", "```", "![", "|", "---", "***"].iter().any(|sign| start.starts_with(sign))
            || (number.len() < start.len() && number.starts_with(". "))
            || line.starts_with('>')
            || line.contains("](")
            || line.matches("**").count() >= 2
    };
    text.lines().filter(|line| is_sign(line)).take(2).count() >= 2
}

/// The letters of a text, for comparing lengths across scripts. A character of a script whose characters are
/// syllables or words counts three times.
fn weight(c: char) -> usize {
    if !is_of_word(c) || c.is_ascii_digit() {
        0
    } else if quarters_of_word(c) > 1 {
        3
    } else {
        1
    }
}

/// The letters of a text, without tags.
pub(super) fn letters(text: &str) -> usize {
    Characters::of(text).map(weight).sum()
}

/// The first letters of a text, without tags and case.
pub(super) fn fingerprint(text: &str) -> String {
    let letters = Characters::of(text).filter(|c| is_of_word(*c));
    letters.take(FINGERPRINT_LETTERS).flat_map(char::to_lowercase).collect()
}

/// The letters of a text in Markdown, without the addresses of its links.
pub(super) fn letters_of_markdown(markdown: &str) -> usize {
    let without_address = |(at, piece): (usize, &str)| {
        let shown = if at == 0 { Some(piece) } else { piece.split_once(')').map(|(_, shown)| shown) };
        shown.map_or(0, |shown| shown.chars().map(weight).sum())
    };
    markdown.split("](").enumerate().map(without_address).sum()
}

/// The letters of a text in small letters, without tags.
pub(super) fn plain(text: &str) -> String {
    Characters::of(text).filter(|c| is_of_word(*c)).flat_map(char::to_lowercase).collect()
}

/// True if a text of ASCII letters has a space and a mark that ends a sentence. Most strings of a state are
/// addresses, codes and names, which lack one of them, so this saves a look at each of their characters.
fn has_sentence(text: &[u8]) -> bool {
    memchr::memchr2(b' ', b'\n', text).is_some() && memchr::memchr3(b'.', b'!', b'?', text).is_some()
}

/// The letters of a string that is prose; 0 for code, data, names and labels.
pub(super) fn prose_letters(text: &str) -> usize {
    if text.len() < MIN_PROSE_BYTES || (text.is_ascii() && !has_sentence(text.as_bytes())) {
        return 0;
    }
    let is_html = is_html(text);
    let (mut letters, mut wide, mut others, mut spaces, mut sentences) = (0, 0, 0, 0, 0);
    for c in Characters::new(text, is_html) {
        match c {
            ' ' | '\n' | '\u{a0}' => spaces += 1,
            '.' | '!' | '?' | '。' | '！' | '？' | '।' | '؟' | '۔' | '။' | '។' | '።' | '։' => {
                sentences += 1;
            }
            _ if is_of_word(c) && !c.is_ascii_digit() => {
                letters += weight(c);
                wide += usize::from(is_unspaced(c));
            }
            _ => others += 1,
        }
    }
    // Code, styles and data in a string have few spaces or many signs. Some scripts have no spaces between
    // words, and some of these no mark at the end of a sentence.
    let is_wide = wide * 3 >= letters;
    let is_prose = (sentences > 0 || is_wide)
        && (spaces * 12 >= letters || is_wide || !text.is_ascii())
        && (letters + spaces) * 10 >= (letters + spaces + others + sentences) * 8
        && (is_html || !is_code(text));
    if is_prose { letters } else { 0 }
}

/// True for a text with the braces of code or data outside of the code blocks of Markdown.
fn is_code(text: &str) -> bool {
    text.contains(['{', '}']) && !text.contains("```")
}

/// The characters of a text, without the tags of HTML.
struct Characters<'t> {
    characters: std::str::Chars<'t>,
    is_html: bool,
    in_tag: bool,
}

impl<'t> Characters<'t> {
    fn of(text: &'t str) -> Self {
        Self::new(text, is_html(text))
    }

    fn new(text: &'t str, is_html: bool) -> Self {
        Self { characters: text.chars(), is_html, in_tag: false }
    }
}

impl Iterator for Characters<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        loop {
            let c = self.characters.next()?;
            match c {
                '<' if self.is_html => self.in_tag = true,
                '>' if self.in_tag => self.in_tag = false,
                _ if self.in_tag => {}
                c => return Some(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_told_from_other_strings() {
        let english = "The kiln is heated slowly, with the door ajar, so that the water can leave as steam. ";
        let rows = [
            (english.to_owned(), true),
            (format!("<p>{english}</p>"), true),
            (format!("# Kilns\n\n{english}\n\n```\nlet a = {{}};\n```\n{english}"), true),
            ("窑炉的温度决定了陶器的颜色和硬度，所以火要小。".repeat(2), true),
            ("อุณหภูมิของเตาเผาเป็นตัวกำหนดสีและความแข็งของเครื่องปั้นดินเผา".repeat(2), true),
            ("भट्ठी को धीरे-धीरे गरम किया जाता है, ताकि पानी भाप बनकर निकल सके।".repeat(2), true),
            ("menu item ".repeat(30), false),
            ("if(a.b){c.d(e);}".repeat(20), false),
            (".card { color: red; margin: 0 auto. }".repeat(5), false),
            ("a".repeat(500), false),
            ("https://example.org/a/b/c?d=e&f=g.h!".repeat(5), false),
            ("Short. Text.".to_owned(), false),
        ];
        for (text, expected) in rows {
            assert_eq!(prose_letters(&text) > 0, expected, "{text}");
        }
        assert_eq!(prose_letters(&"窑".repeat(100)), 300);
        assert_eq!(letters_of_markdown("Ab [cd](https://e.example/f) ef ![g](h) [i](j"), 8);
    }

    #[test]
    fn forms_are_recognised() {
        let rows = [
            ("One line.", Form::Plain),
            ("One <b>bold</b> line.", Form::Html),
            ("a < b and c > d", Form::Plain),
            ("# Title\n\nText.\n\n- one\n- two", Form::Markdown),
            ("See [one](/a) there.\nSee **two** here.", Form::Markdown),
            ("One - two.\nThree.", Form::Plain),
        ];
        for (text, expected) in rows {
            assert_eq!(form(text), expected, "{text}");
        }
    }

    #[test]
    fn versions_of_a_text_have_one_fingerprint() {
        let plain = fingerprint("The kiln is heated slowly. With the door ajar, so that the water can leave");
        assert_eq!(
            plain,
            fingerprint("<p>The <b>kiln</b> is heated slowly.</p><p>With the door ajar, so that it</p>")
        );
        assert_ne!(plain, fingerprint("The oven is heated slowly. With the door ajar, so that it"));
    }
}
