use std::time::Duration;

use gleaner_store::Error;
use gleaner_types::JobState;
use rusqlite::Connection;

use crate::JobProgress;

/// How far a job is, by the facts in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobCounts {
    /// Its state: [`JobState::Scraping`] until it ends, whether or not a process works on it.
    pub state: JobState,
    /// The user paused it.
    pub is_paused: bool,
    /// When it ended, since the Unix epoch.
    pub ended_at: Option<Duration>,
    /// Why it failed as a whole.
    pub error: Option<String>,
    /// Pages with a document.
    pub documents: u64,
    /// Pages that failed.
    pub failed: u64,
    /// Pages that robots.txt forbids.
    pub robots_blocked: u64,
    /// Entries of its queue that wait or are in work: pages, and sitemaps that lead to pages. 0 when it has
    /// ended.
    pub waiting: u64,
}

impl Default for JobCounts {
    fn default() -> Self {
        Self {
            state: JobState::Scraping,
            is_paused: false,
            ended_at: None,
            error: None,
            documents: 0,
            failed: 0,
            robots_blocked: 0,
            waiting: 0,
        }
    }
}

impl JobCounts {
    /// Reads the facts of a job.
    pub(crate) fn read(connection: &Connection, job: u64) -> Result<Self, Error> {
        let JobProgress { totals, state, ended_at, error, is_paused } = JobProgress::read(connection, job)?;
        Ok(Self {
            state,
            is_paused,
            ended_at,
            error,
            documents: totals.documents,
            failed: totals.failed,
            robots_blocked: totals.refusals.saturating_add(totals.unlisted_refusals),
            waiting: if state.is_terminal() { 0 } else { totals.waiting() },
        })
    }
}

#[cfg(test)]
mod tests {
    use gleaner_frontier::{Candidate, PageEnd, QueuedPage, UrlKey};
    use gleaner_store::journal::{BlockWriter, Fact, Keys, PageListWriter};
    use rusqlite::params;

    use super::*;
    use crate::place::place;
    use crate::schema;

    fn page(key: u64) -> QueuedPage<'static> {
        QueuedPage {
            key: UrlKey::from_raw(key),
            https: true,
            external: false,
            host: "a.example",
            path: "/",
            depth: 0,
            priority: Candidate::NORMAL,
            deferral: 0,
        }
    }

    fn ended(key: u64, end: PageEnd) -> Fact<'static> {
        let (key, links) = (UrlKey::from_raw(key), Keys::default());
        Fact::Ended { key, end, target: None, fingerprint: None, links }
    }

    #[test]
    fn facts_are_counted_until_the_job_ends() {
        let mut file = Connection::open_in_memory().unwrap();
        schema::migrate(&mut file).unwrap();
        let mut last = 0;
        let mut push = |facts: &[Fact<'_>]| {
            let mut block = BlockWriter::default();
            facts.iter().for_each(|fact| block.push(fact));
            last += 1;
            let sql = "INSERT INTO fact(place, bytes) VALUES(?1, ?2)";
            file.execute(sql, params![place(3, last).unwrap(), block.finish()]).unwrap();
            JobCounts::read(&file, 3).unwrap()
        };
        let mut pages = PageListWriter::default();
        (1..=5).for_each(|key| pages.push(&page(key)));
        assert_eq!(push(&[Fact::Admitted { by: None, pages: pages.finish() }]).waiting, 5);
        push(&[ended(1, PageEnd::Document), Fact::Document { position: 0, credits: 1, scrape: None }]);
        push(&[ended(2, PageEnd::Failed), ended(3, PageEnd::Skipped)]);
        let blocked = Fact::Blocked { url: "https://a.example/x", slash_added: false };
        let counts = push(&[blocked, Fact::Paused { paused: true }]);
        let expected = JobCounts {
            is_paused: true,
            documents: 1,
            failed: 1,
            robots_blocked: 1,
            waiting: 2,
            ..JobCounts::default()
        };
        assert_eq!(counts, expected);

        let (at, state) = (Duration::from_secs(9), JobState::Failed);
        let counts = push(&[Fact::JobEnded { at, state, failure: None, error: Some("no space") }]);
        assert_eq!((counts.state, counts.ended_at, counts.waiting), (state, Some(at), 0));
        assert_eq!(counts.error.as_deref(), Some("no space"));
        assert_eq!(JobCounts::read(&file, 4).unwrap(), JobCounts::default());
    }

    #[test]
    fn a_changed_block_is_an_error() {
        let mut file = Connection::open_in_memory().unwrap();
        schema::migrate(&mut file).unwrap();
        file.execute("INSERT INTO fact(place, bytes) VALUES(?1, x'b101')", [place(3, 1).unwrap()]).unwrap();
        let error = JobCounts::read(&file, 3).unwrap_err();
        assert!(error.to_string().starts_with("block 1 of job 3 in table fact"), "{error}");
    }
}
