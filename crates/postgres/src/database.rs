//! Transactions: each operation happens exactly once, also when connections break.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use gleaner_store::{Error, ErrorKind};
use gleaner_types::BoxFuture;
use tokio::time::Instant;
use tokio_postgres::{Client, SimpleQueryMessage};
use uuid::Uuid;

use crate::address::Address;
use crate::config::PostgresConfig;
use crate::counters::{Counters, DatabaseCounts};
use crate::failure::Failure;
use crate::operation::{Operation, Slot, Step};
use crate::patience::Patience;
use crate::pool::{Pool, Pooled};
pub(crate) use crate::sql::Sql;
use crate::transaction::{Transaction, in_time};
use crate::{migrate, tls};

/// A statement takes at most this part of the patience.
const STATEMENT_PART: u32 = 2;
/// The server ends a transaction whose client is silent after this part of the patience.
const IDLE_PART: u32 = 6;
/// Statements that begin and end a transaction: BEGIN, the one with the marker, and COMMIT or ROLLBACK.
const FRAME_STATEMENTS: u64 = 3;

/// The connections to the database, and the name of the schema.
#[derive(Clone)]
pub(crate) struct Database {
    pub(crate) sql: Sql,
    shared: Arc<Shared>,
}

struct Shared {
    pool: Pool,
    /// The connection for what must not wait behind other operations.
    reserved: Pool,
    counters: Arc<Counters>,
    /// The address for messages.
    place: String,
    patience: Duration,
    limit: Duration,
    /// The process and the number of the next operation: together they mark what was committed.
    process: Uuid,
    next: AtomicI64,
}

impl Database {
    /// Connects, and checks that the schema has the tables of this version.
    pub(crate) async fn connect(config: &PostgresConfig) -> Result<Self, Error> {
        let database = Self::new(config)?;
        migrate::check(&database).await?;
        Ok(database)
    }

    /// The database without a look at it.
    pub(crate) fn new(config: &PostgresConfig) -> Result<Self, Error> {
        let mut address = Address::parse(&config.url)?;
        let authorities = config.ca_certificate.as_deref().or(address.ca_certificate.as_deref());
        let tls = tls::connector(address.verifies, authorities)?;
        let limit = config.patience / STATEMENT_PART;
        if address.options.get_application_name().is_none() {
            address.options.application_name("gleaner");
        }
        if address.options.get_tcp_user_timeout().is_none() {
            address.options.tcp_user_timeout(limit);
        }
        let counters = Arc::new(Counters::default());
        let place = address.place();
        let (options, again) = (address.options.clone(), tls.clone());
        let pool = Pool::new(options, again, config.connections, limit, Arc::clone(&counters));
        let reserved = Pool::new(address.options, tls, 1, limit, Arc::clone(&counters));
        let shared = Shared {
            pool,
            reserved,
            counters,
            place,
            patience: config.patience,
            limit,
            process: Uuid::now_v7(),
            next: AtomicI64::new(1),
        };
        Ok(Self { sql: Sql::new(&config.schema)?, shared: Arc::new(shared) })
    }

    /// What was sent so far.
    pub(crate) fn counts(&self) -> DatabaseCounts {
        self.shared.counters.now()
    }

    /// Runs an operation in a transaction until it is committed or refused. When its future is dropped, the
    /// operation may have been committed.
    pub(crate) async fn write<O: Operation>(&self, operation: &O) -> Result<O::Output, Failure> {
        let slot = Slot::new(operation);
        self.write_step(&self.shared.pool, &slot).await?;
        slot.into_output()
    }

    /// As [`write`](Self::write), on a connection of its own: it does not wait for other operations.
    pub(crate) async fn write_reserved<O: Operation>(&self, operation: &O) -> Result<O::Output, Failure> {
        let slot = Slot::new(operation);
        self.write_step(&self.shared.reserved, &slot).await?;
        slot.into_output()
    }

    /// Runs statements that change nothing, each in a transaction of its own, until they are answered or
    /// refused.
    pub(crate) async fn read<O: Operation>(&self, operation: &O) -> Result<O::Output, Failure> {
        let slot = Slot::new(operation);
        self.read_step(&slot).await?;
        slot.into_output()
    }

    /// Runs an operation that has no effect if it was committed before, without a marker of it and without
    /// limits: it makes the tables.
    pub(crate) async fn write_plain<O: Operation>(&self, operation: &O) -> Result<O::Output, Failure> {
        let slot = Slot::new(operation);
        self.write_plain_step(&slot).await?;
        slot.into_output()
    }

