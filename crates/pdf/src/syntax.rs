//! Parts of the syntax of PDF that several readers need.

/// The length of a string after its opening bracket, with the closing one; `None` if it is not closed (PDF
/// 32000-1, 7.3.4.2).
pub(crate) fn string_end(bytes: &[u8]) -> Option<usize> {
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

/// A name with its `#` escapes decoded (PDF 32000-1, 7.3.5).
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_end_at_their_own_bracket() {
        let rows: [(&[u8], Option<usize>); 8] = [
            (b")", Some(1)),
            (b"a) b)", Some(2)),
            (b"a (b) c) d", Some(8)),
            (b"a \\) b) c", Some(7)),
            (b"a \\\\) b", Some(5)),
            (b"", None),
            (b"a (b)", None),
            (b"a\\", None),
        ];
        for (bytes, end) in rows {
            assert_eq!(string_end(bytes), end, "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn names_are_unescaped() {
        for (name, plain) in [("Name", "Name"), ("N#61me", "Name"), ("N#6", "N#6"), ("#zz#41", "#zzA")] {
            assert_eq!(unescaped(name.as_bytes()), plain.as_bytes(), "{name}");
        }
    }
}
