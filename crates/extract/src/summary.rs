//! Is a summary borne out by its page?
//!
//! No check can prove that a sentence says what the page means. But what models invent in summaries is mostly numbers and names, and those can be held
//! against the page: a number must stand there, in digits or scaled ("2.5 million"), and a name must stand there as a whole. A sentence with
//! one that does not is left out.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::bind::words;
use crate::ground::FoldedText;
use crate::page::{Page, truncate};
use crate::plan::{terms, to_f64};
use crate::typed::{NumberStyle, amounts};

/// Bytes of a summary that are looked at; the rest is dropped.
pub const MAX_SUMMARY_BYTES: usize = 64 << 10;
/// Faults that are told.
const MAX_FAULTS: usize = 200;
/// Numbers of a page that are compared with.
const MAX_NUMBERS: usize = 50_000;

/// What of a summary the page does not bear out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum SummaryFaultKind {
    /// A number.
    Number,
    /// A name.
    Name,
}

/// A number or a name that is not on the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SummaryFault {
    /// Which.
    pub kind: SummaryFaultKind,
    /// As the summary has it.
    pub text: String,
    /// Its bytes in the summary.
    pub start: usize,
    /// The first byte behind it.
    pub end: usize,
}

/// A summary held against its page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SummaryCheck {
    /// The sentences without a fault, as the summary has them; empty where none is left.
    pub text: String,
    /// What the page does not bear out, in order.
    pub faults: Vec<SummaryFault>,
    /// Sentences that were left out.
    pub dropped: usize,
}

impl SummaryCheck {
    /// A sentence for the `warning` of an answer, where something was left out.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let first: Vec<&str> = self.faults.iter().take(5).map(|fault| fault.text.as_str()).collect();
        (self.dropped > 0).then(|| {
            format!(
                "{} sentences of the summary were left out: not on the page: {}",
                self.dropped,
                first.join(", ")
            )
        })
    }
}

/// Holds a summary against the page's Markdown and title.
///
/// Numbers are compared by value, so that `1,200` and `1200` are one; whole numbers up to twelve may be counted and pass. Names are
/// runs of capitalised words; a word that a sentence begins with counts only where it is not an ordinary word of the page. Where a
/// language writes all nouns with capitals, only runs of two and more are names.
///
/// ```
/// use gleaner_extract::{Page, check_summary};
///
/// let page = Page::new("https://x.example/".parse()?, "")
///     .with_markdown("The tower, drawn by Stephen Sauvestre, is 330 metres high.");
/// let checked = check_summary("A tower of 330 metres. Gustave Moreau drew it.", &page);
/// assert_eq!(checked.text, "A tower of 330 metres.");
/// assert_eq!(checked.faults[0].text, "Gustave Moreau");
/// # Ok::<(), url::ParseError>(())
/// ```
#[must_use]
pub fn check_summary(summary: &str, page: &Page) -> SummaryCheck {
    let summary = truncate(summary, MAX_SUMMARY_BYTES);
    let source = format!("{}\n{}", page.title.as_deref().unwrap_or_default(), page.markdown);
    let folded = FoldedText::new(&source);
    let known = numbers_of(&source);
    let sentences = sentences(summary);
    let nouns_are_capital = capitals(summary, &sentences) > 0.3;
    let mut out = SummaryCheck { text: String::new(), faults: Vec::new(), dropped: 0 };
    for sentence in sentences {
        let text = summary.get(sentence.clone()).unwrap_or_default();
        let mut faults = Vec::new();
        for (range, value) in numbers(text) {
            let counted = value.fract() == 0.0 && (0.0..=12.0).contains(&value);
            let close = |other: &f64| (other - value).abs() <= value.abs() * 1e-9;
            let at = known.partition_point(|other| *other < value - value.abs() * 1e-9);
            if !counted && !known.get(at).is_some_and(close) {
                faults.push((SummaryFaultKind::Number, range));
            }
        }
        for range in names(text, &folded, nouns_are_capital) {
            faults.push((SummaryFaultKind::Name, range));
        }
        if faults.is_empty() {
            if !out.text.is_empty() {
                out.text.push(
                    if summary.get(..sentence.start).is_some_and(|before| before.ends_with('\n')) {
                        '\n'
                    } else {
                        ' '
                    },
                );
            }
            out.text.push_str(text);
            continue;
        }
        out.dropped += 1;
        for (kind, range) in faults {
            if out.faults.len() < MAX_FAULTS {
                let (start, end) = (sentence.start + range.start, sentence.start + range.end);
                let text = summary.get(start..end).unwrap_or_default().to_owned();
                out.faults.push(SummaryFault { kind, text, start, end });
            }
        }
    }
    out
}

