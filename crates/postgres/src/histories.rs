//! The last scrapes of pages, for change tracking.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use gleaner_store::{Error, HistoryKey, MAX_HISTORIES, MAX_HISTORY_BYTES, PastScrape, Store, TrackedScrape};
use gleaner_types::JobId;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::blocking;
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::operation::Operation;
use crate::packed::{pack, unpack};
use crate::transaction::Transaction;
use crate::units::{big, count, from_micros, micros};

/// Minimum weight of a scrape in bytes, so that the limit in bytes also limits the number.
const MIN_WEIGHT: usize = MAX_HISTORY_BYTES.div_ceil(MAX_HISTORIES);

/// What is packed of a scrape.
#[derive(Debug, Serialize, Deserialize)]
struct Body<'a> {
    markdown: Cow<'a, str>,
    json: Option<Value>,
}

/// A scrape as it is stored.
#[derive(Debug)]
pub(crate) struct EncodedHistory {
    key: HistoryKey,
    at: Duration,
    status: Option<u16>,
    size: u64,
    body: Vec<u8>,
}

/// A scrape to record, with its job.
#[derive(Debug)]
pub(crate) struct NewHistory<'a> {
    pub(crate) job: JobId,
    pub(crate) history: &'a EncodedHistory,
}

/// Encodes a scrape. Call it before the transaction that records it.
pub(crate) async fn encode(tracked: TrackedScrape) -> Result<EncodedHistory, Error> {
    let is_large = tracked.scrape.markdown.len() > blocking::LARGE;
    blocking::run(is_large, move || {
        let TrackedScrape { key, scrape: PastScrape { at, status, markdown, json } } = tracked;
        let body = serde_json::to_vec(&Body { markdown: Cow::Borrowed(&markdown), json })
            .map_err(|cause| Error::io("a scrape could not be written as JSON", &cause))?;
        let size = body.len() as u64;
        Ok(EncodedHistory { key, at, status, size, body: pack(body)? })
    })
    .await
}

/// What identifies the page of a history within its team. URLs and tags may be longer than an index allows,
/// so the database hashes it.
fn page(key: &HistoryKey) -> Vec<u8> {
    let mut page = key.url.clone().into_bytes();
    // No URL has a line break.
    if let Some(tag) = &key.tag {
        page.push(b'\n');
        page.extend_from_slice(tag.as_bytes());
    }
    page
}

/// Records scrapes together with their documents. A scrape replaces an earlier one of the same job.
pub(crate) async fn record_histories(
    t: &Transaction<'_>,
    sql: &Sql,
    new: &[NewHistory<'_>],
) -> Result<(), Failure> {
    // Of several scrapes of one page by one job, the last one counts.
    let mut seen = HashSet::new();
    let mut last: Vec<&NewHistory<'_>> =
        new.iter().rev().filter(|new| seen.insert((new.job, &new.history.key))).collect();
    last.reverse();
    if last.is_empty() {
        return Ok(());
    }
    let teams: Vec<&str> = last.iter().map(|new| new.history.key.team.as_str()).collect();
    let pages: Vec<Vec<u8>> = last.iter().map(|new| page(&new.history.key)).collect();
    let jobs: Vec<Uuid> = last.iter().map(|new| *new.job.as_uuid()).collect();
    let times: Vec<i64> = last.iter().map(|new| micros(new.history.at)).collect();
    let statuses: Vec<Option<i32>> = last.iter().map(|new| new.history.status.map(i32::from)).collect();
    let sizes: Vec<i64> = last.iter().map(|new| big(new.history.size)).collect();
    let bodies: Vec<&[u8]> = last.iter().map(|new| new.history.body.as_slice()).collect();
    // In the order of the keys, so that no two commits wait for each other.
    let insert = sql.text(
        "INSERT INTO {schema}.history (team, page, job, at, status, size, body) \
         SELECT team, substring(sha256(key) FROM 1 FOR 16) AS page, job, at, status, size, body \
         FROM unnest($1::text[], $2::bytea[], $3::uuid[], $4::bigint[], $5::int[], $6::bigint[], \
             $7::bytea[]) AS new (team, key, job, at, status, size, body) \
         ORDER BY team COLLATE \"C\", page, job \
         ON CONFLICT (team, page, job) DO UPDATE SET number = DEFAULT, at = excluded.at, \
             status = excluded.status, size = excluded.size, body = excluded.body",
    );
    t.execute_typed(
        &insert,
        &[
            (&teams, Type::TEXT_ARRAY),
            (&pages, Type::BYTEA_ARRAY),
            (&jobs, Type::UUID_ARRAY),
            (&times, Type::INT8_ARRAY),
            (&statuses, Type::INT4_ARRAY),
            (&sizes, Type::INT8_ARRAY),
            (&bodies, Type::BYTEA_ARRAY),
        ],
    )
    .await?;
    // Of two scrapes by different jobs, one is not of the job that asks. A row that another commit has locked
    // is left to a later one.
    let drop_older = sql.text(
        "WITH ranked AS ( \
             SELECT team, page, job, number, \
                 row_number() OVER (PARTITION BY team, page ORDER BY number DESC) AS rank \
             FROM {schema}.history WHERE (team, page) IN ( \
                 SELECT team, substring(sha256(key) FROM 1 FOR 16) \
                 FROM unnest($1::text[], $2::bytea[]) AS new (team, key))), \
         older AS ( \
             SELECT history.team, history.page, history.job FROM {schema}.history JOIN ranked \
                 USING (team, page, job, number) WHERE ranked.rank > 2 FOR UPDATE OF history SKIP LOCKED) \
         DELETE FROM {schema}.history USING older \
         WHERE history.team = older.team AND history.page = older.page AND history.job = older.job",
    );
    t.execute_typed(&drop_older, &[(&teams, Type::TEXT_ARRAY), (&pages, Type::BYTEA_ARRAY)]).await?;
    Ok(())
}

/// Above the limit of the size of all scrapes, removes the oldest of the teams with the most, so that no team
/// displaces the histories of a team with fewer.
pub(crate) async fn limit_histories(t: &Transaction<'_>, sql: &Sql) -> Result<(), Failure> {
    // The newest scrapes of all teams, the same size of each, fill the limit.
    let text = sql.text(
        "DELETE FROM {schema}.history WHERE \
         (SELECT sum(greatest(size, $1)) FROM {schema}.history) > $2 AND number IN ( \
             SELECT number FROM (SELECT number, sum(weight) OVER (ORDER BY newer, number) AS total FROM ( \
                 SELECT number, greatest(size, $1) AS weight, \
                     sum(greatest(size, $1)) OVER (PARTITION BY team ORDER BY number DESC) AS newer \
                 FROM {schema}.history) AS of_team) AS of_all \
             WHERE total > $2)",
    );
    let (min, max) = (big(MIN_WEIGHT as u64), big(MAX_HISTORY_BYTES as u64));
    t.execute_typed(&text, &[(&min, Type::INT8), (&max, Type::INT8)]).await?;
    Ok(())
}

/// The last scrape of a page that is not of this job.
#[derive(Debug)]
struct FindLast<'a> {
    sql: &'a Sql,
    job: JobId,
    key: &'a HistoryKey,
}

