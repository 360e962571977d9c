//! The words of a URL's slug.
//!
//! If the heading and the `<title>` of a page differ, the slug shows which of them the author meant: it was
//! made from the author's title, and stays when somebody rewrites the `<title>` for search engines.

use std::collections::HashSet;

use percent_encoding::percent_decode_str;
use url::Url;

use crate::words::words;

/// Upper bound on the length of a path that is read, in bytes.
const MAX_PATH_BYTES: usize = 2_000;

/// Lower bound on the length of a word that counts, in bytes. Shorter ones are articles or part numbers.
const MIN_WORD_BYTES: usize = 3;

/// The words of a slug.
#[derive(Debug, Default)]
pub(super) struct Slug(HashSet<String>);

impl Slug {
    /// The words of the last path segment with several words, or else of the segment with the most words.
    pub(super) fn of(url: &Url) -> Self {
        let path = Some(url.path()).filter(|path| path.len() <= MAX_PATH_BYTES).unwrap_or_default();
        let mut best: Vec<String> = Vec::new();
        for segment in path.rsplit('/').filter(|segment| !segment.is_empty()) {
            let segment = percent_decode_str(segment).decode_utf8_lossy();
            let stem = segment.rsplit_once('.').map_or(segment.as_ref(), |(stem, _)| stem);
            let words = words(stem);
            if best.is_empty() && words.len() > 1 {
                best = words;
                break;
            }
            if words.len() > best.len() {
                best = words;
            }
        }
        Self(best.into_iter().filter(|word| is_significant(word)).collect())
    }

    /// The similarity of a text and the slug, 0 to 1: the harmonic mean of both shares of common words.
    pub(super) fn similarity(&self, text: &str) -> f32 {
        let own: HashSet<String> = words(text).into_iter().filter(|word| is_significant(word)).collect();
        let common = own.intersection(&self.0).count();
        if common == 0 { 0.0 } else { 2.0 * common as f32 / (own.len() + self.0.len()) as f32 }
    }
}

fn is_significant(word: &str) -> bool {
    word.len() >= MIN_WORD_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slug_resembles_the_title_of_its_page() {
        let rows = [
            ("/guides/best-clay-for-kilns.html", "The best clay for kilns", "Kilns, pots and more"),
            ("/2024/05/clay-for-pots/", "Clay for pots", "News of 2024"),
            ("/clay-for-pots/123", "Clay for pots", "Page 123"),
            ("/%E7%AA%AF%E3%81%AE%E6%B8%A9%E5%BA%A6", "窯の温度とは", "粘土の選び方"),
        ];
        for (path, near, far) in rows {
            let slug = Slug::of(&Url::parse(&format!("https://example.org{path}")).unwrap());
            assert!(slug.similarity(near) > slug.similarity(far) + 0.3, "{path} {slug:?}");
        }
        assert_eq!(Slug::of(&Url::parse("https://example.org/").unwrap()).similarity("Example"), 0.0);
    }
}
