use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use gleaner::Document;
use serde::Serialize;
use url::Url;

use super::{named, whole};
use crate::names::Names;

/// The file that lists the pages of a folder.
pub(crate) const INDEX: &str = "index.jsonl";

/// Writes one file a page into one flat folder, and a line about it into [`INDEX`].
///
/// A page is a `.md` file. Where other formats than Markdown were asked for, a `.json` file holds the whole document, so
/// that nothing is lost. The index is written line by line: what was done before an interruption is listed. A disk that
/// gets full leaves neither a part of a page nor a part of a line.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    names: Names,
    index: File,
    line: Vec<u8>,
}

/// A line of the index.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    /// The address that answered.
    url: &'a str,
    /// The address asked for, where it is another.
    #[serde(rename = "sourceURL", skip_serializing_if = "Option::is_none")]
    source_url: Option<&'a str>,
    /// The page's file in the folder.
    file: &'a str,
    title: Option<&'a str>,
    status_code: Option<u16>,
}

impl Folder {
    /// Makes the folder, if need be. The index of an earlier run stays until [`begin`](Self::begin), its pages beyond.
    ///
    /// # Errors
    /// The folder cannot be made or written to; says which.
    pub(crate) fn create(path: &Path, names: Names) -> io::Result<Self> {
        Self::open(path, names, File::options().write(true).create(true).truncate(false))
    }

    /// Begins a new index.
    ///
    /// # Errors
    /// The index cannot be emptied.
    pub(crate) fn begin(&mut self) -> io::Result<()> {
        self.index.set_len(0).map_err(|error| named(&self.path.join(INDEX), &error))
    }

    /// As [`create`](Self::create), but goes on with an index that is there, save for its rows of the page's own file:
    /// a page that is written twice is listed once.
    ///
    /// # Errors
    /// As for [`create`](Self::create), and where the index cannot be read.
    pub(crate) fn put_one(path: &Path, names: Names, page: &Document) -> io::Result<String> {
        let mut folder = Self::open(path, names, File::options().append(true).create(true))?;
        let file = folder.write(page)?;
        let index = path.join(INDEX);
        Self::forget_earlier(&index, &file).map_err(|error| named(&index, &error))?;
        Ok(file)
    }

    /// Drops all rows of `file` but the last, by a new index in place of the old.
    fn forget_earlier(index: &Path, file: &str) -> io::Result<()> {
        #[derive(serde::Deserialize)]
        struct Known {
            file: String,
        }
        let is_of_file = |line: &str| serde_json::from_str::<Known>(line).is_ok_and(|row| row.file == file);
        let rows = BufReader::new(File::open(index)?).lines().collect::<io::Result<Vec<String>>>()?;
        let last = rows.iter().rposition(|row| is_of_file(row));
        let kept: Vec<&String> = rows
            .iter()
            .enumerate()
            .filter(|(place, row)| Some(*place) == last || !is_of_file(row))
            .map(|(_, row)| row)
            .collect();
        if kept.len() == rows.len() {
            return Ok(());
        }
        whole::put(index, |file| {
            let mut out = BufWriter::new(file);
            for row in kept {
                writeln!(out, "{row}")?;
            }
            out.flush()
        })
    }

    fn open(path: &Path, names: Names, how: &fs::OpenOptions) -> io::Result<Self> {
        fs::create_dir_all(path).map_err(|error| named(path, &error))?;
        let index = path.join(INDEX);
        let index = how.open(&index).map_err(|error| named(&index, &error))?;
        Ok(Self { path: path.to_owned(), names, index, line: Vec::new() })
    }

    /// Writes one page and its line; gives the file's name.
    ///
    /// # Errors
    /// A file cannot be written; says which.
    pub(crate) fn write(&mut self, document: &Document) -> io::Result<String> {
        let metadata = &document.metadata;
        let asked = metadata.source_url.as_deref();
        let url = metadata.url.as_deref().or(asked).unwrap_or_default();
        // The address asked for tells the pages of a job apart; two may have been redirected to one.
        let identity = asked.unwrap_or(url);
        let stem = match Url::parse(identity) {
            Ok(url) => self.names.stem(&url),
            Err(_) => Names::stem_of_text(identity),
        };
        let whole = format!("{stem}.json");
        let mut file = None;
        if has_more_than_markdown(document) || document.markdown.is_none() {
            self.put(&whole, &serde_json::to_vec(document)?)?;
            file = Some(whole);
        }
        if let Some(markdown) = &document.markdown {
            let name = format!("{stem}.md");
            self.put(&name, markdown.as_bytes())?;
            file = Some(name);
        }
        let file = file.unwrap_or_default();
        let row = Row {
            url,
            // A slash that the standard adds makes no other address.
            source_url: asked
                .filter(|asked| Url::parse(asked).map_or(*asked != url, |asked| asked.as_str() != url)),
            file: &file,
            title: metadata.title.as_deref(),
            status_code: metadata.status_code,
        };
        self.line.clear();
        serde_json::to_writer(&mut self.line, &row)?;
        self.line.push(b'\n');
        whole::append(&mut self.index, &self.line).map_err(|error| named(&self.path.join(INDEX), &error))?;
        Ok(file)
    }

