//! Documents: checksums, and positions without gaps.

use std::ops::Range;

use gleaner_store::Error;
use rusqlite::Connection;

use super::Finding;
use crate::documents;
use crate::place::{number_of, range};
use crate::read::failed;

/// Checks the documents of a job. Returns their positions.
pub(super) fn check(
    connection: &Connection,
    job: u64,
    findings: &mut Vec<Finding>,
) -> Result<Range<u64>, Error> {
    let (first, last) = range(job);
    let sql = "SELECT place, heads, bytes FROM document WHERE place BETWEEN ?1 AND ?2 ORDER BY place";
    let mut statement = connection.prepare(sql).map_err(failed)?;
    let mut rows = statement.query([first, last]).map_err(failed)?;
    let mut positions: Option<Range<u64>> = None;
    while let Some(row) = rows.next().map_err(failed)? {
        let at = number_of(row.get(0).map_err(failed)?);
        let heads: Vec<u8> = row.get(1).map_err(failed)?;
        let bytes: Vec<u8> = row.get(2).map_err(failed)?;
        let mut add = |problem: &str| {
            let place = format!("the row of document {at} of job {job}");
            findings.push(Finding::new("document", place, problem));
        };
        if let Some(positions) = &positions
            && positions.end != at
        {
            add(&format!("the row before ends at document {}", positions.end));
        }
        let count = match documents::open(&heads, &bytes) {
            Ok(documents) => documents.len(),
            Err(damage) => {
                add(&damage.to_string());
                documents::lengths(&heads).map_or(0, Iterator::count)
            }
        };
        positions = Some(positions.map_or(at, |positions| positions.start)..at + count as u64);
    }
    Ok(positions.unwrap_or(0..0))
}
