//! Reads the stream of React's server components: rows of JSON that refer to each other.
//!
//! Pages carry the stream in pieces, `self.__next_f.push([1,"0:..."])`. A row is `id:value` up to a line end,
//! or `id:Tlength,` and `length` bytes of text. Rows of other kinds name modules and resources.

use std::collections::HashMap;

use gleaner_types::Interrupt;
use memchr::memchr;

use super::literal;
use super::value::{Kind, Span, ValueId, Values};

/// A longer id is none, in bytes.
const MAX_ID_BYTES: usize = 8;

/// The rows of a stream by their ids, and the row that the page begins with.
pub(super) fn rows(
    stream: &str,
    values: &mut Values,
    interrupt: &Interrupt,
) -> Option<(ValueId, HashMap<String, ValueId>)> {
    let mut rows: HashMap<String, ValueId> = HashMap::new();
    let mut first = None;
    let mut rest = stream;
    while !rest.is_empty() && !values.is_full() && !interrupt.spend(1) {
        let line_end = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let line = rest.get(..line_end).unwrap_or_default();
        let after = rest.get(line_end + 1..).unwrap_or_default();
        let colon = memchr(b':', line.as_bytes().get(..MAX_ID_BYTES + 1).unwrap_or(line.as_bytes()));
        let id = colon.and_then(|at| line.get(..at)).unwrap_or_default();
        let Some(at) = colon.filter(|_| id.bytes().all(|byte| byte.is_ascii_hexdigit())) else {
            rest = after;
            continue;
        };
        let start = at + 1;
        let row = match line.as_bytes().get(start) {
            Some(b'T') => {
                let content = rest.get(start + 1..).unwrap_or_default();
                let Some((text, after)) = text_row(content) else {
                    rest = after;
                    continue;
                };
                rest = after;
                let text = values.store(text);
                values.push(Kind::Text, Span::default(), text)
            }
            Some(b'[' | b'{' | b'"') => {
                rest = after;
                match literal::parse(line.get(start..).unwrap_or_default(), values, interrupt) {
                    Ok(parsed) => parsed.root,
                    Err(_) => continue,
                }
            }
            _ => {
                rest = after;
                continue;
            }
        };
        if first.is_none() || id == "0" {
            first = Some(row);
        }
        rows.insert(id.to_owned(), row);
    }
    Some((first?, rows))
}

/// The text of a row and what follows. The length is in bytes, in hexadecimal.
fn text_row(content: &str) -> Option<(&str, &str)> {
    let comma = memchr(b',', content.as_bytes().get(..MAX_ID_BYTES + 1).unwrap_or(content.as_bytes()))?;
    let length = usize::from_str_radix(content.get(..comma)?, 16).ok()?;
    let start = comma + 1;
    Some((content.get(start..start.checked_add(length)?)?, content.get(start + length..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_by_their_ids() {
        let stream = "1:I[5,[],\"\"]\n2:\"$Sreact.fragment\"\n3:T7,a\nbé\nc\n0:{\"P\":[\"$\",\"p\",null,{}]}\n\
                      4:[broken\n:HL[\"/a.css\"]\nff:[1]\nno row\n5:T99,short\n6:[2]";
        let mut values = Values::default();
        let (first, rows) = rows(stream, &mut values, &Interrupt::never()).unwrap();
        assert_eq!(values.kind(first), Kind::Object);
        let mut ids: Vec<&str> = rows.keys().map(String::as_str).collect();
        ids.sort_unstable();
        assert_eq!(ids, ["0", "2", "3", "6", "ff"]);
        assert_eq!(values.text(rows["3"]), "a\nbé\nc");
        assert!(super::rows("", &mut values, &Interrupt::never()).is_none());
    }
}
