//! Estimates the tokens of a text if the model's own tokeniser is not available.

/// An upper estimate of a text's tokens for the byte-pair tokenisers in use.
///
/// The rules are what the tokenisers agree on, each rounded up. A run of ASCII letters has a token for every
/// three letters (English words take fewer, identifiers and names more). A digit, a sign or a line end is one
/// token (some tokenisers split numbers into digits). A blank belongs to the next word, and is one token
/// before a digit. Every further blank of a run is half a token. A character beyond ASCII takes one token
/// less than its UTF-8 bytes, since tokenisers fall back to bytes for unknown characters. An exact count
/// would need each model's vocabulary, which is megabytes of data. If a provider bills more than the
/// estimate, the ledger shows the difference as overrun.
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
    fn estimates_reach_the_known_counts() {
        // The higher of the counts of cl100k_base and o200k_base, from OpenAI's cookbook.
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
        // English has about four letters per token, so the estimate stays within a factor of two.
        assert!(estimate_tokens(&prose) < u64::try_from(prose.len()).unwrap() / 2);
    }

    proptest! {
        #[test]
        fn at_most_the_bytes_and_not_less_for_a_longer_text(a in ".{0,200}", b in ".{0,200}") {
            let bytes = u64::try_from(a.len()).unwrap();
            prop_assert!(estimate_tokens(&a) <= bytes);
            let both = format!("{a}{b}");
            let longer = estimate_tokens(&a).max(estimate_tokens(&b));
            prop_assert!(estimate_tokens(&both) >= longer.saturating_sub(1));
        }
    }
}
