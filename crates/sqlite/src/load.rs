//! Everything that a store needs to go on.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use gleaner_store::journal::{
    Damage, Part, ReadFacts, StoredDocument, StoredFacts, StoredHistory, StoredScrape, StoredState,
};
use gleaner_store::parts::JobLabel;
use gleaner_store::{Conclusion, Error, HistoryKey, NoteValue, TeamId};
use gleaner_types::JobId;
use rusqlite::Connection;
use uuid::Uuid;

use crate::compaction::Record;
use crate::job_form;
use crate::place::{number_of, range};
use crate::read::{self, column, failed, first};
use crate::seal::unseal;
use crate::secrets::Secrets;
use crate::{documents, failure, stored};

/// The state of a file that belongs to this opening. It is read at one moment: as long as the state is there,
/// its connection sees no later changes.
pub(crate) fn load(connection: Connection, path: &Path, epoch: u64) -> Result<StoredState, Error> {
    connection.execute_batch("BEGIN").map_err(failed)?;
    let mut state = StoredState::default();
    state.epoch = epoch;
    // The rows of removed jobs may still be there.
    let removed =
        first(&connection, "SELECT max(number) FROM debris", [], |row| row.get::<_, Option<i64>>(0))?;
    state.next_number = removed.flatten().map_or(0, |number| number.cast_unsigned().saturating_add(1));
    state.blocks = blocks_of_store(&connection)?;
    state.histories = histories(&connection)?;
    state.scrapes = scrapes(&connection)?;
    let connection = Arc::new(Mutex::new(connection));
    state.jobs = jobs(&connection, &Secrets::of(path))?;
    Ok(state)
}

/// The blocks of the store itself.
fn blocks_of_store(connection: &Connection) -> Result<Vec<Bytes>, Error> {
    let mut blocks = Vec::new();
    let mut add = |_: u64, bytes: &[u8]| -> Result<(), Error> {
        blocks.push(Bytes::copy_from_slice(bytes));
        Ok(())
    };
    read::parts(connection, 0, Part::State, &mut add)?;
    read::blocks(connection, 0, Record::read(connection, 0)?.folded, &mut add)?;
    Ok(blocks)
}

/// What the file has about one job.
#[derive(Debug)]
struct FileFacts {
    connection: Arc<Mutex<Connection>>,
    job: u64,
    /// The last block that is folded into parts.
    folded: u64,
}

impl ReadFacts for FileFacts {
    fn blocks(&self, part: Part, visit: &mut dyn FnMut(&[u8]) -> Result<(), Damage>) -> Result<(), Error> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let job = self.job;
        match part {
            Part::Tail => read::blocks(&connection, job, self.folded, |number, block| {
                visit(block).map_err(|damage| read::damaged_block(job, number, damage))
            }),
            _ if self.folded == 0 => Ok(()),
            _ => read::parts(&connection, job, part, |number, block| {
                visit(block).map_err(|damage| read::damaged_part(job, part, number, damage))
            }),
        }
    }

    fn documents(&self, visit: &mut dyn FnMut(StoredDocument)) -> Result<(), Error> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        read_documents(&connection, self.job, visit)
    }
}

fn jobs(shared: &Arc<Mutex<Connection>>, secrets: &Secrets) -> Result<Vec<StoredFacts>, Error> {
    let connection = shared.lock().unwrap_or_else(PoisonError::into_inner);
    let folded: HashMap<u64, Record> = Record::all(&connection)?.into_iter().collect();
    let mut jobs = Vec::new();
    for record in read::jobs(&connection)? {
        let number = record.number;
        let place = format!("job {number}");
        let sql = "SELECT record FROM job WHERE number = ?1";
        let bytes: Vec<u8> =
            first(&connection, sql, [number.cast_signed()], |row| row.get(0))?.unwrap_or_default();
        let not_read = |error: io::Error| failure::file("the secrets of a job were not read", &error);
        let cookies = secrets.load_cookies(record.id).map_err(not_read)?;
        let secrets = secrets.load(record.id).map_err(not_read)?;
        if secrets.is_none() {
            tracing::debug!(job = %record.id, "the job has no secrets");
        }
        let label = JobLabel { id: record.id, kind: record.kind, team: record.team, url: record.url };
        let job = job_form::job(label, &bytes, secrets.as_deref())
            .map_err(|damage| failure::damage("job", &place, damage))?;
        let mut stored = StoredFacts::new(number, job, record.submitted_at);
        let folded = folded.get(&number).map_or(0, |record| record.folded);
        stored.facts = Arc::new(FileFacts { connection: Arc::clone(shared), job: number, folded });
        stored.cookies = cookies.map(|bytes| NoteValue::Set(bytes.into()));
        stored.conclusion = conclusion(&connection, number)?;
        stored.is_removed = record.is_removed;
        jobs.push(stored);
    }
    Ok(jobs)
}

