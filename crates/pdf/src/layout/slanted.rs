//! Texts at an angle, for example watermarks. They cross the lines of a page, so they are laid out apart.

use std::collections::BTreeMap;

use pdfboss_core::Rect;
use pdfboss_text::TextSpan;

/// Text whose line rises or falls by more than this share of its length is at an angle; less is a crooked
/// scan.
const MIN_SLOPE: f32 = 0.12;

/// Texts whose angles differ by less than this many degrees are read together.
const STEP: f32 = 5.0;

/// Takes the texts at an angle, by their angle, and turns them upright. If they are most of a page, they are
/// its text, and stay.
pub(super) fn take(spans: &mut Vec<TextSpan>) -> BTreeMap<i32, Vec<TextSpan>> {
    let (mut slanted, mut straight) = (0_usize, 0_usize);
    for span in spans.iter() {
        let chars = span.text.trim().chars().count();
        *(if is_slanted(span) { &mut slanted } else { &mut straight }) += chars;
    }
    let mut taken: BTreeMap<i32, Vec<TextSpan>> = BTreeMap::new();
    if slanted == 0 || slanted >= straight {
        return taken;
    }
    let (slanted, straight): (Vec<TextSpan>, Vec<TextSpan>) =
        std::mem::take(spans).into_iter().partition(is_slanted);
    *spans = straight;
    for span in slanted {
        let angle = (span.end_y - span.y).atan2(span.end_x - span.x).to_degrees();
        let steps = (angle / STEP).round();
        taken.entry(steps as i32).or_default().push(upright(span, steps * STEP));
    }
    taken
}

/// Whether a text is neither level nor upright.
pub(super) fn is_slanted(span: &TextSpan) -> bool {
    let (across, along) = ((span.end_x - span.x).abs(), (span.end_y - span.y).abs());
    across.is_finite() && along.is_finite() && across.min(along) > MIN_SLOPE * across.max(along)
}

/// A text that is turned back by this many degrees.
fn upright(mut span: TextSpan, degrees: f32) -> TextSpan {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let turned = |x: f32, y: f32| (x * cos + y * sin, y * cos - x * sin);
    (span.x, span.y) = turned(span.x, span.y);
    (span.end_x, span.end_y) = turned(span.end_x, span.end_y);
    span.bbox = Rect {
        x0: span.x.min(span.end_x),
        y0: span.y - 0.2 * span.size,
        x1: span.x.max(span.end_x),
        y1: span.y + 0.8 * span.size,
    };
    span.rotate = 0;
    // They are places of the page.
    span.glyph_x = Box::default();
    span
}
