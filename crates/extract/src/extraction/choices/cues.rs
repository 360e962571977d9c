//! The words of a question, matched with other forms of the same words on a page.

use super::function_words::is_function_word;
use crate::bind::{TargetField, words};

/// Upper bound on the cues of a field.
const MAX_CUES: usize = 12;
/// Shortest cue, in characters. Shorter words are mostly function words.
const MIN_CUE_CHARS: usize = 3;
/// Fewest characters that two forms of one word share at their start.
const MIN_STEM_CHARS: usize = 4;

/// The words that say what a field asks for: those of its name and its description, without function words.
///
/// A word of the page that has the start of a cue counts too, so that "weighs" answers to "weight". This
/// needs no knowledge of a language, other than that words change at their end.
#[derive(Debug)]
pub(super) struct Cues(Vec<String>);

impl Cues {
    pub(super) fn of(target: &TargetField<'_>) -> Self {
        let mut cues: Vec<String> = Vec::new();
        for word in words(target.name).into_iter().chain(words(&target.shape.description)) {
            let is_cue = word.chars().nth(MIN_CUE_CHARS - 1).is_some() && !is_function_word(&word);
            if is_cue && !cues.contains(&word) && cues.len() < MAX_CUES {
                cues.push(word);
            }
        }
        Self(cues)
    }

    /// How far a word, in lower case, answers to the cues, 0 to 1.
    pub(super) fn match_of(&self, word: &str) -> f32 {
        self.0.iter().map(|cue| similarity(cue, word)).fold(0.0, f32::max)
    }

    /// How many of the cues these words answer to. A cue counts by the word that is most similar.
    pub(super) fn found_in<'w>(&self, words: impl Iterator<Item = &'w str> + Clone) -> f32 {
        let best = |cue: &String| words.clone().map(|word| similarity(cue, word)).fold(0.0, f32::max);
        self.0.iter().map(best).sum()
    }
}

/// How likely two words are forms of one word, 0 to 1.
fn similarity(left: &str, right: &str) -> f32 {
    if left == right {
        return 1.0;
    }
    let longest = left.chars().count().max(right.chars().count());
    let common = left.chars().zip(right.chars()).take_while(|(left, right)| left == right).count();
    if common < MIN_STEM_CHARS || common * 2 < longest {
        0.0
    } else if common + 2 >= longest {
        0.8
    } else {
        0.6
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Shape;
    use serde_json::json;

    #[test]
    fn forms_of_a_word_are_similar() {
        let rows = [
            ("weight", "weighs", 0.8),
            ("designer", "designed", 0.8),
            ("mide", "mide", 1.0),
            ("organiza", "organizada", 0.8),
            ("cup", "cups", 0.0),
            ("station", "steak", 0.0),
        ];
        for (left, right, expected) in rows {
            assert!((similarity(left, right) - expected).abs() < 1e-6, "{left} {right}");
        }
    }

    #[test]
    fn cues_are_the_words_with_a_meaning() {
        let description = json!({ "properties": { "weightGrams": { "type": "number",
            "description": "weight of the stool in grams" } } });
        let shape = Shape::from_schema(&description).unwrap();
        let target = TargetField::new("/weightGrams".to_owned(), Vec::new(), &shape.fields()[0]);
        let cues = Cues::of(&target);
        assert_eq!(cues.0, ["weight", "grams", "stool"]);
        assert!((cues.found_in(["it", "weighs", "1450", "grams"].into_iter()) - 1.8).abs() < 1e-6);
    }
}
