//! Whether the links of a page depend on what is asked for: a crawl must follow the same links whatever
//! formats it stores. Each page of a folder in the layout of `content` is transformed with several options.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;

use gleaner_transform::{Input, PageLinks, transform};
use gleaner_types::request::{Format, ScrapeOptions};
use serde_json::json;

use crate::{Failure, Outcome, content};

/// Upper bound on the differences that are printed.
const MAX_PRINTED: usize = 20;

/// The first is what the others are compared with.
fn options() -> Vec<(&'static str, ScrapeOptions)> {
    let formats = |formats: &[Format]| ScrapeOptions::new().formats(formats.to_vec());
    vec![
        ("links", formats(&[Format::Links])),
        ("markdown", formats(&[Format::Markdown])),
        ("html", formats(&[Format::Html])),
        ("rawHtml", formats(&[Format::RawHtml])),
        ("images", formats(&[Format::Images])),
        ("summary", formats(&[Format::Summary])),
        ("markdown, links", formats(&[Format::Markdown, Format::Links])),
        ("rawHtml, links", formats(&[Format::RawHtml, Format::Links])),
        ("html, images, links", formats(&[Format::Html, Format::Images, Format::Links])),
        ("markdown of the whole page", formats(&[Format::Markdown]).only_main_content(false)),
        ("html without nav", formats(&[Format::Html]).exclude_tags(["nav"])),
    ]
}

pub(super) fn evaluate(folder: &Path) -> Result<Outcome, Failure> {
    let pages = content::read(folder)?;
    let mut sets = Vec::new();
    for (name, options) in options() {
        sets.push((name, options.check().map_err(|faults| faults.to_string())?));
    }
    let (mut printed, mut differing, mut links) = (String::new(), 0_usize, 0_usize);
    for page in &pages {
        let of_set = sets.iter().map(|(name, options)| {
            let input = Input::new(&page.url, Some("text/html"), &page.body);
            (*name, transform(input, options).ok().map(|page| page.links))
        });
        let all: Vec<(&str, Option<PageLinks>)> = of_set.collect();
        let Some((_, first)) = all.first() else { continue };
        links += first.as_ref().map_or(0, |found| found.links.len());
        let Some((name, other)) = all.iter().find(|(_, found)| found != first) else { continue };
        differing += 1;
        if differing <= MAX_PRINTED {
            let difference = difference(first.as_ref(), other.as_ref());
            let _ = writeln!(printed, "  {} [{name}]: {difference}", page.name);
        }
    }
    let count = pages.len();
    let table = format!(
        "pages {count}, links {links}, format sets {}, pages whose links differ {differing}\n{printed}",
        sets.len()
    );
    let json = json!({ "links": { "pages": count, "links": links, "differing": differing } });
    Ok(Outcome { table: table.trim_end().to_owned(), json })
}

/// The differences from the links of the first set.
fn difference(first: Option<&PageLinks>, other: Option<&PageLinks>) -> String {
    let (Some(first), Some(other)) = (first, other) else {
        return "the page fails with one of the two".to_owned();
    };
    let urls = |page: &PageLinks| -> HashSet<String> {
        page.links.iter().map(|link| link.url.as_str().to_owned()).collect()
    };
    let (of_first, of_other) = (urls(first), urls(other));
    let example = of_first.symmetric_difference(&of_other).min();
    match example {
        Some(example) => format!("{} links instead of {}, such as {example}", of_other.len(), of_first.len()),
        None => "the same URLs in another order, or with other marks".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_names_a_link() {
        let links = |html: &str| {
            let url = "https://example.org/".parse().unwrap();
            let input = Input::new(&url, Some("text/html"), html.as_bytes());
            gleaner_transform::links(input).unwrap()
        };
        let (one, two) = (links("<a href=a>A</a>"), links("<a href=a>A</a><a href=b>B</a>"));
        let text = difference(Some(&one), Some(&two));
        assert_eq!(text, "2 links instead of 1, such as https://example.org/b");
        assert!(difference(Some(&one), None).contains("fails"));
    }
}
