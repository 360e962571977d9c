//! Changes of rows beside facts and documents. Each can be applied twice with the same result, because a
//! group is written again if it is not known whether its commit succeeded.

use gleaner_store::journal::{JobRow, Row};
use gleaner_types::JobId;
use rusqlite::{Connection, OptionalExtension as _, params};
use uuid::Uuid;

use crate::place::range;
use crate::seal::seal;
use crate::stored;

/// Entries that the activity log keeps for all teams.
const MAX_ACTIVITIES: i64 = 10_000;

/// Applies a change for this job.
pub(crate) fn apply(connection: &Connection, job: u64, row: &Row) -> rusqlite::Result<()> {
    let number = job.cast_signed();
    match row {
        Row::Submitted(row) => submit(connection, number, row),
        Row::Ended { at, outcome } => {
            let sql = "UPDATE job SET ended_at = ?2, outcome = ?3 WHERE number = ?1";
            connection.execute(sql, params![number, stored::nanoseconds(*at), seal(outcome)]).map(drop)
        }
        Row::Read { position } => forget_read(connection, job, *position),
        Row::History { key, job, scrape } => {
            let sql = "INSERT INTO history(team, url, tag, job, at, current) VALUES(?1, ?2, ?3, ?4, ?5, ?6)
                ON CONFLICT(team, url, tag) DO UPDATE SET
                    previous = CASE WHEN job = excluded.job THEN previous ELSE current END,
                    job = excluded.job, at = excluded.at, current = excluded.current";
            let (tag, at) = (stored::tag(key.tag.as_deref()), stored::nanoseconds(scrape.at));
            let (team, job) = (key.team.as_str(), bytes_of(*job));
            connection
                .execute(sql, params![team, key.url, tag, job, at, stored::scrape_bytes(scrape)])
                .map(drop)
        }
        Row::Conclusion(conclusion) => {
            let sql = "INSERT OR REPLACE INTO conclusion(number, bytes) VALUES(?1, ?2)";
            connection.execute(sql, params![number, stored::conclusion_bytes(conclusion)]).map(drop)
        }
        Row::Scrape { team, id, at, json } => {
            let sql = "INSERT OR IGNORE INTO scrape(id, team, at, bytes) VALUES(?1, ?2, ?3, ?4)";
            let at = stored::nanoseconds(*at);
            connection.execute(sql, params![id.as_bytes(), team.as_str(), at, seal(json)]).map(drop)
        }
        Row::ScrapesExpired(until) => {
            // They are in the order of their time, so the first one that is kept ends the search.
            let sql = "DELETE FROM scrape WHERE place <
                coalesce((SELECT place FROM scrape WHERE at > ?1 ORDER BY place LIMIT 1), ?2)";
            connection.execute(sql, [stored::nanoseconds(*until), i64::MAX]).map(drop)
        }
        Row::Activity { team, job, entry } => {
            let sql = "INSERT OR IGNORE INTO activity(team, job, bytes) VALUES(?1, ?2, ?3)";
            connection.execute(sql, params![team.as_str(), bytes_of(*job), seal(entry)])?;
            let sql = "DELETE FROM activity WHERE place <= (SELECT max(place) FROM activity) - ?1";
            connection.execute(sql, [MAX_ACTIVITIES]).map(drop)
        }
        Row::Meta { name, value: Some(value) } => {
            let sql = "INSERT OR REPLACE INTO meta(name, value) VALUES(?1, ?2)";
            connection.execute(sql, params![name, &value[..]]).map(drop)
        }
        Row::Meta { name, value: None } => {
            connection.execute("DELETE FROM meta WHERE name = ?1", [name]).map(drop)
        }
        Row::Removed => {
            connection.execute("INSERT OR IGNORE INTO debris(number) VALUES(?1)", [number])?;
            connection.execute("DELETE FROM conclusion WHERE number = ?1", [number])?;
            connection.execute("DELETE FROM job WHERE number = ?1", [number]).map(drop)
        }
        // Secrets are files; the writer stores them.
        Row::Secrets(_) => Ok(()),
        // The trait may grow before this crate does.
        _ => Err(rusqlite::Error::InvalidQuery),
    }
}

