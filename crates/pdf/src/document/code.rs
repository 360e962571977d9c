//! Code: its lines with their indents.

use crate::layout::Line;

/// Width of a letter, in sizes of the text, if the lines do not show it.
const WIDTH: f32 = 0.6;

/// A line shows the width of its letters if it has at least this many.
const MIN_CHARS: usize = 4;

/// Most spaces before a line.
const MAX_INDENT: usize = 60;

/// A distance of two lines above this many usual ones is an empty line.
const EMPTY_LINE: f32 = 1.6;

/// The letters of two parts of one program differ in width by at most this share.
const SAME_WIDTH: f32 = 0.03;

/// Lines of code with their indents, which are beyond the left edge of the code.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Code {
    pub(super) lines: Vec<String>,
    pub(super) left: f32,
    /// The width of a letter.
    pub(super) width: f32,
}

/// Lines of code with their indents and empty lines. `leading` is the usual distance of lines in sizes of the
/// text.
pub(super) fn code(lines: &[Line], leading: f32) -> Code {
    let left = lines.iter().map(|line| line.left).fold(f32::MAX, f32::min);
    let width = width(lines);
    let mut code: Vec<String> = Vec::new();
    let mut above: Option<f32> = None;
    for line in lines {
        if above.is_some_and(|above| line.base - above > EMPTY_LINE * leading * line.size) {
            code.push(String::new());
        }
        above = Some(line.base);
        let spaces = ((line.left - left) / width).round() as usize;
        code.push(format!("{}{}", " ".repeat(spaces.min(MAX_INDENT)), text(line)));
    }
    Code { lines: code, left, width }
}

impl Code {
    /// Appends code that goes on with this one on the next page. `Err` gives it back if it does not.
    pub(super) fn append(&mut self, other: Self) -> Result<(), Self> {
        let shift = ((other.left - self.left) / self.width).round();
        let is_same = (self.width - other.width).abs() <= SAME_WIDTH * self.width;
        // To move the lines above for each page would cost the square of their number.
        if !is_same || !(0.0..=MAX_INDENT as f32).contains(&shift) {
            return Err(other);
        }
        let indent = " ".repeat(shift as usize);
        let line = |line: String| if line.is_empty() { line } else { format!("{indent}{line}") };
        self.lines.extend(other.lines.into_iter().map(line));
        Ok(())
    }
}

/// The text of a line with its gaps, if they are known.
fn text(line: &Line) -> &str {
    if line.code.is_empty() { line.text.as_str() } else { &line.code }
}

/// The width of a letter: the middle one of those that the lines show.
fn width(lines: &[Line]) -> f32 {
    let of_line = |line: &Line| {
        let chars = text(line).chars().count();
        (chars >= MIN_CHARS).then(|| (line.right - line.left) / chars as f32)
    };
    let mut widths: Vec<f32> = lines.iter().filter_map(of_line).collect();
    widths.sort_by(f32::total_cmp);
    let size = lines.first().map_or(0.0, |line| line.size);
    widths.get(widths.len() / 2).copied().unwrap_or(WIDTH * size).max(0.1)
}

#[cfg(test)]
mod tests {
    use super::super::style::tests::line;
    use super::*;

    #[test]
    fn indents_are_in_letters_of_the_code() {
        // Letters of half the size, so the second line is indented by four of them.
        let lines = [
            line("fn main() {", 10.0, 0.0, 10.0),
            line("run();", 30.0, 12.0, 10.0),
            line("}", 10.0, 36.0, 10.0),
        ];
        assert_eq!(code(&lines, 1.2).lines, ["fn main() {", "    run();", "", "}"]);
    }

    #[test]
    fn short_lines_have_usual_letters() {
        let lines = [line("a", 0.0, 0.0, 10.0), line("b", 12.0, 12.0, 10.0)];
        assert_eq!(code(&lines, 1.2).lines, ["a", "  b"]);
    }

    #[test]
    fn code_goes_on_over_a_page() {
        let mut first = code(&[line("fn main() {", 10.0, 700.0, 10.0)], 1.2);
        let next = [line("run();", 30.0, 20.0, 10.0), line("stop();", 30.0, 32.0, 10.0)];
        assert_eq!(first.append(code(&next, 1.2)), Ok(()));
        assert_eq!(first.lines, ["fn main() {", "    run();", "    stop();"]);
        let left = code(&[line("more();", 0.0, 20.0, 10.0)], 1.2);
        assert_eq!(first.append(left.clone()), Err(left));
    }
}
