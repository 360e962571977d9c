//! What a client shows of a case, in a form that can be compared.

use std::collections::BTreeSet;

use gleaner::{Document, Error};
use serde_json::Value;
use url::Url;

/// What a client shows of a page, or why it shows none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) failure: Option<String>,
    /// The final address without fragment, which no server sees.
    pub(super) address: String,
    pub(super) title: String,
    /// What the contract calls links: `http` and `https`, without those within the page.
    pub(super) links: BTreeSet<String>,
}

impl Shown {
    /// What the page that drives Chromium reports.
    pub(super) fn of_report(report: &Value) -> Self {
        let text = |name: &str| report.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let links = report.get("links").and_then(Value::as_array).into_iter().flatten();
        let part =
            |link: &Value, at: usize| link.get(at).and_then(Value::as_str).unwrap_or_default().to_owned();
        Self {
            failure: report.get("error").and_then(Value::as_str).map(str::to_owned),
            address: address(&text("url")),
            title: text("title"),
            links: links
                .filter(|link| !is_within_page(&part(link, 0)))
                .filter_map(|link| web_url(&part(link, 1)))
                .collect(),
        }
    }

    /// What the engine returns.
    pub(super) fn of_document(document: Result<Document, Error>) -> Self {
        let document = match document {
            Ok(document) => document,
            Err(error) => return Self { failure: Some(error.to_string()), ..Self::default() },
        };
        let links = document.links.unwrap_or_default();
        Self {
            failure: None,
            address: address(&document.metadata.url.unwrap_or_default()),
            title: document.metadata.title.unwrap_or_default(),
            links: links.iter().filter_map(|link| web_url(link)).collect(),
        }
    }
}

fn address(text: &str) -> String {
    text.split('#').next().unwrap_or_default().to_owned()
}

fn web_url(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.into())
}

/// True for `#part`; `#/route` and `#!route` are links.
fn is_within_page(written: &str) -> bool {
    let written = written.trim_matches(|character| character <= ' ');
    match written.strip_prefix('#') {
        Some(fragment) => !fragment.starts_with(['/', '!']),
        None => written.is_empty(),
    }
}
