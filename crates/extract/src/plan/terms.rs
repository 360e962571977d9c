//! Meaningful words, by which prompts, property names and URLs are compared.

use crate::bind::words;

/// Upper bound on the words of a text.
const MAX_WORDS: usize = 2_000;

/// Stop words: words that say nothing about the request, in several languages.
const STOP_WORDS: &[&str] = &[
    "a",
    "all",
    "also",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "be",
    "by",
    "can",
    "company",
    "crawl",
    "data",
    "der",
    "des",
    "die",
    "das",
    "de",
    "del",
    "den",
    "do",
    "each",
    "el",
    "en",
    "et",
    "every",
    "everything",
    "extract",
    "fetch",
    "field",
    "find",
    "for",
    "from",
    "full",
    "get",
    "give",
    "has",
    "have",
    "how",
    "http",
    "https",
    "i",
    "if",
    "in",
    "include",
    "index",
    "info",
    "information",
    "into",
    "is",
    "it",
    "its",
    "la",
    "le",
    "les",
    "list",
    "los",
    "me",
    "mit",
    "my",
    "name",
    "need",
    "of",
    "on",
    "one",
    "only",
    "or",
    "our",
    "out",
    "page",
    "pages",
    "per",
    "please",
    "result",
    "return",
    "scrape",
    "should",
    "site",
    "sur",
    "that",
    "the",
    "their",
    "them",
    "there",
    "these",
    "this",
    "those",
    "to",
    "un",
    "und",
    "une",
    "url",
    "urls",
    "us",
    "use",
    "value",
    "want",
    "was",
    "we",
    "web",
    "website",
    "what",
    "when",
    "where",
    "which",
    "who",
    "will",
    "with",
    "www",
    "y",
    "you",
    "your",
    "html",
    "htm",
    "php",
    "aspx",
    "just",
    "provide",
    "details",
];

/// A word without its plural ending: `categories` is `category`, `boxes` is `box`.
pub(crate) fn stem(word: &str) -> String {
    if let Some(base) = word.strip_suffix("ies").filter(|base| base.len() > 1) {
        return format!("{base}y");
    }
    for ending in ["sses", "xes", "ches", "shes", "zes"] {
        if word.ends_with(ending) {
            return word.strip_suffix("es").unwrap_or(word).to_owned();
        }
    }
    match word.strip_suffix('s') {
        Some(base) if base.len() > 2 && !base.ends_with(['s', 'u', 'i']) => base.to_owned(),
        _ => word.to_owned(),
    }
}

/// The stems of the meaningful words of a text, in order.
pub(crate) fn terms(text: &str) -> Vec<String> {
    text.split(|found: char| !found.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .take(MAX_WORDS)
        .flat_map(words)
        .filter(|word| word.chars().count() > 1 && !STOP_WORDS.contains(&word.as_str()))
        .map(|word| stem(&word))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_the_stems_of_their_meaningful_words() {
        let rows = [
            ("Extract all the job openings", vec!["job", "opening"]),
            ("/blog/2024/big-boxes.html", vec!["blog", "2024", "big", "box"]),
            ("productCategories", vec!["product", "category"]),
            ("the of and", vec![]),
            ("address status", vec!["address", "status"]),
        ];
        for (text, expected) in rows {
            assert_eq!(terms(text), expected, "{text}");
        }
    }
}
