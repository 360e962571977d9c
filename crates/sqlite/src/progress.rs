//! The progress of a job in a file, computed from its facts.

use std::time::Duration;

use gleaner_store::Error;
use gleaner_store::journal::{Block, Damage, Fact, Part, Totals};
use gleaner_types::JobState;
use rusqlite::Connection;

use crate::compaction::Record;
use crate::read;

/// How far a job in the file is, by its facts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobProgress {
    /// Its pages, documents, credits and events.
    pub totals: Totals,
    /// Its state: [`JobState::Scraping`] until it ends, whether or not a process works on it.
    pub state: JobState,
    /// When it ended, since the Unix epoch.
    pub ended_at: Option<Duration>,
    /// Why it failed as a whole.
    pub error: Option<String>,
    /// The user paused it.
    pub is_paused: bool,
}

impl JobProgress {
    /// Pages that robots.txt forbids.
    #[must_use]
    pub const fn robots_blocked(&self) -> u64 {
        self.totals.refusals.saturating_add(self.totals.unlisted_refusals)
    }

    /// Entries of its queue that wait or are in work: pages, and sitemaps that lead to pages. 0 when it has
    /// ended.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        if self.state.is_terminal() { 0 } else { self.totals.waiting() }
    }

    pub(crate) fn read(connection: &Connection, job: u64) -> Result<Self, Error> {
        let mut progress = Self {
            totals: Totals::default(),
            state: JobState::Scraping,
            ended_at: None,
            error: None,
            is_paused: false,
        };
        read::parts(connection, job, Part::State, |number, block| {
            progress.add(block).map_err(|damage| read::damaged_part(job, Part::State, number, damage))
        })?;
        read::blocks(connection, job, Record::read(connection, job)?.folded, |number, block| {
            progress.add(block).map_err(|damage| read::damaged_block(job, number, damage))
        })?;
        Ok(progress)
    }

    fn add(&mut self, block: &[u8]) -> Result<(), Damage> {
        for fact in Block::open(block)?.facts() {
            let fact = fact?;
            self.totals.add(&fact)?;
            match fact {
                Fact::Paused { paused } => self.is_paused = paused,
                Fact::JobEnded { at, state, error, .. } => {
                    (self.state, self.ended_at) = (state, Some(at));
                    self.error = error.map(str::to_owned);
                }
                _ => {}
            }
        }
        Ok(())
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
        let file = schema::in_memory();
        let mut last = 0;
        let mut push = |facts: &[Fact<'_>]| {
            let mut block = BlockWriter::default();
            facts.iter().for_each(|fact| block.push(fact));
            last += 1;
            let sql = "INSERT INTO fact(place, bytes) VALUES(?1, ?2)";
            file.execute(sql, params![place(3, last).unwrap(), block.finish()]).unwrap();
            JobProgress::read(&file, 3).unwrap()
        };
        let mut pages = PageListWriter::default();
        (1..=5).for_each(|key| pages.push(&page(key)));
        assert_eq!(push(&[Fact::Admitted { by: None, pages: pages.finish() }]).waiting(), 5);
        push(&[ended(1, PageEnd::Document), Fact::Document { position: 0, credits: 1, scrape: None }]);
        push(&[ended(2, PageEnd::Failed), ended(3, PageEnd::Skipped)]);
        let blocked =
            Fact::Blocked { url: "https://a.example/x", slash_added: false, line: None, rule: None };
        let progress = push(&[blocked, Fact::Paused { paused: true }]);
        assert_eq!((progress.totals.documents, progress.totals.failed), (1, 1));
        assert_eq!((progress.robots_blocked(), progress.waiting(), progress.is_paused), (1, 2, true));
        assert_eq!((progress.state, progress.ended_at), (JobState::Scraping, None));

        let (at, state) = (Duration::from_secs(9), JobState::Failed);
        let progress = push(&[Fact::JobEnded { at, state, failure: None, error: Some("no space") }]);
        assert_eq!((progress.state, progress.ended_at, progress.waiting()), (state, Some(at), 0));
        assert_eq!(progress.error.as_deref(), Some("no space"));

        let unknown = JobProgress::read(&file, 4).unwrap();
        let expected = JobProgress {
            totals: Totals::default(),
            state: JobState::Scraping,
            ended_at: None,
            error: None,
            is_paused: false,
        };
        assert_eq!(unknown, expected);
    }

    #[test]
    fn a_changed_block_is_an_error() {
        let file = schema::in_memory();
        file.execute("INSERT INTO fact(place, bytes) VALUES(?1, x'b101')", [place(3, 1).unwrap()]).unwrap();
        let error = JobProgress::read(&file, 3).unwrap_err();
        assert!(error.to_string().starts_with("block 1 of job 3 in table fact"), "{error}");
    }
}
