//! The structure that Markdown keeps of the main content: headings, list items, table cells and so on.
//!
//! An item of the result is right if the truth has an item of the same kind with the same text. It counts as
//! often as it occurs in both. Precision and recall count the items of all pages. The truth of a page is
//! expected Markdown, expected HTML, or the page's own `main` or `article` element without what is not in the
//! text of the ground truth. Word figures count as in `content`.
//!
//! The title is left out of headings and words, because it is arbitrary whether a truth includes it. Its own
//! figure is the share of pages whose `h1` is their title and that keep it as a heading.
//!
//! `--outputs NAME=DIR` scores the Markdown of another tool, `DIR/ID.md` for each page.
//! `benches/peers/markdown.py` writes such folders. A folder whose truth was written by a tool favours that
//! tool: expected Markdown is usually the output of one.

mod html_notes;
mod items;
mod layout;
mod markdown_notes;
mod matching;
mod normal;
mod region;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use gleaner_transform::{Input, transform};
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::request::ScrapeOptions;
use scraper::Html;
use serde_json::{Map, Value, json};

use crate::content::{mean, ratio};
use crate::{Failure, Outcome, dom, render};
use items::{Items, Kind};
use layout::{Page, Truth};
use matching::Count;

/// A tool whose Markdown is scored.
struct Tool {
    name: String,
    /// The folder of its files; `None` for this engine.
    folder: Option<PathBuf>,
    score: Score,
}

/// The figures of a tool.
#[derive(Default)]
struct Score {
    /// Pages without Markdown.
    failed: usize,
    /// Precision, recall and F1 of the words of each page.
    words: Vec<[f64; 3]>,
    /// Whether each page that shows its title keeps it.
    titles: Vec<bool>,
    kinds: BTreeMap<Kind, Count>,
}

/// The truth of a page.
struct Expected {
    text: String,
    /// `None` for a page without an element that has the main content.
    items: Option<Items>,
    captions: Vec<String>,
    shows_title: bool,
}

pub(super) fn evaluate(folder: &Path, arguments: &[String]) -> Result<Outcome, Failure> {
    let mut tools = vec![Tool { name: "gleaner".to_owned(), folder: None, score: Score::default() }];
    tools.extend(outputs(arguments)?);
    let pages = layout::pages(folder)?;
    let options = ScrapeOptions::new().check().map_err(|faults| faults.to_string())?;
    let mut structured = 0_usize;
    for page in &pages {
        let expected = expected(page);
        structured += usize::from(expected.items.is_some());
        for tool in &mut tools {
            let markdown = match &tool.folder {
                Some(folder) => fs::read_to_string(folder.join(format!("{}.md", page.name))).ok(),
                None => markdown(page, &options),
            };
            let markdown = markdown.filter(|markdown| !markdown.trim().is_empty());
            tool.score.failed += usize::from(markdown.is_none());
            tool.score.add(page, &expected, &markdown.unwrap_or_default());
        }
    }
    Ok(report(&tools, pages.len(), structured))
}

/// The other tools that the arguments name.
fn outputs(arguments: &[String]) -> Result<Vec<Tool>, Failure> {
    arguments
        .chunks(2)
        .map(|option| -> Result<Tool, Failure> {
            match option {
                [flag, value] if flag == "--outputs" => {
                    let (name, folder) = value.split_once('=').ok_or("--outputs takes NAME=DIR")?;
                    let folder = PathBuf::from(folder);
                    if !folder.is_dir() {
                        return Err(format!("{}: no such folder", folder.display()).into());
                    }
                    Ok(Tool { name: name.to_owned(), folder: Some(folder), score: Score::default() })
                }
                _ => Err(format!("the options are not understood: {}", option.join(" ")).into()),
            }
        })
        .collect()
}

fn markdown(page: &Page, options: &ScrapeOptionsPlan) -> Option<String> {
    let input = Input::new(&page.url, Some(page.content_type), &page.body);
    transform(input, options).ok()?.document.markdown
}

fn expected(page: &Page) -> Expected {
    let source = Html::parse_document(&String::from_utf8_lossy(&page.body));
    let root = source.tree.root();
    let captions: Vec<String> = items::figures(root).into_iter().map(|(caption, _)| caption).collect();
    let shows_title = root.descendants().any(|node| {
        node.value().as_element().is_some_and(|element| element.name() == "h1")
            && normal::is_title(&dom::text_of(node, |_| false), &page.title)
    });
    let text = page.truth.text();
    let mut items = match &page.truth {
        Truth::Markdown(markdown) => Some(Items::of_markdown(markdown, &captions)),
        Truth::Html(html) => {
            let tree = Html::parse_fragment(html);
            let mut items = Items::of_html(tree.tree.root());
            items.add_captions(tree.tree.root(), &captions);
            Some(items)
        }
        Truth::Text(truth) => region::choose(root, truth).map(|region| region::items(region, truth)),
    };
    if let Some(items) = &mut items {
        items.remove_title(&page.title);
    }
    Expected { text, items, captions, shows_title }
}

