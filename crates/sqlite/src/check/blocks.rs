//! Blocks of facts: checksums, numbers, and what the facts of a job must agree on.

use std::collections::HashSet;
use std::ops::Range;

use gleaner_store::Error;
use gleaner_store::journal::{Block, Damage, Fact};
use rusqlite::Connection;

use super::Finding;
use crate::place::{number_of, range};
use crate::read::failed;

/// What the facts of a job say so far.
#[derive(Debug, Default)]
struct Facts {
    /// Keys of ended pages.
    ended: HashSet<u64>,
    /// The position after the last document.
    documents: Option<u64>,
    /// The number of the last event.
    event: Option<u64>,
    /// The reader has read the documents before this position.
    read: u64,
}

impl Facts {
    /// Adds a fact. Returns what is wrong with it.
    fn add(&mut self, fact: &Fact<'_>) -> Option<String> {
        match *fact {
            Fact::Ended { key, .. } if !self.ended.insert(key.to_raw()) => {
                Some(format!("the page {:016x} ends a second time", key.to_raw()))
            }
            Fact::Document { position, .. } => {
                let expected = self.documents.replace(position + 1);
                expected
                    .filter(|expected| *expected != position)
                    .map(|expected| format!("document {position} is stored where {expected} is expected"))
            }
            Fact::Event { sequence, .. } => {
                let last = self.event.replace(sequence);
                last.filter(|last| last + 1 != sequence)
                    .map(|last| format!("event {sequence} follows event {last}"))
            }
            Fact::Read { position } => {
                self.read = self.read.max(position);
                None
            }
            _ => None,
        }
    }

    /// What its documents lack that are not yet read.
    fn missing(&self, stored: &Range<u64>) -> Option<String> {
        let end = self.documents?;
        let is_complete = stored.end == end && stored.start <= self.read.min(end);
        (!is_complete && self.read < end).then(|| {
            let (from, to) = (stored.start, stored.end);
            format!("the facts know documents up to {end}, and the documents {from} to {to} are stored")
        })
    }
}

/// Checks the blocks of a job against its documents.
pub(super) fn check(
    connection: &Connection,
    job: u64,
    documents: Range<u64>,
    findings: &mut Vec<Finding>,
) -> Result<(), Error> {
    let (first, last) = range(job);
    let sql = "SELECT place, bytes FROM fact WHERE place BETWEEN ?1 AND ?2 ORDER BY place";
    let mut statement = connection.prepare(sql).map_err(failed)?;
    let mut rows = statement.query([first, last]).map_err(failed)?;
    let (mut facts, mut expected, mut is_readable) = (Facts::default(), 1, true);
    while let Some(row) = rows.next().map_err(failed)? {
        let number = number_of(row.get(0).map_err(failed)?);
        let bytes: Vec<u8> = row.get(1).map_err(failed)?;
        let mut add = |problem: &str| {
            findings.push(Finding::new("fact", format!("block {number} of job {job}"), problem));
        };
        if number != expected {
            add(&format!("block {expected} is missing"));
            is_readable = false;
        }
        expected = number + 1;
        if let Err(damage) = read(&bytes, &mut facts, &mut add) {
            add(&damage.to_string());
            is_readable = false;
            // The next block is not compared with facts that cannot be read.
            (facts.documents, facts.event) = (None, None);
        }
    }
    // What a damaged block says is unknown.
    if is_readable && let Some(problem) = facts.missing(&documents) {
        findings.push(Finding::new("document", format!("job {job}"), &problem));
    }
    Ok(())
}

fn read(bytes: &[u8], facts: &mut Facts, add: &mut impl FnMut(&str)) -> Result<(), Damage> {
    for fact in Block::open(bytes)?.facts() {
        if let Some(problem) = facts.add(&fact?) {
            add(&problem);
        }
    }
    Ok(())
}
