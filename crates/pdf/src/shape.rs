//! What a parser would pay for that no stream has to inflate for: values without number, rows without end, and objects
//! that a table of places leads to again and again.
//!
//! A value of two bytes takes a hundred once it is parsed; a row of a predictor is allocated before there is any data for
//! it; an object is parsed once for each entry of a table that leads to it. All three turn a kilobyte into the memory of
//! the machine, and the parser has no bound for them.

use std::collections::HashMap;

use lopdf::xref::XrefEntry;
use lopdf::{Document, Object, Stream};
use memchr::{memchr, memchr_iter};

use crate::{Error, ErrorKind, Options};

/// Values that a file may hold outside of what is packed, and again in its object streams. Less than a gigabyte of memory
/// once they are parsed.
pub const MAX_VALUES: usize = 6_000_000;

/// Numbers that the rows of a predictor are reckoned from, and the most that each may be.
const ROWS: [(&[u8], u64); 3] = [(b"Columns", 1_000_000), (b"Colors", 32), (b"BitsPerComponent", 64)];

/// Objects may be parsed as often as this many times the file's bytes make up, and [`SPARE_BYTES`].
const TIMES: u64 = 3;

const SPARE_BYTES: u64 = 10_000_000;

/// Looks through the bytes of a file.
pub(crate) fn check(bytes: &[u8]) -> Result<(), Error> {
    if values(bytes) > MAX_VALUES {
        return Err(ErrorKind::TooManyValues { limit: MAX_VALUES }.into());
    }
    rows(bytes)?;
    apart(bytes, places(bytes))
}

/// Looks at the table of places that the parser goes by.
pub(crate) fn check_table(bytes: &[u8], document: &Document, options: &Options) -> Result<(), Error> {
    let entries = &document.reference_table.entries;
    if entries.len() > options.max_objects {
        return Err(ErrorKind::TooManyObjects { limit: options.max_objects }.into());
    }
    let places = entries.values().filter_map(|entry| match entry {
        XrefEntry::Normal { offset, .. } => usize::try_from(*offset).ok(),
        _ => None,
    });
    apart(bytes, places)
}

/// Looks at the streams of a file: together they are no longer than it is, or some lie within others.
pub(crate) fn check_lengths(bytes: &[u8], document: &Document) -> Result<(), Error> {
    let length = |stream: &Stream| {
        let length = stream.dict.get(b"Length").and_then(|length| document.dereference(length)).ok()?;
        u64::try_from(length.1.as_i64().ok()?).ok()
    };
    let streams = document.objects.values().filter_map(|object| object.as_stream().ok());
    let sum = streams.filter_map(length).fold(0_u64, u64::saturating_add);
    within(bytes, sum, "its streams lie within one another")
}

fn within(bytes: &[u8], sum: u64, reason: &str) -> Result<(), Error> {
    let most = (bytes.len() as u64).saturating_mul(TIMES).saturating_add(SPARE_BYTES);
    if sum > most { Err(Error::malformed(reason)) } else { Ok(()) }
}

/// Where values begin, or may: what a text is in between does not matter.
pub(crate) fn values(bytes: &[u8]) -> usize {
    let mut within = false;
    let mut count = 0;
    for byte in bytes {
        let (begins, inside) = match byte {
            b'/' => (true, true),
            b'(' | b'<' | b'[' => (true, false),
            b'\0' | b'\t' | b'\n' | 0x0C | b'\r' | b' ' | b')' | b'>' | b']' | b'{' | b'}' | b'%' => {
                (false, false)
            }
            _ => (!within, true),
        };
        count += usize::from(begins);
        within = inside;
    }
    count
}

/// Refuses rows that no picture has, wherever a dictionary may be that asks for them.
fn rows(bytes: &[u8]) -> Result<(), Error> {
    for slash in memchr_iter(b'/', bytes) {
        let rest = bytes.get(slash + 1..).unwrap_or_default();
        let end =
            rest.iter().take(64).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'#').count();
        let (name, after) = rest.split_at_checked(end).unwrap_or((rest, b""));
        if !name.starts_with(b"Col") && !name.starts_with(b"Bits") && !name.contains(&b'#') {
            continue;
        }
        let name = unescaped(name);
        let Some((_, most)) = ROWS.iter().find(|(row, _)| *row == name) else { continue };
        if number(after).is_some_and(|number| number > *most) {
            return Err(Error::malformed("the rows of a stream are longer than those of any picture"));
        }
    }
    Ok(())
}