impl Score {
    fn add(&mut self, page: &Page, expected: &Expected, markdown: &str) {
        let without_title = without_title(markdown, &page.title, &expected.text);
        let text = dom::text(&render::html(&without_title));
        self.words.push(render::overlap(&text, &expected.text));
        let mut found = Items::of_markdown(markdown, &expected.captions);
        let kept = found.remove_title(&page.title);
        if expected.shows_title {
            self.titles.push(kept);
        }
        if let Some(truth) = &expected.items {
            for kind in Kind::ALL {
                let count = Count::of(kind, &truth.get(kind), &found.get(kind));
                self.kinds.entry(kind).or_default().add(count);
            }
        }
    }
}

/// Markdown without the line of the title, unless the truth begins with it.
fn without_title(markdown: &str, title: &str, truth: &str) -> String {
    let title_line = markdown.lines().position(|line| normal::is_title(line, title));
    let begins = normal::words(truth).join(" ").starts_with(&normal::words(title).join(" "));
    let skipped = title_line.filter(|_| !begins);
    let lines = markdown.lines().enumerate().filter(|(at, _)| Some(*at) != skipped);
    lines.map(|(_, line)| line).collect::<Vec<_>>().join("\n")
}

fn report(tools: &[Tool], pages: usize, structured: usize) -> Outcome {
    let mut table = format!("pages {pages}, with the structure of the truth {structured}\n");
    let mut results = Map::new();
    for Tool { name, score, .. } in tools {
        let word = |at: usize| mean(score.words.iter().filter_map(|figures| figures.get(at).copied()));
        let [precision, recall, f1] = [word(0), word(1), word(2)];
        let title = mean(score.titles.iter().map(|kept| f64::from(u8::from(*kept))));
        let _ = writeln!(
            table,
            "\n{name}: words F1 {f1:.4}, precision {precision:.4}, recall {recall:.4}; title kept {title:.3} \
             of {}; failed {}",
            score.titles.len(),
            score.failed
        );
        let _ = writeln!(
            table,
            "  {:15}{:>7}{:>7}{:>11}{:>8}{:>7}",
            "", "truth", "found", "precision", "recall", "F1"
        );
        let mut kinds = Map::new();
        for (kind, Count { truth, found, right }) in &score.kinds {
            let (precision, recall) = (ratio(*right, *found), ratio(*right, *truth));
            let f1 = ratio(2 * right, truth + found);
            let kind = kind.name();
            let _ = writeln!(table, "  {kind:15}{truth:7}{found:7}{precision:11.3}{recall:8.3}{f1:7.3}");
            kinds.insert(
                kind.to_owned(),
                json!({ "truth": truth, "found": found, "right": right, "precision": precision,
                    "recall": recall, "f1": f1 }),
            );
        }
        results.insert(
            name.clone(),
            json!({ "words": { "f1": f1, "precision": precision, "recall": recall }, "title": title,
                "titles": score.titles.len(), "failed": score.failed, "kinds": Value::Object(kinds) }),
        );
    }
    let json = json!({ "structure": { "pages": pages, "structured": structured, "tools": results } });
    Outcome { table: table.trim_end().to_owned(), json }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_neither_rewarded_nor_punished() {
        let page = Page {
            name: "a".to_owned(),
            url: "https://example.org/".parse().unwrap(),
            content_type: "text/html",
            body: b"<h1>A long title</h1><p>Text</p><h2>Part</h2>".to_vec(),
            title: "A long title".to_owned(),
            truth: Truth::Markdown("Text\n\n## Part".to_owned()),
        };
        let expected = expected(&page);
        let mut score = Score::default();
        for markdown in ["# A long title\n\nText\n\n## Part", "Text\n\n## Part"] {
            score.add(&page, &expected, markdown);
        }
        assert_eq!(score.words, [[1.0; 3]; 2]);
        assert_eq!(score.titles, [true, false]);
        assert_eq!(score.kinds[&Kind::Headings], Count { truth: 2, found: 2, right: 2 });
    }

    #[test]
    fn options_name_other_tools() {
        let folder = tempfile::tempdir().unwrap();
        let named = format!("other={}", folder.path().display());
        let found = outputs(&["--outputs".to_owned(), named]).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, "other");
        for wrong in [&["--outputs".to_owned()][..], &["--x".to_owned(), "y".to_owned()]] {
            assert!(outputs(wrong).is_err(), "{wrong:?}");
        }
    }
}
