//! Everything that a store needs to go on.

use std::io;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use gleaner_store::journal::{StoredFacts, StoredHistory, StoredScrape, StoredState};
use gleaner_store::{Conclusion, Error, HistoryKey, MAX_HISTORIES, NoteValue, TeamId};
use gleaner_types::JobId;
use rusqlite::Connection;
use uuid::Uuid;

use crate::job_form::{self, Columns};
use crate::place::{number_of, range};
use crate::read::{self, column, failed, first};
use crate::seal::unseal;
use crate::secrets::Secrets;
use crate::{documents, failure, stored};

/// The state of a file that belongs to this opening.
pub(crate) fn load(connection: &Connection, path: &Path, epoch: u64) -> Result<StoredState, Error> {
    let mut state = StoredState::default();
    state.epoch = epoch;
    state.blocks = blocks(connection, 0)?;
    state.jobs = jobs(connection, &Secrets::of(path))?;
    state.histories = histories(connection)?;
    state.scrapes = scrapes(connection)?;
    Ok(state)
}

fn blocks(connection: &Connection, job: u64) -> Result<Vec<Bytes>, Error> {
    let mut blocks = Vec::new();
    read::blocks(connection, job, 0, |_, bytes| {
        blocks.push(Bytes::copy_from_slice(bytes));
        Ok(())
    })?;
    Ok(blocks)
}

fn jobs(connection: &Connection, secrets: &Secrets) -> Result<Vec<StoredFacts>, Error> {
    let mut jobs = Vec::new();
    for record in read::jobs(connection)? {
        let number = record.number;
        let place = format!("job {number}");
        let sql = "SELECT record FROM job WHERE number = ?1";
        let bytes: Vec<u8> =
            first(connection, sql, [number.cast_signed()], |row| row.get(0))?.unwrap_or_default();
        let not_read = |error: io::Error| failure::file("the secrets of a job were not read", &error);
        let cookies = secrets.load_cookies(record.id).map_err(not_read)?;
        let secrets = secrets.load(record.id).map_err(not_read)?;
        if secrets.is_none() {
            tracing::debug!(job = %record.id, "the job has no secrets");
        }
        let columns = Columns { id: record.id, kind: record.kind, team: record.team, url: record.url };
        let job = job_form::job(columns, &bytes, secrets.as_deref())
            .map_err(|damage| failure::damage("job", &place, damage))?;
        let mut stored = StoredFacts::new(number, job, record.submitted_at);
        stored.blocks = blocks(connection, number)?;
        stored.cookies = cookies.map(|bytes| NoteValue::Set(bytes.into()));
        stored.documents = document_lengths(connection, number)?;
        stored.conclusion = conclusion(connection, number)?;
        stored.is_removed = record.is_removed;
        jobs.push(stored);
    }
    Ok(jobs)
}

/// The positions of the documents of a job with their lengths. Their text lies behind and is not read.
fn document_lengths(connection: &Connection, job: u64) -> Result<Vec<(u64, usize)>, Error> {
    let sql = "SELECT place, heads FROM document WHERE place BETWEEN ?1 AND ?2 ORDER BY place";
    let (start, end) = range(job);
    let mut statement = connection.prepare(sql).map_err(failed)?;
    let mut rows = statement.query([start, end]).map_err(failed)?;
    let mut lengths = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let at = number_of(column(row, 0)?);
        let heads: Vec<u8> = column(row, 1)?;
        let row_lengths = documents::lengths(&heads).map_err(|damage| {
            failure::damage("document", &format!("the row of document {at} of job {job}"), damage)
        })?;
        lengths.extend((at..).zip(row_lengths));
    }
    Ok(lengths)
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
    let sql = "SELECT team, url, tag, job, current, previous_job, previous FROM
        (SELECT * FROM history ORDER BY at DESC LIMIT ?1) ORDER BY at";
    let mut statement = connection.prepare(sql).map_err(failed)?;
    let mut rows = statement.query([MAX_HISTORIES as i64]).map_err(failed)?;
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
