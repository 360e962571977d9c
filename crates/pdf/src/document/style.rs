//! The usual text of a document, which headings and code differ from.

use crate::layout::{Item, Line, PageLayout};

/// Sizes are counted in steps of this many points.
const STEP: f32 = 0.25;

/// Distance of two lines in sizes of their text, if the document does not show it.
const LEADING: f32 = 1.2;

/// The usual text of a document.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Usual {
    /// The size of most of its letters.
    pub(super) size: f32,
    /// Distance of the bases of two lines, in sizes of their text.
    pub(super) leading: f32,
    pub(super) is_bold: bool,
    pub(super) is_mono: bool,
}

impl Usual {
    pub(super) fn of(pages: &[PageLayout]) -> Self {
        let mut sizes: std::collections::BTreeMap<i64, usize> = std::collections::BTreeMap::new();
        let (mut all, mut bold, mut mono) = (0, 0, 0);
        let mut leadings: Vec<f32> = Vec::new();
        for region in pages.iter().flat_map(|page| &page.regions) {
            let mut before: Option<&Line> = None;
            for item in &region.items {
                let (size, chars, is_bold, is_mono) = match item {
                    Item::Line(line) => {
                        leadings.extend(before.and_then(|before| leading(before, line)));
                        before = Some(line);
                        (line.size, line.text.as_str().len(), line.is_bold, line.is_mono)
                    }
                    Item::Block(block) => {
                        (block.size, block.text.as_str().len(), block.is_bold, block.is_mono)
                    }
                    Item::Table(_) => continue,
                };
                *sizes.entry((size / STEP).round() as i64).or_default() += chars;
                all += chars;
                bold += if is_bold { chars } else { 0 };
                mono += if is_mono { chars } else { 0 };
            }
        }
        // Of two sizes with as many letters the smaller one.
        let size = sizes
            .iter()
            .max_by_key(|(size, chars)| (**chars, -**size))
            .map_or(10.0, |(size, _)| *size as f32 * STEP);
        leadings.sort_by(f32::total_cmp);
        let leading = leadings.get(leadings.len() / 2).copied().unwrap_or(LEADING);
        Self { size: size.max(1.0), leading, is_bold: bold * 2 > all, is_mono: mono * 2 > all }
    }
}

/// The distance of two lines in sizes of their text, if they may be of one paragraph.
pub(super) fn leading(above: &Line, below: &Line) -> Option<f32> {
    let size = above.size.max(below.size).max(0.1);
    let distance = (below.base - above.base) / size;
    ((above.size - below.size).abs() <= 0.1 * size && (0.8..2.4).contains(&distance)).then_some(distance)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::layout::{Region, Text};

    /// A line with letters of half its size.
    pub(in crate::document) fn line(text: &str, left: f32, base: f32, size: f32) -> Line {
        let width = text.chars().count() as f32 * size / 2.0;
        let first_word = text.split(' ').next().unwrap_or_default().chars().count() as f32 * size / 2.0;
        Line { text: Text::plain(text), left, right: left + width, base, size, first_word, ..Line::default() }
    }

    pub(in crate::document) fn region(lines: Vec<Line>) -> Region {
        Region { items: lines.into_iter().map(Item::Line).collect() }
    }

    #[test]
    fn the_usual_text_is_that_of_most_letters() {
        let lines = vec![
            line("Big", 0.0, 20.0, 20.0),
            line("text of the document", 0.0, 50.0, 10.0),
            line("and more of it", 0.0, 63.0, 10.0),
        ];
        let page = PageLayout { regions: vec![region(lines)], has_pictures: false };
        let usual = Usual::of(&[page]);
        assert_eq!((usual.size, usual.leading, usual.is_bold), (10.0, 1.3, false));
        assert_eq!(Usual::of(&[]).leading, LEADING);
    }
}
