//! The `summary` format without a language model: an extractive summary of the most representative sentences.
//!
//! Sentences are ranked by the words they share with the rest of the page, with a small bonus near the start,
//! and given in their order. Nothing depends on the language: a word that occurs in most sentences counts
//! little, so no list of stop words is needed, and scripts without spaces are compared by pairs of
//! characters. Alternative: the page's own description. It is in the metadata already and often describes the
//! site instead of the page.

use std::collections::{HashMap, HashSet};

use crate::names;
use crate::words::{is_of_word, words};

/// The warning that marks an extractive summary.
pub(crate) const WARNING: &str =
    "The summary consists of sentences of the page itself, chosen without a language model.";

/// Upper bound on the bytes of Markdown that are read.
const MAX_READ_BYTES: usize = 1 << 20;

/// Upper bound on the sentences considered.
const MAX_SENTENCES: usize = 2_000;

/// Upper bound on the sentences of a summary.
const MAX_SUMMARY_SENTENCES: usize = 4;

/// Upper bound on the length of a summary, in bytes.
const MAX_SUMMARY_BYTES: usize = 900;

/// Lengths of usable sentences, in bytes.
const SENTENCE_BYTES: std::ops::RangeInclusive<usize> = 30..=500;

/// Two sentences that share more than this part of the shorter one's words are duplicates.
const DUPLICATE_SHARE: f64 = 0.6;

