use std::time::Duration;

use gleaner_store::Error;
use gleaner_store::journal::{Block, Damage, Fact, Part, Totals};
use gleaner_types::JobState;
use rusqlite::Connection;

use crate::compaction::Record;
use crate::read;

/// How far a job in the file is, with the sums of its facts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobProgress {
    /// Its pages, documents, credits and events.
    pub totals: Totals,
    /// Its state.
    pub state: JobState,
    /// When it ended, since the Unix epoch; `None` while it runs.
    pub ended_at: Option<Duration>,
    /// Why it failed.
    pub error: Option<String>,
    /// The user paused it.
    pub is_paused: bool,
}

impl JobProgress {
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
