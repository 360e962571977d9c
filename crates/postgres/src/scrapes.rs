//! Documents of single scrapes, and lookups by scrape id.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_store::parts::{scrape_id_of, scrape_job_range, scrape_local_half};
use gleaner_store::{Error, ErrorKind, MAX_KEPT_SCRAPE_BYTES, MAX_KEPT_SCRAPES, Store, TeamId};
use gleaner_types::Document;
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::blocking;
use crate::database::Sql;
use crate::documents::{EncodedDocument, encode};
use crate::failure::Failure;
use crate::inner::Inner;
use crate::operation::Operation;
use crate::packed::unpack;
use crate::transaction::Transaction;
use crate::units::{big, count, micros};

/// Minimum weight of a document in bytes, so that the limit in bytes also limits the number.
const MIN_WEIGHT: usize = MAX_KEPT_SCRAPE_BYTES.div_ceil(MAX_KEPT_SCRAPES);

/// Keeps the document of a single scrape.
#[derive(Debug)]
struct KeepScrape<'a> {
    sql: &'a Sql,
    team: &'a TeamId,
    scrape: Uuid,
    document: &'a EncodedDocument,
    now: Duration,
}

#[async_trait]
impl Operation for KeepScrape<'_> {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let text = self.sql.text(
            "INSERT INTO {schema}.scrape (id, team, at, size, body) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (id) DO NOTHING",
        );
        let (team, body) = (self.team.as_str(), self.document.body.as_slice());
        t.execute_typed(
            &text,
            &[
                (&self.scrape, Type::UUID),
                (&team, Type::TEXT),
                (&micros(self.now), Type::INT8),
                (&big(self.document.size), Type::INT8),
                (&body, Type::BYTEA),
            ],
        )
        .await?;
        Ok(())
    }
}

/// Finds the document of a scrape: a kept one, or a page of a job that keeps its documents.
#[derive(Debug)]
struct FindScrape<'a> {
    sql: &'a Sql,
    team: &'a TeamId,
    scrape: Uuid,
}

#[async_trait]
impl Operation for FindScrape<'_> {
    /// The size of its JSON, and the packed JSON.
    type Output = Option<(u64, Vec<u8>)>;

    async fn run(&self, t: &Transaction<'_>) -> Result<Self::Output, Failure> {
        let text = self.sql.text(
            "SELECT size, body FROM {schema}.scrape WHERE id = $1 AND team = $2 \
             UNION ALL \
             SELECT document.size, document.body FROM {schema}.job JOIN {schema}.document \
                 ON document.day = (job.created_at / 86400000000)::int AND document.job = job.number \
             WHERE job.id BETWEEN $3 AND $4 AND job.team = $2 AND job.keeps AND NOT job.removed \
                 AND document.scrape = $5 \
             LIMIT 1",
        );
        let (first, last) = scrape_job_range(self.scrape);
        let half = scrape_local_half(self.scrape).cast_signed();
        let row = t
            .query_typed_opt(
                &text,
                &[
                    (&self.scrape, Type::UUID),
                    (&self.team.as_str(), Type::TEXT),
                    (first.as_uuid(), Type::UUID),
                    (last.as_uuid(), Type::UUID),
                    (&half, Type::INT8),
                ],
            )
            .await?;
        row.map(|row| Ok((count(row.try_get(0)?), row.try_get(1)?))).transpose()
    }
}

/// Removes scrapes that were kept at or before a time. Above the limit of their size, it removes the oldest
/// of the teams with the most, so that no team displaces the scrapes of a team with fewer.
pub(crate) async fn expire_scrapes(t: &Transaction<'_>, sql: &Sql, until: Duration) -> Result<(), Failure> {
    let expired = sql.text("DELETE FROM {schema}.scrape WHERE at <= $1");
    t.execute_typed(&expired, &[(&micros(until), Type::INT8)]).await?;
    // The newest scrapes of all teams, the same size of each, fill the limit.
    let above = sql.text(
        "DELETE FROM {schema}.scrape WHERE \
         (SELECT sum(greatest(size, $1)) FROM {schema}.scrape) > $2 AND id IN ( \
             SELECT id FROM (SELECT id, sum(weight) OVER (ORDER BY newer, id) AS total FROM ( \
                 SELECT id, greatest(size, $1) AS weight, \
                     sum(greatest(size, $1)) OVER (PARTITION BY team ORDER BY at DESC, id) AS newer \
                 FROM {schema}.scrape) AS of_team) AS of_all \
             WHERE total > $2)",
    );
    let (min, max) = (big(MIN_WEIGHT as u64), big(MAX_KEPT_SCRAPE_BYTES as u64));
    t.execute_typed(&above, &[(&min, Type::INT8), (&max, Type::INT8)]).await?;
    Ok(())
}

impl Inner {
    pub(crate) async fn keep_scrape(
        &self,
        team: &TeamId,
        document: &Document,
        now: Duration,
    ) -> Result<(), Error> {
        let Some(scrape) = scrape_id_of(document) else { return Ok(()) };
        let encoded = encode(Box::new(document.clone())).await?;
        if encoded.size > MAX_KEPT_SCRAPE_BYTES as u64 {
            return Ok(());
        }
        let sql = &self.db.sql;
        Ok(self.db.write(&KeepScrape { sql, team, scrape, document: &encoded, now }).await?)
    }

    pub(crate) async fn scraped(&self, team: &TeamId, scrape: Uuid) -> Result<Option<Bytes>, Error> {
        if let Some(found) = self.memory.scraped(team, scrape).await? {
            return Ok(Some(found));
        }
        let found = self.db.read(&FindScrape { sql: &self.db.sql, team, scrape }).await?;
        let Some((size, body)) = found else { return Ok(None) };
        let unpacked = blocking::run(size > blocking::LARGE as u64, move || {
            unpack(body, size).ok_or_else(|| {
                let text = format!("the document of scrape {scrape} in the database cannot be read");
                Error::new(ErrorKind::Damaged, text)
            })
        });
        Ok(Some(Bytes::from(unpacked.await?)))
    }
}
