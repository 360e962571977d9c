//! Writes one file per page into a folder, with an index.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use gleaner::Document;
use serde::Serialize;
use url::Url;

use super::{atomic, media, with_path};
use crate::file_names::FileNames;

/// The file that lists the pages of a folder.
pub(crate) const INDEX: &str = "index.jsonl";

/// Writes one file per page into a flat folder, and a row into [`INDEX`].
///
/// A page is a `.md` file. If other formats than Markdown were requested, a `.json` file contains the whole
/// document; pictures and PDFs in it are files of their own, which it names. The index is written line by
/// line, so that it lists all pages before an interruption. A full disk leaves neither a partial page nor a
/// partial line.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    names: FileNames,
    index: File,
    line: Vec<u8>,
    /// The number of pictures and PDFs of this run.
    media: u64,
}

/// The files of one page, by name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PageFiles {
    /// The Markdown file, or the `.json` file if there is none.
    pub(crate) page: String,
    /// The `.json` file beside a Markdown file, if other formats were requested too.
    pub(crate) whole: Option<String>,
    /// Its pictures and PDFs.
    pub(crate) media: Vec<String>,
}

/// A row of the index.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    /// The URL that answered.
    url: &'a str,
    /// The requested URL, if it is another.
    #[serde(rename = "sourceURL", skip_serializing_if = "Option::is_none")]
    source_url: Option<&'a str>,
    /// The page's file in the folder.
    file: &'a str,
    /// Its pictures and PDFs.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    media: &'a [String],
    title: Option<&'a str>,
    status_code: Option<u16>,
}

impl Folder {
    /// Creates the folder if it does not exist. The index of an earlier run is kept until
    /// [`begin`](Self::begin), its pages beyond that.
    ///
    /// # Errors
    /// The folder or the index cannot be created; the error names it.
    pub(crate) fn create(path: &Path, names: FileNames) -> io::Result<Self> {
        Self::open(path, names, File::options().write(true).create(true).truncate(false))
    }

    /// Starts a new index.
    ///
    /// # Errors
    /// The index cannot be emptied.
    pub(crate) fn begin(&mut self) -> io::Result<()> {
        self.index.set_len(0).map_err(|error| with_path(&self.path.join(INDEX), &error))
    }

    /// Like [`create`](Self::create), but adds one page to an existing index. Earlier rows of the same file
    /// are removed, so that a page is listed once.
    ///
    /// # Errors
    /// The same as for [`create`](Self::create), and the index cannot be read.
    pub(crate) fn put_one(path: &Path, names: FileNames, page: &mut Document) -> io::Result<PageFiles> {
        let mut folder = Self::open(path, names, File::options().append(true).create(true))?;
        let files = folder.write(page)?;
        let index = path.join(INDEX);
        Self::remove_earlier_rows(&index, &files.page).map_err(|error| with_path(&index, &error))?;
        Ok(files)
    }

    /// The number of pictures and PDFs that were written.
    pub(crate) const fn media(&self) -> u64 {
        self.media
    }

    /// Replaces the index by one with only the last row of `file`.
    fn remove_earlier_rows(index: &Path, file: &str) -> io::Result<()> {
        #[derive(serde::Deserialize)]
        struct FileOfRow {
            file: String,
        }
        let is_of_file =
            |line: &str| serde_json::from_str::<FileOfRow>(line).is_ok_and(|row| row.file == file);
        let rows = BufReader::new(File::open(index)?).lines().collect::<io::Result<Vec<String>>>()?;
        let last = rows.iter().rposition(|row| is_of_file(row));
        let kept: Vec<&String> = rows
            .iter()
            .enumerate()
            .filter(|(index, row)| Some(*index) == last || !is_of_file(row))
            .map(|(_, row)| row)
            .collect();
        if kept.len() == rows.len() {
            return Ok(());
        }
        atomic::write_file(index, |file| {
            let mut out = BufWriter::new(file);
            for row in kept {
                writeln!(out, "{row}")?;
            }
            out.flush()
        })
    }

    fn open(path: &Path, names: FileNames, how: &fs::OpenOptions) -> io::Result<Self> {
        fs::create_dir_all(path).map_err(|error| with_path(path, &error))?;
        let index = path.join(INDEX);
        let index = how.open(&index).map_err(|error| with_path(&index, &error))?;
        Ok(Self { path: path.to_owned(), names, index, line: Vec::new(), media: 0 })
    }

    /// Writes one page and its row. Afterwards, `document` names the files of its pictures and PDFs.
    ///
    /// # Errors
    /// A file cannot be written; the error names it.
    pub(crate) fn write(&mut self, document: &mut Document) -> io::Result<PageFiles> {
        let stem = self.stem(document);
        let mut written = Vec::new();
        for file in media::take(document, &stem) {
            let path = self.path.join(&file.name);
            atomic::write_file(&path, |out| out.write_all(&file.bytes))
                .map_err(|error| with_path(&path, &error))?;
            written.push(file.name);
            self.media += 1;
        }
        let metadata = &document.metadata;
        let requested = metadata.source_url.as_deref();
        let url = metadata.url.as_deref().or(requested).unwrap_or_default();
        let mut whole = None;
        if has_more_than_markdown(document) || document.markdown.is_none() {
            let name = format!("{stem}.json");
            self.put(&name, &serde_json::to_vec(document)?)?;
            whole = Some(name);
        }
        let file = match &document.markdown {
            Some(markdown) => {
                let name = format!("{stem}.md");
                self.put(&name, markdown.as_bytes())?;
                name
            }
            None => whole.take().unwrap_or_default(),
        };
        let row = Row {
            url,
            // A slash that the URL standard adds does not make another URL.
            source_url: requested.filter(|requested| {
                Url::parse(requested).map_or(*requested != url, |parsed| parsed.as_str() != url)
            }),
            file: &file,
            media: &written,
            title: metadata.title.as_deref(),
            status_code: metadata.status_code,
        };
        self.line.clear();
        serde_json::to_writer(&mut self.line, &row)?;
        self.line.push(b'\n');
        atomic::append(&mut self.index, &self.line)
            .map_err(|error| with_path(&self.path.join(INDEX), &error))?;
        Ok(PageFiles { page: file, whole, media: written })
    }

