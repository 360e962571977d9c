//! Checks a summary against its page.
//!
//! No check can prove that a sentence says what the page means. But models mostly invent numbers and names,
//! and those can be checked: a number must be on the page, in digits or scaled ("2.5 million"), and a name
//! must be there as a whole. A sentence with one that is not on the page is dropped.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::bind::words;
use crate::ground::FoldedText;
use crate::page::{Page, trimmed, truncate};
use crate::plan::{terms, to_f64};
use crate::typed::{NumberStyle, amounts};

/// Upper bound on the bytes of a summary; the rest is dropped.
pub const MAX_SUMMARY_BYTES: usize = 64 << 10;
/// Upper bound on the faults of a check.
const MAX_FAULTS: usize = 200;
/// Upper bound on the numbers of a page that take part in a check.
const MAX_NUMBERS: usize = 50_000;

/// The kinds of faults in a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum SummaryFaultKind {
    /// A number that is not on the page.
    Number,
    /// A name that is not on the page.
    Name,
}

/// A number or a name that is not on the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SummaryFault {
    /// The kind.
    pub kind: SummaryFaultKind,
    /// The text, as in the summary.
    pub text: String,
    /// Its first byte in the summary.
    pub start: usize,
    /// The first byte after it.
    pub end: usize,
}

/// The result of checking a summary against its page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SummaryCheck {
    /// The sentences without a fault, as in the summary; empty if none is left.
    pub text: String,
    /// The faults, in order.
    pub faults: Vec<SummaryFault>,
    /// Number of sentences dropped.
    pub dropped: usize,
}

impl SummaryCheck {
    /// A sentence for the `warning` of a response, if sentences were dropped.
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

/// Checks a summary against the page's Markdown and title.
///
/// Numbers are compared by value, so `1,200` and `1200` are equal. Whole numbers up to twelve pass, as they
/// may be counts. Names are runs of capitalised words. The first word of a sentence counts only if it is not
/// an ordinary word of the page. In a language that capitalises all nouns, only runs of at least two words
/// are names.
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
    let nouns_are_capital = capitalised_share(summary, &sentences) > 0.3;
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

/// The byte ranges of the sentences, without surrounding blanks.
fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    let mut push = |start: usize, end: usize| {
        let range = trimmed(text, start..end);
        if !range.is_empty() {
            out.push(range);
        }
    };
    while let Some((at, found)) = chars.next() {
        let end = at + found.len_utf8();
        let ends = match found {
            '\n' | '。' | '！' | '？' => true,
            '.' | '!' | '?' => {
                // No sentence ends in "Dr. No", "U.S." or a number such as 3.5.
                let blank = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
                blank && !(found == '.' && is_abbreviation(text.get(start..at).unwrap_or_default()))
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

/// Whether a text ends in an abbreviation, whose point does not end the sentence.
fn is_abbreviation(text: &str) -> bool {
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

/// The numbers of a text, multiplied by the scale word that follows them.
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
        // A summary may repeat a scaled number without its scale.
        out.extend(text.get(range).and_then(|text| {
            amounts(text, NumberStyle::Prose).next()?.decimal.trim_start_matches('-').parse::<f64>().ok()
        }));
    }
    out.sort_by(f64::total_cmp);
    out
}

/// The words of a text with their byte ranges.
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

/// The share of capitalised words, without the first word of each sentence.
fn capitalised_share(summary: &str, sentences: &[Range<usize>]) -> f64 {
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

/// The names of a sentence that are not on the page.
fn names(sentence: &str, page: &FoldedText, nouns_are_capital: bool) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut run: Option<(Range<usize>, usize, bool)> = None;
    let mut judge = |run: Option<(Range<usize>, usize, bool)>| {
        let Some((range, count, first)) = run else { return };
        let text = sentence.get(range.clone()).unwrap_or_default();
        let bare = text.trim_end_matches("'s").trim_end_matches("’s");
        // The first word of a sentence is always capitalised, so it proves nothing.
        let sure = count - usize::from(first);
        if sure == 0 || (sure == 1 && nouns_are_capital) || page.find(bare, 0).is_some() {
            return;
        }
        // A sentence may start with an ordinary word before a name.
        if first && count > 1 {
            let (begin, rest) = bare.split_once(char::is_whitespace).unwrap_or((bare, ""));
            let ordinary = terms(begin).is_empty() || page.find(begin, 0).is_none();
            if ordinary && page.find(rest, 0).is_some() {
                return;
            }
        }
        // A compound that the page writes as separate words.
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
    fn facts_of_the_page_pass_and_others_are_dropped() {
        let page = "# Acme Corp\n\nAcme was founded by **Ada Holm** in 1921 and sells 2.5 million cups a \
            year in 34 countries. \
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
    fn only_the_faulty_sentence_is_dropped() {
        let found = check(
            "Cups are red. Pots cost 999. Dr. Holm likes 3.5 cups.",
            "Red cups. Dr. Holm likes 3.5 of them.",
        );
        assert_eq!((found.text.as_str(), found.dropped), ("Cups are red. Dr. Holm likes 3.5 cups.", 1));
        assert!(found.warning().is_some_and(|text| text.contains("999")));
    }

    #[test]
    fn nouns_of_a_language_that_capitalises_them_pass() {
        let text = "Die Tassen der Firma haben einen Henkel, einen Boden und einen Rand. Der Henkel ist \
            aus Holz, der Boden aus Ton. \
                    Im Laden stehen die Tassen neben den Kannen und den Tellern der Familie. Die Kunden \
                    loben den guten Preis.";
        let found = check(text, "Eine Seite");
        assert!(found.faults.is_empty(), "{:?}", found.faults);
    }

    #[test]
    fn hostile_summaries_are_checked_within_bounds() {
        for text in ["A ".repeat(100_000), "1 ".repeat(100_000), ".".repeat(200_000), String::new()] {
            let found = check(&text, "A 1");
            assert!(found.text.len() <= MAX_SUMMARY_BYTES);
        }
    }
}
