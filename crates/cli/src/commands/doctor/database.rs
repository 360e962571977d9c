//! The PostgreSQL database: it can be reached, is new enough, and has the tables of this version.

use std::time::Duration;

use gleaner::postgres::{JobList, PostgresStore};

use super::MAX_CHECK;
use super::finding::Finding;
use crate::args::DatabaseUrl;

const CHECK: &str = "database";

/// The oldest version that works.
const OLDEST: u32 = 15;

const REACH: &str = "check the host, the port, the user and the password of --database, and whether the server \
                     runs";

const MIGRATE: &str = "gleaner migrate --database URL creates or upgrades the tables";

/// How long one operation waits for the database. Each check makes two.
const PATIENCE: Duration = Duration::from_secs(4);

pub(super) fn late() -> Finding {
    Finding::broken(CHECK, format!("it did not answer within {} seconds", MAX_CHECK.as_secs()), REACH)
}

/// Nothing without a URL.
pub(super) async fn check(url: Option<&DatabaseUrl>) -> Vec<Finding> {
    let Some(url) = url else { return Vec::new() };
    let mut config = url.config();
    config.patience = PATIENCE;
    let version = match PostgresStore::server_version(&config).await {
        Ok(version) => version,
        Err(error) => return vec![Finding::broken(CHECK, error.to_string(), REACH)],
    };
    if let Some(old) = too_old(version) {
        return vec![old];
    }
    vec![match JobList::open(&config).await {
        Ok(_) => {
            Finding::ok(CHECK, format!("PostgreSQL {} has the tables of this version", readable(version)))
        }
        Err(error) => Finding::broken(CHECK, error.to_string(), MIGRATE),
    }]
}

fn too_old(version: u32) -> Option<Finding> {
    let text = format!("PostgreSQL {} is too old", readable(version));
    (version / 10_000 < OLDEST)
        .then(|| Finding::broken(CHECK, text, &format!("use PostgreSQL {OLDEST} or later")))
}

/// `15.4` for 150004.
fn readable(version: u32) -> String {
    format!("{}.{}", version / 10_000, version % 10_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_servers_are_refused() {
        assert!(too_old(150_000).is_none() && too_old(180_001).is_none());
        let lines = too_old(140_012).unwrap().lines();
        assert!(lines.starts_with("broken ") && lines.contains("PostgreSQL 14.12 is too old"), "{lines}");
    }
}
