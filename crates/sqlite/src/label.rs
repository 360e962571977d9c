//! The label of a file: a text of the program that starts jobs in it, such as what the file is for.

use std::path::Path;

use gleaner_store::journal::Damage;
use gleaner_store::{Error, ErrorKind};
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior};

use crate::read::failed;
use crate::seal::{seal, unseal};
use crate::{failure, opening};

/// The name under which the file has it.
const LABEL: &str = "label";

/// Labels a file that has no jobs, and creates the file if it does not exist. Returns false if it has jobs:
/// then its label stays. This blocks.
///
/// # Errors
/// Those of [`SqliteJournal::open`](crate::SqliteJournal::open).
pub fn set_label(path: impl AsRef<Path>, label: &str) -> Result<bool, Error> {
    let mut opening = opening::open(path.as_ref())?;
    write(&mut opening.connection, label)
        .map_err(|error| failure::sqlite("the label of the file could not be written", &error))
}

fn write(connection: &mut Connection, label: &str) -> rusqlite::Result<bool> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let sql = "SELECT EXISTS(SELECT 1 FROM job)";
    if transaction.query_row(sql, [], |row| row.get::<_, bool>(0))? {
        return Ok(false);
    }
    let sql = "INSERT OR REPLACE INTO meta(name, value) VALUES(?1, ?2)";
    transaction.execute(sql, (LABEL, seal(label.as_bytes())))?;
    transaction.commit()?;
    Ok(true)
}

/// The label of a file; `None` if it has none.
pub(crate) fn read(connection: &Connection) -> Result<Option<String>, Error> {
    let sql = "SELECT value FROM meta WHERE name = ?1";
    let sealed = connection.query_row(sql, [LABEL], |row| row.get::<_, Vec<u8>>(0)).optional();
    let text = |sealed: &[u8]| {
        let bytes = unseal(sealed)?.to_vec();
        String::from_utf8(bytes).map_err(|_| Damage::Invalid)
    };
    let label = sealed.map_err(failed)?.as_deref().map(text).transpose();
    label.map_err(|damage| Error::new(ErrorKind::Damaged, format!("the label cannot be read: {damage}")))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gleaner_frontier::JobRules;
    use gleaner_store::NewJob;
    use gleaner_store::journal::{Batch, Journal as _, Row};
    use gleaner_types::JobId;
    use uuid::Uuid;

    use super::*;
    use crate::{FileConfig, Reader, SqliteJournal, connection};

    #[test]
    fn the_label_stays_when_the_file_has_a_job() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jobs.db");
        assert_eq!((set_label(&path, "first").unwrap(), set_label(&path, "second").unwrap()), (true, true));
        let label = || Reader::open(&path).unwrap().label().unwrap();
        assert_eq!(label().as_deref(), Some("second"));

        let (journal, ..) = SqliteJournal::open(&path, &FileConfig::default()).unwrap();
        assert_eq!(set_label(&path, "third").unwrap_err().kind(), ErrorKind::Busy);
        let id = JobId::from_uuid(Uuid::from_u128(1));
        let job = Box::new(NewJob::new(id, None, JobRules::with_limit(1), Vec::new()));
        let mut batch = Batch::default();
        (batch.job, batch.rows) = (1, vec![Row::Submitted { job, at: Duration::ZERO }]);
        journal.append(vec![batch]);
        drop(journal);
        assert!(!set_label(&path, "third").unwrap());
        assert_eq!(label().as_deref(), Some("second"));
    }

    #[test]
    fn a_changed_label_is_damage() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jobs.db");
        set_label(&path, "text").unwrap();
        let change = "UPDATE meta SET value = CAST(x'00' || value AS BLOB) WHERE name = 'label'";
        connection::writer(&path).unwrap().execute_batch(change).unwrap();
        let reader = Reader::open(&path).unwrap();
        assert_eq!(reader.label().unwrap_err().kind(), ErrorKind::Damaged);
        let findings = reader.check().unwrap();
        assert!(findings.iter().any(|finding| finding.table == "meta"), "{findings:?}");
    }

    #[test]
    fn a_file_without_a_label_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jobs.db");
        drop(SqliteJournal::open(&path, &FileConfig::default()).unwrap());
        assert_eq!(Reader::open(&path).unwrap().label().unwrap(), None);
    }
}