/// A name with its number signs undone (PDF 32000-1, 7.3.5).
pub(crate) fn unescaped(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    let mut rest = name;
    while let [first, after @ ..] = rest {
        let digit = |at: usize| after.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        let byte = match (first, digit(0), digit(1)) {
            (b'#', Some(high), Some(low)) => u8::try_from(high * 16 + low).ok(),
            _ => None,
        };
        out.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    out
}

/// The number that comes next, white space and comments left out; one with too many digits is as large as can be.
fn number(bytes: &[u8]) -> Option<u64> {
    let mut rest = bytes.trim_ascii_start();
    while let Some(comment) = rest.strip_prefix(b"%") {
        let end = comment.iter().position(|byte| matches!(byte, b'\r' | b'\n'))?;
        rest = comment.get(end..)?.trim_ascii_start();
    }
    let rest = rest.strip_prefix(b"+").unwrap_or(rest);
    let digits: Vec<u8> = rest.iter().copied().take_while(u8::is_ascii_digit).take(40).collect();
    let text = std::str::from_utf8(&digits).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or(u64::MAX))
}

/// The places of all entries in use that look as those of a table do: `0000000017 00000 n`.
fn places(bytes: &[u8]) -> impl Iterator<Item = usize> {
    memchr_iter(b'n', bytes).filter_map(|at| {
        let before = bytes.get(..at)?.strip_suffix(b" ")?;
        let (before, generation) = digits_at_end(before);
        let (_, offset) = digits_at_end(before.strip_suffix(b" ").filter(|_| !generation.is_empty())?);
        std::str::from_utf8(offset).ok()?.parse().ok()
    })
}

/// The digits at the end, and what stands before them.
fn digits_at_end(bytes: &[u8]) -> (&[u8], &[u8]) {
    let digits = bytes.iter().rev().take(20).take_while(|byte| byte.is_ascii_digit()).count();
    bytes.split_at_checked(bytes.len() - digits).unwrap_or((bytes, b""))
}

/// Refuses tables that lead to the same object so often that it adds up to more than the file. White space before an
/// object belongs to it; it reaches to where the next one is said to be.
fn apart(bytes: &[u8], places: impl Iterator<Item = usize>) -> Result<(), Error> {
    let mut times: HashMap<usize, u64> = HashMap::new();
    for place in places.filter(|place| *place < bytes.len()) {
        // Longer runs are cut: so many places before an object are not worth it.
        let white = bytes.iter().skip(place).take(64).take_while(|byte| byte.is_ascii_whitespace()).count();
        *times.entry(place + white).or_insert(0) += 1;
    }
    let mut starts: Vec<usize> = times.keys().copied().collect();
    starts.sort_unstable();
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    let sum = starts.iter().zip(ends).fold(0_u64, |sum, (start, end)| {
        let times = times.get(start).copied().unwrap_or(1);
        sum.saturating_add(times.saturating_mul((end - start) as u64))
    });
    within(bytes, sum, "its table leads to the same objects again and again")
}

/// Refuses an object stream whose table leads into the midst of objects, or to one of them again and again
/// (PDF 32000-1, 7.5.7). Gives the values in it.
pub(crate) fn check_packed(stream: &Stream, content: &[u8]) -> Result<usize, Error> {
    let first = stream.dict.get(b"First").and_then(Object::as_i64).ok();
    let Some((table, objects)) = first.and_then(|at| content.split_at_checked(usize::try_from(at).ok()?))
    else {
        return Ok(0);
    };
    let table = String::from_utf8_lossy(table);
    let mut places: Vec<usize> =
        table.split_whitespace().skip(1).step_by(2).filter_map(|place| place.parse().ok()).collect();
    places.sort_unstable();
    let count = places.len();
    // A writer that packs the same object for two numbers saves a few bytes: a few of those may be.
    places.dedup();
    if count > places.len().saturating_mul(2).saturating_add(16) || !between_objects(objects, &places) {
        return Err(Error::malformed(
            "the table of an object stream leads to the same objects again and again",
        ));
    }
    Ok(values(objects).saturating_add(count))
}

