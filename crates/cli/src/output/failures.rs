use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use gleaner::{ErrorCode, PageFailures};
use serde::Serialize;

use super::named;

/// The file beside the index that lists the pages without a document.
pub(crate) const FAILURES: &str = "failures.jsonl";

/// Lists the pages of a job that gave no document, a JSON object a line, so that they can be tried again.
#[derive(Debug)]
pub(crate) struct FailureList {
    path: PathBuf,
    /// Open from the start where the list was asked for by its name; beside an index only made where something failed.
    file: Option<File>,
}

/// An address that gave no document.
#[derive(Debug, Serialize)]
pub(crate) struct FailureRow<'a> {
    /// The address asked for.
    pub(crate) url: &'a str,
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
        Ok(Self { path: path.to_owned(), file: Some(file.map_err(|error| named(path, &error))?) })
    }

    /// A list in a folder of pages, which is there only if it is not empty.
    pub(crate) fn within(folder: &Path) -> Self {
        Self { path: folder.join(FAILURES), file: None }
    }

    /// The job has begun: the list of an earlier one goes.
    ///
    /// # Errors
    /// The disk said no.
    pub(crate) fn begin(&mut self) -> io::Result<()> {
        let gone = match &self.file {
            Some(file) => file.set_len(0),
            None => match fs::remove_file(&self.path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                gone => gone,
            },
        };
        gone.map_err(|error| named(&self.path, &error))
    }

    /// Writes the rows; gives how many they were.
    ///
    /// # Errors
    /// The file cannot be written; says which.
    pub(crate) fn write<'a>(&mut self, rows: impl IntoIterator<Item = FailureRow<'a>>) -> io::Result<u64> {
        let mut rows = rows.into_iter().peekable();
        if rows.peek().is_none() {
            return Ok(0);
        }
        let written = self.open().and_then(|file| {
            let (mut out, mut written) = (BufWriter::new(file), 0);
            for row in rows {
                serde_json::to_writer(&mut out, &row)?;
                out.write_all(b"\n")?;
                written += 1;
            }
            out.flush()?;
            Ok(written)
        });
        written.map_err(|error| named(&self.path, &error))
    }

    /// Where the list is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn open(&mut self) -> io::Result<&mut File> {
        let file = match self.file.take() {
            Some(file) => file,
            None => File::create(&self.path)?,
        };
        Ok(self.file.insert(file))
    }
}

/// The pages that failed, and those that robots.txt forbade.
pub(crate) fn rows(failures: &PageFailures) -> impl Iterator<Item = FailureRow<'_>> {
    let failed = failures.failures.iter().map(|failure| FailureRow {
        url: failure.url.as_str(),
        code: failure.error.code,
        error: &failure.error.message,
    });
    let forbidden = failures.robots_blocked.iter().map(|url| FailureRow {
        url: url.as_str(),
        code: ErrorCode::CrawlDenial,
        error: "robots.txt forbids it",
    });
    failed.chain(forbidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: FailureRow<'_> =
        FailureRow { url: "https://a.example/", code: ErrorCode::ScrapeTimeout, error: "too slow" };
    const LINE: &str =
        "{\"url\":\"https://a.example/\",\"code\":\"SCRAPE_TIMEOUT\",\"error\":\"too slow\"}\n";

    #[test]
    fn the_list_of_a_folder_goes_with_the_failures() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join(FAILURES);
        let run = |rows: Vec<FailureRow<'_>>| {
            let mut list = FailureList::within(place.path());
            list.begin().unwrap();
            list.write(rows).unwrap()
        };
        assert_eq!(run(vec![ROW]), 1);
        assert_eq!(fs::read_to_string(&path).unwrap(), LINE);
        assert_eq!(run(Vec::new()), 0);
        assert!(!path.exists(), "an earlier job's failures are still listed");
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
        list.write([ROW]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), LINE);
        assert!(
            FailureList::at(&path.join("below a file")).unwrap_err().to_string().contains("below a file")
        );
    }
}
