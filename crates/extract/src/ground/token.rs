//! Checks that a quote is a whole token, not a part of an address, a code or a telephone number.

use std::ops::Range;

/// Whether a quoted text is a complete token of its context.
///
/// E-mail addresses, telephone numbers and codes continue past signs that end a word: `info@shop.example` is
/// not a complete token of `sales.info@shop.example`, nor is `7946 0958` of `+44 20 7946 0958`. Other words
/// may be quoted out of their sentence.
pub(super) fn is_complete_token(text: &str, quote: &Range<usize>, claimed: &str) -> bool {
    let digits = claimed.chars().filter(char::is_ascii_digit).count();
    let letters = claimed.chars().filter(|found| found.is_alphabetic()).count();
    let is_code = !claimed.contains(char::is_whitespace) && (digits > 0 || claimed.contains('@'));
    let is_phone = digits >= 5 && letters == 0;
    if !is_code && !is_phone {
        return true;
    }
    // The position of the claim within the quote, which may include text before it.
    let Some(own) = text.get(quote.clone()) else { return false };
    let mut whole = false;
    for (at, _) in own.match_indices(claimed) {
        let (start, end) = (quote.start + at, quote.start + at + claimed.len());
        let before = text.get(..start).unwrap_or_default();
        let after = text.get(end..).unwrap_or_default();
        whole |= !continues(before.chars().rev(), is_phone) && !continues(after.chars(), is_phone);
    }
    // The page writes it differently, for example with other white space: the quote itself was found.
    whole || !own.contains(claimed)
}

/// Whether the text beyond an edge belongs to the same token.
fn continues(mut beyond: impl Iterator<Item = char>, is_phone: bool) -> bool {
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
    fn parts_of_tokens_are_not_tokens() {
        let rows = [
            ("sales.info@shop.example", "info@shop.example", false),
            ("Write to info@shop.example.", "info@shop.example", true),
            ("Call +44 20 7946 0958 now", "7946 0958", false),
            ("Call 7946 0958, or write", "7946 0958", true),
            ("Code AB-12-X", "12-X", false),
            ("Code AB-12-X.", "AB-12-X", true),
            ("red-hot cup", "hot cup", true),
        ];
        for (text, claimed, whole) in rows {
            let at = text.find(claimed).unwrap();
            assert_eq!(
                is_complete_token(text, &(at..at + claimed.len()), claimed),
                whole,
                "{claimed} of {text}"
            );
        }
    }
}
