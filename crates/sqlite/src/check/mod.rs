//! Verifies a file.

mod documents;
mod facts;
mod finding;
mod sealed;
mod store;

use std::collections::HashMap;

use gleaner_store::Error;
use rusqlite::Connection;

pub use finding::Finding;

use crate::failure;
use crate::read;
use crate::secrets::Secrets;

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
    let jobs = match read::jobs(connection) {
        Ok(jobs) => jobs,
        // A broken job is among the sealed rows.
        Err(_) if !findings.is_empty() => return Ok(findings),
        Err(error) => return Err(error),
    };
    let mut totals = HashMap::new();
    for job in &jobs {
        let documents = documents::check(connection, job.number, &mut findings)?;
        let sums = facts::check(connection, (job.number, job.has_ended), &documents, &mut findings)?;
        totals.extend(sums.map(|sums| (job.id, (job.number, sums))));
    }
    // The job 0 is the store itself.
    if facts::check(connection, (0, false), &(0..0), &mut findings)?.is_some() {
        store::check(connection, &totals, &mut findings)?;
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
