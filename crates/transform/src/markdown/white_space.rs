//! Text whose line ends are line ends: elements whose style keeps them, as that of poems and messages does
//! (CSS Text 3, 3).

use super::Writer;
use crate::names;
use crate::tree::{Attr, NodeId, Tree};

/// Values of `white-space` and `white-space-collapse` that keep line ends.
const KEPT: &[&str] = &["break-spaces", "pre", "pre-line", "pre-wrap", "preserve", "preserve-breaks"];

/// Classes of Tailwind that keep line ends, without their common start.
const KEPT_CLASSES: &[&str] = &["break-spaces", "pre", "pre-line", "pre-wrap"];

/// Maximum number of elements that are open and say what becomes of line ends.
const MAX_OPEN: usize = 64;

impl Writer<'_> {
    /// Notes whether line ends in an element are kept, if it says so.
    pub(super) fn open_white_space(&mut self, node: NodeId) {
        if self.kept_lines.len() < MAX_OPEN
            && let Some(keeps) = keeps_lines(self.tree, node)
        {
            self.kept_lines.push((node, keeps));
        }
    }

    pub(super) fn close_white_space(&mut self, node: NodeId) {
        self.kept_lines.pop_if(|(kept, _)| *kept == node);
    }

    /// Writes text without formulas.
    pub(super) fn plain_text(&mut self, text: &str) {
        if !matches!(self.kept_lines.last(), Some((_, true))) || !text.contains('\n') {
            self.inline.text(text);
            return;
        }
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                self.split_long_block();
                self.line_break();
            }
            self.inline.text(line);
        }
    }
}

/// Whether the style or the class of an element keeps the line ends of its text. `None` if they say nothing.
fn keeps_lines(tree: &Tree, node: NodeId) -> Option<bool> {
    let style = tree.attribute(node, Attr::Style).map(names::prefix).unwrap_or_default();
    if style.contains("hite-space") {
        let declarations = style.split(';').filter_map(|declaration| declaration.split_once(':'));
        let (_, value) = declarations
            .rev()
            .find(|(property, _)| matches!(property.trim(), "white-space" | "white-space-collapse"))?;
        let value = value.split('!').next().unwrap_or_default();
        return Some(value.split_ascii_whitespace().any(|word| KEPT.contains(&word)));
    }
    let class = names::class(tree, node);
    if !class.contains("whitespace-") {
        return None;
    }
    let mut found = names::class_words(class).filter_map(|word| word.strip_prefix("whitespace-"));
    found.next().map(|value| KEPT_CLASSES.contains(&value))
}

#[cfg(test)]
mod tests {
    use crate::markdown::tests::check_page;

    #[test]
    fn line_ends_that_a_style_keeps_are_breaks() {
        let poem = "a\nb\n\nc";
        let rows = [
            (format!("<div style='white-space: pre-wrap;'>{poem}</div>"), "a  \nb\n\nc"),
            (format!("<p style='white-space:pre-line'>\n{poem}\n</p>x"), "a  \nb\n\nc\n\nx"),
            (
                format!("<div style='color:red; white-space: break-spaces !important'>{poem}</div>"),
                "a  \nb\n\nc",
            ),
            (format!("<div style='white-space-collapse: preserve-breaks'>{poem}</div>"), "a  \nb\n\nc"),
            (format!("<div class='x whitespace-pre-wrap'>{poem}</div>"), "a  \nb\n\nc"),
            ("<div style='white-space:pre-line'><span>a</span>\n<b>b</b></div>".to_owned(), "a  \n**b**"),
            (
                "<div style='white-space:pre-wrap'>a\n<p style='white-space:normal'>b\nc</p>d\ne</div>"
                    .to_owned(),
                "a\n\nb c\n\nd  \ne",
            ),
            ("<div style='white-space:nowrap'>a\nb</div>".to_owned(), "a b"),
            ("<div class=whitespace-nowrap>a\nb</div>".to_owned(), "a b"),
            ("<div style='white-space:pre-wrap'>a\nb</div>c\nd".to_owned(), "a  \nb\n\nc d"),
            (
                "<table><tr><th>H<th>I<tr><td style='white-space:pre-line'>a\nb<td>c</table>".to_owned(),
                "| H | I |\n| --- | --- |\n| a<br>b | c |",
            ),
            ("<h2 style='white-space:pre-wrap'>a\nb</h2>".to_owned(), "## a b"),
        ];
        for (html, markdown) in &rows {
            check_page(&[(html.as_str(), html.as_str(), *markdown)]);
        }
    }
}