/// Are all places, in order, outside of what brackets and strings enclose?
fn between_objects(objects: &[u8], places: &[usize]) -> bool {
    let mut places = places.iter().copied().peekable();
    let (mut at, mut depth) = (0_usize, 0_usize);
    while let Some(byte) = objects.get(at) {
        while places.next_if(|place| *place <= at).is_some() {
            if depth > 0 {
                return false;
            }
        }
        let rest = objects.get(at + 1..).unwrap_or_default();
        at += 1;
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            b'<' if rest.first() == Some(&b'<') => (depth, at) = (depth + 1, at + 1),
            b'>' if rest.first() == Some(&b'>') => (depth, at) = (depth.saturating_sub(1), at + 1),
            b'<' | b'(' | b'%' => {
                let length = match byte {
                    b'<' => memchr(b'>', rest).map(|end| end + 1),
                    b'%' => rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')),
                    _ => string_end(rest),
                };
                let end = at + length.unwrap_or(rest.len());
                if places.next_if(|place| *place < end).is_some() {
                    return false;
                }
                at = end;
            }
            _ => {}
        }
    }
    true
}

/// Where a string ends that was opened before (PDF 32000-1, 7.3.4.2).
fn string_end(bytes: &[u8]) -> Option<usize> {
    let (mut depth, mut at) = (1_usize, 0);
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'\\' => at += 1,
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use lopdf::dictionary;

    use super::*;

    #[test]
    fn values_are_counted_where_they_begin() {
        for (text, count) in
            [("", 0), ("1 22 3", 3), ("[1 1]", 3), ("/a/b", 2), ("()()", 2), ("<< /A 1 >>", 4), ("[[]]", 2)]
        {
            assert_eq!(values(text.as_bytes()), count, "{text}");
        }
        assert!(check("[1 1]".repeat(3_000_000).as_bytes()).unwrap_err().is_limit());
    }

    #[test]
    fn rows_that_no_picture_has_are_refused() {
        for (text, refused) in [
            ("/Columns 4000 /Colors 4 /BitsPerComponent 16", false),
            ("/Columns 20000000000", true),
            ("/Columns%x\n\t+99999999999999999999999999", true),
            ("/Col#75mns 20000000", true),
            ("/Colors 1000", true),
            ("/ColumnsX 20000000 /Columns 9 0 R", false),
        ] {
            assert_eq!(check(text.as_bytes()).is_err(), refused, "{text}");
        }
    }

    #[test]
    fn tables_lead_to_each_object_once() {
        let table = |entries: &[usize]| {
            let mut file = "1 0 obj [1 2 3] endobj\n".repeat(20_000);
            for entry in entries {
                file.push_str(&format!("{entry:010} 00000 n \n"));
            }
            check(file.as_bytes())
        };
        let apart: Vec<usize> = (0..20_000).map(|object| object * 23).collect();
        assert!(table(&apart).is_ok());
        assert!(table(&[9; 20]).is_ok(), "a few are a fault of the writer");
        assert!(table(&[9; 200]).is_err());
    }

    #[test]
    fn packed_objects_lie_side_by_side() {
        let rows = [
            ("1 0 2 5 ", "[1 2] (a]) <</A 1>>", true),
            ("1 0 2 6 3 11 ", "[1 2] (a]) <</A 1>>", true),
            ("1 0 2 1 ", "[1 2] 3", false),
            ("1 0 2 2 ", "<</A 1>>", false),
            ("1 0 2 1 ", "(1 2)", false),
            ("1 0 2 2 ", "% [\n1", false),
        ];
        for (table, objects, fine) in rows {
            let stream = Stream::new(dictionary! { "First" => table.len() as i64 }, Vec::new());
            let content = format!("{table}{objects}");
            assert_eq!(check_packed(&stream, content.as_bytes()).is_ok(), fine, "{table}{objects}");
        }
        let again = "1 0 ".repeat(1_000);
        let stream = Stream::new(dictionary! { "First" => again.len() as i64 }, Vec::new());
        assert!(check_packed(&stream, format!("{again}[1 2]").as_bytes()).is_err());
    }
}
