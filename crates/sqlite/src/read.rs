//! Queries of one connection. Each is one statement, so it sees one moment and holds back no checkpoint.

use bytes::Bytes;
use gleaner_store::journal::{Damage, JobRow, StoredHistory};
use gleaner_store::{Conclusion, Error, HistoryKey, ReadBound, TeamId};
use gleaner_types::JobId;
use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension as _, Params, Row};
use uuid::Uuid;

use crate::job_record::JobRecord;
use crate::place::{number_of, place, range};
use crate::{documents, failure, seal, stored};

/// An error of SQLite while it reads.
pub(crate) fn failed(error: rusqlite::Error) -> Error {
    failure::sqlite("the file of the store could not be read", &error)
}

fn column<T: FromSql>(row: &Row<'_>, index: usize) -> Result<T, Error> {
    row.get(index).map_err(failed)
}

/// The first row of a query in this form.
fn first<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    form: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Option<T>, Error> {
    connection.query_row(sql, params, form).optional().map_err(failed)
}

/// The bytes of a sealed column.
fn unsealed(bytes: &[u8], table: &str, place: &str) -> Result<Bytes, Error> {
    seal::unseal(bytes).map(Bytes::copy_from_slice).map_err(|damage| failure::damage(table, place, damage))
}

/// The documents of a job from a position.
pub(crate) fn documents(
    connection: &Connection,
    job: u64,
    from: u64,
    bound: ReadBound,
) -> Result<Vec<Bytes>, Error> {
    // The first row may begin before the position.
    let sql = "SELECT place, heads, bytes FROM document WHERE place BETWEEN
        coalesce((SELECT max(place) FROM document WHERE place BETWEEN ?1 AND ?2), ?2) AND ?3 ORDER BY place";
    let (start, end) = range(job);
    let mut statement = connection.prepare(sql).map_err(failed)?;
    let mut rows = statement.query([start, place(job, from), end]).map_err(failed)?;
    let (mut found, mut size, mut next) = (Vec::new(), 0_usize, from);
    while let Some(row) = rows.next().map_err(failed)? {
        let at = number_of(column(row, 0)?);
        let damage =
            |damage| failure::damage("document", &format!("the row of document {at} of job {job}"), damage);
        let (heads, bytes): (Vec<u8>, Vec<u8>) = (column(row, 1)?, column(row, 2)?);
        let documents = documents::open(&heads, &bytes).map_err(damage)?;
        // A row before the position that ends before it is the last one.
        let skipped = match next.checked_sub(at) {
            Some(skipped) => usize::try_from(skipped).unwrap_or(usize::MAX),
            None => return Err(damage(Damage::Truncated)),
        };
        for document in documents.into_iter().skip(skipped) {
            size = size.saturating_add(document.len());
            let is_full = found.len() >= bound.documents.max(1) || size > bound.bytes;
            if !found.is_empty() && is_full {
                return Ok(found);
            }
            found.push(document);
            next += 1;
        }
    }
    Ok(found)
}

/// The positions of the stored documents of a job: the first, and the one after the last.
pub(crate) fn document_range(connection: &Connection, job: u64) -> Result<(u64, u64), Error> {
    let (start, end) = range(job);
    let sql = "SELECT min(place) FROM document WHERE place BETWEEN ?1 AND ?2";
    let first_place = first(connection, sql, [start, end], |row| row.get::<_, Option<i64>>(0))?.flatten();
    let sql = "SELECT place, heads FROM document WHERE place BETWEEN ?1 AND ?2 ORDER BY place DESC LIMIT 1";
    let form = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?));
    let (Some(first_place), Some((last, heads))) = (first_place, first(connection, sql, [start, end], form)?)
    else {
        return Ok((0, 0));
    };
    let last = number_of(last);
    let count = documents::heads(&heads).map(Iterator::count).map_err(|damage| {
        failure::damage("document", &format!("the row of document {last} of job {job}"), damage)
    })?;
    Ok((number_of(first_place), last + count as u64))
}

/// The document of a job with this half of a scrape id.
pub(crate) fn document_of_scrape(
    connection: &Connection,
    job: u64,
    local: u64,
) -> Result<Option<Bytes>, Error> {
    // The text lies behind the heads and is not read.
    let sql = "SELECT place, heads FROM document WHERE place BETWEEN ?1 AND ?2 ORDER BY place";
    let (start, end) = range(job);
    let mut statement = connection.prepare(sql).map_err(failed)?;
    let mut rows = statement.query([start, end]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        let at = number_of(column(row, 0)?);
        let heads: Vec<u8> = column(row, 1)?;
        let mut heads = documents::heads(&heads).map_err(|damage| {
            failure::damage("document", &format!("the row of document {at} of job {job}"), damage)
        })?;
        if let Some(index) = heads.position(|head| head.scrape == Some(local)) {
            let bound = ReadBound { documents: 1, bytes: usize::MAX };
            return Ok(documents(connection, job, at + index as u64, bound)?.pop());
        }
    }
    Ok(None)
}

/// The last two scrapes of a page.
pub(crate) fn history(connection: &Connection, key: &HistoryKey) -> Result<Option<StoredHistory>, Error> {
    let sql = "SELECT job, current, previous FROM history WHERE team = ?1 AND url = ?2 AND tag = ?3";
    let form = |row: &Row<'_>| {
        Ok((row.get::<_, [u8; 16]>(0)?, row.get::<_, Vec<u8>>(1)?, row.get::<_, Option<Vec<u8>>>(2)?))
    };
    let params = (key.team.as_str(), &key.url, stored::tag(key.tag.as_deref()));
    let Some((job, current, previous)) = first(connection, sql, params, form)? else { return Ok(None) };
    let damage = |damage| failure::damage("history", &format!("the history of {}", key.url), damage);
    Ok(Some(StoredHistory {
        job: JobId::from_uuid(Uuid::from_bytes(job)),
        current: stored::scrape(&current).map_err(damage)?,
        previous: previous.map(|bytes| stored::scrape(&bytes)).transpose().map_err(damage)?,
    }))
}