    fn write_step<'a>(&'a self, pool: &'a Pool, step: &'a dyn Step) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(async move {
            let number = self.shared.next.fetch_add(1, Ordering::Relaxed);
            let mut patience = Patience::new(self.shared.patience);
            let mut is_unknown = false;
            loop {
                let failure = match self.try_write(pool, step, number, &mut is_unknown).await {
                    Ok(()) => return Ok(()),
                    Err(failure) => failure,
                };
                let waited = self.wait(&mut patience, failure).await;
                match waited {
                    // Whatever ends the tries: an earlier one may have been committed.
                    Err(failure) if is_unknown => return Err(Failure::Unknown(failure.into())),
                    waited => waited?,
                }
            }
        })
    }

    fn read_step<'a>(&'a self, step: &'a dyn Step) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(async move {
            let mut patience = Patience::new(self.shared.patience);
            loop {
                match self.try_read(step).await {
                    Ok(()) => return Ok(()),
                    Err(failure) => self.wait(&mut patience, failure).await?,
                }
            }
        })
    }

    async fn write_plain_step(&self, step: &dyn Step) -> Result<(), Failure> {
        let mut patience = Patience::new(self.shared.patience);
        loop {
            match self.try_write_plain(step).await {
                Ok(()) => return Ok(()),
                Err(failure) => self.wait(&mut patience, failure).await?,
            }
        }
    }

    /// One try. `is_unknown` is true after a try whose COMMIT got no answer: the step has the output of that
    /// try.
    async fn try_write(
        &self,
        pool: &Pool,
        step: &dyn Step,
        number: i64,
        is_unknown: &mut bool,
    ) -> Result<(), Failure> {
        let Shared { counters, limit, .. } = &*self.shared;
        let mut pooled = pool.take().await?;
        let connection = pooled.connection()?;
        counters.add_statements(FRAME_STATEMENTS);
        let begin = self.begin_text(number, connection.marker);
        let is_new = match in_time(*limit, begin_transaction(&connection.client, &begin)).await {
            Ok(is_new) => is_new,
            Err(failure) => return Err(self.roll_back(pooled, failure).await),
        };
        if !is_new {
            // An earlier try was committed.
            let ended = Failure::damaged("the marker of an operation");
            let ended = self.roll_back(pooled, ended).await;
            return if std::mem::take(is_unknown) { Ok(()) } else { Err(ended) };
        }
        // The insertion of the marker has waited for the end of earlier tries: none was committed.
        *is_unknown = false;
        let transaction = Transaction::new(&connection.client, counters, *limit);
        let result = step.run(&transaction).await;
        let has_failed = transaction.has_failed();
        match result {
            Ok(()) if !has_failed => {}
            Ok(()) => return Err(Failure::damaged("the result of a statement that failed")),
            Err(failure) => return Err(self.roll_back(pooled, failure).await),
        }
        if let Err(failure) = in_time(*limit, connection.client.batch_execute("COMMIT")).await {
            *is_unknown = true;
            return Err(failure);
        }
        counters.add_commit();
        connection.marker = Some(number);
        pooled.give_back();
        Ok(())
    }

    async fn try_read(&self, step: &dyn Step) -> Result<(), Failure> {
        let Shared { pool, counters, limit, .. } = &*self.shared;
        let mut pooled = pool.take().await?;
        let client = &pooled.connection()?.client;
        let result = step.run(&Transaction::new(client, counters, *limit)).await;
        if result.as_ref().err().is_none_or(Failure::is_answer) {
            pooled.give_back();
        }
        result
    }

    async fn try_write_plain(&self, step: &dyn Step) -> Result<(), Failure> {
        /// Tables may be large.
        const LIMIT: Duration = Duration::from_secs(24 * 3600);
        let Shared { pool, counters, limit, .. } = &*self.shared;
        let mut pooled = pool.take().await?;
        let client = &pooled.connection()?.client;
        in_time(*limit, client.batch_execute("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")).await?;
        step.run(&Transaction::new(client, counters, LIMIT)).await?;
        in_time(LIMIT, client.batch_execute("COMMIT")).await?;
        pooled.give_back();
        Ok(())
    }

    /// Begins a transaction with a marker: a row that exists when the operation was committed. An earlier try
    /// that is still under way is waited for. The number of a transaction would not do as a marker: after a
    /// crash, the server uses those again that were not written.
    ///
    /// The limits let the locks of a process end that is stopped in a transaction. `SET LOCAL` and not an
    /// option of the connection, because poolers share sessions.
    fn begin_text(&self, number: i64, old: Option<i64>) -> String {
        let process = self.shared.process;
        let statement = (self.shared.limit).as_millis();
        let idle = (self.shared.patience / IDLE_PART).as_millis();
        let old = old.unwrap_or(0);
        self.sql.text(&format!(
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; \
             WITH old AS (DELETE FROM {{schema}}.operation WHERE process = '{process}' AND number = {old}), \
             new AS (INSERT INTO {{schema}}.operation (process, number) VALUES ('{process}', {number}) \
             ON CONFLICT DO NOTHING RETURNING number) \
             SELECT count(*), set_config('statement_timeout', '{statement}', true), \
             set_config('idle_in_transaction_session_timeout', '{idle}', true) FROM new"
        ))
    }

    /// Ends a transaction that is not committed, and keeps the connection if the server answers.
    async fn roll_back(&self, mut pooled: Pooled<'_>, failure: Failure) -> Failure {
        if failure.is_answer()
            && let Ok(connection) = pooled.connection()
            && in_time(self.shared.limit, connection.client.batch_execute("ROLLBACK")).await.is_ok()
        {
            pooled.give_back();
        }
        failure
    }

    /// Waits before the next try. An error says that this was the last.
    async fn wait(&self, patience: &mut Patience, failure: Failure) -> Result<(), Failure> {
        if let Some(pause) = patience.pause(&failure, Instant::now()) {
            tracing::debug!(%failure, "an operation is tried again");
            self.shared.counters.add_retry();
            tokio::time::sleep(pause).await;
            return Ok(());
        }
        if !failure.is_transient() {
            return Err(failure);
        }
        let Shared { place, patience, .. } = &*self.shared;
        let seconds = patience.as_secs_f64();
        let text = format!("PostgreSQL at {place} did not answer within {seconds} s");
        Err(Failure::Unknown(Error::new(ErrorKind::Io, format!("{text}: {}", Error::from(failure)))))
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("place", &self.shared.place).field("sql", &self.sql).finish()
    }
}

/// Sends the text of [`Database::begin_text`]. False: the marker exists.
async fn begin_transaction(client: &Client, text: &str) -> Result<bool, tokio_postgres::Error> {
    let messages = client.simple_query(text).await?;
    Ok(messages.iter().any(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0) == Some("1"),
        _ => false,
    }))
}

#[cfg(test)]
mod tests;
