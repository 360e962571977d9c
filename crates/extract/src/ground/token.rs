use std::ops::Range;

/// Does a text that was quoted stand there whole?
///
/// Addresses of mail, telephone numbers and codes go on past signs that end a word: `info@shop.example` is no part of
/// `sales.info@shop.example`, nor `7946 0958` of `+44 20 7946 0958`. Other words may be quoted out of their sentence.
pub(super) fn is_whole(text: &str, quote: &Range<usize>, said: &str) -> bool {
    let digits = said.chars().filter(char::is_ascii_digit).count();
    let letters = said.chars().filter(|found| found.is_alphabetic()).count();
    let is_code = !said.contains(char::is_whitespace) && (digits > 0 || said.contains('@'));
    let is_phone = digits >= 5 && letters == 0;
    if !is_code && !is_phone {
        return true;
    }
    // Where the claim stands within the quote: it may be quoted with what goes before it.
    let Some(own) = text.get(quote.clone()) else { return false };
    let mut whole = false;
    for (at, _) in own.match_indices(said) {
        let (start, end) = (quote.start + at, quote.start + at + said.len());
        let before = text.get(..start).unwrap_or_default();
        let after = text.get(end..).unwrap_or_default();
        whole |= !goes_on(before.chars().rev(), is_phone) && !goes_on(after.chars(), is_phone);
    }
    // Written otherwise than claimed, such as with other white space: the words themselves were found.
    whole || !own.contains(said)
}

/// Does what lies beyond an edge belong to the same token?
fn goes_on(mut beyond: impl Iterator<Item = char>, is_phone: bool) -> bool {
    let joins = |found: char| matches!(found, '.' | '-' | '_' | '+' | '/' | '@');
    let Some(next) = beyond.next() else { return false };
    if next.is_alphanumeric() {
        return true;
    }
    if is_phone {
        // `+44 (0) 20`: digits after one or two signs.
        let parts = |found: char| matches!(found, ' ' | '\u{a0}' | '-' | '.' | '/' | '(' | ')');
        let mut rest = std::iter::once(next).chain(beyond).take(3);
        return rest.find(|found| !parts(*found)).is_some_and(|found| found.is_ascii_digit() || found == '+');
    }
    joins(next) && beyond.next().is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_tokens_are_told_from_tokens() {
        let rows = [
            ("sales.info@shop.example", "info@shop.example", false),
            ("Write to info@shop.example.", "info@shop.example", true),
            ("Call +44 20 7946 0958 now", "7946 0958", false),
            ("Call 7946 0958, or write", "7946 0958", true),
            ("Code AB-12-X", "12-X", false),
            ("Code AB-12-X.", "AB-12-X", true),
            ("red-hot cup", "hot cup", true),
        ];
        for (text, said, whole) in rows {
            let at = text.find(said).unwrap();
            assert_eq!(is_whole(text, &(at..at + said.len()), said), whole, "{said} of {text}");
        }
    }
}
