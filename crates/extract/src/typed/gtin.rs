//! Reads product codes (GTIN) and verifies their check digit.

/// A GTIN-8, -12, -13 or -14 with a correct check digit (GS1 General Specifications, 7.9), as its digits.
///
/// White space and hyphens are ignored. Codes of one repeated digit are placeholders and are rejected.
pub(crate) fn gtin(text: &str) -> Option<String> {
    let text = text.trim().trim_matches(['.', ',', ';', ':', '#']);
    let digits: String = text.chars().filter(|found| !matches!(found, ' ' | '-' | '\u{a0}')).collect();
    if !matches!(digits.len(), 8 | 12 | 13 | 14) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let first = digits.as_bytes().first()?;
    if digits.bytes().all(|byte| byte == *first) {
        return None;
    }
    // From the right, the weights alternate: 1 for the check digit, then 3, 1, and so on.
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(at, byte)| u32::from(byte - b'0') * if at % 2 == 0 { 1 } else { 3 })
        .sum();
    sum.is_multiple_of(10).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_are_checked() {
        let rows = [
            ("4006381333931", true),
            ("4006381333932", false),
            ("73513537", true),
            ("036000291452", true),
            ("400638 1333931", true),
            ("4006381333931.", true),
            ("0000000000000", false),
            ("12345", false),
            ("40063813339x1", false),
        ];
        for (text, valid) in rows {
            assert_eq!(gtin(text).is_some(), valid, "{text}");
        }
    }
}
