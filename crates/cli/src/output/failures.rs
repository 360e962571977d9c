//! Writes the list of pages without a document, as JSON lines.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use gleaner::{BlockedPage, ErrorCode, PageFailure};
use serde::Serialize;

use super::{atomic, with_path};

/// The file next to the index that lists the pages without a document.
pub(crate) const FAILURES: &str = "failures.jsonl";

/// Lists the pages of a job without a document, one JSON object per line, so that they can be retried.
///
/// Each line is written immediately, so that the list is complete if the program is killed. URLs include the
/// values of their queries, which a retry needs.
#[derive(Debug)]
pub(crate) struct FailureList {
    path: PathBuf,
    /// Open from the start if the list was requested by name. Next to an index, it is only created for the
    /// first failure.
    file: Option<File>,
    line: Vec<u8>,
    /// The number of rows of this job.
    listed: u64,
}

/// A page without a document.
#[derive(Debug, Serialize)]
pub(crate) struct FailureRow<'a> {
    /// The requested URL.
    pub(crate) url: Cow<'a, str>,
    /// The error code.
    pub(crate) code: ErrorCode,
    /// The reason, in words.
    pub(crate) error: Cow<'a, str>,
}

impl FailureList {
    /// A list whose file always exists. Its earlier content is kept until [`begin`](Self::begin).
    ///
    /// # Errors
    /// The file cannot be written; the error names it.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        let file = File::options().write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|error| with_path(path, &error))?;
        Ok(Self { path: path.to_owned(), file: Some(file), line: Vec::new(), listed: 0 })
    }

    /// A list in a folder of pages, whose file only exists if it is not empty.
    pub(crate) fn within(folder: &Path) -> Self {
        Self { path: folder.join(FAILURES), file: None, line: Vec::new(), listed: 0 }
    }

    /// Call it when the job has started: the list of an earlier job is removed.
    ///
    /// # Errors
    /// A write failed.
    pub(crate) fn begin(&mut self) -> io::Result<()> {
        let result = match &self.file {
            Some(file) => empty(file),
            None => match fs::remove_file(&self.path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                result => result,
            },
        };
        self.listed = 0;
        result.map_err(|error| with_path(&self.path, &error))
    }

    /// Adds rows.
    ///
    /// # Errors
    /// The file cannot be written; the error names it. Earlier rows are listed.
    pub(crate) fn add<'a>(&mut self, rows: impl IntoIterator<Item = FailureRow<'a>>) -> io::Result<()> {
        for row in rows {
            self.add_row(&row).map_err(|error| with_path(&self.path, &error))?;
            self.listed += 1;
        }
        Ok(())
    }

    /// The number of rows.
    pub(crate) const fn listed(&self) -> u64 {
        self.listed
    }

    /// The path of the list.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn add_row(&mut self, row: &FailureRow<'_>) -> io::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, row)?;
        self.line.push(b'\n');
        let file = match self.file.take() {
            Some(file) => file,
            None => File::create(&self.path)?,
        };
        atomic::append(self.file.insert(file), &self.line)
    }
}

/// Empties a file. Pipes and devices have no content.
fn empty(file: &File) -> io::Result<()> {
    if file.metadata()?.is_file() { file.set_len(0) } else { Ok(()) }
}

/// Rows of pages that failed and of pages that robots.txt forbids.
pub(crate) fn rows<'a>(
    failed: &'a [PageFailure],
    forbidden: &'a [BlockedPage],
) -> impl Iterator<Item = FailureRow<'a>> {
    let failed = failed.iter().map(|failure| FailureRow {
        url: failure.as_requested(),
        code: failure.error.code,
        error: Cow::Borrowed(&failure.error.message),
    });
    let forbidden = forbidden.iter().map(|page| FailureRow {
        url: page.as_requested(),
        code: ErrorCode::CrawlDenial,
        error: match &page.rule {
            Some(line) => format!("robots.txt forbids it by {line}").into(),
            None => "robots.txt forbids it".into(),
        },
    });
    failed.chain(forbidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: FailureRow<'_> = FailureRow {
        url: Cow::Borrowed("https://a.example/"),
        code: ErrorCode::ScrapeTimeout,
        error: Cow::Borrowed("too slow"),
    };
    const LINE: &str =
        "{\"url\":\"https://a.example/\",\"code\":\"SCRAPE_TIMEOUT\",\"error\":\"too slow\"}\n";

    #[test]
    fn the_list_of_a_folder_exists_only_with_failures() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FAILURES);
        let run = |rows: Vec<FailureRow<'_>>| {
            let mut list = FailureList::within(folder.path());
            list.begin().unwrap();
            list.add(rows).unwrap();
            list.listed()
        };
        assert_eq!(run(vec![ROW]), 1);
        assert_eq!(fs::read_to_string(&path).unwrap(), LINE);
        assert_eq!(run(Vec::new()), 0);
        assert!(!path.exists(), "an earlier job's failures are still listed");
    }

    #[test]
    fn each_row_is_written_immediately() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FAILURES);
        let mut list = FailureList::within(folder.path());
        list.begin().unwrap();
        for count in 1..4 {
            list.add([ROW]).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), LINE.repeat(count));
        }
        assert_eq!(list.listed(), 3);
    }

    #[test]
    fn a_requested_list_always_exists_and_is_emptied_by_the_next_job() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("failed.jsonl");
        fs::write(&path, LINE.repeat(3)).unwrap();
        let mut list = FailureList::at(&path).unwrap();
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            LINE.repeat(3),
            "a job that never started emptied the list"
        );
        list.begin().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
        list.add([ROW]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), LINE);
        assert!(
            FailureList::at(&path.join("below a file")).unwrap_err().to_string().contains("below a file")
        );
    }
}
