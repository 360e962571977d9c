//! The operations of a content stream.

use memchr::{memchr, memmem};

use crate::syntax::string_end;

/// An offset in a `TJ` that the analysis may read as the gap between columns, in thousandths of an em: four
/// times the smallest gap between words that it recognises.
const COLUMN_GAP: f64 = -320.0;

/// The operators of paths (PDF 32000-1, 8.5).
const PATH_OPERATORS: [&[u8]; 19] = [
    b"m", b"l", b"c", b"v", b"y", b"h", b"re", b"S", b"s", b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*", b"n",
    b"W", b"W*",
];

/// How to read strings, comments and the data of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opaque {
    /// Skip them.
    Skip,
    /// Read them like the rest.
    Read,
}

/// An operator and its operands.
pub(crate) struct Operation<'c> {
    pub(crate) operator: &'c [u8],
    /// The last numbers before it, in their order.
    pub(crate) numbers: [f64; 6],
    /// How many numbers there are.
    pub(crate) number_count: usize,
    /// Numbers that may be gaps between columns.
    pub(crate) gaps: u64,
    /// The operands name a replacement text.
    pub(crate) has_text: bool,
    /// Bytes after a picture without an end.
    pub(crate) searched: u64,
    /// The operator with all of its operands.
    bytes: &'c [u8],
}

/// Calls `each` for each operation of a content (PDF 32000-1, 7.8.2). Bytes that are not a content give few
/// operations or none.
pub(crate) fn operations<'c>(content: &'c [u8], opaque: Opaque, mut each: impl FnMut(&Operation<'c>)) {
    let skips = opaque == Opaque::Skip;
    let (mut at, mut start) = (0_usize, 0_usize);
    let (mut numbers, mut number_count, mut gaps, mut has_text) = ([0.0; 6], 0, 0, false);
    // The end of the last picture. If a picture has no end, no later one has.
    let mut picture_end = Some(0);
    while let Some(byte) = content.get(at) {
        let rest = content.get(at..).unwrap_or_default();
        // Every parser reads a bracket as the beginning of a string, so its first word is not an operator.
        let is_text = !skips && at.checked_sub(1).is_some_and(|before| content.get(before) == Some(&b'('));
        let length = match byte {
            b'%' if skips => rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len()),
            b'(' if skips => string_end(rest.get(1..).unwrap_or_default()).map_or(rest.len(), |end| 1 + end),
            b'<' if rest.get(1) == Some(&b'<') => 2,
            b'<' if skips => memchr(b'>', rest).map_or(rest.len(), |end| end + 1),
            b'/' => {
                let name = 1 + bytes_while(rest.get(1..).unwrap_or_default(), is_regular);
                // Any letter may be escaped with `#`.
                has_text |= rest
                    .get(..name)
                    .is_some_and(|name| name == b"/ActualText" || memchr(b'#', name).is_some());
                name
            }
            b'+' | b'-' | b'.' | b'0'..=b'9' => {
                let length =
                    bytes_while(rest, |byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.'));
                let number = number(rest.get(..length).unwrap_or_default());
                if !is_text {
                    gaps += u64::from(number.is_nan() || number <= COLUMN_GAP);
                    number_count += 1;
                    numbers.rotate_left(1);
                    if let Some(last) = numbers.last_mut() {
                        *last = number;
                    }
                }
                length
            }
            _ if is_operator(*byte) => {
                let length = bytes_while(rest, is_operator);
                let operator = without_keywords(rest.get(..length).unwrap_or_default());
                let mut end = at + length;
                if !operator.is_empty() && !is_text {
                    let mut searched = 0;
                    if operator == b"BI" {
                        let after = content.get(end..).unwrap_or_default();
                        if picture_end.is_some_and(|last| last < end) {
                            picture_end = picture_bytes(after).map(|bytes| end + bytes);
                        }
                        match picture_end {
                            Some(picture_end) if skips => end = picture_end,
                            Some(_) => {}
                            None => searched = after.len() as u64,
                        }
                    }
                    let bytes = content.get(start..end).unwrap_or_default();
                    each(&Operation { operator, numbers, number_count, gaps, has_text, searched, bytes });
                    (start, numbers, number_count, gaps, has_text) = (end, [0.0; 6], 0, 0, false);
                }
                end - at
            }
            _ => 1,
        };
        at += length.max(1);
    }
}

fn bytes_while(bytes: &[u8], is_part: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| is_part(**byte)).count()
}

/// An operator without leading keywords that are values: a parser may split them off.
fn without_keywords(mut operator: &[u8]) -> &[u8] {
    const KEYWORDS: [&[u8]; 3] = [b"true", b"false", b"null"];
    while let Some(rest) = KEYWORDS.iter().find_map(|word| operator.strip_prefix(*word)) {
        operator = rest;
    }
    operator
}

const fn is_operator(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'*' | b'\'' | b'"')
}

/// Whether this is a byte of a name (PDF 32000-1, 7.2.2).
const fn is_regular(byte: u8) -> bool {
    !byte.is_ascii_whitespace()
        && !matches!(byte, 0 | b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

/// Bytes of an inline picture, from after its first operator to its end; `None` without an end.
fn picture_bytes(bytes: &[u8]) -> Option<usize> {
    let is_white = |at: usize| bytes.get(at).is_some_and(|byte| byte.is_ascii_whitespace() || *byte == 0);
    let mut ends = memmem::find_iter(bytes, b"EI");
    ends.find(|at| at.checked_sub(1).is_some_and(is_white) && is_white(at + 2)).map(|at| at + 2)
}

/// The number of these digits and signs; NaN if they are more than one number.
fn number(digits: &[u8]) -> f64 {
    std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
}

/// A content without its paths. Its texts and pictures stay.
pub(crate) fn without_paths(content: &[u8]) -> Vec<u8> {
    let mut left = Vec::new();
    operations(content, Opaque::Skip, |operation| {
        if !PATH_OPERATORS.contains(&operation.operator) {
            left.extend_from_slice(operation.bytes);
            left.push(b'\n');
        }
    });
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_removed_and_texts_stay() {
        let content = b"q 0 0 9 9 re W n BT /F1 9 Tf(x)Tj ET 1 1 m 5 5 l S /X Do Q";
        let left = String::from_utf8(without_paths(content)).unwrap();
        let words: Vec<&str> = left.split_whitespace().collect();
        assert_eq!(words, ["q", "BT", "/F1", "9", "Tf", "(x)Tj", "ET", "/X", "Do", "Q"], "{left:?}");
    }
}