fn submit(connection: &Connection, number: i64, row: &JobRow) -> rusqlite::Result<()> {
    let sql =
        "INSERT OR REPLACE INTO job(number, id, kind, team, url, record) VALUES(?1, ?2, ?3, ?4, ?5, ?6)";
    let (kind, team) = (row.kind.map(stored::kind_number), row.team.as_ref().map(|team| team.as_str()));
    connection
        .execute(sql, params![number, bytes_of(row.id), kind, team, row.url, seal(&row.record)])
        .map(drop)
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
    use std::time::Duration;

    use bytes::Bytes;
    use gleaner_store::journal::Document;
    use gleaner_store::{HistoryKey, PastScrape, TeamId};
    use gleaner_types::JobKind;

    use super::*;
    use crate::place::place;
    use crate::{documents, schema};

    fn file() -> Connection {
        let mut connection = Connection::open_in_memory().unwrap();
        schema::migrate(&mut connection).unwrap();
        connection
    }

    fn id(number: u128) -> JobId {
        JobId::from_uuid(Uuid::from_u128(number))
    }

    fn count(connection: &Connection, table: &str) -> i64 {
        connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    }

    fn submitted() -> Row {
        Row::Submitted(Box::new(JobRow {
            id: id(1),
            kind: Some(JobKind::Crawl),
            team: Some(TeamId::default()),
            url: Some("https://a.example/".into()),
            record: Bytes::from_static(b"record"),
            secrets: None,
        }))
    }

    #[test]
    fn every_change_can_be_applied_twice() {
        let file = file();
        let scrape = PastScrape { at: Duration::ZERO, status: None, markdown: "a".into(), json: None };
        let key = HistoryKey { team: TeamId::default(), url: "https://a.example/".into(), tag: None };
        let (team, at) = (TeamId::default(), Duration::from_secs(5));
        let json = Bytes::from_static(b"{}");
        let changes = [
            submitted(),
            Row::Ended { at, outcome: Bytes::from_static(b"completed") },
            Row::Secrets(None),
            Row::Read { position: 3 },
            Row::History { key, job: id(1), scrape },
            Row::Conclusion(Box::default()),
            Row::Scrape { team: team.clone(), id: Uuid::from_u128(4), at, json: json.clone() },
            Row::Activity { team, job: id(1), entry: json.clone() },
            Row::Meta { name: "cursor".into(), value: Some(json) },
        ];
        for change in &changes {
            for _ in 0..2 {
                apply(&file, 7, change).unwrap();
            }
        }
        for table in ["job", "history", "conclusion", "scrape", "activity", "meta"] {
            assert_eq!(count(&file, table), 1, "{table}");
        }
        assert_eq!(job_id(&file, 7).unwrap(), Some(id(1)));
        for change in [
            Row::Meta { name: "cursor".into(), value: None },
            Row::ScrapesExpired(at),
            Row::Removed,
            Row::Removed,
        ] {
            apply(&file, 7, &change).unwrap();
        }
        for table in ["job", "conclusion", "scrape", "meta"] {
            assert_eq!(count(&file, table), 0, "{table}");
        }
        assert_eq!((count(&file, "debris"), job_id(&file, 7).unwrap()), (1, None));
    }

    #[test]
    fn a_history_keeps_the_last_scrape_of_another_job() {
        let file = file();
        let key =
            HistoryKey { team: TeamId::default(), url: "https://a.example/".into(), tag: Some("x".into()) };
        let record = |job, text: &str| {
            let scrape = PastScrape { at: Duration::ZERO, status: None, markdown: text.into(), json: None };
            apply(&file, 1, &Row::History { key: key.clone(), job: id(job), scrape }).unwrap();
            let found = file.query_row("SELECT current, previous FROM history", [], |row| {
                Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Option<Vec<u8>>>(1)?))
            });
            let (current, previous) = found.unwrap();
            let text = |bytes: Vec<u8>| stored::scrape(&bytes).unwrap().markdown.to_string();
            (text(current), previous.map(text))
        };
        assert_eq!(record(1, "a"), ("a".into(), None));
        assert_eq!(record(1, "b"), ("b".into(), None));
        assert_eq!(record(2, "c"), ("c".into(), Some("b".into())));
        assert_eq!(record(2, "d"), ("d".into(), Some("b".into())));
    }

    #[test]
    fn read_documents_go_in_whole_rows() {
        let file = file();
        for first in [0, 3, 7] {
            let document = Document { position: first, scrape: None, json: Bytes::from_static(b"{}") };
            let row = documents::rows(&[document]).remove(0);
            let sql = "INSERT INTO document(place, heads, bytes) VALUES(?1, ?2, ?3)";
            file.execute(sql, params![place(5, first), row.heads, row.bytes]).unwrap();
            file.execute(sql, params![place(6, first), row.heads, row.bytes]).unwrap();
        }
        for (position, left) in [(0, 6), (2, 6), (3, 5), (6, 5), (9, 4), (9, 4)] {
            apply(&file, 5, &Row::Read { position }).unwrap();
            assert_eq!(count(&file, "document"), left, "read up to {position}");
        }
    }

    #[test]
    fn only_scrapes_of_the_time_expire() {
        let file = file();
        for number in 1..=10 {
            let (team, at) = (TeamId::default(), Duration::from_secs(number));
            let id = Uuid::from_u128(number.into());
            apply(&file, 0, &Row::Scrape { team, id, at, json: Bytes::new() }).unwrap();
        }
        apply(&file, 0, &Row::ScrapesExpired(Duration::from_secs(4))).unwrap();
        assert_eq!(count(&file, "scrape"), 6);
    }
}