/// The documents of a job. Their text lies behind their heads and is not read.
fn read_documents(
    connection: &Connection,
    job: u64,
    visit: &mut dyn FnMut(StoredDocument),
) -> Result<(), Error> {
    let sql = "SELECT place, heads FROM document WHERE place BETWEEN ?1 AND ?2 ORDER BY place";
    let (start, end) = range(job);
    let mut statement = connection.prepare(sql).map_err(failed)?;
    let mut rows = statement.query([start, end]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        let at = number_of(column(row, 0)?);
        let heads: Vec<u8> = column(row, 1)?;
        let entries = documents::entries(&heads).map_err(|damage| {
            failure::damage("document", &format!("the row of document {at} of job {job}"), damage)
        })?;
        for (position, (length, scrape)) in (at..).zip(entries) {
            visit(StoredDocument { position, length, scrape });
        }
    }
    Ok(())
}

fn conclusion(connection: &Connection, job: u64) -> Result<Option<Arc<Conclusion>>, Error> {
    let sql = "SELECT bytes FROM conclusion WHERE number = ?1";
    let bytes = first(connection, sql, [job.cast_signed()], |row| row.get::<_, Vec<u8>>(0))?;
    let damage = |damage| failure::damage("conclusion", &format!("the result of job {job}"), damage);
    let conclusion = bytes.map(|bytes| stored::conclusion(&bytes)).transpose().map_err(damage)?;
    Ok(conclusion.map(Arc::new))
}

/// The histories in the order of their last scrapes; each previous scrape comes before the last one.
fn histories(connection: &Connection) -> Result<Vec<StoredHistory>, Error> {
    let sql = "SELECT team, url, tag, job, current, previous_job, previous FROM history ORDER BY at";
    let mut statement = connection.prepare(sql).map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    let mut histories = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let (team, url, tag): (String, String, String) = (column(row, 0)?, column(row, 1)?, column(row, 2)?);
        let key = HistoryKey { team: TeamId::new(team), url, tag: tag.strip_prefix('#').map(str::to_owned) };
        let previous = (column::<Option<[u8; 16]>>(row, 5)?, column::<Option<Vec<u8>>>(row, 6)?);
        let last = (Some(column::<[u8; 16]>(row, 3)?), Some(column::<Vec<u8>>(row, 4)?));
        for (job, bytes) in [previous, last] {
            let (Some(job), Some(bytes)) = (job, bytes) else { continue };
            let scrape = stored::scrape(&bytes).map_err(|damage| {
                failure::damage("history", &format!("the history of {}", key.url), damage)
            })?;
            let job = JobId::from_uuid(Uuid::from_bytes(job));
            histories.push(StoredHistory { job, key: key.clone(), scrape });
        }
    }
    Ok(histories)
}

fn scrapes(connection: &Connection) -> Result<Vec<StoredScrape>, Error> {
    let sql = "SELECT id, team, at, bytes FROM scrape ORDER BY place";
    let mut statement = connection.prepare(sql).map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    let mut scrapes = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let id = Uuid::from_bytes(column(row, 0)?);
        let bytes: Vec<u8> = column(row, 3)?;
        let json = unseal(&bytes)
            .map_err(|damage| failure::damage("scrape", &format!("the scrape {id}"), damage))?;
        scrapes.push(StoredScrape {
            team: TeamId::new(column::<String>(row, 1)?),
            id,
            at: stored::time(column(row, 2)?),
            json: Bytes::copy_from_slice(json),
        });
    }
    Ok(scrapes)
}
