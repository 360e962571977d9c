//! Tests that an operation is committed once when connections break or the server dies.

use std::sync::atomic::AtomicUsize;

use async_trait::async_trait;
use futures_util::future::{join, join_all};
use gleaner_testkit::{Bouncer, CutProxy, Moment, PgServer};
use tokio::sync::{Barrier, Notify};
use tokio_postgres::types::Type;

use super::*;

/// A server of its own for tests that disturb it, or the shared one, with a new database.
fn config(url: String) -> PostgresConfig {
    let mut config = PostgresConfig::new(url);
    config.connections = 4;
    config
}

async fn migrated(config: &PostgresConfig) -> Database {
    migrate::migrate(config).await.unwrap();
    let database = Database::connect(config).await.unwrap();
    let text = database.sql.text("CREATE TABLE IF NOT EXISTS {schema}.done (number int, at int)");
    database.write(&Execute(text)).await.unwrap();
    database
}

fn name_of(url: &str) -> &str {
    url.rsplit_once('/').unwrap().1
}

struct Execute(String);

#[async_trait]
impl Operation for Execute {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        t.batch_execute(&self.0).await
    }
}

/// Adds a row, and returns its number.
struct Add<'a> {
    sql: &'a Sql,
    number: i32,
}

#[async_trait]
impl Operation for Add<'_> {
    type Output = i32;

    async fn run(&self, t: &Transaction<'_>) -> Result<i32, Failure> {
        let text = self.sql.text("INSERT INTO {schema}.done (number) VALUES ($1) RETURNING number");
        Ok(t.query_typed_one(&text, &[(&self.number, Type::INT4)]).await?.try_get(0)?)
    }
}

struct Count<'a>(&'a Sql);

#[async_trait]
impl Operation for Count<'_> {
    /// Rows and numbers.
    type Output = (i64, i64);

    async fn run(&self, t: &Transaction<'_>) -> Result<(i64, i64), Failure> {
        let text = self.0.text("SELECT count(*), count(DISTINCT number) FROM {schema}.done");
        let row = t.query_typed_one(&text, &[]).await?;
        Ok((row.try_get(0)?, row.try_get(1)?))
    }
}

/// Adds these numbers, all at once.
async fn add_all(database: &Database, numbers: std::ops::Range<i32>) {
    let sql = &database.sql;
    let added = numbers.map(|number| async move {
        assert_eq!(database.write(&Add { sql, number }).await.unwrap(), number);
    });
    join_all(added).await;
}

#[tokio::test]
async fn an_operation_happens_once_when_connections_are_cut_at_its_commit() {
    let Some(server) = PgServer::shared() else { return };
    let url = server.create_database();
    let proxy = CutProxy::start(server.port());
    let database = migrated(&config(proxy.url(name_of(&url)))).await;
    for moment in [Moment::Before, Moment::After] {
        proxy.cut_next_commit(moment);
        add_all(&database, 0..1).await;
    }
    assert_eq!((proxy.cuts(), database.counts().retries), (2, 2));
    proxy.cut_commit_every(3);
    add_all(&database, 1..60).await;
    proxy.cut_commit_every(0);
    assert!(proxy.cuts() > 20);
    assert_eq!(database.read(&Count(&database.sql)).await.unwrap(), (61, 60));
    proxy.cut_all();
    add_all(&database, 60..70).await;
    assert_eq!(database.read(&Count(&database.sql)).await.unwrap(), (71, 70));
    // A marker stays only for the last operation of each connection.
    let markers = server.query(name_of(&url), "SELECT count(*) FROM gleaner.operation");
    assert!(markers.parse::<u64>().unwrap() <= database.counts().connections, "{markers}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operation_happens_once_when_the_server_is_killed() {
    let Some(server) = PgServer::start().map(Arc::new) else { return };
    let database = migrated(&config(server.create_database())).await;
    for round in 0..3 {
        let half = database.counts().commits + 50;
        let crash = async {
            while database.counts().commits < half {
                tokio::task::yield_now().await;
            }
            let server = Arc::clone(&server);
            let crash = move || {
                server.kill();
                server.restart();
            };
            tokio::task::spawn_blocking(crash).await.unwrap();
        };
        join(add_all(&database, round * 100..(round + 1) * 100), crash).await;
    }
    assert_eq!(database.read(&Count(&database.sql)).await.unwrap(), (300, 300));
}

#[tokio::test]
async fn a_dropped_operation_is_not_committed_and_its_connection_not_used_again() {
    struct Hang<'a> {
        add: Add<'a>,
        added: Notify,
    }

    #[async_trait]
    impl Operation for Hang<'_> {
        type Output = ();

        async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
            self.add.run(t).await?;
            self.added.notify_one();
            std::future::pending().await
        }
    }

    let Some(server) = PgServer::shared() else { return };
    let mut config = config(server.create_database());
    config.connections = 1;
    let database = migrated(&config).await;
    let hang = Hang { add: Add { sql: &database.sql, number: 1 }, added: Notify::new() };
    tokio::select! {
        _ = database.write(&hang) => panic!("it never ends"),
        () = hang.added.notified() => {}
    }
    let before = database.counts().connections;
    add_all(&database, 2..4).await;
    assert_eq!(database.read(&Count(&database.sql)).await.unwrap(), (2, 2));
    assert_eq!(database.counts().connections, before + 1);
}

