//! Verifies a file.

mod blocks;
mod documents;
mod finding;
mod sealed;

use gleaner_store::Error;
use rusqlite::Connection;

pub use finding::Finding;

use crate::secrets::Secrets;
use crate::{failure, label, read};

/// Findings of one kind of check, at most: a damaged medium damages much.
const MAX_FINDINGS: usize = 100;

/// Everything that is wrong with the file.
pub(crate) fn check(connection: &Connection, secrets: &Secrets) -> Result<Vec<Finding>, Error> {
    let mut findings = structure(connection)?;
    if !findings.is_empty() {
        // The rows of a file with a broken structure cannot be trusted.
        return Ok(findings);
    }
    findings.extend(sealed::check(connection)?);
    if let Err(error) = label::read(connection) {
        findings.push(Finding::new("meta", "the label".to_owned(), &error.to_string()));
    }
    let jobs = match read::jobs(connection) {
        Ok(jobs) => jobs,
        // A broken job is among the sealed rows.
        Err(_) if !findings.is_empty() => return Ok(findings),
        Err(error) => return Err(error),
    };
    // The job 0 is the store itself.
    for job in std::iter::once(0).chain(jobs.iter().map(|job| job.number)) {
        let documents = documents::check(connection, job, &mut findings)?;
        blocks::check(connection, job, documents, &mut findings)?;
    }
    let (with_secrets, _) =
        secrets.list().map_err(|error| failure::file("the secrets could not be read", &error))?;
    for job in with_secrets {
        if !jobs.iter().any(|record| record.id == job) {
            findings.push(Finding::new("secrets", format!("job {job}"), "the job is not in the file"));
        }
    }
    findings.truncate(MAX_FINDINGS);
    Ok(findings)
}

/// What SQLite finds in its pages.
fn structure(connection: &Connection) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    let checked = connection.pragma(None, "integrity_check", MAX_FINDINGS as i64, |row| {
        let problem: String = row.get(0)?;
        if problem != "ok" {
            findings.push(Finding::new("sqlite", "the file".to_owned(), &problem));
        }
        Ok(())
    });
    if let Err(error) = checked {
        findings.push(Finding::new("sqlite", "the file".to_owned(), &error.to_string()));
    }
    Ok(findings)
}

#[cfg(test)]
mod tests;
