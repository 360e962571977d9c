//! Features of the position: distance from the main heading and share of the page.

use super::{Features, flag, scaled};
use crate::segment::drafts::Draft;
use crate::segment::view::View;
use crate::segment::wording::share;

/// Distance from the main heading on a page without one.
const NO_HEADING: f32 = 32.0;
/// Parts of the page's text that positions are told apart by.
const PAGE_PARTS: usize = 1_000;

/// Where it stands on the page.
pub(super) fn write(view: &View<'_, '_>, draft: &Draft, to: &mut Features) {
    let length = view.tree.text().len().max(1);
    to.page_share = share(draft.anchor.saturating_mul(PAGE_PARTS) / length, PAGE_PARTS);
    (to.lines_after_heading, to.bytes_after_heading) = (NO_HEADING, NO_HEADING);
    if let Some(heading) = &view.heading {
        let line = |at: usize| view.lines.number(at);
        let end = draft.end();
        let (lines, bytes) = if draft.anchor >= heading.end {
            (scaled(line(draft.anchor) - line(heading.start)), scaled(draft.anchor - heading.end))
        } else if end <= heading.start {
            (-scaled(line(heading.start) - line(draft.anchor)), -scaled(heading.start - end))
        } else {
            (0.0, 0.0)
        };
        (to.lines_after_heading, to.bytes_after_heading) = (lines, bytes);
        to.in_main_heading = flag(draft.anchor >= heading.start && end <= heading.end);
    }
    if let Some(heading) = view.outline.heading_before(draft.anchor) {
        to.heading_level = f32::from(heading.level);
        to.heading_distance = scaled(draft.anchor.saturating_sub(heading.range.end));
    }
    to.depth = f32::from(view.outline.facts(draft.node).depth);
    to.is_unrelated = flag(view.evidence.unrelated().contains(draft.node));
    to.in_related_section = flag(view.evidence.unrelated().in_related_section(draft.node));
}
