//! The plain queue beside which the store is measured: a row for each page with its URL, leased one at a time
//! by `SKIP LOCKED`. It has no politeness, no limits and no credits.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio_postgres::{Client, Statement};

use crate::site::{Site, text};
use crate::{Failure, connect};

/// The schema of the tables.
pub(crate) const SCHEMA: &str = "plain";

const TABLES: &str = "
    CREATE SCHEMA plain;
    CREATE TABLE plain.job (id int PRIMARY KEY, completed bigint NOT NULL DEFAULT 0) WITH (fillfactor = 50);
    INSERT INTO plain.job (id) VALUES (1);
    CREATE TABLE plain.page (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        job int NOT NULL,
        url text NOT NULL,
        state smallint NOT NULL DEFAULT 0,
        leased_until timestamptz,
        UNIQUE (job, url)
    );
    CREATE INDEX page_waiting ON plain.page (id) WHERE state = 0;
    CREATE TABLE plain.document (page bigint PRIMARY KEY, job int NOT NULL, body text NOT NULL);";

const LEASE: &str = "
    UPDATE plain.page SET state = 1, leased_until = now() + interval '1 minute'
    WHERE id = (SELECT id FROM plain.page WHERE state = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id, url";
const ADD: &str = "
    INSERT INTO plain.page (job, url) SELECT 1, unnest($1::text[]) ON CONFLICT DO NOTHING";
const END: &str = "UPDATE plain.page SET state = 2, leased_until = NULL WHERE id = $1";
const KEEP: &str = "INSERT INTO plain.document (page, job, body) VALUES ($1, 1, $2)";
const COUNT: &str = "UPDATE plain.job SET completed = completed + 1 WHERE id = 1";

/// Statements of a page: the lease, `BEGIN`, four of the finish, and `COMMIT`.
pub(crate) const STATEMENTS_PER_PAGE: f64 = 7.0;

/// Creates the tables, with the first pages of the site.
pub(crate) async fn start(url: &str, site: &Site) -> Result<(), Failure> {
    let client = connect(url).await?;
    client.batch_execute(TABLES).await?;
    client.execute(ADD, &[&urls(site, site.first())]).await?;
    Ok(())
}

/// Sorted, so that transactions do not wait for each other in a circle.
fn urls(site: &Site, pages: impl IntoIterator<Item = u64>) -> Vec<String> {
    let mut urls: Vec<String> = pages.into_iter().map(|page| site.url(page)).collect();
    urls.sort_unstable();
    urls
}

/// A connection with its statements.
struct Worker {
    client: Client,
    lease: Statement,
    add: Statement,
    end: Statement,
    keep: Statement,
    count: Statement,
}

impl Worker {
    async fn connect(url: &str) -> Result<Self, Failure> {
        let client = connect(url).await?;
        Ok(Self {
            lease: client.prepare(LEASE).await?,
            add: client.prepare(ADD).await?,
            end: client.prepare(END).await?,
            keep: client.prepare(KEEP).await?,
            count: client.prepare(COUNT).await?,
            client,
        })
    }
}

/// Leases and finishes pages on one connection until `pages` are done by all.
pub(crate) async fn work(url: &str, site: &Site, done: &AtomicU64, pages: u64) -> Result<(), Failure> {
    let mut worker = Worker::connect(url).await?;
    while done.load(Ordering::Relaxed) < pages {
        let Some(row) = worker.client.query_opt(&worker.lease, &[]).await? else {
            tokio::task::yield_now().await;
            continue;
        };
        let (id, page): (i64, String) = (row.try_get(0)?, row.try_get(1)?);
        let number = site.number(&page)?;
        let transaction = worker.client.transaction().await?;
        // The links first: who has changed the row of a page waits for no other page, so no circle forms.
        transaction.execute(&worker.add, &[&urls(site, site.links(number))]).await?;
        transaction.execute(&worker.end, &[&id]).await?;
        transaction.execute(&worker.keep, &[&id, &text(number)]).await?;
        transaction.execute(&worker.count, &[]).await?;
        transaction.commit().await?;
        done.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}