/// The most representative sentences of a Markdown text; empty if there are none.
pub(crate) fn of_markdown(markdown: &str) -> String {
    let sentences = sentences(markdown);
    let tokens: Vec<HashSet<String>> = sentences.iter().map(|sentence| tokens(sentence)).collect();
    let mut shared: HashMap<&str, f64> = HashMap::new();
    for token in tokens.iter().flatten() {
        *shared.entry(token).or_insert(0.0) += 1.0;
    }
    let all = as_float(sentences.len()).max(1.0);
    // The weight of a word grows with the sentences that have it, and falls again as that nears all of them.
    let weight = |token: &String| {
        let count = shared.get(token.as_str()).copied().unwrap_or(0.0);
        if count < 2.0 { 0.1 } else { count * ((all + 1.0) / count).ln() }
    };
    let mut ranked: Vec<(f64, usize)> = tokens
        .iter()
        .enumerate()
        .map(|(at, tokens)| {
            // Sorted, so that the floating-point sum is the same on every run.
            let mut weights: Vec<f64> = tokens.iter().map(weight).collect();
            weights.sort_by(f64::total_cmp);
            let position_bonus = 1.0 + 1.0 / (1.0 + as_float(at) / 3.0);
            (weights.iter().sum::<f64>() / as_float(tokens.len() + 6) * position_bonus, at)
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut chosen: Vec<usize> = Vec::new();
    let mut bytes = 0;
    for (_, at) in ranked {
        let (Some(sentence), Some(own)) = (sentences.get(at), tokens.get(at)) else { continue };
        let repeats = chosen.iter().filter_map(|other| tokens.get(*other)).any(|other| {
            as_float(own.intersection(other).count())
                > DUPLICATE_SHARE * as_float(own.len().min(other.len()).max(1))
        });
        if repeats || bytes + sentence.len() > MAX_SUMMARY_BYTES {
            continue;
        }
        bytes += sentence.len();
        chosen.push(at);
        if chosen.len() == MAX_SUMMARY_SENTENCES {
            break;
        }
    }
    chosen.sort_unstable();
    let chosen: Vec<&str> =
        chosen.into_iter().filter_map(|at| sentences.get(at).map(String::as_str)).collect();
    chosen.join(" ")
}

#[expect(clippy::cast_precision_loss, reason = "counts of sentences and words")]
fn as_float(count: usize) -> f64 {
    count as f64
}

/// The sentences in the paragraphs of a text, without headings, tables, code and images.
fn sentences(markdown: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut fenced = false;
    for line in names::truncate(markdown, MAX_READ_BYTES).lines() {
        let line = line.trim_start_matches([' ', '>']);
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        if fenced || line.starts_with(['#', '|', '!', '<']) || sentences.len() >= MAX_SENTENCES {
            continue;
        }
        let line = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).unwrap_or(line);
        split_sentences(&without_markup(line), &mut sentences);
    }
    sentences.truncate(MAX_SENTENCES);
    sentences
}

/// Removes markup: links and images become their text; emphasis marks and escapes go.
fn without_markup(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut characters = line.chars().peekable();
    let mut before = ' ';
    while let Some(c) = characters.next() {
        match c {
            '\\' => out.extend(characters.next()),
            '*' | '`' | '[' => {}
            '~' if before == '~' || characters.peek() == Some(&'~') => {}
            '!' if characters.peek() == Some(&'[') => {}
            ']' if characters.peek() == Some(&'(') => {
                let mut depth = 0_u32;
                for c in characters.by_ref() {
                    depth = match c {
                        '(' => depth + 1,
                        ')' => depth - 1,
                        _ => depth,
                    };
                    if depth == 0 {
                        break;
                    }
                }
            }
            ']' => {}
            '<' => {
                for c in characters.by_ref() {
                    if c == '>' {
                        break;
                    }
                }
            }
            _ => out.push(c),
        }
        before = c;
    }
    out
}

/// Splits after the marks that end a sentence in any script. A full stop counts only before white space. In
/// Thai and Lao, which have no such mark, a space after enough text counts.
fn split_sentences(text: &str, sentences: &mut Vec<String>) {
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    let is_unmarked = text.contains(|c: char| matches!(c, '\u{0E00}'..='\u{0EFF}'));
    while let Some((at, c)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        let ends = match c {
            '。' | '！' | '？' | '｡' | '︒' | '︕' | '︖' | '।' | '॥' | '؟' | '۔' | '…' | '។' | '။' | '།'
            | '።' | '։' => true,
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            _ if is_unmarked => {
                next.is_none() || (next == Some(' ') && at - start >= *SENTENCE_BYTES.end() / 4)
            }
            _ => false,
        };
        if ends || next.is_none() {
            let end = at + c.len_utf8();
            let sentence =
                text.get(start..end).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
            let is_mostly_words =
                sentence.chars().filter(|c| is_of_word(*c)).count() * 2 > sentence.chars().count();
            // A client may render the summary as HTML or Markdown, so no sentence may contain markup.
            let is_plain =
                !sentence.contains(['<', '`']) && !sentence.contains("](") && !sentence.contains("]:");
            if ends && is_mostly_words && is_plain && SENTENCE_BYTES.contains(&sentence.len()) {
                sentences.push(sentence);
            }
            start = end;
        }
    }
}

/// The words of a sentence, each once.
fn tokens(sentence: &str) -> HashSet<String> {
    words(sentence).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_representative_sentences_are_given_in_their_order() {
        let markdown = "# Kilns\n\nA kiln fires clay at a temperature that makes the clay hard. My cat is called Bo, and she sleeps all day.\n\n\
            | a | b |\n| --- | --- |\n\nThe temperature of the kiln must rise slowly, or the clay cracks. \
            [Buy](https://e.example/) a *ticket* now!\n\n```\nlet kiln = clay; // The kiln and the clay and the temperature.\n```\n\n\
            Clay that cracks in the kiln was wet when the kiln reached its temperature.";
        let summary = of_markdown(markdown);
        assert!(summary.starts_with("A kiln fires clay"), "{summary}");
        assert!(
            summary.contains("must rise slowly") && !summary.contains("let kiln") && !summary.contains("| a")
        );
        assert_eq!(of_markdown(markdown), summary);
    }

    #[test]
    fn markup_is_removed_from_sentences() {
        let text = "See the [firing \\*table\\*](https://e.example/a(b)) for **every** cone that is `sold` here<br>today.";
        assert_eq!(of_markdown(text), "See the firing *table* for every cone that is sold heretoday.");
    }

    #[test]
    fn scripts_without_spaces_are_split_into_sentences() {
        let text = "窯は粘土を高い温度で焼き固めるための装置である。猫はいつも一日中よく眠っている。窯の温度はゆっくり上げなければ粘土が割れる。";
        assert!(of_markdown(text).contains("窯は粘土を高い温度で"));
        let text = "เตาเผาใช้ความร้อนสูงเพื่อทำให้ดินเหนียวแข็งตัวเป็นเครื่องปั้นดินเผา ช่างปั้นต้องเพิ่มอุณหภูมิของเตาเผาอย่างช้าๆ เพื่อไม่ให้ดินแตก";
        assert!(of_markdown(text).starts_with("เตาเผาใช้ความร้อนสูง"));
        assert_eq!(of_markdown(""), "");
    }
}
