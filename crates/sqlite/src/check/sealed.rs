//! Checksums of rows that are neither blocks nor documents.

use gleaner_store::Error;
use rusqlite::Connection;

use super::Finding;
use crate::read::failed;
use crate::seal::unseal;

/// Each table with the column that names a row and the sealed columns.
const SEALED: &[(&str, &str, &[&str])] = &[
    ("job", "number", &["record"]),
    ("scrape", "place", &["bytes"]),
    ("history", "rowid", &["current", "previous"]),
    ("conclusion", "number", &["bytes"]),
];

pub(super) fn check(connection: &Connection) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    for (table, name, columns) in SEALED {
        for column in *columns {
            let sql = format!("SELECT {name}, {column} FROM {table} WHERE {column} IS NOT NULL");
            let mut statement = connection.prepare(&sql).map_err(failed)?;
            let mut rows = statement.query([]).map_err(failed)?;
            while let Some(row) = rows.next().map_err(failed)? {
                let number: i64 = row.get(0).map_err(failed)?;
                let bytes: Vec<u8> = row.get(1).map_err(failed)?;
                if let Err(damage) = unseal(&bytes) {
                    findings.push(Finding::new(table, format!("{name} {number}"), &damage.to_string()));
                }
            }
        }
    }
    Ok(findings)
}
