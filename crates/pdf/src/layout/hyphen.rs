//! Hyphens at the ends of lines that are no breaks of a word.

/// Words behind a hyphen that stands for the end of a later word: `pre- and postwar`. No word that is
/// divided ends with one of them.
const CONJUNCTIONS: [&str; 9] = ["and", "or", "und", "oder", "et", "ou", "y", "e", "o"];

const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const ONES: [&str; 18] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "first", "second", "third",
    "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
];

/// One more than the letters of the longest word of [`TENS`].
const MAX_START: usize = 8;

/// What the hyphen at the end of a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hyphen {
    /// It divides a word, or belongs to one.
    Unknown,
    /// It belongs to the word: `e-mail` and `twenty-four`.
    Inner,
    /// It ends the word.
    Last,
}

impl Hyphen {
    /// The hyphen at the end of a text, before the next line.
    pub(super) fn between(text: &str, next: &str) -> Self {
        let next = next.split_whitespace().next().unwrap_or_default();
        if CONJUNCTIONS.contains(&next) {
            return Self::Last;
        }
        let letters = text.chars().rev().skip(1).take_while(|c| c.is_alphanumeric()).take(MAX_START);
        let start: Vec<char> = letters.collect();
        let start: String = start.iter().rev().flat_map(|c| c.to_lowercase()).collect();
        // Words are not divided behind their first letter.
        let is_letter = start.chars().nth(1).is_none();
        let next = next.trim_end_matches(|c: char| !c.is_alphabetic());
        let is_number = TENS.contains(&start.as_str()) && ONES.contains(&next);
        if is_letter || is_number { Self::Inner } else { Self::Unknown }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_hyphens_divide_no_word() {
        for (text, next, expected) in [
            ("an e-", "mail to", Hyphen::Inner),
            ("An (X-", "ray)", Hyphen::Inner),
            ("Twenty-", "four.", Hyphen::Inner),
            ("pre-", "and postwar", Hyphen::Last),
            ("begin-", "ning", Hyphen::Unknown),
            ("twenty-", "fold", Hyphen::Unknown),
            ("begin-", "android", Hyphen::Unknown),
        ] {
            assert_eq!(Hyphen::between(text, next), expected, "{text} {next}");
        }
    }
}
