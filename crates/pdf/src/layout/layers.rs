//! Invisible texts over visible ones: the layer of a program that recognizes text says once more what the
//! page shows, often in other letters.

use std::collections::HashMap;

use pdfboss_text::TextSpan;

use super::slanted::is_slanted;

/// Height of a row of the page, in points.
const ROW: f32 = 3.0;

/// Most rows of one text.
const MAX_ROWS: i32 = 64;

/// The letters of a text stand between its base and this share of its size.
const HEIGHT: f32 = 0.6;

/// An invisible text is dropped if visible text covers this share of it.
const COVERED: f32 = 0.5;

/// Drops invisible texts where visible text is.
pub(super) fn drop_hidden(spans: &mut Vec<TextSpan>) {
    if !spans.iter().any(|span| span.invisible) || spans.iter().all(|span| span.invisible) {
        return;
    }
    let mut rows: HashMap<i32, Vec<(f32, f32)>> = HashMap::new();
    // A watermark at an angle covers nothing.
    for span in spans.iter().filter(|span| !span.invisible && !is_slanted(span)) {
        let [left, bottom, right, top] = area(span);
        if span.text.trim().is_empty() || [left, bottom, right, top].iter().any(|edge| !edge.is_finite()) {
            continue;
        }
        let first = row(bottom);
        for at in first..=row(top).min(first.saturating_add(MAX_ROWS)) {
            rows.entry(at).or_default().push((left, right));
        }
    }
    let rows: HashMap<i32, Vec<Interval>> =
        rows.into_iter().map(|(row, intervals)| (row, joined(intervals))).collect();
    spans.retain(|span| {
        let [left, bottom, right, top] = area(span);
        let covered = rows.get(&row((bottom + top) / 2.0)).map_or(0.0, |row| covered(row, left, right));
        !span.invisible || covered <= 0.0 || covered < COVERED * (right - left)
    });
}

/// A part of a row that visible text covers.
#[derive(Debug, PartialEq)]
struct Interval {
    left: f32,
    right: f32,
    /// The sum of the lengths of those before it.
    before: f32,
}

fn row(y: f32) -> i32 {
    (y / ROW).floor() as i32
}

/// The left, lower, right and upper edge of the letters of a text.
fn area(span: &TextSpan) -> [f32; 4] {
    let area = span.bbox.normalize();
    if span.vertical || span.rotate != 0 {
        return [area.x0, area.y0, area.x1, area.y1];
    }
    [area.x0, span.y, area.x1, span.y + HEIGHT * span.size]
}

/// Joins intervals that touch.
fn joined(mut intervals: Vec<(f32, f32)>) -> Vec<Interval> {
    intervals.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut joined: Vec<Interval> = Vec::new();
    for (left, right) in intervals {
        match joined.last_mut() {
            Some(last) if left <= last.right => last.right = last.right.max(right),
            last => {
                let before = last.map_or(0.0, |last| last.before + last.right - last.left);
                joined.push(Interval { left, right, before });
            }
        }
    }
    joined
}

/// How much of a range these intervals cover.
fn covered(intervals: &[Interval], left: f32, right: f32) -> f32 {
    let up_to = |place: f32| {
        let next = intervals.partition_point(|interval| interval.left < place);
        let last = next.checked_sub(1).and_then(|last| intervals.get(last));
        last.map_or(0.0, |last| last.before + last.right.min(place) - last.left)
    };
    up_to(right) - up_to(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_cover_ranges() {
        let intervals = joined(vec![(30.0, 40.0), (0.0, 10.0), (8.0, 20.0)]);
        assert_eq!(intervals.len(), 2);
        assert_eq!(covered(&intervals, 5.0, 35.0), 20.0);
        assert_eq!(covered(&intervals, 20.0, 30.0), 0.0);
        assert_eq!(covered(&intervals, -5.0, 50.0), 30.0);
    }
}
