//! The usual text of a document, which headings and code differ from.

use crate::layout::{Item, Line, PageLayout};

/// Sizes are counted in steps of this many points.
const STEP: f32 = 0.25;

/// Distance of two lines in sizes of their text, if the document does not show it.
const LEADING: f32 = 1.2;

/// A line whose sentence goes on in the next one has at least this many characters.
const MIN_RUNNING_CHARS: usize = 20;

/// The signs of code. Text has few of them.
const SIGNS: &str = "{}=;<>[]_\\|#$";

/// The usual text of a document.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Usual {
    /// The size of most of its letters.
    pub(super) size: f32,
    /// Distance of the bases of two lines, in sizes of their text.
    pub(super) leading: f32,
    pub(super) is_bold: bool,
    /// It is written in letters of one width. Otherwise text in such letters is code.
    pub(super) is_mono: bool,
}

/// What lines in letters of one width look like.
#[derive(Debug, Default)]
struct Mono {
    lines: usize,
    /// Lines with a sign of code.
    signs: usize,
    /// Lines that another one follows.
    followed: usize,
    /// Those whose sentence goes on in the next one.
    running: usize,
}

impl Mono {
    /// Adds lines that follow each other.
    fn add(&mut self, lines: &[&Line]) {
        let has_sign = |line: &Line| line.text.as_str().contains(|c: char| SIGNS.contains(c));
        self.lines += lines.len();
        self.signs += lines.iter().filter(|line| has_sign(line)).count();
        for pair in lines.windows(2) {
            let [above, below] = pair else { continue };
            let (first, second) = (above.text.as_str().trim_end(), below.text.as_str().trim_start());
            let goes_on = first.chars().count() >= MIN_RUNNING_CHARS
                && first.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ',' | '-'))
                && second.starts_with(char::is_lowercase)
                && (above.left - below.left).abs() < 0.5 * above.size
                && !has_sign(above)
                && !has_sign(below);
            self.followed += 1;
            self.running += usize::from(goes_on);
        }
    }

    /// Whether it is text, typed in these letters. `is_all` says that there is hardly any other text.
    const fn is_text(&self, is_all: bool) -> bool {
        let is_running = self.running > 0 && self.running * 10 >= self.followed * 3;
        is_running || (is_all && self.signs * 10 < self.lines * 3)
    }
}

impl Usual {
    pub(super) fn of(pages: &[PageLayout]) -> Self {
        let mut sizes: std::collections::BTreeMap<i64, usize> = std::collections::BTreeMap::new();
        let (mut all, mut bold, mut mono) = (0, 0, 0);
        let mut leadings: Vec<f32> = Vec::new();
        let mut typed = Mono::default();
        for region in pages.iter().flat_map(|page| &page.regions) {
            let mut before: Option<&Line> = None;
            for items in region.items.chunk_by(|a, b| mono_line(a).is_some() && mono_line(b).is_some()) {
                typed.add(&items.iter().filter_map(mono_line).collect::<Vec<_>>());
            }
            for item in &region.items {
                let (size, chars, is_bold, is_mono) = match item {
                    Item::Line(line) => {
                        leadings.extend(before.and_then(|before| leading(before, line)));
                        before = Some(line);
                        (line.size, line.text.as_str().len(), line.is_bold, line.is_mono)
                    }
                    Item::Block(block) => {
                        if block.is_mono {
                            typed.add(&block.lines.iter().collect::<Vec<_>>());
                        }
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
        let is_mono = mono * 2 > all && typed.is_text(mono * 20 > all * 19);
        Self { size: size.max(1.0), leading, is_bold: bold * 2 > all, is_mono }
    }
}

const fn mono_line(item: &Item) -> Option<&Line> {
    match item {
        Item::Line(line) if line.is_mono => Some(line),
        _ => None,
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

    /// Whether letters of one width are usual in a document of these lines and a title in others.
    fn is_typed(title: &str, lines: &[&str]) -> bool {
        let typed = lines
            .iter()
            .enumerate()
            .map(|(row, text)| Line { is_mono: true, ..line(text, 0.0, 40.0 + 12.0 * row as f32, 10.0) });
        let lines = std::iter::once(line(title, 0.0, 20.0, 10.0)).chain(typed).collect();
        Usual::of(&[PageLayout { regions: vec![region(lines)], has_pictures: false }]).is_mono
    }

    #[test]
    fn text_is_typed_or_code() {
        let letter = [
            "The barge is made of oak and has been in",
            "the yard since the first day of June, when",
            "it sank.",
        ];
        assert!(is_typed("A letter about the barge", &letter));
        assert!(is_typed("", &["TOTAL          9.50", "CASH          10.00"]), "hardly any other text");
        let code = [
            "def level(path):",
            "with open(path) as file:",
            "return None",
            "value = level(path)",
            "print(value)",
        ];
        assert!(!is_typed("Use this program of few lines.", &code));
        assert!(
            !is_typed("", &["let level = 4;", "let height = level + 1;", "}", "return height;"]),
            "signs"
        );
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
