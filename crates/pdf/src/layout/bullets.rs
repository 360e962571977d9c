//! Bullets that are drawn as shapes, as texts before their lines.

use pdfboss_core::Rect;

use super::token::{Style, Token, Turn};

/// A bullet is between these shares of the size of its text.
const MIN_SIZE: f32 = 0.15;
const MAX_SIZE: f32 = 0.75;

/// Its middle is between these heights above the line, in sizes of the text.
const MIN_HEIGHT: f32 = 0.12;
const MAX_HEIGHT: f32 = 0.6;

/// Widest gap between a bullet and its text, in sizes of the text.
const MAX_GAP: f32 = 2.5;

/// Bullets of one list are within this many points of each other.
const SAME_PLACE: f32 = 1.0;

/// Fewest bullets below each other.
const MIN_BULLETS: usize = 2;

/// The bullets among shapes: those that stand before the text of a line, below others.
pub(super) fn tokens(shapes: &[Rect], texts: &[Token]) -> Vec<Token> {
    if shapes.len() < MIN_BULLETS || texts.is_empty() {
        return Vec::new();
    }
    let mut lines: Vec<&Token> = texts.iter().collect();
    lines.sort_by(|a, b| a.base.total_cmp(&b.base));
    let mut found: Vec<Token> = shapes.iter().filter_map(|shape| before_text(shape, &lines)).collect();
    let lefts: Vec<f32> = found.iter().map(|bullet| bullet.left).collect();
    found.retain(|bullet| {
        let others = lefts.iter().filter(|left| (**left - bullet.left).abs() <= SAME_PLACE);
        others.count() >= MIN_BULLETS
    });
    found
}

/// The bullet that a shape is, if it stands before one of these texts, which are in the order of their lines,
/// and no text ends beside it.
fn before_text(shape: &Rect, lines: &[&Token]) -> Option<Token> {
    let area = Turn::Upright.area(*shape);
    let (width, height) = (area.right - area.left, area.bottom - area.top);
    let middle = (area.top + area.bottom) / 2.0;
    let largest = height / MIN_SIZE;
    let first = lines.partition_point(|token| token.base < middle);
    let on_line = || {
        let below = lines.iter().skip(first);
        below.take_while(move |token| token.base <= middle + MAX_HEIGHT * largest).filter(move |token| {
            let size = token.size;
            (MIN_SIZE * size..=MAX_SIZE * size).contains(&height)
                && (MIN_HEIGHT * size..=MAX_HEIGHT * size).contains(&(token.base - middle))
        })
    };
    let text = on_line().filter(|token| token.left >= area.right).min_by(|a, b| a.left.total_cmp(&b.left))?;
    let is_beside = text.left - area.right <= MAX_GAP * text.size;
    let is_within =
        on_line().any(|token| token.left < area.right && token.right > area.left - MAX_GAP * token.size);
    if !is_beside || is_within || width > MAX_SIZE * text.size {
        return None;
    }
    Some(Token {
        text: "•".to_owned(),
        left: area.left,
        right: area.right,
        base: text.base,
        size: text.size,
        style: Style { link: None, ..text.style },
        is_spaced_after: true,
        ..Token::default()
    })
}

#[cfg(test)]
mod tests {
    use super::super::fragment::tests::token;
    use super::*;

    /// A shape of 4 points whose middle is 4 points above the line at `base`.
    fn shape(left: f32, base: f32) -> Rect {
        Rect { x0: left, y0: -base + 2.0, x1: left + 4.0, y1: -base + 6.0 }
    }

    #[test]
    fn shapes_before_lines_are_bullets() {
        let texts = [token("first", 12.0, 100.0, 10.0), token("second", 12.0, 112.0, 10.0)];
        let found = tokens(&[shape(0.0, 100.0), shape(0.0, 112.0), shape(60.0, 112.0)], &texts);
        let places: Vec<(f32, f32)> = found.iter().map(|bullet| (bullet.left, bullet.base)).collect();
        assert_eq!(places, [(0.0, 100.0), (0.0, 112.0)]);
    }

    #[test]
    fn other_shapes_are_no_bullets() {
        let texts = [token("first", 12.0, 100.0, 10.0), token("second", 12.0, 112.0, 10.0)];
        assert!(tokens(&[shape(0.0, 100.0), shape(0.0, 90.0)], &texts).is_empty(), "one of them is alone");
        // Within a line of text.
        let texts = [token("a", 0.0, 100.0, 10.0), token("b", 20.0, 100.0, 10.0)];
        assert!(tokens(&[shape(10.0, 100.0), shape(10.0, 100.0)], &texts).is_empty());
    }
}
