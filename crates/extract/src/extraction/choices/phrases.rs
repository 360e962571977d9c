//! Splits a sentence into phrases and names that may be values.

use std::ops::Range;

use super::sentence::{Sentence, Word};

/// Upper bound on the words of a phrase.
const MAX_PHRASE_WORDS: usize = 8;
/// Upper bound on the function words within a name: `Ludwig van Beethoven`.
const MAX_LINK_WORDS: usize = 2;

/// The parts of a sentence that may be the value of a text field, as ranges of its words: runs between
/// function words and marks, and the names within and across them. Linear in the words.
///
/// This is how values stand in running text in most languages: "turned from red clay and fired" holds
/// "turned", "red clay" and "fired".
pub(super) fn phrases(sentence: &Sentence) -> Vec<Range<usize>> {
    let mut out = runs(&sentence.words, |word| !word.is_function);
    let names = runs(&sentence.words, |word| word.is_capitalised && !word.is_function);
    // The first word of a sentence is a capital in any case.
    let names = names.into_iter().filter(|name| name.start > 0 || name.len() > 1);
    out.extend(names);
    out.extend(linked_names(&sentence.words));
    out.retain(|phrase| phrase.len() <= MAX_PHRASE_WORDS);
    out.sort_unstable_by_key(|phrase| (phrase.start, phrase.end));
    out.dedup();
    out
}

/// The longest runs of words that belong and that no mark separates.
fn runs(words: &[Word], belongs: impl Fn(&Word) -> bool) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if !belongs(word) {
            continue;
        }
        match out.last_mut() {
            Some(last) if last.end == at && !word.is_separated => last.end = at + 1,
            _ => out.push(at..at + 1),
        }
    }
    out
}

/// Names of several words in which function words stand between capitals.
fn linked_names(words: &[Word]) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut name: Option<(Range<usize>, bool)> = None;
    for (at, word) in words.iter().enumerate() {
        let is_part = word.is_capitalised && !word.is_function;
        name = match name {
            Some((name, is_linked)) if !word.is_separated && at - name.end <= MAX_LINK_WORDS => {
                if is_part {
                    Some((name.start..at + 1, is_linked || at > name.end))
                } else if word.is_function {
                    Some((name, is_linked))
                } else {
                    out.extend(is_linked.then_some(name));
                    None
                }
            }
            ended => {
                out.extend(ended.filter(|(_, is_linked)| *is_linked).map(|(name, _)| name));
                is_part.then_some((at..at + 1, false))
            }
        };
    }
    out.extend(name.filter(|(_, is_linked)| *is_linked).map(|(name, _)| name));
    out
}

#[cfg(test)]
mod tests {
    use super::super::sentence::sentences;
    use super::*;

    #[test]
    fn phrases_are_what_stands_between_function_words() {
        let rows: [(&str, &[&str]); 5] = [
            ("Each cup is turned from red clay and fired.", &["cup", "turned", "red clay", "fired"]),
            ("It was drawn by the architect Ada Berg.", &["drawn", "architect Ada Berg", "Ada Berg"]),
            ("He met Jan van der Berg, a baker.", &["Jan", "Jan van der Berg", "Berg", "baker"]),
            ("Sie besteht aus Eiche und 70 % Leinen.", &["besteht", "Eiche", "70 % Leinen", "Leinen"]),
            ("the of and", &[]),
        ];
        for (text, expected) in rows {
            let found: Vec<&str> = sentences(text)
                .iter()
                .flat_map(|sentence| {
                    let words = &sentence.words;
                    let range = |phrase: Range<usize>| {
                        words[phrase.start].range.start..words[phrase.end - 1].range.end
                    };
                    phrases(sentence).into_iter().map(range).collect::<Vec<_>>()
                })
                .map(|range| text.get(range).unwrap())
                .collect();
            for phrase in expected {
                assert!(found.contains(phrase), "{text}: no {phrase} in {found:?}");
            }
            assert_eq!(found.is_empty(), expected.is_empty(), "{text}: {found:?}");
        }
    }
}
