//! Queries of one connection. Each is one statement, so it sees one moment and holds back no checkpoint.

use bytes::Bytes;
use gleaner_store::journal::{Damage, MAX_JOB_NUMBER, Part};
use gleaner_store::{Error, ErrorKind, ReadBound, TeamId};
use gleaner_types::JobId;
use rusqlite::types::FromSql;
use rusqlite::{Connection, ErrorCode, OptionalExtension as _, Params, Row};
use uuid::Uuid;

use crate::job_record::JobRecord;
use crate::place::{number_of, part_number, part_range, place, range};
use crate::{documents, failure, stored};

/// The rows of a job's documents from a position on: the first may begin before it.
const DOCUMENTS: &str = "SELECT place, heads, bytes FROM document WHERE place BETWEEN
    coalesce((SELECT max(place) FROM document WHERE place BETWEEN ?1 AND ?2), ?2) AND ?3 ORDER BY place";

/// An error of SQLite while it reads.
pub(crate) fn failed(error: rusqlite::Error) -> Error {
    failure::sqlite("the file of the store could not be read", &error)
}

pub(crate) fn column<T: FromSql>(row: &Row<'_>, index: usize) -> Result<T, Error> {
    row.get(index).map_err(failed)
}

/// The first row of a query in this form.
pub(crate) fn first<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    form: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Option<T>, Error> {
    connection.query_row(sql, params, form).optional().map_err(failed)
}

/// The documents of a job from a position, up to a row that cannot be read. It is an error if there are none
/// before that row.
pub(crate) fn documents(
    connection: &Connection,
    job: u64,
    from: u64,
    bound: ReadBound,
) -> Result<Vec<Bytes>, Error> {
    let mut found = Vec::new();
    match add_documents(connection, job, from, bound, &mut found) {
        Err(error) if found.is_empty() => Err(error),
        _ => Ok(found),
    }
}

fn add_documents(
    connection: &Connection,
    job: u64,
    from: u64,
    bound: ReadBound,
    found: &mut Vec<Bytes>,
) -> Result<(), Error> {
    // No row can have a key that is too large.
    let Ok(from_place) = place(job, from) else { return Ok(()) };
    let (start, end) = range(job);
    let mut statement = connection.prepare(DOCUMENTS).map_err(failed)?;
    let mut rows = statement.query([start, from_place, end]).map_err(failed)?;
    let (mut size, mut next) = (0_usize, from);
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
                return Ok(());
            }
            found.push(document);
            next += 1;
        }
    }
    Ok(())
}

/// Whether SQLite cannot read the rows in which [`documents`] found none: the file itself is damaged, and not
/// only what one row has.
pub(crate) fn is_malformed(connection: &Connection, job: u64, from: u64) -> bool {
    let Ok(from_place) = place(job, from) else { return false };
    let (start, end) = range(job);
    let read = || -> rusqlite::Result<()> {
        let mut statement = connection.prepare(DOCUMENTS)?;
        let mut rows = statement.query([start, from_place, end])?;
        // All documents of the first may be before the position.
        for _ in 0..2 {
            rows.next()?;
        }
        Ok(())
    };
    read().is_err_and(|error| {
        matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
    })
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
    let count = documents::lengths(&heads).map(Iterator::count).map_err(|damage| {
        failure::damage("document", &format!("the row of document {last} of job {job}"), damage)
    })?;
    Ok((number_of(first_place), last + count as u64))
}

/// All jobs, in the order of their numbers.
pub(crate) fn jobs(connection: &Connection) -> Result<Vec<JobRecord>, Error> {
    let sql = "SELECT number, id, kind, team, url, at, removed, ended FROM job ORDER BY number";
    let mut statement = connection.prepare(sql).map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    let mut jobs = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let number = column::<i64>(row, 0)?.cast_unsigned();
        let damage = |damage| failure::damage("job", &format!("job {number}"), damage);
        if number > MAX_JOB_NUMBER {
            return Err(damage(Damage::Invalid));
        }
        jobs.push(JobRecord {
            number,
            id: JobId::from_uuid(Uuid::from_bytes(column(row, 1)?)),
            kind: column::<Option<i64>>(row, 2)?.map(stored::kind).transpose().map_err(damage)?,
            team: column::<Option<String>>(row, 3)?.map(TeamId::new),
            url: column(row, 4)?,
            submitted_at: stored::time(column(row, 5)?),
            is_removed: column(row, 6)?,
            has_ended: column(row, 7)?,
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
    let Ok(after_place) = place(job, after) else { return Ok(()) };
    let (_, end) = range(job);
    let mut statement = connection.prepare(sql).map_err(failed)?;
    let mut rows = statement.query([after_place, end]).map_err(failed)?;
    let mut last = after;
    while let Some(row) = rows.next().map_err(failed)? {
        let number = number_of(column(row, 0)?);
        if number != last + 1 {
            let text = format!("block {} of job {job} in table fact is missing", last + 1);
            return Err(Error::new(ErrorKind::Damaged, text));
        }
        let bytes = row.get_ref(1).map_err(failed)?.as_blob();
        visit(number, bytes.map_err(|_| damaged_block(job, number, Damage::Invalid))?)?;
        last = number;
    }
    Ok(())
}

/// Calls `visit` with the parts of a kind of a job, in order.
pub(crate) fn parts(
    connection: &Connection,
    job: u64,
    part: Part,
    mut visit: impl FnMut(u64, &[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let sql = "SELECT place, bytes FROM part WHERE place BETWEEN ?1 AND ?2 ORDER BY place";
    let (first, last) = part_range(job, part);
    let mut statement = connection.prepare(sql).map_err(failed)?;
    let mut rows = statement.query([first, last]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        let number = part_number(column(row, 0)?);
        let bytes = row.get_ref(1).map_err(failed)?.as_blob();
        visit(number, bytes.map_err(|_| damaged_part(job, part, number, Damage::Invalid))?)?;
    }
    Ok(())
}

/// The error of a part.
pub(crate) fn damaged_part(job: u64, part: Part, number: u64, damage: Damage) -> Error {
    failure::damage("part", &format!("{} of job {job}", part_name(part, number)), damage)
}

/// What a part is called in messages.
pub(crate) fn part_name(part: Part, number: u64) -> String {
    match part {
        Part::State => "the state".to_owned(),
        Part::Kept => format!("part {number} with what is kept"),
        Part::Pending => format!("part {number} of the events"),
        Part::Ended => format!("part {number} of the ended pages"),
        Part::Queue => format!("part {number} of the queue"),
        Part::Tail => format!("block {number}"),
    }
}

/// The error of a block.
pub(crate) fn damaged_block(job: u64, number: u64, damage: Damage) -> Error {
    failure::damage("fact", &format!("block {number} of job {job}"), damage)
}
