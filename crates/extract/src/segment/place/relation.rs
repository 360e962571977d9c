//! Features that compare a segment with title, heading, URL, line and label.

use hashbrown::HashSet;

use super::{Described, Features, flag, scaled};
use crate::segment::LabelKind;
use crate::segment::drafts::{Draft, Mark};
use crate::segment::view::View;

/// The lines that start with a word such as `by`, as found in the texts at their starts.
pub(super) fn affixed_lines(view: &View<'_, '_>, described: &[Described]) -> HashSet<usize> {
    let affixed = described.iter().map(|found| &found.draft).filter(|draft| draft.has(Mark::Affixed));
    affixed
        .filter_map(|draft| {
            let number = view.lines.number(draft.anchor);
            let start = view.lines.range(number).start;
            let starts_line = view.text(&(start..draft.anchor)).trim().is_empty();
            (draft.range.is_some() && starts_line).then_some(number)
        })
        .collect()
}

/// How it stands to the title, the main heading, the URL, its line and its label.
pub(super) fn write(
    view: &View<'_, '_>,
    affixed_lines: &HashSet<usize>,
    found: &Described,
    to: &mut Features,
) {
    let (titles, wording, draft) = (&view.titles, &found.wording, &found.draft);
    to.equals_heading = flag(wording.hash != 0 && wording.hash == titles.heading.hash);
    to.words_in_heading = wording.share_in(&titles.heading_words);
    to.heading_covered = titles.heading_words.share_in(wording);
    to.words_in_title = wording.share_in(&titles.title_words);
    let part = if draft.title_part > 0 { draft.title_part } else { titles.part_number(wording) };
    to.title_part = scaled(part);
    to.title_parts = scaled(titles.part_count());
    to.is_title_join = flag(draft.has(Mark::TitleJoin));
    to.is_title_without_site = flag(titles.is_without_site(wording));
    to.is_site_name = flag(titles.is_site(wording));
    to.words_in_path = wording.share_in(&titles.path_words);
    line(view, affixed_lines, draft, to);
    label(draft, to);
}

fn line(view: &View<'_, '_>, affixed_lines: &HashSet<usize>, draft: &Draft, to: &mut Features) {
    let Some(range) = &draft.range else { return };
    let number = view.lines.number(range.start);
    let start = view.lines.range(number).start;
    let last = if range.end > range.start { range.end - 1 } else { range.end };
    let end = view.lines.range(view.lines.number(last)).end;
    to.bytes_before = scaled(range.start.saturating_sub(start));
    to.bytes_after = scaled(end.saturating_sub(range.end));
    to.line_has_affix = flag(affixed_lines.contains(&number));
    to.has_affix = flag(draft.has(Mark::Affixed));
    let before = view.tree.text().get(..range.start).unwrap_or_default().trim_end_matches([' ', '\n']);
    to.after_colon = flag(before.ends_with([':', '：']));
}

fn label(draft: &Draft, to: &mut Features) {
    let Some(label) = &draft.label else { return };
    to.has_label = 1.0;
    to.has_shared_label = flag(draft.has(Mark::SharedLabel));
    to.label_bytes = scaled(label.words.len());
    match label.kind {
        LabelKind::Colon => to.label_colon = 1.0,
        LabelKind::Term => to.label_term = 1.0,
        LabelKind::Sibling => to.label_sibling = 1.0,
        LabelKind::LineAbove => to.label_line_above = 1.0,
        LabelKind::HeadingAbove => to.label_heading_above = 1.0,
        LabelKind::Attribute => to.label_attribute = 1.0,
        LabelKind::Inline => to.label_inline = 1.0,
    }
}
