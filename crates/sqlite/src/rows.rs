//! Changes of rows beside facts and documents. Each can be applied twice with the same result, because a
//! group is written again if it is not known whether its commit succeeded.

use std::time::Duration;

use gleaner_store::journal::{Row, StoredHistory, StoredScrape};
use gleaner_store::parts::JobLabel;
use gleaner_store::{NewJob, TeamId};
use gleaner_types::JobId;
use rusqlite::{Connection, OptionalExtension as _, params};
use uuid::Uuid;

use crate::place::range;
use crate::seal::seal;
use crate::{job_form, stored};

/// Applies a change for this job.
pub(crate) fn apply(connection: &Connection, job: u64, row: &Row) -> rusqlite::Result<()> {
    let number = job.cast_signed();
    match row {
        Row::Submitted { job, at } => submit(connection, number, job, *at),
        // Cookies and webhooks lie beside the file.
        Row::Cookies { .. } | Row::Delivered => Ok(()),
        Row::Concluded(conclusion) => {
            let sql = "INSERT OR REPLACE INTO conclusion(number, bytes) VALUES(?1, ?2)";
            connection.execute(sql, params![number, stored::conclusion_bytes(conclusion)]).map(drop)
        }
        Row::DocumentsRead { before } => forget_read(connection, job, *before),
        Row::Removed { keeps_facts: true } => {
            connection.execute("UPDATE job SET removed = 1 WHERE number = ?1", [number]).map(drop)
        }
        Row::Removed { keeps_facts: false } => {
            connection.execute("INSERT OR IGNORE INTO debris(number) VALUES(?1)", [number])?;
            connection.execute("DELETE FROM conclusion WHERE number = ?1", [number])?;
            connection.execute("DELETE FROM job WHERE number = ?1", [number]).map(drop)
        }
        Row::History(history) => track(connection, history),
        Row::HistoryDropped(key) => {
            let sql = "DELETE FROM history WHERE team = ?1 AND url = ?2 AND tag = ?3";
            let tag = stored::tag(key.tag.as_deref());
            connection.execute(sql, params![key.team.as_str(), key.url, tag]).map(drop)
        }
        Row::Scrape(scrape) => keep(connection, scrape),
        Row::ScrapeDropped(id) => {
            connection.execute("DELETE FROM scrape WHERE id = ?1", [id.as_bytes()]).map(drop)
        }
        // The port may grow before this crate does.
        _ => Err(rusqlite::Error::InvalidQuery),
    }
}

/// True if a change removes the job and all that belongs to it.
pub(crate) fn is_removal(row: &Row) -> bool {
    matches!(row, Row::Removed { keeps_facts: false })
}

/// True if a change is about the job alone, so that it is not needed when the job is removed.
pub(crate) fn is_of_job(row: &Row) -> bool {
    matches!(row, Row::Submitted { .. } | Row::Cookies { .. } | Row::Concluded(_) | Row::DocumentsRead { .. })
}

/// Records that a job has ended.
pub(crate) fn end(connection: &Connection, job: u64) -> rusqlite::Result<()> {
    connection.execute("UPDATE job SET ended = 1 WHERE number = ?1", [job.cast_signed()]).map(drop)
}

fn submit(connection: &Connection, number: i64, job: &NewJob, at: Duration) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO job(number, id, kind, team, url, at, record)
        VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let JobLabel { id, kind, team, url } = JobLabel::of(job);
    let (kind, team) = (kind.map(stored::kind_number), team.as_ref().map(TeamId::as_str));
    let at = stored::nanoseconds(at);
    connection
        .execute(sql, params![number, bytes_of(id), kind, team, url, at, job_form::record(job)])
        .map(drop)
}

/// Records a scrape. One of the same job is replaced, one of another job becomes the previous one.
fn track(connection: &Connection, history: &StoredHistory) -> rusqlite::Result<()> {
    let StoredHistory { job, key, scrape } = history;
    let sql = "INSERT INTO history(team, url, tag, job, at, current) VALUES(?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT(team, url, tag) DO UPDATE SET
            previous = CASE WHEN job = excluded.job THEN previous ELSE current END,
            previous_job = CASE WHEN job = excluded.job THEN previous_job ELSE job END,
            job = excluded.job, at = excluded.at, current = excluded.current";
    let (tag, at) = (stored::tag(key.tag.as_deref()), stored::nanoseconds(scrape.at));
    let (team, job) = (key.team.as_str(), bytes_of(*job));
    connection.execute(sql, params![team, key.url, tag, job, at, stored::scrape_bytes(scrape)]).map(drop)
}

/// Keeps a single scrape.
fn keep(connection: &Connection, scrape: &StoredScrape) -> rusqlite::Result<()> {
    let sql = "INSERT OR IGNORE INTO scrape(id, team, at, bytes) VALUES(?1, ?2, ?3, ?4)";
    let (id, team, at) = (scrape.id.as_bytes(), scrape.team.as_str(), stored::nanoseconds(scrape.at));
    connection.execute(sql, params![id, team, at, seal(&scrape.json)]).map(drop)
}

/// Removes the rows whose documents were all read. The row with the position stays.
fn forget_read(connection: &Connection, job: u64, position: u64) -> rusqlite::Result<()> {
    let (first, last) = range(job);
    let position = first.saturating_add_unsigned(position).min(last);
    let sql = "DELETE FROM document WHERE place BETWEEN ?1 AND
        (SELECT max(place) - 1 FROM document WHERE place BETWEEN ?1 AND ?2)";
    connection.execute(sql, [first, position]).map(drop)
}

/// The id of a job in a column.
pub(crate) fn bytes_of(job: JobId) -> [u8; 16] {
    *job.as_uuid().as_bytes()
}

