//! Whether the main content depends on what is no part of it. Each page of a folder in the layout of
//! `content` is transformed as it is and with a small change: at other addresses, with one paragraph more, and
//! with other names of attributes that nobody reads. The figure of a change is the share of words that come or
//! go with it, over all pages.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use gleaner_transform::{Input, transform};
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::request::{Format, ScrapeOptions};
use serde_json::json;
use url::Url;

use crate::content::{self, Page};
use crate::{Failure, Outcome, dom, render};

/// The largest share of words that a change may add or take.
const MAX_SHARE: f64 = 0.005;

/// Upper bound on the pages that are printed for a change.
const MAX_PRINTED: usize = 10;

/// The paragraph that is added.
const PARAGRAPH: &str = "One paragraph more, which says little about anything.";

/// Where a paragraph is added: before the first of these that the page has.
const ENDS: [&str; 3] = ["</article>", "</main>", "</body>"];

/// Parts of names of attributes that are read.
const READ: [&str; 12] =
    ["src", "lang", "code", "lazy", "image", "tex", "math", "file", "content", "href", "test", "tooltip"];

/// A change of a page.
#[derive(Debug, Clone, Copy)]
enum Change {
    Address(&'static str),
    Paragraph,
    Attributes,
}

const CHANGES: [(&str, Change); 5] = [
    ("the address of a home page", Change::Address("https://mirror.example/")),
    ("the address of an article", Change::Address("https://mirror.example/2024/05/some-title-of-an-article")),
    ("an address with a query", Change::Address("https://mirror.example/item/1234567?a=1&b=2")),
    ("one paragraph more", Change::Paragraph),
    ("other names of attributes", Change::Attributes),
];

pub(super) fn evaluate(folder: &Path) -> Result<Outcome, Failure> {
    let pages = content::read(folder)?;
    let options = ScrapeOptions::new().formats([Format::Markdown]);
    let options = options.check().map_err(|faults| faults.to_string())?;
    let mut sums = vec![Sum::default(); CHANGES.len()];
    for page in &pages {
        let before = words_of(&page.url, &page.body, &options);
        for ((_, change), sum) in CHANGES.iter().zip(&mut sums) {
            let Some((url, body, added)) = change.apply(page) else { continue };
            let after = words_of(&url, &body, &options);
            sum.add(&page.name, &before, &after, &added);
        }
    }
    let mut table = format!("pages {}\n", pages.len());
    let mut figures = serde_json::Map::new();
    for ((name, _), sum) in CHANGES.iter().zip(&mut sums) {
        sum.print(name, &mut table);
        figures.insert((*name).to_owned(), sum.share().into());
    }
    let is_stable = sums.iter().all(|sum| sum.share() <= MAX_SHARE);
    let _ = write!(table, "at most {MAX_SHARE} for each: {}", if is_stable { "yes" } else { "no" });
    Ok(Outcome { table, json: json!({ "stability": { "shares": figures, "stable": is_stable } }) })
}

/// The words that a change adds and takes.
#[derive(Debug, Default, Clone)]
struct Sum {
    words: f64,
    changed: f64,
    /// The pages that change, with the number of words.
    pages: Vec<(f64, String)>,
}

impl Sum {
    fn add(
        &mut self,
        page: &str,
        before: &HashMap<String, u32>,
        after: &HashMap<String, u32>,
        added: &HashMap<String, u32>,
    ) {
        let changed = difference(before, after, added);
        self.words += before.values().copied().map(f64::from).sum::<f64>();
        self.changed += changed;
        if changed > 0.0 {
            self.pages.push((changed, page.to_owned()));
        }
    }

    fn share(&self) -> f64 {
        self.changed / self.words.max(1.0)
    }

    fn print(&mut self, name: &str, table: &mut String) {
        self.pages.sort_by(|one, other| other.0.total_cmp(&one.0));
        let worst: Vec<String> =
            self.pages.iter().take(MAX_PRINTED).map(|(words, page)| format!("{page} {words}")).collect();
        let (share, pages) = (self.share(), self.pages.len());
        let _ = writeln!(table, "  {name:28} {share:.5} of words, {pages} pages: {}", worst.join(", "));
    }
}

impl Change {
    /// The address and the body of a changed page, and the words that are new on it; `None` where the change
    /// does not apply.
    fn apply(self, page: &Page) -> Option<(Url, Vec<u8>, HashMap<String, u32>)> {
        let text = || String::from_utf8_lossy(&page.body);
        match self {
            Self::Address(url) => Some((url.parse().ok()?, page.body.clone(), HashMap::new())),
            Self::Paragraph => {
                let text = text();
                let at = ENDS.iter().find_map(|end| text.find(end))?;
                let (before, after) = text.split_at_checked(at)?;
                let changed = format!("{before}<p>{PARAGRAPH}</p>{after}");
                Some((page.url.clone(), changed.into_bytes(), render::words(PARAGRAPH)))
            }
            Self::Attributes => Some((page.url.clone(), renamed(&text()).into_bytes(), HashMap::new())),
        }
    }
}

/// A page with other names of the `data-` attributes that nobody reads.
fn renamed(text: &str) -> String {
    let mut parts = text.split(" data-");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let name = part.split(['=', '>', ' ', '/']).next().unwrap_or_default();
        let is_read = READ.iter().any(|read| name.contains(read));
        out.push_str(if is_read { " data-" } else { " data-renamed-" });
        out.push_str(part);
    }
    out
}

/// The number of words that only one of two texts has. New words need not be in the second one.
fn difference(
    before: &HashMap<String, u32>,
    after: &HashMap<String, u32>,
    added: &HashMap<String, u32>,
) -> f64 {
    let count = |words: &HashMap<String, u32>, word: &str| words.get(word).copied().unwrap_or(0);
    let gone: u32 = before
        .iter()
        .map(|(word, times)| times.saturating_sub(count(after, word)))
        .fold(0, u32::saturating_add);
    let come =
        after.iter().map(|(word, times)| times.saturating_sub(count(before, word) + count(added, word)));
    f64::from(come.fold(gone, u32::saturating_add))
}

/// The words of a page's main content.
fn words_of(url: &Url, body: &[u8], options: &ScrapeOptionsPlan) -> HashMap<String, u32> {
    let page = transform(Input::new(url, Some("text/html"), body), options).ok();
    let markdown = page.and_then(|page| page.document.markdown).unwrap_or_default();
    render::words(&dom::text(&render::html(&markdown)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_come_and_go_are_counted() {
        let words = render::words;
        assert!(difference(&words("a b"), &words("b a"), &HashMap::new()) == 0.0);
        let changed = difference(&words("a a b"), &words("a c"), &HashMap::new());
        assert!((changed - 3.0).abs() < 1e-9, "{changed}");
        assert!(difference(&words("a"), &words("a new one"), &words("new one")) == 0.0);
        assert!(difference(&words("a"), &words("a"), &words("new one")) == 0.0);
    }

    #[test]
    fn attributes_that_are_read_keep_their_names() {
        let html = "<p data-id=1 data-src=x data-key>a";
        assert_eq!(renamed(html), "<p data-renamed-id=1 data-src=x data-renamed-key>a");
    }
}
