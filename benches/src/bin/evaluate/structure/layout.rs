//! The layouts of folders of pages with truth.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use url::Url;

use crate::content::{self, unpack};
use crate::{Failure, dom, render};

/// What is known of the main content of a page.
#[derive(Debug)]
pub(super) enum Truth {
    Markdown(String),
    Html(String),
    /// Its words only. The structure is that of the page's own `main` or `article`.
    Text(String),
}

impl Truth {
    /// The text of the truth.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Markdown(markdown) => dom::text(&render::html(markdown)),
            Self::Html(html) => dom::text(html),
            Self::Text(text) => text.clone(),
        }
    }
}

/// A page with its truth.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) name: String,
    pub(super) url: Url,
    pub(super) content_type: &'static str,
    pub(super) body: Vec<u8>,
    pub(super) title: String,
    pub(super) truth: Truth,
}

/// The pages of a folder, in the order of their names. Its files tell its layout.
pub(super) fn pages(folder: &Path) -> Result<Vec<Page>, Failure> {
    if folder.join("ground-truth").is_dir() && folder.join("html").is_dir() {
        content_pages(folder)
    } else if folder.join("fixtures").is_dir() && folder.join("expected").is_dir() {
        markdown_pages(folder)
    } else {
        let pages = html_pages(folder)?;
        if pages.is_empty() {
            return Err(format!(
                "{}: unknown layout: there is neither `html` with `ground-truth`, nor `fixtures` with \
                 `expected`, nor a folder with `source.html.gz` and `expected.html.gz`",
                folder.display()
            )
            .into());
        }
        Ok(pages)
    }
}

/// `html/ID.html.gz` and `ground-truth/ID.json.gz`.
fn content_pages(folder: &Path) -> Result<Vec<Page>, Failure> {
    let pages = content::read(folder)?.into_iter().map(|page| {
        let text = |key| page.truth.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (title, truth) = (text("title"), Truth::Text(text("main_content")));
        Page { name: page.name, url: page.url, content_type: "text/html", body: page.body, title, truth }
    });
    Ok(pages.collect())
}

/// `fixtures/ID.html` and `expected/ID.md`. The Markdown begins with metadata as JSON in a block of code. A
/// page may begin with a comment that has its URL; the name of another has its host.
fn markdown_pages(folder: &Path) -> Result<Vec<Page>, Failure> {
    let mut pages = Vec::new();
    for path in entries(&folder.join("expected"))? {
        let Some(name) = file_name(&path).and_then(|name| name.strip_suffix(".md")) else { continue };
        let source = folder.join("fixtures").join(format!("{name}.html"));
        if !source.is_file() {
            continue;
        }
        let body = fs::read(source)?;
        let expected = fs::read_to_string(&path)?;
        let (metadata, markdown) = expected
            .strip_prefix("```json\n")
            .and_then(|rest| rest.split_once("\n```"))
            .ok_or_else(|| format!("{name}: no metadata"))?;
        let metadata: Value = serde_json::from_str(metadata)?;
        let url = match said_url(&body) {
            Some(url) => url,
            None => {
                let kind = name.split_once("--");
                let host = kind.filter(|(kind, _)| kind.bytes().all(|byte| byte.is_ascii_lowercase()));
                format!("https://{}/", host.map_or(name, |(_, host)| host))
            }
        };
        pages.push(Page {
            url: url.parse().or_else(|_| "https://example.com/".parse())?,
            content_type: "text/html; charset=utf-8",
            title: metadata.get("title").and_then(Value::as_str).unwrap_or_default().to_owned(),
            truth: Truth::Markdown(markdown.trim().to_owned()),
            name: name.to_owned(),
            body,
        });
    }
    Ok(pages)
}

/// The URL in a comment such as `<!-- {"url": "https://example.com/"} -->`.
fn said_url(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let metadata = text.split("<!--").skip(1).find_map(|comment| {
        let (json, _) = comment.split_once("-->")?;
        serde_json::from_str::<Value>(json.trim()).ok()
    })?;
    Some(metadata.get("url")?.as_str()?.to_owned())
}

/// `ID/source.html.gz`, `ID/expected.html.gz` and `ID/metadata.json.gz`. The pages are stored in UTF-8,
/// whatever they declare.
fn html_pages(folder: &Path) -> Result<Vec<Page>, Failure> {
    let mut pages = Vec::new();
    for path in entries(folder)? {
        let (source, expected) = (path.join("source.html.gz"), path.join("expected.html.gz"));
        let Some(name) = file_name(&path).filter(|_| source.is_file() && expected.is_file()) else {
            continue;
        };
        let metadata: Value = serde_json::from_slice(&unpack(&path.join("metadata.json.gz"))?)?;
        pages.push(Page {
            name: name.to_owned(),
            url: "http://fakehost/test/page.html".parse()?,
            content_type: "text/html; charset=utf-8",
            body: unpack(&source)?,
            title: metadata.get("title").and_then(Value::as_str).unwrap_or_default().to_owned(),
            truth: Truth::Html(String::from_utf8_lossy(&unpack(&expected)?).into_owned()),
        });
    }
    Ok(pages)
}

/// The paths in a folder, sorted.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    Ok(paths)
}

fn file_name(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_folder_tell_its_layout() {
        let folder = tempfile::tempdir().unwrap();
        let error = pages(folder.path()).unwrap_err().to_string();
        assert!(error.contains("unknown layout"), "{error}");
        for part in ["fixtures", "expected"] {
            fs::create_dir(folder.path().join(part)).unwrap();
        }
        let write = |path: &str, text: &str| fs::write(folder.path().join(path), text).unwrap();
        write("fixtures/a--one.html", "<p>x");
        write("expected/a--one.md", "```json\n{\"title\": \"One\"}\n```\n\nx");
        write("fixtures/two.html", "<!-- x --><!-- {\"url\": \"https://example.org/two\"} --><p>y");
        write("expected/two.md", "```json\n{}\n```\n\n- y");
        write("expected/three.md", "```json\n{}\n```\n\n- no page");
        let pages = pages(folder.path()).unwrap();
        let found: Vec<(&str, &str, &str, String)> = pages
            .iter()
            .map(|page| (page.name.as_str(), page.url.as_str(), page.title.as_str(), page.truth.text()))
            .map(|(name, url, title, text)| (name, url, title, text.trim().to_owned()))
            .collect();
        assert_eq!(
            found,
            [
                ("a--one", "https://one/", "One", "x".to_owned()),
                ("two", "https://example.org/two", "", "y".to_owned())
            ]
        );
    }
}
