//! Verifies a file.

mod documents;
mod facts;
mod finding;
mod sealed;
mod store;

use std::collections::{HashMap, HashSet};
use std::thread;
use std::time::Duration;

use gleaner_store::Error;
use gleaner_types::JobId;
use rusqlite::Connection;

pub use finding::Finding;

use crate::secrets::Secrets;
use crate::{failure, label, read};

/// Findings of one kind of check, at most: a damaged medium damages much.
const MAX_FINDINGS: usize = 100;

/// How often secrets without a job are looked at, and the time between: a process that writes stores them
/// before the job, and removes them after it.
const ATTEMPTS: usize = 10;
const PAUSE: Duration = Duration::from_millis(20);

/// Everything that is wrong with the file.
pub(crate) fn check(connection: &Connection, secrets: &Secrets) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    // All rows are read as they are at one moment: another process may write meanwhile.
    let moment = connection.unchecked_transaction().map_err(read::failed)?;
    let is_readable = check_rows(&moment, &mut findings)?;
    drop(moment);
    if is_readable {
        findings.extend(damaged_secrets(secrets)?);
        for job in secrets_without_job(connection, secrets)? {
            findings.push(Finding::new("secrets", format!("job {job}"), "the job is not in the file"));
        }
    }
    findings.truncate(MAX_FINDINGS);
    Ok(findings)
}

/// Checks all rows. Returns false if the jobs cannot be read.
fn check_rows(connection: &Connection, findings: &mut Vec<Finding>) -> Result<bool, Error> {
    findings.extend(structure(connection)?);
    if !findings.is_empty() {
        // The rows of a file with a broken structure cannot be trusted.
        return Ok(false);
    }
    findings.extend(sealed::check(connection)?);
    if let Err(error) = label::read(connection) {
        findings.push(Finding::new("meta", "the label".to_owned(), &error.to_string()));
    }
    let jobs = match read::jobs(connection) {
        Ok(jobs) => jobs,
        // A broken job is among the sealed rows.
        Err(_) if !findings.is_empty() => return Ok(false),
        Err(error) => return Err(error),
    };
    let mut totals = HashMap::new();
    for job in &jobs {
        let documents = documents::check(connection, job.number, findings)?;
        let sums = facts::check(connection, (job.number, job.has_ended), &documents, findings)?;
        totals.extend(sums.map(|sums| (job.id, (job.number, sums))));
    }
    // The job 0 is the store itself.
    if facts::check(connection, (0, false), &(0..0), findings)?.is_some() {
        store::check(connection, &totals, findings)?;
    }
    Ok(true)
}

/// The jobs that have secrets, and stay out of the file.
fn secrets_without_job(connection: &Connection, secrets: &Secrets) -> Result<Vec<JobId>, Error> {
    let without_job = || -> Result<Vec<JobId>, Error> {
        let listed =
            secrets.list().map_err(|error| failure::file("the secrets could not be read", &error))?;
        let jobs: HashSet<JobId> = read::jobs(connection)?.iter().map(|job| job.id).collect();
        Ok(listed.0.into_iter().filter(|job| !jobs.contains(job)).collect())
    };
    let mut found = without_job()?;
    for _ in 1..ATTEMPTS {
        if found.is_empty() {
            break;
        }
        thread::sleep(PAUSE);
        let again: HashSet<JobId> = without_job()?.into_iter().collect();
        found.retain(|job| again.contains(job));
    }
    Ok(found)
}

/// Files of secrets that have other bytes than were written.
fn damaged_secrets(secrets: &Secrets) -> Result<Vec<Finding>, Error> {
    let failed = |error| failure::file("the secrets could not be read", &error);
    let mut findings = Vec::new();
    for job in secrets.list().map_err(failed)?.0 {
        if secrets.is_damaged(job).map_err(failed)? {
            findings.push(Finding::new("secrets", format!("job {job}"), "the checksum does not match"));
        }
    }
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
