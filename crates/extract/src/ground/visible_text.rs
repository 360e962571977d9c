//! The text of Markdown without marks and addresses, with positions in the source.

use std::ops::Range;

use super::link_address::address_end;

/// Upper bound on the context of a quote on each side, in bytes.
const MAX_NEAR_BYTES: usize = 256;

/// Markdown as its readers see it: without marks and without link addresses. Each byte keeps its position in
/// the source.
#[derive(Debug)]
pub(super) struct VisibleText {
    text: String,
    /// For each byte of `text`, its position in the source.
    origin: Vec<u32>,
}

impl VisibleText {
    pub(super) fn new(source: &str) -> Self {
        let mut visible =
            Self { text: String::with_capacity(source.len()), origin: Vec::with_capacity(source.len()) };
        let mut chars = source.char_indices().peekable();
        while let Some((at, found)) = chars.next() {
            match found {
                ']' => {
                    let end = address_end(source, at).unwrap_or(at);
                    while chars.next_if(|(next, _)| *next < end).is_some() {}
                }
                '*' | '`' | '[' => {}
                '\\' => {
                    if let Some((at, escaped)) = chars.next() {
                        visible.push(escaped, at);
                    }
                }
                other => visible.push(other, at),
            }
        }
        visible
    }

    fn push(&mut self, found: char, at: usize) {
        self.text.push(found);
        let origin = u32::try_from(at).unwrap_or(u32::MAX);
        self.origin.extend(std::iter::repeat_n(origin, found.len_utf8()));
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The range in the text of a span of the source.
    pub(super) fn range(&self, span: &Range<usize>) -> Range<usize> {
        let position = |at: usize| self.origin.partition_point(|origin| (*origin as usize) < at);
        position(span.start)..position(span.end)
    }
}

/// A range extended to the nearest edge on each side, within [`MAX_NEAR_BYTES`]. `edge` gets a character and
/// the one after it.
pub(super) fn widened(
    text: &str,
    range: &Range<usize>,
    edge: impl Fn(char, Option<char>) -> bool,
) -> Range<usize> {
    let (before, _) = text.split_at_checked(range.start).unwrap_or_default();
    let mut start = range.start;
    let mut behind = text.get(range.start..).and_then(|text| text.chars().next());
    for (at, found) in before.char_indices().rev() {
        if edge(found, behind) || range.start - at > MAX_NEAR_BYTES {
            break;
        }
        start = at;
        behind = Some(found);
    }
    let mut end = range.end;
    let mut after = text.get(range.end..).unwrap_or_default().chars().peekable();
    while let Some(found) = after.next() {
        if edge(found, after.peek().copied()) || end - range.end > MAX_NEAR_BYTES {
            break;
        }
        end += found.len_utf8();
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_addresses_are_removed() {
        let rows = [
            ("[Red *cup*](/p/1299) costs", "Red cup costs"),
            ("![Cup](/800x600.png)", "!Cup"),
            (r"5\. 1\*2", "5. 1*2"),
            ("[open](/p", "open(/p"),
            ("[a] (b)", "a (b)"),
            ("[Mercury](/wiki/Mercury_(planet)) is near", "Mercury is near"),
            ("[a](<x)y>) b", "a b"),
            ("[a](x(y) b\nc", "a b\nc"),
        ];
        for (source, seen) in rows {
            assert_eq!(VisibleText::new(source).text(), seen, "{source}");
        }
    }

    #[test]
    fn spans_of_the_source_map_to_the_text() {
        let source = "**é** [Red cup](/p/1299) costs";
        let visible = VisibleText::new(source);
        let at = source.find("Red").unwrap();
        assert_eq!(visible.text().get(visible.range(&(at..at + 7))), Some("Red cup"));
    }
}
