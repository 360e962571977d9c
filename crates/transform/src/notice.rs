//! Tells notices that ask for JavaScript from text for readers without it: both stand in `noscript`.

use crate::words::count;

/// Names of JavaScript, in lower case.
const NAMES: [&str; 12] = [
    "javascript",
    "java script",
    "java-script",
    "scripting",
    "скрипт",
    "جافا سكريبت",
    "جافاسكريبت",
    "جاوااسکریپت",
    "자바스크립트",
    "जावास्क्रिप्ट",
    "スクリプト",
    "脚本",
];

/// Maximum words of a text that asks for JavaScript. A longer one only mentions it.
const MAX_TEXT_WORDS: usize = 80;

/// A notice that explains how to switch JavaScript on names it at least once in this many words.
const WORDS_PER_NAME: usize = 60;

/// How often a text names JavaScript.
pub(crate) fn names_of_scripts(text: &str) -> usize {
    let text = text.to_lowercase();
    NAMES.iter().map(|name| text.matches(name).count()).sum()
}

/// The words of `noscript` elements.
#[derive(Debug, Default)]
pub(crate) struct NoscriptWords {
    all: usize,
    /// Words of texts that do not ask for JavaScript.
    other: usize,
    /// How often JavaScript is named.
    names: usize,
}

impl NoscriptWords {
    /// Adds a text between two tags.
    pub(crate) fn add(&mut self, text: &str) {
        let (words, names) = (count(text), names_of_scripts(text));
        self.all += words;
        self.names += names;
        if names == 0 || words > MAX_TEXT_WORDS {
            self.other += words;
        }
    }

    /// The words that are no notice.
    pub(crate) fn of_content(&self) -> usize {
        if self.names.saturating_mul(WORDS_PER_NAME) >= self.all { 0 } else { self.other }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_content(texts: &[&str]) -> usize {
        let mut words = NoscriptWords::default();
        for text in texts {
            words.add(text);
        }
        words.of_content()
    }

    #[test]
    fn notices_have_no_content() {
        let step = "Open the settings of your browser and look for the page on content and rights";
        assert_eq!(of_content(&["JavaScript is off", step]), 0, "a remedy");
        let steps = [step, "Then switch JavaScript on", step, step, "Allow JavaScript", step, step];
        assert_eq!(of_content(&steps), 0, "a long remedy");
        assert_eq!(of_content(&["このページを見るには、スクリプトを有効にしてください。"]), 0);
        assert_eq!(of_content(&[]), 0);
    }

    #[test]
    fn text_for_readers_without_scripts_is_content() {
        let text = "The weir above the town was built of oak and has been mended every ten years ".repeat(5);
        let words = count(&text);
        assert_eq!(of_content(&[&text]), words);
        assert_eq!(of_content(&["This page is nicer with JavaScript", &text]), words, "after a notice");
        let mention = format!("{text} {text} It was written in JavaScript");
        assert_eq!(of_content(&[&mention]), count(&mention), "a long text that names it");
    }
}
