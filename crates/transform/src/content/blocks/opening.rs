//! Keeps the opening of a text without a heading as its title: of a law, a deed, an old page.
//!
//! Its title is a paragraph or a few, which the model drops because they are short and no sentences. They are
//! kept if they stand right before the kept text, in an element that holds little else.

use super::{Block, Blocks};

/// Lower bound on the kept words of a text with an opening.
const MIN_TEXT_WORDS: u32 = 100;

/// Upper bound on the words of an opening.
const MAX_OPENING_WORDS: u32 = 80;

/// The element around a text and its opening has at most one dropped word for this many kept ones.
const MIN_KEPT_PER_DROPPED: u32 = 10;

impl Blocks {
    /// Keeps the opening of a text that begins without a heading.
    pub(crate) fn keep_opening(&self, kept: &mut [bool]) {
        let Some(first) = kept.iter().position(|kept| *kept) else { return };
        let Some(block) = self.list.get(first).filter(|block| block.heading == 0) else { return };
        let sums = self.kept_below(kept);
        let all = sums.first().map_or(0, |sum| sum.words);
        let holds_text = |number: &u32| {
            let own = sums.get(*number as usize).map_or(0, |sum| sum.words);
            let words = self.elements.get(*number as usize).map_or(0, |element| element.totals.words);
            let dropped = words.saturating_sub(own);
            own >= MIN_TEXT_WORDS
                && (all - own.min(all)).saturating_mul(MIN_KEPT_PER_DROPPED) <= own
                && dropped.saturating_mul(MIN_KEPT_PER_DROPPED) <= own
        };
        let parent = |number: &u32| {
            let parent = self.elements.get(*number as usize).map(|element| element.parent);
            parent.filter(|parent| parent < number)
        };
        let around = std::iter::successors(Some(block.element), parent);
        let Some(start) = around.filter(holds_text).last() else { return };
        let end = self.elements.get(start as usize).map_or(0, |element| element.end);
        let before = self.list.iter().enumerate().take(first).rev();
        let opening: Vec<(usize, &Block)> = before
            .take_while(|(_, block)| (start..end).contains(&block.element) && block.is_of_opening())
            .collect();
        let words = opening.iter().map(|(_, block)| block.words).fold(0, u32::saturating_add);
        for (at, _) in opening.iter().filter(|_| words <= MAX_OPENING_WORDS) {
            if let Some(kept) = kept.get_mut(*at) {
                *kept = true;
            }
        }
    }
}

impl Block {
    /// True for a block that may be a part of an opening.
    fn is_of_opening(&self) -> bool {
        self.links == 0 && !self.is_beside() && !self.is_named_boilerplate()
    }
}

#[cfg(test)]
mod tests {
    use crate::content::blocks::collect;
    use crate::tree::{ParseOptions, parse};
    use crate::view::View;

    #[test]
    fn the_opening_of_a_text_without_a_heading_is_kept() {
        let text = format!("<p>Text {}</p>", "word ".repeat(150));
        // Blocks that begin with a capital are kept before. `+` marks a block that is kept afterwards.
        let rows = [
            ("paragraphs", format!("<div><p>act</p><p>of the year</p></div><div>{text}</div>"), "+++"),
            ("after a menu", format!("<a href=/>home</a><div><p>act</p>{text}</div>"), "-++"),
            ("before a heading", format!("<p>act</p><h2>Text</h2>{text}"), "-++"),
            ("links", format!("<p><a href=/>act</a></p>{text}"), "-+"),
            ("beside the text", format!("<aside>act</aside>{text}"), "-+"),
            ("a short text", "<p>act</p><p>Text".to_owned(), "-+"),
            ("with much else", format!("<p>act</p>{text}<p>{}", "word ".repeat(50)), "-+-"),
        ];
        for (name, html, expected) in rows {
            let tree = parse(&html, ParseOptions::default());
            let url = "https://example.org/".parse().unwrap();
            let blocks = collect(&tree, &View::whole(&tree), &url);
            let mut kept: Vec<bool> = blocks.list.iter().map(|block| block.starts_capital).collect();
            blocks.keep_opening(&mut kept);
            let marks: String = kept.iter().map(|kept| if *kept { '+' } else { '-' }).collect();
            assert_eq!(marks, expected, "{name}");
        }
    }
}
