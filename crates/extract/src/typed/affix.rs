//! Removes labels, controls, marks and quotes around a value.

use std::ops::Range;

use super::affix_words::{
    CONTROL_PHRASES, FIRST_WORDS, LABEL_PHRASES, LAST_WORDS, NOUN_PHRASES, WEAK_LABELS,
};
use super::token::{Tokens, first_chars, last_chars};
use super::words::fold;

/// Upper bound on the words of a phrase in the tables.
pub(super) const MAX_WORDS: usize = 4;
/// Upper bound on the phrases cut off one after the other.
const MAX_ROUNDS: usize = 4;
/// Length of the start of a text in which a label stands, and of the end in which a control does, in
/// characters.
const MAX_EDGE_CHARS: usize = 96;

/// Quotes and brackets that may enclose a whole text.
const PAIRS: [(char, char); 14] = [
    ('"', '"'),
    ('\'', '\''),
    ('“', '”'),
    ('„', '“'),
    ('„', '”'),
    ('‘', '’'),
    ('«', '»'),
    ('(', ')'),
    ('[', ']'),
    ('（', '）'),
    ('「', '」'),
    ('『', '』'),
    ('【', '】'),
    ('〈', '〉'),
];

/// The range of a text without a label such as `by` or `updated:` before it, a control such as `Follow`
/// behind it, marks at its edges, and quotes or brackets around it.
///
/// The range of a text that is nothing else is the whole text without marks at its edges.
pub(crate) fn strip_affixes(text: &str) -> Range<usize> {
    let all = trimmed(text, 0..text.len());
    let mut range = all.clone();
    for _ in 0..MAX_ROUNDS {
        let inner = without_pair(text, without_control(text, without_label(text, range.clone())));
        if inner == range || inner.is_empty() {
            break;
        }
        range = inner;
    }
    range
}

/// Whether a word in the form of the tables is a whole label.
pub(super) fn is_label_word(word: &str) -> bool {
    LABEL_PHRASES.contains(word) || NOUN_PHRASES.contains(word)
}

/// Whether a text is nothing but a label or a control.
pub(super) fn is_affix(text: &str) -> bool {
    if text.len() > MAX_EDGE_CHARS {
        return false;
    }
    let text = fold(text.trim());
    is_label_word(&text) || CONTROL_PHRASES.contains(text.as_str())
}

/// The part of a range without white space and marks at its edges.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let is_edge = |found: char| {
        found.is_whitespace()
            || matches!(found, ':' | '：' | '|' | '·' | '•' | ',' | '、' | ';' | '-' | '–' | '—' | '/' | '*')
    };
    let part = text.get(range.clone()).unwrap_or_default();
    let start = range.start + part.len() - part.trim_start_matches(is_edge).len();
    let end = range.start + part.trim_end_matches(is_edge).len();
    start.min(end)..end
}

/// The part of a range behind its label.
fn without_label(text: &str, range: Range<usize>) -> Range<usize> {
    let part = text.get(range.clone()).unwrap_or_default();
    let tokens = Tokens::new(first_chars(part, MAX_EDGE_CHARS));
    if !tokens.folded(0).is_some_and(|first| FIRST_WORDS.contains(first.as_str())) {
        return range;
    }
    let words: Vec<String> = (0..MAX_WORDS).map_while(|at| tokens.folded(at)).collect();
    for count in (1..=words.len()).rev() {
        let phrase = words.get(..count).unwrap_or_default().join(" ");
        if let Some(start) = behind_label(&tokens, &phrase, count, part) {
            return trimmed(text, range.start + start..range.end);
        }
    }
    range
}

