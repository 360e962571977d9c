//! Small filled shapes, which may be bullets: some writers draw the bullets of lists and do not write them.

use pdfboss_core::content::{ContentOps, Op};
use pdfboss_core::{Matrix, Rect};

/// Most shapes that are kept. A page with more has a drawing.
const MAX_SHAPES: usize = 400;

/// A bullet is between these sizes, in points.
const MIN_SIZE: f32 = 1.0;
const MAX_SIZE: f32 = 12.0;

/// Its width and height differ by at most this factor.
const MAX_RATIO: f32 = 1.4;

/// Most points of its path.
const MAX_POINTS: usize = 32;

/// Most saved states of the content. It has been counted before, so there are few more.
const MAX_STATES: usize = 1_000;

/// A path that is being drawn.
#[derive(Default)]
struct Path {
    area: Option<Rect>,
    points: usize,
}

impl Path {
    fn add(&mut self, matrix: &Matrix, x: f32, y: f32) {
        let (x, y) = (matrix.a * x + matrix.c * y + matrix.e, matrix.b * x + matrix.d * y + matrix.f);
        let area = self.area.unwrap_or(Rect { x0: x, y0: y, x1: x, y1: y });
        let (x0, y0) = (area.x0.min(x), area.y0.min(y));
        self.area = Some(Rect { x0, y0, x1: area.x1.max(x), y1: area.y1.max(y) });
        self.points += 1;
    }

    /// Its area, if it may be a bullet.
    fn bullet(&self) -> Option<Rect> {
        let area = self.area.filter(|_| self.points <= MAX_POINTS)?;
        let (width, height) = (area.x1 - area.x0, area.y1 - area.y0);
        let is_small = (MIN_SIZE..=MAX_SIZE).contains(&width) && (MIN_SIZE..=MAX_SIZE).contains(&height);
        (is_small && width <= MAX_RATIO * height && height <= MAX_RATIO * width).then_some(area)
    }
}

/// The areas of the small shapes that a content fills. The content has been counted and cleaned.
pub(super) fn bullets(content: &[u8]) -> Vec<Rect> {
    let mut ops = ContentOps::new(content);
    let mut found = Vec::new();
    let mut states: Vec<Matrix> = Vec::new();
    let mut matrix = Matrix::identity();
    let mut path = Path::default();
    while let Ok(Some((op, _))) = ops.next_op() {
        match op {
            Op::Save if states.len() < MAX_STATES => states.push(matrix),
            Op::Save => return Vec::new(),
            Op::Restore => matrix = states.pop().unwrap_or(matrix),
            Op::Concat(inner) => matrix = inner.concat(matrix),
            Op::MoveTo(x, y) | Op::LineTo(x, y) => path.add(&matrix, x, y),
            Op::CurveTo(_, _, _, _, x, y) | Op::CurveToV(_, _, x, y) | Op::CurveToY(_, _, x, y) => {
                path.add(&matrix, x, y);
            }
            Op::Rect(x, y, width, height) => {
                path.add(&matrix, x, y);
                path.add(&matrix, x + width, y + height);
            }
            Op::Fill | Op::FillEvenOdd | Op::FillStroke | Op::FillStrokeEvenOdd | Op::CloseFillStroke => {
                found.extend(path.bullet());
                path = Path::default();
            }
            Op::Stroke | Op::CloseStroke | Op::CloseFillStrokeEvenOdd | Op::EndPath => {
                path = Path::default();
            }
            _ => {}
        }
        if found.len() > MAX_SHAPES {
            return Vec::new();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_filled_shapes_are_found_where_they_are_drawn() {
        let content =
            b"q .5 0 0 -.5 10 100 cm 20 40 8 8 re f Q 0 0 4 4 re S 0 0 200 1 re f 5 5 m 8 8 l 5 8 l f";
        let found = bullets(content);
        assert_eq!(found.len(), 2, "{found:?}");
        let first = found[0];
        assert_eq!((first.x0, first.y0, first.x1, first.y1), (20.0, 76.0, 24.0, 80.0));
    }

    #[test]
    fn a_drawing_of_many_shapes_has_no_bullets() {
        assert_eq!(bullets("0 0 4 4 re f ".repeat(400).as_bytes()).len(), 400);
        assert!(bullets("0 0 4 4 re f ".repeat(401).as_bytes()).is_empty());
    }
}
