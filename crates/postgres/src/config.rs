//! The configuration of a PostgreSQL store.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use gleaner_store::MemoryConfig;

use crate::address::Address;

/// Where the database of a [`PostgresStore`](crate::PostgresStore) is, and how this process works with it.
#[derive(Clone)]
#[non_exhaustive]
pub struct PostgresConfig {
    /// The address of the database: `postgresql://USER:PASSWORD@HOST:PORT/DATABASE`.
    ///
    /// `?sslmode=` decides about TLS, with the meanings of libpq: `disable`; `prefer`, the default, which
    /// uses TLS if the server offers it; `require`; `verify-full`, which also verifies the certificate of the
    /// server and its name. With [`ca_certificate`](Self::ca_certificate), `require` verifies as well. Other
    /// options are those of `tokio_postgres::Config`.
    pub url: String,
    /// A PEM file with the certificates of authorities that the certificate of the server is verified
    /// against. By default they are those of Mozilla. `?sslrootcert=` of the URL is the same.
    pub ca_certificate: Option<PathBuf>,
    /// The schema with all tables. Default `gleaner`.
    pub schema: String,
    /// Maximum number of connections for operations. Default 8. One more renews the term.
    pub connections: usize,
    /// The name of this process in [`Stats`](crate::Stats). Default `process ID`.
    pub name: String,
    /// The process holds its hosts and jobs for this time after each renewal. Others take over after it.
    /// Default 15 s.
    pub term: Duration,
    /// Time between renewals. Default 2 s; at most a fifth of the term is used.
    pub heartbeat: Duration,
    /// Time between looks for changes by other processes, and for free hosts. Default 250 ms.
    pub poll: Duration,
    /// An operation is tried again for this time while the database does not answer or aborts it. Default
    /// 30 s. A statement may take half of it. A process that stops in the middle of an operation keeps its
    /// locks for at most a sixth of it.
    pub patience: Duration,
    /// Ended jobs are removed after this time, as in [`MemoryConfig::retention`].
    pub retention: Duration,
    /// Limits of jobs that only this process knows: those with zero data retention, and single scrapes. Its
    /// [`frontier`](MemoryConfig::frontier) applies to all pages of the process.
    pub memory: MemoryConfig,
}

impl PostgresConfig {
    /// The defaults, for the database with this URL.
    pub fn new(url: impl Into<String>) -> Self {
        let memory = MemoryConfig::default();
        Self {
            url: url.into(),
            ca_certificate: None,
            schema: "gleaner".to_owned(),
            connections: 8,
            name: format!("process {}", std::process::id()),
            term: Duration::from_secs(15),
            heartbeat: Duration::from_secs(2),
            poll: Duration::from_millis(250),
            patience: Duration::from_secs(30),
            retention: memory.retention,
            memory,
        }
    }
}

/// Shows the address without its password.
impl fmt::Debug for PostgresConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = Address::parse(&self.url).map_or_else(|_| "(not valid)".to_owned(), |it| it.place());
        f.debug_struct("PostgresConfig")
            .field("url", &place)
            .field("ca_certificate", &self.ca_certificate)
            .field("schema", &self.schema)
            .field("connections", &self.connections)
            .field("name", &self.name)
            .field("term", &self.term)
            .field("heartbeat", &self.heartbeat)
            .field("poll", &self.poll)
            .field("patience", &self.patience)
            .field("retention", &self.retention)
            .field("memory", &self.memory)
            .finish()
    }
}

impl From<&str> for PostgresConfig {
    /// The settings of [`new`](Self::new) with this URL.
    fn from(url: &str) -> Self {
        Self::new(url)
    }
}

impl From<String> for PostgresConfig {
    /// The settings of [`new`](Self::new) with this URL.
    fn from(url: String) -> Self {
        Self::new(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_not_shown() {
        for url in [
            "postgresql://gleaner:geheim@db.test:5433/crawl",
            "postgresql://gleaner@db.test:5433/crawl?password=geheim",
            "postgresql://gleaner:ge@geheim:x@db.test/crawl",
            "geheim",
        ] {
            let shown = format!("{:?}", PostgresConfig::new(url));
            assert!(!shown.contains("geheim"), "{shown}");
        }
        let shown = format!("{:?}", PostgresConfig::new("postgres://gleaner:geheim@db.test:5433/crawl"));
        assert!(shown.contains("gleaner@db.test:5433/crawl"), "{shown}");
    }
}
