//! The store itself against its jobs.

use std::collections::HashMap;

use gleaner_store::Error;
use gleaner_store::journal::{Block, Damage, Fact, Part, Totals};
use gleaner_types::JobId;
use rusqlite::Connection;

use super::Finding;
use crate::compaction::Record;
use crate::read;

/// Checks the log of settled jobs against the facts of these jobs: it must have their documents and credits.
/// Damaged blocks are found elsewhere.
pub(super) fn check(
    connection: &Connection,
    jobs: &HashMap<JobId, (u64, Totals)>,
    findings: &mut Vec<Finding>,
) -> Result<(), Error> {
    let mut visit = |_: u64, block: &[u8]| -> Result<(), Error> {
        // What follows damage is not checked.
        let _ = check_block(block, jobs, findings);
        Ok(())
    };
    read::parts(connection, 0, Part::State, &mut visit)?;
    read::blocks(connection, 0, Record::read(connection, 0)?.folded, &mut visit)
}

fn check_block(
    block: &[u8],
    jobs: &HashMap<JobId, (u64, Totals)>,
    findings: &mut Vec<Finding>,
) -> Result<(), Damage> {
    for fact in Block::open(block)?.facts() {
        let Fact::Logged { job, documents, credits, .. } = fact? else { continue };
        let Some((number, totals)) = jobs.get(&job) else { continue };
        for (what, logged, found) in
            [("documents", documents, totals.documents), ("credits", credits, totals.credits)]
        {
            if logged != found {
                let problem = format!("it was settled with {logged} {what}, and its facts have {found}");
                findings.push(Finding::new("fact", format!("job {number}"), &problem));
            }
        }
    }
    Ok(())
}
