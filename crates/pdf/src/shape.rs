//! Costs of a parser that need no inflated stream: too many values, too long rows of a predictor, and objects
//! with many entries in a cross-reference table.
//!
//! A value of two bytes takes a hundred once it is parsed. A row of a predictor is allocated before there is
//! any data for it. An object is parsed once for each table entry that refers to it. All three can turn a
//! kilobyte into all memory of the machine, and the parser has no limit for them.

use std::collections::HashMap;

use lopdf::xref::XrefEntry;
use lopdf::{Document, Object, Stream};
use memchr::{memchr, memchr_iter};

use crate::syntax::{string_end, unescaped};
use crate::{Error, ErrorKind, Options};

/// Most values of a file outside of object streams, and again in its object streams. Less than a gigabyte of
/// memory once they are parsed.
pub const MAX_VALUES: usize = 6_000_000;

/// The parameters of the row length of a predictor, with their greatest values.
const ROW_PARAMETERS: [(&[u8], u64); 3] =
    [(b"Columns", 1_000_000), (b"Colors", 32), (b"BitsPerComponent", 64)];

/// Parsed objects may have this many times the file's bytes together, plus [`SPARE_BYTES`].
const MAX_PARSES: u64 = 3;

const SPARE_BYTES: u64 = 10_000_000;

/// Checks the bytes of a file.
pub(crate) fn check(bytes: &[u8]) -> Result<(), Error> {
    if values(bytes) > MAX_VALUES {
        return Err(ErrorKind::TooManyValues { limit: MAX_VALUES }.into());
    }
    check_rows(bytes)?;
    check_offsets(bytes, offsets(bytes))
}

/// Checks the cross-reference table that the parser uses.
pub(crate) fn check_table(bytes: &[u8], document: &Document, options: &Options) -> Result<(), Error> {
    let entries = &document.reference_table.entries;
    if entries.len() > options.max_objects {
        return Err(ErrorKind::TooManyObjects { limit: options.max_objects }.into());
    }
    let offsets = entries.values().filter_map(|entry| match entry {
        XrefEntry::Normal { offset, .. } => usize::try_from(*offset).ok(),
        _ => None,
    });
    check_offsets(bytes, offsets)
}

/// Checks the lengths of the streams of a file. If they are much longer than the file, streams overlap.
pub(crate) fn check_lengths(bytes: &[u8], document: &Document) -> Result<(), Error> {
    let length = |stream: &Stream| {
        let length = stream.dict.get(b"Length").and_then(|length| document.dereference(length)).ok()?;
        u64::try_from(length.1.as_i64().ok()?).ok()
    };
    let streams = document.objects.values().filter_map(|object| object.as_stream().ok());
    let sum = streams.filter_map(length).fold(0_u64, u64::saturating_add);
    check_sum(bytes, sum, "its streams overlap")
}

fn check_sum(bytes: &[u8], sum: u64, reason: &str) -> Result<(), Error> {
    let max = (bytes.len() as u64).saturating_mul(MAX_PARSES).saturating_add(SPARE_BYTES);
    if sum > max { Err(Error::malformed(reason)) } else { Ok(()) }
}

/// The number of values, or of bytes that may begin one. The content of strings is not told apart.
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

/// Refuses rows that are too long for any picture, wherever a dictionary may ask for them.
fn check_rows(bytes: &[u8]) -> Result<(), Error> {
    for slash in memchr_iter(b'/', bytes) {
        let rest = bytes.get(slash + 1..).unwrap_or_default();
        let end =
            rest.iter().take(64).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'#').count();
        let (name, after) = rest.split_at_checked(end).unwrap_or((rest, b""));
        if !name.starts_with(b"Col") && !name.starts_with(b"Bits") && !name.contains(&b'#') {
            continue;
        }
        let name = unescaped(name);
        let Some((_, max)) = ROW_PARAMETERS.iter().find(|(parameter, _)| *parameter == name) else {
            continue;
        };
        if number(after).is_some_and(|number| number > *max) {
            return Err(Error::malformed("the rows of a stream are too long for a picture"));
        }
    }
    Ok(())
}

/// The next number, after white space and comments. A number with too many digits is `u64::MAX`.
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

/// The offsets of everything that looks like a table entry in use: `0000000017 00000 n`.
fn offsets(bytes: &[u8]) -> impl Iterator<Item = usize> {
    memchr_iter(b'n', bytes).filter_map(|at| {
        let before = bytes.get(..at)?.strip_suffix(b" ")?;
        let (before, generation) = digits_at_end(before);
        let (_, offset) = digits_at_end(before.strip_suffix(b" ").filter(|_| !generation.is_empty())?);
        std::str::from_utf8(offset).ok()?.parse().ok()
    })
}

