//! Hyphens at the ends of lines that belong to their words: the document has `half-finished` elsewhere, and
//! not `halffinished`.

use std::collections::HashMap;

use crate::layout::{Item, Line, PageLayout};

/// A word that a line break divides, in both of its spellings.
struct Divided {
    with_hyphen: String,
    without: String,
}

/// Marks the lines whose last hyphen stays when the next line is joined to them.
pub(super) fn keep(pages: &mut [PageLayout]) {
    // How often each spelling is elsewhere in the document.
    let mut counts: HashMap<String, usize> = HashMap::new();
    for_pairs(pages, |above, below| {
        if let Some(word) = divided(above, below) {
            counts.entry(word.with_hyphen).or_default();
            counts.entry(word.without).or_default();
        }
    });
    if counts.is_empty() {
        return;
    }
    for item in pages.iter().flat_map(|page| &page.regions).flat_map(|region| &region.items) {
        match item {
            Item::Line(line) => count(line.text.as_str(), &mut counts),
            Item::Block(block) => count(block.text.as_str(), &mut counts),
            Item::Table(table) => table.cells().for_each(|cell| count(cell.as_str(), &mut counts)),
        }
    }
    for_pairs(pages, |above, below| {
        if let Some(word) = divided(above, below)
            && counts.get(&word.with_hyphen) > counts.get(&word.without)
        {
            above.text.keep_hyphen();
        }
    });
}

/// Calls a function for each two lines that follow each other in a region.
fn for_pairs(pages: &mut [PageLayout], mut call: impl FnMut(&mut Line, &Line)) {
    for region in pages.iter_mut().flat_map(|page| &mut page.regions) {
        let mut above: Option<&mut Line> = None;
        for item in &mut region.items {
            let Item::Line(line) = item else {
                above = None;
                continue;
            };
            if let Some(above) = above {
                call(above, line);
            }
            above = Some(line);
        }
    }
}

/// The word that the break between two lines divides.
fn divided(above: &Line, below: &Line) -> Option<Divided> {
    let start = above.text.as_str().split_whitespace().next_back()?.strip_suffix(['-', '\u{2010}'])?;
    let end = below.text.as_str().split_whitespace().next()?;
    let is_word = start.ends_with(char::is_alphabetic) && end.starts_with(char::is_lowercase);
    is_word.then(|| Divided {
        with_hyphen: spelling(&format!("{start}-{end}")),
        without: spelling(&format!("{start}{end}")),
    })
}

/// Counts the words of a text that are wanted.
fn count(text: &str, counts: &mut HashMap<String, usize>) {
    for word in text.split_whitespace() {
        if let Some(count) = counts.get_mut(&spelling(word)) {
            *count += 1;
        }
    }
}

/// A word without the marks around it, in lower case, with one kind of hyphens.
fn spelling(word: &str) -> String {
    let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
    let letters = inner.chars().filter(|c| *c != '\u{00AD}').flat_map(char::to_lowercase);
    letters.map(|c| if matches!(c, '\u{2010}' | '\u{2011}') { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::style::tests::{line, region};
    use super::*;
    use crate::layout::Text;

    fn joined(lines: &[&str]) -> String {
        let lines = lines.iter().enumerate().map(|(at, text)| line(text, 0.0, 12.0 * at as f32, 10.0));
        let mut pages = [PageLayout { regions: vec![region(lines.collect())], has_pictures: false }];
        keep(&mut pages);
        let mut text = Text::default();
        for item in &pages[0].regions[0].items {
            if let Item::Line(line) = item {
                text.push_line(&line.text);
            }
        }
        text.as_str().to_owned()
    }

    #[test]
    fn a_word_that_is_hyphenated_elsewhere_keeps_its_hyphen() {
        let lines = ["A half-finished house and a half-", "finished, half-", "way ruin of brick-", "work"];
        assert_eq!(joined(&lines), "A half-finished house and a half-finished, halfway ruin of brickwork");
        assert_eq!(joined(&["a re-entry, reentry, re-", "entry"]), "a re-entry, reentry, reentry");
        let lines = ["A self-governing town and a self-govern-", "ing village"];
        assert_eq!(joined(&lines), "A self-governing town and a self-governing village");
    }
}