#[tokio::test]
async fn a_refused_operation_is_rolled_back_and_its_connection_used_again() {
    struct Refuse<'a>(Add<'a>);

    #[async_trait]
    impl Operation for Refuse<'_> {
        type Output = ();

        async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
            self.0.run(t).await?;
            Err(Failure::TermEnded)
        }
    }

    /// Takes no notice of a statement that fails.
    struct Careless<'a>(Add<'a>);

    #[async_trait]
    impl Operation for Careless<'_> {
        type Output = ();

        async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
            self.0.run(t).await?;
            assert!(t.batch_execute("SELECT 1 / 0").await.is_err());
            Ok(())
        }
    }

    let Some(server) = PgServer::shared() else { return };
    let database = migrated(&config(server.create_database())).await;
    let before = database.counts();
    let add = || Add { sql: &database.sql, number: 1 };
    assert!(matches!(database.write(&Refuse(add())).await, Err(Failure::TermEnded)));
    assert_eq!(database.counts().connections, before.connections);
    assert!(database.write(&Careless(add())).await.is_err());
    let failure = database.write(&Execute("SELECT 1 / 0".to_owned())).await.unwrap_err();
    assert!(Error::from(failure).to_string().contains("division by zero"));
    assert_eq!(database.read(&Count(&database.sql)).await.unwrap(), (0, 0));
    assert_eq!(database.counts().commits, before.commits);
}

#[tokio::test]
async fn a_deadlock_ends_with_both_operations() {
    struct LockBoth<'a> {
        sql: &'a Sql,
        numbers: [i32; 2],
        tries: AtomicUsize,
        both_have_one: &'a Barrier,
    }

    #[async_trait]
    impl Operation for LockBoth<'_> {
        type Output = ();

        async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
            let text = self.sql.text("UPDATE {schema}.done SET at = coalesce(at, 0) + 1 WHERE number = $1");
            let [first, second] = &self.numbers;
            t.execute_typed(&text, &[(first, Type::INT4)]).await?;
            if self.tries.fetch_add(1, Ordering::Relaxed) == 0 {
                self.both_have_one.wait().await;
            }
            t.execute_typed(&text, &[(second, Type::INT4)]).await?;
            Ok(())
        }
    }

    let Some(server) = PgServer::shared() else { return };
    let url = server.create_database();
    let database = migrated(&config(url.clone())).await;
    add_all(&database, 0..2).await;
    let barrier = Barrier::new(2);
    let both = [[0, 1], [1, 0]].map(|numbers| LockBoth {
        sql: &database.sql,
        numbers,
        tries: AtomicUsize::new(0),
        both_have_one: &barrier,
    });
    let results = join(database.write(&both[0]), database.write(&both[1])).await;
    assert!(results.0.is_ok() && results.1.is_ok());
    assert_eq!(database.counts().retries, 1);
    assert_eq!(server.query(name_of(&url), "SELECT sum(at) FROM gleaner.done"), "4");
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_an_error_that_names_it() {
    let Some(server) = PgServer::shared() else { return };
    let url = server.create_database();
    let proxy = CutProxy::start(server.port());
    let mut config = config(proxy.url(name_of(&url)).replace("postgres@", "postgres:secret@"));
    migrated(&config).await;
    config.patience = Duration::from_secs(4);
    let database = Database::connect(&config).await.unwrap();
    proxy.pause();
    let add = Add { sql: &database.sql, number: 1 };
    let error = Error::from(database.write(&add).await.unwrap_err());
    let text = error.to_string();
    assert!(text.contains(&format!("postgres@127.0.0.1:{}", proxy.port())), "{text}");
    assert!(!text.contains("secret"), "{text}");
    proxy.resume();
    add_all(&database, 2..3).await;
    assert_eq!(database.read(&Count(&database.sql)).await.unwrap(), (1, 1));
}