/// Where the text behind a label of `count` words starts; `None` if the phrase is no label here.
fn behind_label(tokens: &Tokens<'_>, phrase: &str, count: usize, part: &str) -> Option<usize> {
    let mark = tokens.mark(count);
    // `By-Pass Records` is a name.
    let is_inner = tokens.is_attached(count) && tokens.is_attached(count + 1);
    let is_marked = match mark {
        Some(':' | '：' | '|') => true,
        Some('-' | '–' | '—' | '/') => !is_inner,
        _ => false,
    };
    let is_label = LABEL_PHRASES.contains(phrase) || (is_marked && NOUN_PHRASES.contains(phrase));
    if !is_label {
        return None;
    }
    if is_marked {
        return tokens.get(count + 1).map(|token| token.start);
    }
    let opens = matches!(mark, None | Some('"' | '“' | '„' | '«' | '(' | '「' | '@' | '‘' | '#'));
    let start = tokens.get(count).filter(|_| opens)?.start;
    let rest = part.get(start..)?;
    let is_lower = rest.chars().next().is_some_and(char::is_lowercase);
    let is_weak = WEAK_LABELS.contains(&phrase) && rest.split_whitespace().nth(1).is_none();
    // `By the sea` is no byline.
    (!(is_weak || (count == 1 && is_lower))).then_some(start)
}

/// The part of a range before the label of a control.
fn without_control(text: &str, range: Range<usize>) -> Range<usize> {
    let part = text.get(range.clone()).unwrap_or_default();
    let end = last_chars(part, MAX_EDGE_CHARS);
    let start = part.len() - end.len();
    let tokens = Tokens::new(end);
    let last = tokens.len().checked_sub(1).and_then(|last| tokens.folded(last));
    if !last.is_some_and(|last| LAST_WORDS.contains(last.as_str())) {
        return range;
    }
    for count in (1..=MAX_WORDS.min(tokens.len())).rev() {
        let first = tokens.len() - count;
        let words: Vec<String> = (first..tokens.len()).map_while(|at| tokens.folded(at)).collect();
        if first > 0
            && words.len() == count
            && CONTROL_PHRASES.contains(words.join(" ").as_str())
            && let Some(token) = tokens.get(first)
        {
            return trimmed(text, range.start..range.start + start + token.start);
        }
    }
    range
}

/// The part of a range inside the quotes or brackets that enclose it.
fn without_pair(text: &str, range: Range<usize>) -> Range<usize> {
    let part = text.get(range.clone()).unwrap_or_default();
    let mut inner = part.chars();
    let (Some(first), Some(last)) = (inner.next(), inner.next_back()) else { return range };
    let inner = inner.as_str();
    // `"One" or "two"` is not one quote.
    if !PAIRS.contains(&(first, last)) || inner.contains([first, last]) {
        return range;
    }
    trimmed(text, range.start + first.len_utf8()..range.end - last.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_around_a_value_are_cut_off() {
        let rows = [
            ("by Ada Holm", "Ada Holm"),
            ("By: Ada Holm", "Ada Holm"),
            ("Written by Ada Holm |", "Ada Holm"),
            ("Recipe courtesy of Ada Holm", "Ada Holm"),
            ("AUTHOR: Ada Holm", "Ada Holm"),
            ("Ada Holm Follow", "Ada Holm"),
            ("Ada Holm · View profile", "Ada Holm"),
            ("(by Ada Holm)", "Ada Holm"),
            ("“Ada Holm”", "Ada Holm"),
            ("Von Ada Holm", "Ada Holm"),
            ("Geschrieben von Ada Holm", "Ada Holm"),
            ("Par Ada Holm", "Ada Holm"),
            ("scritto da Ada Holm", "Ada Holm"),
            ("Przez Ada Holm", "Ada Holm"),
            ("Автор: Ада Холм", "Ада Холм"),
            ("投稿者：山田", "山田"),
            ("作者 张三", "张三"),
            ("Published on 4 March 2021", "4 March 2021"),
            ("Veröffentlicht am 4. März 2021", "4. März 2021"),
            // Names that begin or end like this stay.
            ("Von Trier", "Von Trier"),
            ("Brand New Day", "Brand New Day"),
            ("By the sea", "By the sea"),
            ("By-Pass Records", "By-Pass Records"),
            ("Acme, Inc.", "Acme, Inc."),
            ("Follow", "Follow"),
            ("by", "by"),
            ("", ""),
        ];
        for (text, expected) in rows {
            assert_eq!(text.get(strip_affixes(text)), Some(expected), "{text}");
        }
    }
}