/// A kept single scrape of a team.
pub(crate) fn kept_scrape(connection: &Connection, team: &TeamId, id: Uuid) -> Result<Option<Bytes>, Error> {
    let sql = "SELECT bytes FROM scrape WHERE id = ?1 AND team = ?2";
    let bytes = first(connection, sql, (id.as_bytes(), team.as_str()), |row| row.get::<_, Vec<u8>>(0))?;
    bytes.map(|bytes| unsealed(&bytes, "scrape", &format!("the scrape {id}"))).transpose()
}

/// The result of a job with one result.
pub(crate) fn conclusion(connection: &Connection, job: u64) -> Result<Option<Conclusion>, Error> {
    let sql = "SELECT bytes FROM conclusion WHERE number = ?1";
    let bytes = first(connection, sql, [job.cast_signed()], |row| row.get::<_, Vec<u8>>(0))?;
    let damage = |damage| failure::damage("conclusion", &format!("the result of job {job}"), damage);
    bytes.map(|bytes| stored::conclusion(&bytes)).transpose().map_err(damage)
}

/// The latest entries of the activity log of a team, latest first.
pub(crate) fn activities(connection: &Connection, team: &TeamId, max: usize) -> Result<Vec<Bytes>, Error> {
    let sql = "SELECT place, bytes FROM activity WHERE team = ?1 ORDER BY place DESC LIMIT ?2";
    let mut statement = connection.prepare(sql).map_err(failed)?;
    let max = i64::try_from(max).unwrap_or(i64::MAX);
    let mut rows = statement.query((team.as_str(), max)).map_err(failed)?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let (place, bytes): (i64, Vec<u8>) = (column(row, 0)?, column(row, 1)?);
        entries.push(unsealed(&bytes, "activity", &format!("entry {place}"))?);
    }
    Ok(entries)
}

/// A named value of the file.
pub(crate) fn meta(connection: &Connection, name: &str) -> Result<Option<Bytes>, Error> {
    let value =
        first(connection, "SELECT value FROM meta WHERE name = ?1", [name], |row| row.get::<_, Vec<u8>>(0))?;
    Ok(value.map(Bytes::from))
}

/// All jobs, in the order of their numbers.
pub(crate) fn jobs(connection: &Connection) -> Result<Vec<JobRecord>, Error> {
    let sql =
        "SELECT number, id, kind, team, url, record, folded, ended_at, outcome FROM job ORDER BY number";
    let mut statement = connection.prepare(sql).map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    let mut jobs = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let number = column::<i64>(row, 0)?.cast_unsigned();
        let place = format!("job {number}");
        let damage = |damage| failure::damage("job", &place, damage);
        let kind = column::<Option<i64>>(row, 2)?.map(stored::kind).transpose().map_err(damage)?;
        let outcome = column::<Option<Vec<u8>>>(row, 8)?;
        let outcome = outcome.map(|outcome| unsealed(&outcome, "job", &place)).transpose()?;
        let record = column::<Vec<u8>>(row, 5)?;
        jobs.push(JobRecord {
            number,
            job: JobRow {
                id: JobId::from_uuid(Uuid::from_bytes(column(row, 1)?)),
                kind,
                team: column::<Option<String>>(row, 3)?.map(TeamId::new),
                url: column(row, 4)?,
                record: unsealed(&record, "job", &place)?,
                secrets: None,
            },
            folded: column::<i64>(row, 6)?.cast_unsigned(),
            ended: column::<Option<i64>>(row, 7)?.map(stored::time).zip(outcome),
        });
    }
    Ok(jobs)
}

/// Calls `visit` with the blocks of a job after this number, in order.
pub(crate) fn blocks(
    connection: &Connection,
    job: u64,
    after: u64,
    mut visit: impl FnMut(u64, &[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let sql = "SELECT place, bytes FROM fact WHERE place > ?1 AND place <= ?2 ORDER BY place";
    let (_, end) = range(job);
    let mut statement = connection.prepare(sql).map_err(failed)?;
    let mut rows = statement.query([place(job, after), end]).map_err(failed)?;
    let mut last = after;
    while let Some(row) = rows.next().map_err(failed)? {
        let number = number_of(column(row, 0)?);
        let name = || format!("block {number} of job {job}");
        if number != last + 1 {
            let text = format!("block {} of job {job} in table fact is missing", last + 1);
            return Err(Error::new(gleaner_store::ErrorKind::Damaged, text));
        }
        let bytes = row.get_ref(1).map_err(failed)?.as_blob();
        visit(number, bytes.map_err(|_| failure::damage("fact", &name(), Damage::Invalid))?)?;
        last = number;
    }
    Ok(())
}

/// A number that no job has.
pub(crate) fn next_job(connection: &Connection) -> Result<u64, Error> {
    let sql = "SELECT max(coalesce((SELECT max(number) FROM job), 0),
        coalesce((SELECT max(number) FROM debris), 0)) + 1";
    let number = first(connection, sql, [], |row| row.get::<_, i64>(0))?;
    Ok(number.map_or(1, i64::cast_unsigned))
}
