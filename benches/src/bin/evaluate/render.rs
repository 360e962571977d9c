//! Renders Markdown, and compares the words of texts.

use std::collections::HashMap;

/// Markdown as HTML, with tables, strikethrough, tasks and raw HTML. URLs in the text do not become links.
pub(super) fn html(markdown: &str) -> String {
    comrak::markdown_to_html(markdown, &options())
}

/// The same, with formulas between dollars as elements with the attribute `data-math-style`.
pub(super) fn html_with_formulas(markdown: &str) -> String {
    let mut options = options();
    options.extension.math_dollars = true;
    comrak::markdown_to_html(markdown, &options)
}

fn options() -> comrak::Options<'static> {
    let mut options = comrak::Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    options.render.r#unsafe = true;
    options
}

/// The number of times that each word of a text occurs, in lower case. A word is a run of letters, digits and
/// underscores.
pub(super) fn words(text: &str) -> HashMap<String, u32> {
    let mut words = HashMap::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()) {
        *words.entry(word.to_lowercase()).or_insert(0) += 1;
    }
    words
}

/// Precision, recall and F1 of the words of a text against those of the ground truth.
pub(super) fn overlap(found: &str, truth: &str) -> [f64; 3] {
    let (found, truth) = (words(found), words(truth));
    let total = |words: &HashMap<String, u32>| words.values().copied().map(f64::from).sum::<f64>();
    let (all, expected) = (total(&found), total(&truth));
    if expected == 0.0 {
        return [f64::from(u8::from(all == 0.0)); 3];
    }
    let common =
        found.iter().map(|(word, count)| f64::from((*count).min(truth.get(word).copied().unwrap_or(0))));
    let common: f64 = common.sum();
    if common == 0.0 {
        return [0.0; 3];
    }
    [common / all, common / expected, 2.0 * common / (all + expected)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_word_counts_as_often_as_in_both_texts() {
        assert_eq!(overlap("The cat, the_dog", "the cat the cat"), [2.0 / 3.0, 0.5, 4.0 / 7.0]);
        assert_eq!(overlap("", ""), [1.0; 3]);
        assert_eq!(overlap("x", ""), [0.0; 3]);
        assert_eq!(overlap("", "x"), [0.0; 3]);
    }
}