    /// The name of a page's files, without an extension. The requested URL identifies a page of a job: two
    /// may redirect to the same one.
    fn stem(&self, document: &Document) -> String {
        let metadata = &document.metadata;
        let identity = metadata.source_url.as_deref().or(metadata.url.as_deref()).unwrap_or_default();
        match Url::parse(identity) {
            Ok(url) => self.names.stem(&url),
            Err(_) => FileNames::stem_of_text(identity),
        }
    }

    /// Writes a file with a trailing line feed.
    fn put(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let path = self.path.join(name);
        let written = atomic::write_file(&path, |file| {
            file.write_all(content)?;
            if !content.is_empty() && !content.ends_with(b"\n") {
                file.write_all(b"\n")?;
            }
            Ok(())
        });
        written.map_err(|error| with_path(&path, &error))
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
    fn a_page_is_a_markdown_file_and_a_row_of_the_index() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("deep/pages");
        let mut folder = Folder::create(&path, FileNames::with_hosts()).unwrap();
        folder
            .write(&mut document(json!({"markdown": "# Tea", "metadata": {
                "sourceURL": "https://example.com/old", "url": "https://example.com/tea", "title": "Tea",
                "statusCode": 200
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
    fn an_index_is_started_anew_or_extended() {
        // Like a job: first the folder, then the index.
        let started = |path: &Path| {
            let mut folder = Folder::create(path, FileNames::with_hosts()).unwrap();
            folder.begin().unwrap();
            folder
        };
        let parent = tempfile::tempdir().unwrap();
        let page = |name: &str| {
            document(json!({"markdown": name, "metadata": {"url": format!("https://example.com/{name}")}}))
        };
        started(parent.path()).write(&mut page("a")).unwrap();
        for _ in 0..2 {
            let files = Folder::put_one(parent.path(), FileNames::with_hosts(), &mut page("b")).unwrap();
            assert_eq!(files.page, "example.com+b.md");
        }
        assert_eq!(index(parent.path()).len(), 2, "a page is listed twice");
        drop(Folder::create(parent.path(), FileNames::with_hosts()).unwrap());
        assert_eq!(index(parent.path()).len(), 2, "a job that never started emptied the index");
        started(parent.path()).write(&mut page("c")).unwrap();
        assert_eq!(index(parent.path()).len(), 1);
        assert!(parent.path().join("example.com+a.md").exists(), "a page of an earlier run is gone");
    }

    #[test]
    fn other_formats_are_written_to_a_json_file() {
        let parent = tempfile::tempdir().unwrap();
        let mut folder = Folder::create(parent.path(), FileNames::with_hosts()).unwrap();
        let page = json!({"markdown": "a", "links": ["https://a.example/"],
            "metadata": {"url": "https://example.com/"}});
        assert_eq!(folder.write(&mut document(page.clone())).unwrap().page, "example.com+index.md");
        let kept = fs::read(parent.path().join("example.com+index.json")).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&kept).unwrap(), page);

        let only_html = json!({"html": "<p>a", "metadata": {"url": "https://example.com/b"}});
        let files = folder.write(&mut document(only_html)).unwrap();
        assert_eq!((files.page.as_str(), files.whole), ("example.com+b.json", None));
        assert!(!parent.path().join("example.com+b.md").exists());
    }

    #[test]
    fn pictures_are_files_beside_the_page() {
        let parent = tempfile::tempdir().unwrap();
        let mut folder = Folder::create(parent.path(), FileNames::with_hosts()).unwrap();
        let mut page = document(json!({"markdown": "a", "screenshot": "data:image/png;base64,Zm9vYg==",
            "metadata": {"url": "https://example.com/tea"}}));
        let files = folder.write(&mut page).unwrap();
        assert_eq!((files.page.as_str(), folder.media()), ("example.com+tea.md", 1));
        assert_eq!(files.media, ["example.com+tea.png"]);
        assert_eq!(files.whole.as_deref(), Some("example.com+tea.json"));
        assert_eq!(fs::read(parent.path().join("example.com+tea.png")).unwrap(), b"foob");
        let kept = fs::read(parent.path().join("example.com+tea.json")).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&kept).unwrap()["screenshot"], "example.com+tea.png");
        assert_eq!(index(parent.path())[0]["media"], json!(["example.com+tea.png"]));
    }

    #[test]
    fn hostile_addresses_stay_within_the_folder() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("pages");
        let mut folder = Folder::create(&path, FileNames::with_hosts()).unwrap();
        for address in [
            "../../escape",
            "/etc/passwd",
            "https://a/..%2f..%2fescape",
            "file:///etc/passwd",
            "",
            "https://a/\u{1b}[2J",
        ] {
            folder
                .write(&mut document(json!({"markdown": "x", "metadata": {"sourceURL": address}})))
                .unwrap();
        }
        assert_eq!(
            fs::read_dir(parent.path()).unwrap().count(),
            1,
            "something was written outside the folder"
        );
        assert_eq!(fs::read_dir(&path).unwrap().count(), 6 + 1, "two pages share a file");
    }
}