/// Sentences, by their bytes, without the blanks around them.
fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    let mut push = |start: usize, end: usize| {
        let part = text.get(start..end).unwrap_or_default();
        let lead = part.len() - part.trim_start().len();
        let trimmed = part.trim();
        if !trimmed.is_empty() {
            out.push(start + lead..start + lead + trimmed.len());
        }
    };
    while let Some((at, found)) = chars.next() {
        let end = at + found.len_utf8();
        let ends = match found {
            '\n' | '。' | '！' | '？' => true,
            '.' | '!' | '?' => {
                // "Dr. No" and "U.S." go on; so does a number such as 3.5.
                let blank = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
                blank && !(found == '.' && is_short_form(text.get(start..at).unwrap_or_default()))
            }
            _ => false,
        };
        if ends {
            push(start, end);
            start = end;
        }
    }
    push(start, text.len());
    out
}

/// Does a text end in a short form, whose point ends no sentence?
fn is_short_form(text: &str) -> bool {
    let word: String = {
        let letters: Vec<char> =
            text.chars().rev().take_while(|found| !found.is_whitespace()).take(12).collect();
        letters.into_iter().rev().collect()
    };
    (word.chars().count() <= 1 && word.chars().all(char::is_uppercase))
        || matches!(
            word.as_str(),
            "Dr" | "Mr" | "Mrs" | "Ms" | "St" | "Prof" | "Inc" | "No" | "vs" | "e.g" | "i.e" | "Nr" | "ca"
        )
        || (word.contains('.') && word.chars().all(|found| found.is_uppercase() || found == '.'))
}

/// The numbers of a text with the scale behind them.
fn numbers(text: &str) -> Vec<(Range<usize>, f64)> {
    let mut out = Vec::new();
    for found in amounts(text, NumberStyle::Prose).take(MAX_NUMBERS) {
        let Ok(value) = found.decimal.trim_start_matches('-').parse::<f64>() else { continue };
        // `Covid-19` and `B2B` are names.
        let before = text.get(..found.range.start).and_then(|text| text.chars().next_back());
        if before.is_some_and(char::is_alphabetic) {
            continue;
        }
        let after = truncate(text.get(found.range.end..).unwrap_or_default().trim_start(), 24).to_lowercase();
        let scale = [
            ("million", 1e6),
            ("mio", 1e6),
            ("billion", 1e9),
            ("bn", 1e9),
            ("thousand", 1e3),
            ("trillion", 1e12),
        ]
        .iter()
        .find(|(word, _)| after.starts_with(word))
        .map_or(1.0, |(_, scale)| *scale);
        out.push((found.range, value * scale));
    }
    out
}

fn numbers_of(text: &str) -> Vec<f64> {
    let mut out: Vec<f64> = Vec::new();
    for (range, value) in numbers(text) {
        out.push(value);
        // A scaled number may be repeated without its scale.
        out.extend(text.get(range).and_then(|text| {
            amounts(text, NumberStyle::Prose).next()?.decimal.trim_start_matches('-').parse::<f64>().ok()
        }));
    }
    out.sort_by(f64::total_cmp);
    out
}

/// Words with their bytes.
fn tokens(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    text.split(|found: char| !(found.is_alphanumeric() || matches!(found, '\'' | '’' | '-' | '&')))
        .filter(|word| word.chars().any(char::is_alphabetic))
        .map(move |word| {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            (start..start + word.len(), word)
        })
}

fn is_capital(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase)
}

/// The share of words within sentences that begin with a capital.
fn capitals(summary: &str, sentences: &[Range<usize>]) -> f64 {
    let mut all = 0;
    let mut capital = 0;
    for sentence in sentences {
        for (_, word) in tokens(summary.get(sentence.clone()).unwrap_or_default()).skip(1) {
            all += 1;
            capital += usize::from(is_capital(word));
        }
    }
    if all < 30 { 0.0 } else { to_f64(capital) / to_f64(all) }
}

