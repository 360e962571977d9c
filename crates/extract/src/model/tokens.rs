//! How many tokens a text has, where the model's own tokeniser is not at hand.

/// An upper estimate of a text's tokens over the byte-pair tokenisers in use.
///
/// What they agree on, each rule on the dear side: a run of ASCII letters has a token for every three of them (English words
/// take fewer, identifiers and names more); a digit, a sign or a line end is one (some tokenisers cut numbers into digits); a
/// blank belongs to the word behind it, and is one before a digit; every further blank of a run is half a token; a character beyond ASCII is one
/// less than its UTF-8 bytes, since they fall back to bytes for what they do not know. An exact count would need each model's
/// vocabulary, megabytes of it. What a provider bills beyond the estimate shows in the ledger as overrun.
#[must_use]
pub fn estimate_tokens(text: &str) -> u64 {
    let mut tokens = 0_u64;
    let (mut letters, mut blanks) = (0_u64, 0_u64);
    for found in text.chars() {
        if !found.is_ascii_alphabetic() {
            tokens += std::mem::take(&mut letters).div_ceil(3);
        }
        if found != ' ' {
            let run = std::mem::take(&mut blanks);
            let alone = if found.is_ascii_digit() { run } else { run.saturating_sub(1) };
            tokens += alone.div_ceil(2);
        }
        match found {
            ' ' => blanks += 1,
            'a'..='z' | 'A'..='Z' => letters += 1,
            found if found.is_ascii() => tokens += 1,
            wide => tokens += u64::try_from(wide.len_utf8()).unwrap_or(4) - 1,
        }
    }
    tokens + letters.div_ceil(3) + blanks.div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_counts_are_not_undercut() {
        // The greater of the counts of cl100k_base and o200k_base, from OpenAI's cookbook.
        let rows = [
            ("tiktoken is great!", 6),
            ("antidisestablishmentarianism", 6),
            ("2 + 2 = 4", 7),
            ("お誕生日おめでとう", 9),
            ("", 0),
        ];
        for (text, known) in rows {
            assert!(estimate_tokens(text) >= known, "{text}: {}", estimate_tokens(text));
        }
        let prose = "The tower was built for the fair and stands on four legs of iron. ".repeat(50);
        // About four letters to a token in English: the estimate stays within a factor of two.
        assert!(estimate_tokens(&prose) < u64::try_from(prose.len()).unwrap() / 2);
    }

    proptest! {
        #[test]
        fn never_beyond_bytes_and_never_less_for_more(a in ".{0,200}", b in ".{0,200}") {
            let bytes = u64::try_from(a.len()).unwrap();
            prop_assert!(estimate_tokens(&a) <= bytes);
            let both = format!("{a}{b}");
            prop_assert!(estimate_tokens(&both) >= estimate_tokens(&a).max(estimate_tokens(&b)).saturating_sub(1));
        }
    }
}