/// The bytes before the digits at the end, and these digits.
fn digits_at_end(bytes: &[u8]) -> (&[u8], &[u8]) {
    let digits = bytes.iter().rev().take(20).take_while(|byte| byte.is_ascii_digit()).count();
    bytes.split_at_checked(bytes.len() - digits).unwrap_or((bytes, b""))
}

/// Refuses tables that refer to the same objects so often that they add up to much more than the file. White
/// space before an object is part of it, and it reaches to the next offset.
fn check_offsets(bytes: &[u8], offsets: impl Iterator<Item = usize>) -> Result<(), Error> {
    let mut times: HashMap<usize, u64> = HashMap::new();
    for offset in offsets.filter(|offset| *offset < bytes.len()) {
        // At most 64 bytes, so that each offset costs a bounded search.
        let white = bytes.iter().skip(offset).take(64).take_while(|byte| byte.is_ascii_whitespace()).count();
        *times.entry(offset + white).or_insert(0) += 1;
    }
    let mut starts: Vec<usize> = times.keys().copied().collect();
    starts.sort_unstable();
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    let sum = starts.iter().zip(ends).fold(0_u64, |sum, (start, end)| {
        let times = times.get(start).copied().unwrap_or(1);
        sum.saturating_add(times.saturating_mul((end - start) as u64))
    });
    check_sum(bytes, sum, "its table refers to the same objects many times")
}

/// Refuses an object stream whose table refers to the inside of objects, or to one of them many times (PDF
/// 32000-1, 7.5.7). Returns the number of values in it.
pub(crate) fn check_packed(stream: &Stream, content: &[u8]) -> Result<usize, Error> {
    let first = stream.dict.get(b"First").and_then(Object::as_i64).ok();
    let Some((table, objects)) = first.and_then(|at| content.split_at_checked(usize::try_from(at).ok()?))
    else {
        return Ok(0);
    };
    let table = String::from_utf8_lossy(table);
    let mut offsets: Vec<usize> =
        table.split_whitespace().skip(1).step_by(2).filter_map(|offset| offset.parse().ok()).collect();
    offsets.sort_unstable();
    let count = offsets.len();
    // A few duplicates are valid: a writer may pack one object for two numbers.
    offsets.dedup();
    if count > offsets.len().saturating_mul(2).saturating_add(16) || !between_objects(objects, &offsets) {
        return Err(Error::malformed("the table of an object stream refers to the same objects many times"));
    }
    Ok(values(objects).saturating_add(count))
}

/// Whether all of these sorted offsets are outside of brackets, strings and comments.
fn between_objects(objects: &[u8], offsets: &[usize]) -> bool {
    let mut offsets = offsets.iter().copied().peekable();
    let (mut at, mut depth) = (0_usize, 0_usize);
    while let Some(byte) = objects.get(at) {
        while offsets.next_if(|offset| *offset <= at).is_some() {
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
                if offsets.next_if(|offset| *offset < end).is_some() {
                    return false;
                }
                at = end;
            }
            _ => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use lopdf::dictionary;

    use super::*;

    #[test]
    fn values_are_counted() {
        for (text, count) in
            [("", 0), ("1 22 3", 3), ("[1 1]", 3), ("/a/b", 2), ("()()", 2), ("<< /A 1 >>", 4), ("[[]]", 2)]
        {
            assert_eq!(values(text.as_bytes()), count, "{text}");
        }
        assert!(check("[1 1]".repeat(3_000_000).as_bytes()).unwrap_err().is_limit());
    }

    #[test]
    fn too_long_rows_are_refused() {
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
    fn tables_may_refer_to_an_object_a_few_times() {
        let table = |entries: &[usize]| {
            let mut file = "1 0 obj [1 2 3] endobj\n".repeat(20_000);
            for entry in entries {
                file.push_str(&format!("{entry:010} 00000 n \n"));
            }
            check(file.as_bytes())
        };
        let distinct: Vec<usize> = (0..20_000).map(|object| object * 23).collect();
        assert!(table(&distinct).is_ok());
        assert!(table(&[9; 20]).is_ok(), "a few may be a bug of the writer");
        assert!(table(&[9; 200]).is_err());
    }

    #[test]
    fn packed_objects_do_not_overlap() {
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
