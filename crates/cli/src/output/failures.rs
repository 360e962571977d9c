use std::borrow::Cow;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use gleaner::{BlockedPage, ErrorCode, PageFailure};
use serde::Serialize;

use super::{named, whole};

/// The file beside the index that lists the pages without a document.
pub(crate) const FAILURES: &str = "failures.jsonl";

/// Lists the pages of a job that gave no document, a JSON object a line, so that they can be tried again.
///
/// Each line is written at once, so that a program that is killed has listed what failed until then. Addresses are whole,
/// with the values of their queries: without them a page could not be asked for again.
#[derive(Debug)]
pub(crate) struct FailureList {
    path: PathBuf,
    /// Open from the start where the list was asked for by its name; beside an index only made where something failed.
    file: Option<File>,
    line: Vec<u8>,
    /// Rows of this job.
    listed: u64,
}

/// An address that gave no document.
#[derive(Debug, Serialize)]
pub(crate) struct FailureRow<'a> {
    /// The address asked for.
    pub(crate) url: Cow<'a, str>,
    /// The contract's code.
    pub(crate) code: ErrorCode,
    /// Why, in words.
    pub(crate) error: &'a str,
}

impl FailureList {
    /// A list that is there also if it stays empty. What was in the file stays until [`begin`](Self::begin).
    ///
    /// # Errors
    /// The file cannot be written; says which.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        let file = File::options().write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|error| named(path, &error))?;
        Ok(Self { path: path.to_owned(), file: Some(file), line: Vec::new(), listed: 0 })
    }

    /// A list in a folder of pages, which is there only if it is not empty.
    pub(crate) fn within(folder: &Path) -> Self {
        Self { path: folder.join(FAILURES), file: None, line: Vec::new(), listed: 0 }
    }

    /// The job has begun: the list of an earlier one goes.
    ///
    /// # Errors
    /// The disk said no.
    pub(crate) fn begin(&mut self) -> io::Result<()> {
        let gone = match &self.file {
            Some(file) => empty(file),
            None => match fs::remove_file(&self.path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                gone => gone,
            },
        };
        self.listed = 0;
        gone.map_err(|error| named(&self.path, &error))
    }

    /// Adds rows.
    ///
    /// # Errors
    /// The file cannot be written; says which. Rows before the one that found no room are listed.
    pub(crate) fn add<'a>(&mut self, rows: impl IntoIterator<Item = FailureRow<'a>>) -> io::Result<()> {
        for row in rows {
            self.add_row(&row).map_err(|error| named(&self.path, &error))?;
            self.listed += 1;
        }
        Ok(())
    }

    /// How many rows there are.
    pub(crate) const fn listed(&self) -> u64 {
        self.listed
    }

    /// Where the list is.
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
        whole::append(self.file.insert(file), &self.line)
    }
}

/// Drops what is in a file; a pipe or a device holds nothing.
fn empty(file: &File) -> io::Result<()> {
    if file.metadata()?.is_file() { file.set_len(0) } else { Ok(()) }
}

/// Rows of pages that failed, and of those that robots.txt forbade.
pub(crate) fn rows<'a>(
    failed: &'a [PageFailure],
    forbidden: &'a [BlockedPage],
) -> impl Iterator<Item = FailureRow<'a>> {
    let failed = failed.iter().map(|failure| FailureRow {
        url: failure.asked_for(),
        code: failure.error.code,
        error: &failure.error.message,
    });
    let forbidden = forbidden.iter().map(|page| FailureRow {
        url: page.asked_for(),
        code: ErrorCode::CrawlDenial,
        error: "robots.txt forbids it",
    });
    failed.chain(forbidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: FailureRow<'_> = FailureRow {
        url: Cow::Borrowed("https://a.example/"),
        code: ErrorCode::ScrapeTimeout,
        error: "too slow",
    };
    const LINE: &str =
        "{\"url\":\"https://a.example/\",\"code\":\"SCRAPE_TIMEOUT\",\"error\":\"too slow\"}\n";

    #[test]
    fn the_list_of_a_folder_goes_with_the_failures() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join(FAILURES);
        let run = |rows: Vec<FailureRow<'_>>| {
            let mut list = FailureList::within(place.path());
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
    fn each_row_is_in_the_file_at_once() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join(FAILURES);
        let mut list = FailureList::within(place.path());
        list.begin().unwrap();
        for count in 1..4 {
            list.add([ROW]).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), LINE.repeat(count));
        }
        assert_eq!(list.listed(), 3);
    }

    #[test]
    fn a_list_that_was_asked_for_is_there_and_begun_anew() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("failed.jsonl");
        fs::write(&path, LINE.repeat(3)).unwrap();
        let mut list = FailureList::at(&path).unwrap();
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            LINE.repeat(3),
            "a job that never began emptied the list"
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