/// The names of a sentence that the page does not have.
fn names(sentence: &str, page: &FoldedText, nouns_are_capital: bool) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut run: Option<(Range<usize>, usize, bool)> = None;
    let mut judge = |run: Option<(Range<usize>, usize, bool)>| {
        let Some((range, count, first)) = run else { return };
        let text = sentence.get(range.clone()).unwrap_or_default();
        let bare = text.trim_end_matches("'s").trim_end_matches("’s");
        // How a sentence begins says nothing of its first word.
        let sure = count - usize::from(first);
        if sure == 0 || (sure == 1 && nouns_are_capital) || page.find(bare, 0).is_some() {
            return;
        }
        // The first word of a sentence may be an ordinary word before a name.
        if first && count > 1 {
            let (begin, rest) = bare.split_once(char::is_whitespace).unwrap_or((bare, ""));
            let ordinary = terms(begin).is_empty() || page.find(begin, 0).is_none();
            if ordinary && page.find(rest, 0).is_some() {
                return;
            }
        }
        // An address or a term of several parts that the page writes apart.
        let spaced = words(bare).join(" ");
        if count == 1 && page.find(&spaced, 0).is_some() {
            return;
        }
        out.push(range);
    };
    for (at, (range, word)) in tokens(sentence).enumerate() {
        let joins = run.as_ref().is_some_and(|(known, _, _)| {
            sentence.get(known.end..range.start).is_some_and(|gap| gap.chars().all(|found| found == ' '))
        });
        let name = is_capital(word) && word != "I";
        match (&mut run, name) {
            (Some((known, count, _)), true) if joins => {
                known.end = range.end;
                *count += 1;
            }
            (_, true) => judge(run.replace((range, 1, at == 0))),
            (_, false) => judge(run.take()),
        }
    }
    judge(run);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(summary: &str, markdown: &str) -> SummaryCheck {
        let page = Page::new("https://x.example/".parse().unwrap(), "").with_markdown(markdown);
        check_summary(summary, &page)
    }

    #[test]
    fn what_the_page_says_passes_and_what_it_does_not_is_dropped() {
        let page = "# Acme Corp\n\nAcme was founded by **Ada Holm** in 1921 and sells 2.5 million cups a year in 34 countries. \
                    Its head office is in New York. Turnover: 1,200,000 euros (up 12.5%).";
        let rows: [(&str, &[&str]); 14] = [
            ("Acme sells 2.5 million cups.", &[]),
            ("Acme sells 2,500,000 cups in 34 countries.", &[]),
            ("Founded in 1921 by Ada Holm, it has three owners.", &[]),
            ("Ada Holm's firm is in New York.", &[]),
            ("Turnover rose by 12.5% to 1.2 million euros.", &[]),
            ("The firm has 2 parts.", &[]),
            ("However, Acme grew.", &[]),
            ("Meanwhile Ada Holm sold cups.", &[]),
            ("It was founded in 1922.", &["1922"]),
            ("It sells 3 million cups.", &["3"]),
            ("It was founded by Ada Berg.", &["Ada Berg"]),
            ("Its rival is Globex.", &["Globex"]),
            ("The office in Boston has 77 desks.", &["77", "Boston"]),
            ("Ada York founded it.", &["Ada York"]),
        ];
        for (summary, expected) in rows {
            let found = check(summary, page);
            let faults: Vec<&str> = found.faults.iter().map(|fault| fault.text.as_str()).collect();
            assert_eq!(faults, expected, "{summary}");
            assert_eq!(found.text.is_empty(), !expected.is_empty(), "{summary}");
        }
    }

    #[test]
    fn only_the_faulty_sentence_goes() {
        let found = check(
            "Cups are red. Pots cost 999. Dr. Holm likes 3.5 cups.",
            "Red cups. Dr. Holm likes 3.5 of them.",
        );
        assert_eq!((found.text.as_str(), found.dropped), ("Cups are red. Dr. Holm likes 3.5 cups.", 1));
        assert!(found.warning().is_some_and(|text| text.contains("999")));
    }

    #[test]
    fn a_language_of_capital_nouns_loses_no_nouns() {
        let text = "Die Tassen der Firma haben einen Henkel, einen Boden und einen Rand. Der Henkel ist aus Holz, der Boden aus Ton. \
                    Im Laden stehen die Tassen neben den Kannen und den Tellern der Familie. Die Kunden loben den guten Preis.";
        let found = check(text, "Eine Seite");
        assert!(found.faults.is_empty(), "{:?}", found.faults);
    }

    #[test]
    fn hostile_summaries_end() {
        for text in ["A ".repeat(100_000), "1 ".repeat(100_000), ".".repeat(200_000), String::new()] {
            let found = check(&text, "A 1");
            assert!(found.text.len() <= MAX_SUMMARY_BYTES);
        }
    }
}
