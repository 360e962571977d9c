//! The values of form fields, which the page does not draw: each is put behind its label.

use super::token::{Area, MAX_PLACE, Token};

/// The text of a field of one line stands this far below its middle, in sizes of the text.
const BELOW_MIDDLE: f32 = 0.35;

/// A label beside a field is at most this far above or below its text, in sizes of the text.
const MAX_SHIFT: f32 = 0.7;

/// A label above a field is at most this far above it, in sizes of the text.
const MAX_ABOVE: f32 = 1.6;

/// Most texts that are compared with a field.
const MAX_COMPARED: usize = 1_000;

/// The place of a text of the page.
struct Label {
    base: f32,
    left: f32,
    right: f32,
}

/// The texts of a page, from the top.
pub(super) struct Labels {
    texts: Vec<Label>,
}

impl Labels {
    pub(super) fn of(texts: &[Token]) -> Self {
        let mut texts: Vec<Label> =
            texts.iter().map(|text| Label { base: text.base, left: text.left, right: text.right }).collect();
        texts.sort_by(|a, b| a.base.total_cmp(&b.base));
        Self { texts }
    }

    /// The texts whose bases are in this range.
    fn between(&self, top: f32, bottom: f32) -> impl Iterator<Item = &Label> {
        let first = self.texts.partition_point(|text| text.base < top);
        self.texts.iter().skip(first).take_while(move |text| text.base <= bottom).take(MAX_COMPARED)
    }

    /// Puts the value of a field of one line on the line of its label, which is beside or above it.
    pub(super) fn put(&self, area: Area, value: &mut Token) {
        let size = value.size;
        let middle = (area.top + area.bottom) / 2.0 + BELOW_MIDDLE * size;
        let beside = self
            .between(middle - MAX_SHIFT * size, middle + MAX_SHIFT * size)
            .filter(|label| label.right <= area.left + 0.5 * size)
            .max_by(|a, b| a.right.total_cmp(&b.right));
        value.base = beside.map_or(middle, |label| label.base).clamp(-MAX_PLACE, MAX_PLACE);
        if beside.is_some() {
            return;
        }
        let is_over = |label: &&Label| (area.left - size..area.right).contains(&label.left);
        let above = || self.between(area.top - MAX_ABOVE * size, area.top).filter(is_over);
        let first = above().min_by(|a, b| a.left.total_cmp(&b.left));
        let Some(label) = first.filter(|label| label.left <= area.left + size) else { return };
        let is_same = |other: &&Label| (other.base - label.base).abs() <= 0.1 * size;
        let right = above().filter(is_same).map(|label| label.right).fold(label.right, f32::max);
        value.base = label.base;
        value.left = right + 0.5 * size;
        value.right = value.left + 0.5 * size * value.text.chars().count() as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::super::fragment::tests::token;
    use super::*;

    #[test]
    fn a_value_is_put_behind_its_label() {
        let labels = Labels::of(&[token("Name", 10.0, 100.0, 10.0), token("Phone", 200.0, 50.0, 10.0)]);
        let put = |left: f32, top: f32| {
            let mut value = token("W. Quandt", left, top + 10.0, 10.0);
            labels.put(Area { left, right: left + 90.0, top, bottom: top + 18.0 }, &mut value);
            (value.left, value.base)
        };
        assert_eq!(put(60.0, 86.0), (60.0, 100.0), "its label is at its left");
        let (left, base) = put(200.0, 54.0);
        assert!(left > 220.0 && base == 50.0, "its label is above it: {left}, {base}");
        assert_eq!(put(400.0, 200.0).0, 400.0, "it has no label");
    }
}
