//! Joins what goes on over the end of a column or page.

use super::contents::is_entry;
use super::style::Usual;
use super::{Kind, Part};

/// Parts at the end that are searched for the one that goes on: footnotes may be behind it.
const MAX_BEHIND: usize = 12;

/// Text below this share of the usual size may be a footnote.
const SMALL: f32 = 0.92;

/// Appends the parts of the next region. `is_page` says that a page begins with them.
pub(super) fn join(parts: &mut Vec<Part>, more: Vec<Part>, usual: &Usual, is_page: bool) {
    let mut more = more.into_iter();
    let Some(first) = more.next() else { return };
    let first = joined(parts, first, usual, is_page);
    parts.extend(first);
    parts.extend(more);
}

/// Joins a part to the one that it goes on with, or gives it back.
fn joined(parts: &mut [Part], first: Part, usual: &Usual, is_page: bool) -> Option<Part> {
    if let Kind::Table(table) = first.kind {
        return match parts.last_mut().filter(|_| is_page) {
            Some(Part { kind: Kind::Table(above), .. }) => above.append(table).map(Kind::Table),
            _ => Some(Kind::Table(table)),
        }
        .map(|kind| Part { kind, ..first });
    }
    if let Kind::Code(code) = first.kind {
        let above = parts.last_mut().filter(|_| is_page).map(|part| &mut part.kind);
        let rest = match above {
            Some(Kind::Code(above)) => above.append(code).err()?,
            _ => code,
        };
        return Some(Part { kind: Kind::Code(rest), ..first });
    }
    let Kind::Paragraph(text) = &first.kind else { return Some(first) };
    let is_small_letter = text.as_str().chars().next().is_some_and(char::is_lowercase);
    let is_unspaced = text.as_str().chars().next().is_some_and(|c| c >= '\u{2E80}');
    let open = parts.iter_mut().rev().take(MAX_BEHIND).find(|part| part.size >= SMALL * usual.size);
    let Some(open) = open.filter(|open| (open.size - first.size).abs() <= 0.1 * first.size) else {
        return Some(first);
    };
    let before = match &mut open.kind {
        Kind::Paragraph(before) => before,
        Kind::Item(item) => &mut item.text,
        _ => return Some(first),
    };
    let is_whole =
        before.as_str().ends_with(['.', '!', '?', ':', ';', '"', '”', '。', '！', '？', '）', '」']);
    let goes_on = (is_small_letter && !is_whole)
        || (is_unspaced && !is_whole && open.lines > 1)
        || (before.as_str().ends_with('-') && open.lines > 1);
    if !goes_on || open.is_bold != first.is_bold || is_entry(before.as_str()) {
        return Some(first);
    }
    before.push_line(text);
    open.lines += first.lines;
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Text;

    fn paragraph(text: &str, size: f32) -> Part {
        Part { kind: Kind::Paragraph(Text::plain(text)), size, is_bold: false, lines: 2 }
    }

    fn texts(parts: &[Part]) -> Vec<String> {
        let text = |part: &Part| match &part.kind {
            Kind::Paragraph(text) => Some(text.as_str().to_owned()),
            _ => None,
        };
        parts.iter().filter_map(text).collect()
    }

    #[test]
    fn a_sentence_goes_on_over_a_page_and_a_footnote() {
        let usual = Usual { size: 10.0, leading: 1.2, is_bold: false, is_mono: false };
        let mut parts = vec![paragraph("The text of this para-", 10.0), paragraph("¹ A footnote.", 8.0)];
        join(&mut parts, vec![paragraph("graph goes on.", 10.0), paragraph("Next.", 10.0)], &usual, true);
        assert_eq!(texts(&parts), ["The text of this paragraph goes on.", "¹ A footnote.", "Next."]);
        join(&mut parts, vec![paragraph("and so on", 10.0)], &usual, true);
        assert_eq!(parts.len(), 4, "the sentence before has ended");
    }
}