/// The id of the job with this number.
pub(crate) fn job_id(connection: &Connection, number: u64) -> rusqlite::Result<Option<JobId>> {
    let id = |row: &rusqlite::Row<'_>| row.get::<_, [u8; 16]>(0);
    let bytes = connection
        .query_row("SELECT id FROM job WHERE number = ?1", [number.cast_signed()], id)
        .optional()?;
    Ok(bytes.map(|bytes| JobId::from_uuid(Uuid::from_bytes(bytes))))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;
    use gleaner_frontier::JobRules;
    use gleaner_store::journal::NewDocument;
    use gleaner_store::{HistoryKey, PastScrape};
    use gleaner_types::JobKind;

    use super::*;
    use crate::place::place;
    use crate::{documents, schema};

    fn id(number: u128) -> JobId {
        JobId::from_uuid(Uuid::from_u128(number))
    }

    fn count(connection: &Connection, table: &str) -> i64 {
        connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    }

    fn history(job: u128, text: &str, tag: Option<&str>) -> Row {
        let key = HistoryKey {
            team: TeamId::default(),
            url: "https://a.example/".into(),
            tag: tag.map(str::to_owned),
        };
        let scrape = PastScrape { at: Duration::ZERO, status: None, markdown: text.into(), json: None };
        Row::History(StoredHistory { job: id(job), key, scrape })
    }

    #[test]
    fn every_change_can_be_applied_twice() {
        let file = schema::in_memory();
        let job = NewJob::new(id(1), Some(JobKind::Crawl), JobRules::with_limit(5), Vec::new());
        let (team, at, json) = (TeamId::default(), Duration::from_secs(5), Bytes::from_static(b"{}"));
        let changes = [
            Row::Submitted { job: Box::new(job), at },
            Row::DocumentsRead { before: 3 },
            history(1, "a", None),
            Row::Concluded(Arc::default()),
            Row::Scrape(StoredScrape { team, id: Uuid::from_u128(4), at, json }),
        ];
        for change in &changes {
            for _ in 0..2 {
                apply(&file, 7, change).unwrap();
            }
        }
        for table in ["job", "history", "conclusion", "scrape"] {
            assert_eq!(count(&file, table), 1, "{table}");
        }
        assert_eq!(job_id(&file, 7).unwrap(), Some(id(1)));
        for (keeps_facts, jobs) in [(true, 1), (true, 1), (false, 0), (false, 0)] {
            apply(&file, 7, &Row::Removed { keeps_facts }).unwrap();
            assert_eq!((count(&file, "job"), count(&file, "conclusion")), (jobs, jobs));
        }
        assert_eq!((count(&file, "debris"), job_id(&file, 7).unwrap()), (1, None));
    }

    #[test]
    fn a_history_keeps_the_last_scrape_of_another_job() {
        let file = schema::in_memory();
        let record = |job, text: &str| {
            apply(&file, 1, &history(job, text, Some("x"))).unwrap();
            let found = file.query_row("SELECT current, previous, previous_job FROM history", [], |row| {
                Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Option<Vec<u8>>>(1)?, row.get(2)?))
            });
            let (current, previous, job): (_, _, Option<[u8; 16]>) = found.unwrap();
            let text = |bytes: Vec<u8>| stored::scrape(&bytes).unwrap().markdown.to_string();
            (text(current), previous.map(text), job.map(u128::from_be_bytes))
        };
        assert_eq!(record(1, "a"), ("a".into(), None, None));
        assert_eq!(record(1, "b"), ("b".into(), None, None));
        assert_eq!(record(2, "c"), ("c".into(), Some("b".into()), Some(1)));
        assert_eq!(record(2, "d"), ("d".into(), Some("b".into()), Some(1)));
        apply(&file, 1, &history(1, "other", None)).unwrap();
        apply(&file, 1, &history(1, "other", Some(""))).unwrap();
        assert_eq!(count(&file, "history"), 3, "each tag has its own");
    }

    #[test]
    fn read_documents_go_in_whole_rows() {
        let file = schema::in_memory();
        for first in [0, 3, 7] {
            let document = NewDocument { position: first, scrape: None, json: Bytes::from_static(b"{}") };
            let row = documents::rows(&[document]).remove(0);
            let sql = "INSERT INTO document(place, heads, bytes) VALUES(?1, ?2, ?3)";
            file.execute(sql, params![place(5, first).unwrap(), row.heads, row.bytes]).unwrap();
            file.execute(sql, params![place(6, first).unwrap(), row.heads, row.bytes]).unwrap();
        }
        for (before, left) in [(0, 6), (2, 6), (3, 5), (6, 5), (9, 4), (9, 4)] {
            apply(&file, 5, &Row::DocumentsRead { before }).unwrap();
            assert_eq!(count(&file, "document"), left, "read up to {before}");
        }
    }

    #[test]
    fn what_is_no_longer_kept_is_deleted() {
        let file = schema::in_memory();
        for tag in [None, Some("a")] {
            apply(&file, 1, &history(1, "text", tag)).unwrap();
        }
        let url = "https://a.example/".to_owned();
        let key = HistoryKey { team: TeamId::default(), url, tag: Some("a".to_owned()) };
        for id in [1, 2] {
            let (team, id) = (TeamId::default(), Uuid::from_u128(id));
            let scrape = StoredScrape { team, id, at: Duration::ZERO, json: Bytes::new() };
            apply(&file, 0, &Row::Scrape(scrape)).unwrap();
        }
        for _ in 0..2 {
            apply(&file, 0, &Row::HistoryDropped(key.clone())).unwrap();
            apply(&file, 0, &Row::ScrapeDropped(Uuid::from_u128(1))).unwrap();
            assert_eq!((count(&file, "history"), count(&file, "scrape")), (1, 1));
        }
    }
}
