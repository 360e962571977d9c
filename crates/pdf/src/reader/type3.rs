//! Widths of Type 3 fonts.

use pdfboss_core::{Dict, Name, Object};

/// Whether these are the entries of a Type 3 font.
pub(super) fn is_font(entries: &Dict) -> bool {
    entries.get_name("Subtype").is_some_and(|name| name.0 == "Type3")
}

/// The entries of a Type 3 font with its widths in thousandths of a size, as other fonts have them. The file
/// has them in units of the matrix of the font (PDF 32000-1, 9.6.5), which the text reader does not know.
pub(super) fn in_thousandths(mut font: Dict, matrix: &Object, widths: &Object) -> Dict {
    let unit = matrix.as_array().and_then(|matrix| matrix.first()).and_then(Object::as_f64);
    let scale = unit.map_or(0.0, |unit| 1000.0 * unit.abs());
    let scaled = |width: &Object| match width.as_f64() {
        Some(width) => Object::Real(width * scale),
        None => width.clone(),
    };
    if let Some(widths) = widths.as_array().filter(|_| scale.is_normal()) {
        font.insert(Name("Widths".to_owned()), Object::Array(widths.iter().map(scaled).collect()));
    }
    font
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_in_thousandths() {
        let scaled = |unit: f64| {
            let matrix = Object::Array([unit, 0.0, 0.0, -unit, 0.0, 0.0].map(Object::Real).to_vec());
            let widths = Object::Array(vec![Object::Int(2048), Object::Int(0)]);
            let font = in_thousandths(Dict::new(), &matrix, &widths);
            font.get_array("Widths").and_then(|widths| widths.first()).and_then(Object::as_f64)
        };
        assert_eq!(scaled(1.0 / 2048.0), Some(1000.0));
        assert_eq!(scaled(-1.0), Some(2_048_000.0));
        assert_eq!(scaled(0.0), None);
    }
}
