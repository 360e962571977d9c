//! The saved pages of a folder, in any of three layouts.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use gleaner_transform::decode;
use scraper::Html;
use serde_json::Value;
use url::Url;

use crate::Failure;

/// Upper bound on the levels of folders that are searched.
const MAX_DEPTH: usize = 8;

/// A saved page.
#[derive(Debug)]
pub(crate) struct SavedPage {
    pub(crate) id: String,
    pub(crate) url: Url,
    pub(crate) html: String,
    /// What its file in `ground-truth` says; null if there is none.
    pub(crate) labels: Value,
}

/// The pages of a folder, by their names.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
    /// Labels of all pages in one file: page id to an object with a `url`.
    index: Value,
    files: Vec<PathBuf>,
}

impl Folder {
    /// Lists `html/ID.html.gz` and `html/ID.html` or, without a folder `html`, all such files below the
    /// folder.
    pub(crate) fn open(root: &Path) -> Result<Self, Failure> {
        let index = match fs::read(root.join("ground-truth.json")) {
            Ok(bytes) => serde_json::from_slice(&bytes)?,
            Err(_) => Value::Null,
        };
        let html = root.join("html");
        let mut files = Vec::new();
        let start = if html.is_dir() { html.as_path() } else { root };
        list(start, MAX_DEPTH, &mut files).map_err(|error| format!("{}: {error}", root.display()))?;
        files.sort();
        if files.is_empty() {
            return Err(format!("{}: no page (*.html, *.html.gz)", root.display()).into());
        }
        Ok(Self { root: root.to_owned(), index, files })
    }

    /// The number of pages.
    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    /// Reads the pages one by one.
    pub(crate) fn pages(&self) -> impl Iterator<Item = Result<SavedPage, Failure>> + '_ {
        self.files.iter().map(|file| self.read(file))
    }

    fn read(&self, file: &Path) -> Result<SavedPage, Failure> {
        let bytes = unpacked(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let html = decode(&bytes, Some("text/html")).text.into_owned();
        let inner = file.strip_prefix(self.root.join("html")).or_else(|_| file.strip_prefix(&self.root));
        let name = inner.unwrap_or(file).to_string_lossy().replace('\\', "/");
        let id = name.trim_end_matches(".gz").trim_end_matches(".html").to_owned();
        let labels = match self.index.get(&id) {
            Some(labels) => labels.clone(),
            None => self.labels(&id)?,
        };
        let stated = labels.get("url").and_then(Value::as_str).map(str::to_owned);
        let stated = stated.or_else(|| canonical(&html)).and_then(|url| Url::parse(&url).ok());
        let url = match stated {
            Some(url) => url,
            None => {
                let host = id.replace(|found: char| !found.is_ascii_alphanumeric(), "-");
                Url::parse(&format!("https://{host}.example/")).map_err(|error| format!("{id}: {error}"))?
            }
        };
        Ok(SavedPage { id, url, html, labels })
    }

    fn labels(&self, id: &str) -> Result<Value, Failure> {
        for suffix in ["json.gz", "json"] {
            let file = self.root.join("ground-truth").join(format!("{id}.{suffix}"));
            if file.is_file() {
                return serde_json::from_slice(&unpacked(&file)?)
                    .map_err(|error| format!("{}: {error}", file.display()).into());
            }
        }
        Ok(Value::Null)
    }
}

fn list(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if depth > 0 {
                list(&path, depth - 1, files)?;
            }
            continue;
        }
        let is_page = path
            .file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.ends_with(".html") || name.ends_with(".html.gz"));
        if is_page {
            files.push(path);
        }
    }
    Ok(())
}

fn unpacked(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if file.extension().is_some_and(|suffix| suffix == "gz") {
        GzDecoder::new(File::open(file)?).read_to_end(&mut bytes)?;
    } else {
        File::open(file)?.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// The address that a page states for itself.
fn canonical(html: &str) -> Option<String> {
    let tree = Html::parse_document(html);
    let found = tree.root_element().descendent_elements().find_map(|element| {
        match (element.value().name(), element.attr("rel"), element.attr("property")) {
            ("link", Some("canonical"), _) => element.attr("href"),
            ("meta", _, Some("og:url")) => element.attr("content"),
            _ => None,
        }
        .filter(|url| url.starts_with("http"))
    });
    found.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let page = |name: &str, html: &str| {
            let file = root.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, html).unwrap();
        };
        page("a/one.html", "<link rel=canonical href=https://shop.example/one>");
        page("two.html", "<p>x");
        let read = || -> Vec<(String, String)> {
            let folder = Folder::open(root).unwrap();
            folder.pages().map(Result::unwrap).map(|page| (page.id, page.url.into())).collect()
        };
        let own = |id: &str, url: &str| (id.to_owned(), url.to_owned());
        assert_eq!(read(), [own("a/one", "https://shop.example/one"), own("two", "https://two.example/")]);
        page("html/three.html", "<p>x");
        page("ground-truth/three.json", r#"{"url": "https://news.example/3"}"#);
        assert_eq!(read(), [own("three", "https://news.example/3")]);
        page("ground-truth.json", r#"{"three": {"url": "https://news.example/4"}}"#);
        assert_eq!(read(), [own("three", "https://news.example/4")]);
        assert!(Folder::open(&root.join("ground-truth")).is_err());
    }
}
