use std::ops::Range;

use super::visible::widened;

/// Words that turn a statement into its opposite.
const NEGATIONS: [&str; 36] = [
    "no", "not", "non", "without", "never", "none", "isn't", "aren't", "doesn't", "don't", "wasn't", "won't",
    "can't", "cannot", "kein", "keine", "keinen", "nicht", "ohne", "sans", "pas", "sin", "senza", "geen",
    "niet", "bez", "нет", "не", "nie", "není", "nije", "não", "inte", "ikke", "nem", "nincs",
];

/// The clause that a range of the text stands in: it ends with its line, its cell, its sentence, or at a comma or semicolon.
pub(super) fn clause<'t>(text: &'t str, range: &Range<usize>) -> &'t str {
    let found = widened(text, range, |found, behind| match found {
        '\n' | '|' | ';' | '!' | '?' | '•' | '。' | '，' | '、' => true,
        // Within a number or a name they part nothing.
        '.' | ',' => behind.is_none_or(char::is_whitespace),
        _ => false,
    });
    text.get(found).unwrap_or_default()
}

/// Does a text deny what it names?
pub(super) fn denies(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    lower.split(|found: char| !found.is_alphanumeric() && found != '\'').any(|word| NEGATIONS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_has_its_clause() {
        let rows = [
            ("Calm rooms. No wifi, free parking", "wifi", "No wifi"),
            ("Calm rooms. No wifi, free parking", "parking", "free parking"),
            ("| Stock | not in stock |", "in stock", "not in stock"),
            ("From 2.5 to 3,5 kg; none left", "to", "From 2.5 to 3,5 kg"),
            ("no\nwifi\nno", "wifi", "wifi"),
        ];
        for (text, quote, expected) in rows {
            let at = text.find(quote).unwrap();
            assert_eq!(clause(text, &(at..at + quote.len())).trim(), expected, "{quote} of {text}");
        }
    }

    #[test]
    fn denials_are_whole_words() {
        let rows =
            [("No wifi", true), ("isn’t included", true), ("Notable rooms", false), ("In stock", false)];
        for (text, denied) in rows {
            assert_eq!(denies(text), denied, "{text}");
        }
    }
}