    /// Writes a file with a line feed at its end.
    fn put(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let path = self.path.join(name);
        let written = whole::put(&path, |file| {
            file.write_all(content)?;
            if !content.is_empty() && !content.ends_with(b"\n") {
                file.write_all(b"\n")?;
            }
            Ok(())
        });
        written.map_err(|error| named(&path, &error))
    }
}

fn has_more_than_markdown(document: &Document) -> bool {
    document.html.is_some()
        || document.raw_html.is_some()
        || document.links.is_some()
        || document.images.is_some()
        || document.screenshot.is_some()
        || document.summary.is_some()
        || document.json.is_some()
        || document.change_tracking.is_some()
        || document.branding.is_some()
        || document.attributes.is_some()
        || document.actions.is_some()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn document(value: Value) -> Document {
        serde_json::from_value(value).unwrap()
    }

    fn index(path: &Path) -> Vec<Value> {
        let text = fs::read_to_string(path.join(INDEX)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn a_page_is_a_markdown_file_and_a_line_of_the_index() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("deep/pages");
        let mut folder = Folder::create(&path, Names::with_hosts()).unwrap();
        folder
            .write(&document(json!({"markdown": "# Tea", "metadata": {
                "sourceURL": "https://example.com/old", "url": "https://example.com/tea", "title": "Tea", "statusCode": 200
            }})))
            .unwrap();
        assert_eq!(fs::read_to_string(path.join("example.com+old.md")).unwrap(), "# Tea\n");
        assert_eq!(
            index(&path),
            [json!({"url": "https://example.com/tea", "sourceURL": "https://example.com/old",
                "file": "example.com+old.md", "title": "Tea", "statusCode": 200})]
        );
    }

    #[test]
    fn an_index_is_begun_anew_or_gone_on_with() {
        // As for a job: the folder first, then the index.
        let begun = |path: &Path| {
            let mut folder = Folder::create(path, Names::with_hosts()).unwrap();
            folder.begin().unwrap();
            folder
        };
        let place = tempfile::tempdir().unwrap();
        let page = |name: &str| {
            document(json!({"markdown": name, "metadata": {"url": format!("https://example.com/{name}")}}))
        };
        begun(place.path()).write(&page("a")).unwrap();
        for _ in 0..2 {
            let file = Folder::put_one(place.path(), Names::with_hosts(), &page("b")).unwrap();
            assert_eq!(file, "example.com+b.md");
        }
        assert_eq!(index(place.path()).len(), 2, "a page is listed twice");
        drop(Folder::create(place.path(), Names::with_hosts()).unwrap());
        assert_eq!(index(place.path()).len(), 2, "a job that never began emptied the index");
        begun(place.path()).write(&page("c")).unwrap();
        assert_eq!(index(place.path()).len(), 1);
        assert!(place.path().join("example.com+a.md").exists(), "a page of an earlier run is gone");
    }

    #[test]
    fn other_formats_are_kept_in_a_json_file() {
        let place = tempfile::tempdir().unwrap();
        let mut folder = Folder::create(place.path(), Names::with_hosts()).unwrap();
        let page = json!({"markdown": "a", "links": ["https://a.example/"], "metadata": {"url": "https://example.com/"}});
        assert_eq!(folder.write(&document(page.clone())).unwrap(), "example.com+index.md");
        let kept = fs::read(place.path().join("example.com+index.json")).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&kept).unwrap(), page);

        let only_html = json!({"html": "<p>a", "metadata": {"url": "https://example.com/b"}});
        assert_eq!(folder.write(&document(only_html)).unwrap(), "example.com+b.json");
        assert!(!place.path().join("example.com+b.md").exists());
    }

    #[test]
    fn hostile_addresses_stay_within_the_folder() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("pages");
        let mut folder = Folder::create(&path, Names::with_hosts()).unwrap();
        for address in [
            "../../escape",
            "/etc/passwd",
            "https://a/..%2f..%2fescape",
            "file:///etc/passwd",
            "",
            "https://a/\u{1b}[2J",
        ] {
            folder.write(&document(json!({"markdown": "x", "metadata": {"sourceURL": address}}))).unwrap();
        }
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "something was written beside the folder");
        assert_eq!(fs::read_dir(&path).unwrap().count(), 6 + 1, "two pages share a file");
    }
}
