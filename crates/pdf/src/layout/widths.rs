//! Estimates where the characters of a text are, if the reader gives only where it begins and ends.

/// The relative width of a character in common fonts.
fn weight(c: char) -> f32 {
    match c {
        'i' | 'j' | 'l' | '|' | '\'' | '!' | '.' | ',' | ':' | ';' | 'I' | '`' => 0.27,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '\\' | ' ' | '-' => 0.32,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.85,
        'A'..='Z' | '&' | '_' | '=' | '+' | '<' | '>' => 0.68,
        c if c.is_ascii() => 0.52,
        _ => 0.6,
    }
}

/// The left end of each character between `left` and `right`, and `right` itself. `is_mono` says that all
/// have one width.
pub(super) fn edges(chars: &[char], left: f32, right: f32, is_mono: bool) -> Vec<f32> {
    let weight = |c: char| if is_mono { 1.0 } else { weight(c) };
    let total: f32 = chars.iter().map(|c| weight(*c)).sum();
    let scale = if total > 0.0 { (right - left) / total } else { 0.0 };
    let mut edges = Vec::with_capacity(chars.len() + 1);
    let mut at = left;
    for c in chars {
        edges.push(at);
        at += weight(*c) * scale;
    }
    edges.push(right);
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_fill_the_text() {
        let edges = edges(&['i', 'm', 'i'], 10.0, 20.0, false);
        assert_eq!((edges[0], edges[3]), (10.0, 20.0));
        assert!(edges[2] - edges[1] > 2.0 * (edges[1] - edges[0]));
    }

    #[test]
    fn letters_of_one_width_have_one() {
        assert_eq!(edges(&[' ', 'm'], 10.0, 20.0, true), [10.0, 15.0, 20.0]);
    }
}