#[async_trait]
impl Operation for FindLast<'_> {
    /// Time, status, size of the JSON, and the packed JSON.
    type Output = Option<(Duration, Option<u16>, u64, Vec<u8>)>;

    async fn run(&self, t: &Transaction<'_>) -> Result<Self::Output, Failure> {
        let text = self.sql.text(
            "SELECT at, status, size, body FROM {schema}.history \
             WHERE team = $1 AND page = substring(sha256($2) FROM 1 FOR 16) AND job <> $3 \
             ORDER BY number DESC LIMIT 1",
        );
        let row = t
            .query_typed_opt(
                &text,
                &[
                    (&self.key.team.as_str(), Type::TEXT),
                    (&page(self.key), Type::BYTEA),
                    (self.job.as_uuid(), Type::UUID),
                ],
            )
            .await?;
        row.map(|row| {
            let (at, status) = (row.try_get::<_, i64>(0)?, row.try_get::<_, Option<i32>>(1)?);
            let status = status.and_then(|status| u16::try_from(status).ok());
            Ok((from_micros(at), status, count(row.try_get(2)?), row.try_get(3)?))
        })
        .transpose()
    }
}

impl Inner {
    pub(crate) async fn last_scrape(
        &self,
        job: JobId,
        key: &HistoryKey,
    ) -> Result<Option<PastScrape>, Error> {
        // Scrapes of jobs in memory are recorded there.
        let local = self.memory.last_scrape(job, key).await?;
        let found = self.db.read(&FindLast { sql: &self.db.sql, job, key }).await?;
        let newer = found.filter(|(at, ..)| local.as_ref().is_none_or(|local| local.at < *at));
        let Some((at, status, size, body)) = newer else { return Ok(local) };
        let parsed = blocking::run(size > blocking::LARGE as u64, move || {
            let json = unpack(body, size);
            Ok(json.and_then(|json| {
                let Body { markdown, json } = serde_json::from_slice(&json).ok()?;
                Some((Arc::<str>::from(markdown), json))
            }))
        });
        let Some((markdown, json)) = parsed.await? else {
            tracing::warn!(%job, "the last scrape of a page cannot be read, so the page counts as new");
            return Ok(local);
        };
        Ok(Some(PastScrape { at, status, markdown, json }))
    }
}

#[cfg(test)]
mod tests {
    use gleaner_store::TeamId;

    use super::*;

    #[test]
    fn each_tag_has_a_page_of_its_own() {
        let key = |url: &str, tag: Option<&str>| {
            let (team, url) = (TeamId::new("a"), url.to_owned());
            page(&HistoryKey { team, url, tag: tag.map(str::to_owned) })
        };
        let pages = [key("https://a/", None), key("https://a/", Some("")), key("https://a/", Some("x"))];
        let distinct: HashSet<&Vec<u8>> = pages.iter().collect();
        assert_eq!(distinct.len(), 3);
    }

    #[tokio::test]
    async fn an_encoded_scrape_is_small_and_complete() {
        for length in [1, 200_000] {
            let markdown: Arc<str> = "é".repeat(length).into();
            let json = Some(Value::from("\0"));
            let scrape = PastScrape { at: Duration::ZERO, status: None, markdown, json };
            let key = HistoryKey { team: TeamId::new("a"), url: "https://a/".to_owned(), tag: None };
            let encoded = encode(TrackedScrape { key, scrape: scrape.clone() }).await.unwrap();
            assert!(encoded.body.len() < 1_000);
            let unpacked = unpack(encoded.body, encoded.size).unwrap();
            let Body { markdown, json } = serde_json::from_slice(&unpacked).unwrap();
            assert_eq!((markdown.as_ref(), json), (scrape.markdown.as_ref(), scrape.json));
        }
    }
}
