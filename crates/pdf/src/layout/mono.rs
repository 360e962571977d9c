//! Fonts with letters of one width. Some files do not name their fonts.

use std::collections::{HashMap, HashSet};

use pdfboss_text::TextSpan;

/// Fewest texts of other letters that show the width of the letters of a font.
const MIN_TEXTS: usize = 4;

/// A text shows it if it has at least this many different letters.
const MIN_LETTERS: u32 = 3;

/// Widths of letters differ by at most this share.
const SLACK: f32 = 0.01;

/// The usual widths of the letters of the texts in a font, in sizes of the text.
struct Widths {
    least: f32,
    most: f32,
    /// The letters of each text.
    texts: HashSet<u32>,
}

/// Marks the texts of a page in fonts that have letters of one width.
pub(super) fn mark(spans: &mut [TextSpan]) {
    let is_measured =
        |span: &&TextSpan| span.rotate == 0 && !span.vertical && !span.logical && span.size > 0.0;
    let texts = spans
        .iter()
        .filter(is_measured)
        .map(|span| (span.font.as_str(), span.text.as_str(), (span.end_x - span.x) / span.size));
    let mono = mono_fonts(texts);
    for span in spans.iter_mut().filter(|span| mono.contains(&span.font)) {
        span.monospace = true;
    }
}

/// The fonts among texts that have letters of one width. With each text goes its font and its width.
fn mono_fonts<'t>(texts: impl Iterator<Item = (&'t str, &'t str, f32)>) -> HashSet<String> {
    let mut fonts: HashMap<&str, Widths> = HashMap::new();
    for (font, text, width) in texts {
        let width = width / text.len().max(1) as f32;
        let letters = letters(text);
        if !text.is_ascii() || letters.count_ones() < MIN_LETTERS || !width.is_finite() || width <= 0.0 {
            continue;
        }
        let new = || Widths { least: width, most: width, texts: HashSet::new() };
        let widths = fonts.entry(font).or_insert_with(new);
        widths.least = widths.least.min(width);
        widths.most = widths.most.max(width);
        widths.texts.insert(letters);
    }
    fonts.retain(|_, font| font.texts.len() >= MIN_TEXTS && font.most <= (1.0 + SLACK) * font.least);
    fonts.into_keys().map(str::to_owned).collect()
}

/// The small letters of a text, as bits. Digits have one width in most fonts.
fn letters(text: &str) -> u32 {
    let letters = text.bytes().filter(u8::is_ascii_lowercase);
    letters.fold(0_u32, |all, letter| all | (1 << (letter - b'a')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(texts: &[(&str, f32)]) -> usize {
        mono_fonts(texts.iter().map(|(text, width)| ("F1", *text, *width))).len()
    }

    #[test]
    fn letters_of_one_width_are_noticed() {
        assert_eq!(found(&[("let", 1.5), ("width", 2.5), ("}", 0.5), ("min", 1.5), ("file", 2.0)]), 1);
        assert_eq!(found(&[("let", 1.2), ("width", 2.5), ("}", 0.5), ("min", 1.7), ("file", 1.4)]), 0);
        assert_eq!(found(&[("item1", 2.2), ("item2", 2.2), ("item3", 2.2), ("item4", 2.2)]), 0);
        assert_eq!(found(&[("1234", 2.0), ("567", 1.5), ("89", 1.0), ("10", 1.0), ("21", 1.0)]), 0);
    }
}