#[tokio::test]
async fn operations_pass_a_pooler_in_transaction_mode() {
    struct Limit;

    #[async_trait]
    impl Operation for Limit {
        type Output = String;

        async fn run(&self, t: &Transaction<'_>) -> Result<String, Failure> {
            let row = t.query_typed_one("SELECT current_setting('statement_timeout')", &[]).await?;
            Ok(row.try_get(0)?)
        }
    }

    let Some(server) = PgServer::shared() else { return };
    let Some(bouncer) = Bouncer::start(server) else { return };
    let url = server.create_database();
    let database = migrated(&config(bouncer.url(name_of(&url)))).await;
    add_all(&database, 0..50).await;
    assert_eq!(database.read(&Count(&database.sql)).await.unwrap(), (50, 50));
    // Nothing of a transaction stays in the session.
    let limits = join_all((0..20).map(|_| database.read(&Limit))).await;
    assert!(limits.iter().all(|limit| limit.as_ref().is_ok_and(|limit| limit == "0")), "{limits:?}");
    assert_eq!(database.write(&Limit).await.unwrap(), "15s");
}

#[tokio::test]
async fn a_schema_is_made_once_and_checked() {
    let Some(server) = PgServer::shared() else { return };
    let mut config = config(server.create_database());
    config.schema = "it's \"mine\"".to_owned();
    let version = migrate::server_version(&config).await.unwrap();
    assert!(version >= 150_000, "the version needs no tables: {version}");
    let missing = Database::connect(&config).await.unwrap_err();
    assert!(missing.is_unsuitable() && missing.to_string().contains("gleaner migrate"), "{missing}");
    let at_once = join_all((0..4).map(|_| migrate::migrate(&config))).await;
    assert!(at_once.iter().all(Result::is_ok), "{at_once:?}");
    let database = Database::connect(&config).await.unwrap();
    let stats = crate::Stats::load(&database).await.unwrap();
    assert_eq!((stats.running_jobs, stats.free_hosts, stats.workers.len()), (0, 0, 0));

    let later = database.sql.text("UPDATE {schema}.meta SET version = 1000, compatible_from = 1");
    database.write(&Execute(later)).await.unwrap();
    migrate::migrate(&config).await.unwrap();
    Database::connect(&config).await.unwrap();
    let incompatible = database.sql.text("UPDATE {schema}.meta SET compatible_from = 1000");
    database.write(&Execute(incompatible)).await.unwrap();
    assert!(Database::connect(&config).await.unwrap_err().is_newer());
    assert!(migrate::migrate(&config).await.unwrap_err().is_newer());
}

#[tokio::test]
async fn unsuitable_databases_are_explained() {
    let Some(server) = PgServer::shared() else { return };
    let missing = Database::connect(&config(server.url("missing"))).await.unwrap_err();
    assert!(missing.is_unsuitable() && missing.to_string().contains("createdb"), "{missing}");
    let url = server.create_database();
    let no_tls = Database::connect(&config(format!("{url}?sslmode=require"))).await.unwrap_err();
    assert!(no_tls.to_string().contains("TLS"), "{no_tls}");
}
