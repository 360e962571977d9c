//! Facts: checksums, numbers, and what the facts of a job must agree on.

use std::collections::HashMap;
use std::ops::Range;

use gleaner_frontier::UrlKey;
use gleaner_store::Error;
use gleaner_store::journal::{Block, Damage, Fact, Part, Totals};
use rusqlite::Connection;

use super::Finding;
use crate::compaction::Record;
use crate::place::{number_of, range};
use crate::read::{self, failed, part_name};

/// Checks the facts of a job against its documents. Returns their sums; `None` if they cannot be read.
pub(super) fn check(
    connection: &Connection,
    (job, has_ended): (u64, bool),
    documents: &Range<u64>,
    findings: &mut Vec<Finding>,
) -> Result<Option<Totals>, Error> {
    let record = Record::read(connection, job)?;
    let mut check = JobCheck { job, record, has_ended, ..JobCheck::default() };
    for part in [Part::State, Part::Kept, Part::Pending, Part::Ended] {
        read::parts(connection, job, part, |number, block| {
            check.block(part, number, block);
            Ok(())
        })?;
    }
    check.folded();
    check.tail(connection)?;
    // Now it is known which pages have ended.
    read::parts(connection, job, Part::Queue, |number, block| {
        check.queue(Part::Queue, number, block);
        Ok(())
    })?;
    for_each_block(connection, job, |number, block| check.queue(Part::Tail, number, block))?;
    check.sums(documents);
    findings.append(&mut check.findings);
    // What a damaged block says is unknown.
    Ok(Some(check.totals).filter(|_| !check.is_damaged))
}

/// Calls `visit` with the blocks of the tail of a job, whatever their numbers are.
fn for_each_block(connection: &Connection, job: u64, mut visit: impl FnMut(u64, &[u8])) -> Result<(), Error> {
    let (first, last) = range(job);
    let sql = "SELECT place, bytes FROM fact WHERE place BETWEEN ?1 AND ?2 ORDER BY place";
    let mut statement = connection.prepare(sql).map_err(failed)?;
    let mut rows = statement.query([first, last]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        let number = number_of(row.get(0).map_err(failed)?);
        visit(number, &row.get::<_, Vec<u8>>(1).map_err(failed)?);
    }
    Ok(())
}

/// What the facts of a job say so far.
#[derive(Debug, Default)]
struct JobCheck {
    job: u64,
    record: Record,
    findings: Vec<Finding>,
    /// A block cannot be read, so what it says is unknown.
    is_damaged: bool,
    /// The sums of the facts so far.
    totals: Totals,
    /// The part in which each page ended.
    ended: HashMap<UrlKey, u64>,
    /// Pages that wait.
    waiting: u64,
    /// What the parts list: failures, refusals and undeliverable events.
    kept: [u64; 3],
    /// Events that wait, in parts.
    pending: u64,
    /// The number of the last event.
    event: Option<u64>,
    /// The position after the last document.
    documents: Option<u64>,
    /// The reader has read the documents before this position.
    read: u64,
    /// Only its counts are stored.
    has_counts: bool,
    /// The job has ended, so the parts of its queue may be gone.
    has_ended: bool,
    has_state: bool,
}

impl JobCheck {
    fn add_finding(&mut self, part: Part, number: u64, problem: &str) {
        let table = if part == Part::Tail { "fact" } else { "part" };
        let place = format!("{} of job {}", part_name(part, number), self.job);
        self.findings.push(Finding::new(table, place, problem));
    }

    /// Adds a finding about the job as a whole.
    fn add_sum(&mut self, table: &'static str, problem: &str) {
        self.findings.push(Finding::new(table, format!("job {}", self.job), problem));
    }

    /// Reads a block.
    fn block(&mut self, part: Part, number: u64, block: &[u8]) {
        if part != Part::Tail && number > self.record.last {
            let problem = format!("the last part is {}", self.record.last);
            self.add_finding(part, number, &problem);
        }
        if let Err(damage) = self.facts(part, number, block) {
            self.damaged(part, number, damage);
        }
    }

    fn damaged(&mut self, part: Part, number: u64, damage: Damage) {
        self.add_finding(part, number, &damage.to_string());
        self.is_damaged = true;
        // The next block is not compared with facts that cannot be read.
        (self.documents, self.event) = (None, None);
    }

    fn facts(&mut self, part: Part, number: u64, block: &[u8]) -> Result<(), Damage> {
        for fact in Block::open(block)?.facts() {
            let fact = fact?;
            match part {
                Part::State => self.totals.add(&fact)?,
                Part::Kept => self.keep(&fact)?,
                Part::Pending | Part::Queue => {}
                Part::Ended => self.end_all(number, &fact)?,
                Part::Tail => {
                    self.totals.add(&fact)?;
                    self.follow(number, &fact);
                }
            }
            self.fact(part, number, &fact);
        }
        Ok(())
    }

    /// What applies to all parts.
    fn fact(&mut self, part: Part, number: u64, fact: &Fact<'_>) {
        match *fact {
            Fact::Event { sequence, .. } => {
                let last = self.event.replace(sequence);
                if let Some(last) = last.filter(|last| last.checked_add(1) != Some(sequence)) {
                    let problem = format!("event {sequence} follows event {last}");
                    self.add_finding(part, number, &problem);
                }
                let waits = part == Part::Pending && sequence >= self.totals.delivered;
                self.pending += u64::from(waits);
            }
            Fact::Read { position } => self.read = self.read.max(position),
            Fact::Counts { .. } => self.has_counts = true,
            Fact::JobEnded { .. } => self.has_ended = true,
            Fact::Totals { .. } => self.has_state = true,
            _ => {}
        }
    }

    fn keep(&mut self, fact: &Fact<'_>) -> Result<(), Damage> {
        let [failures, refusals, dead_letters] = &mut self.kept;
        match fact {
            Fact::Failed { .. } => *failures += 1,
            Fact::Blocked { .. } => *refusals += 1,
            Fact::GivenUp { .. } => *dead_letters += 1,
            Fact::Warned { .. } => {}
            _ => return Err(Damage::Invalid),
        }
        Ok(())
    }

    /// Adds ended pages of a part.
    fn end_all(&mut self, number: u64, fact: &Fact<'_>) -> Result<(), Damage> {
        match *fact {
            Fact::Done { keys } => {
                if !keys.iter().is_sorted() {
                    self.add_finding(Part::Ended, number, "its pages are not in order");
                }
                keys.iter().for_each(|key| self.end(Part::Ended, number, key));
            }
            Fact::Linked { key, .. } => self.end(Part::Ended, number, key),
            Fact::Visited { .. } | Fact::Depths { .. } => {}
            _ => return Err(Damage::Invalid),
        }
        Ok(())
    }

    fn end(&mut self, part: Part, number: u64, key: UrlKey) {
        // The tail is later than all parts.
        let at = if part == Part::Tail { u64::MAX } else { number };
        if self.ended.insert(key, at).is_some() {
            let problem = format!("the page {:016x} ends a second time", key.to_raw());
            self.add_finding(part, number, &problem);
        }
    }

    /// Checks a fact of the tail against those before.
    fn follow(&mut self, number: u64, fact: &Fact<'_>) {
        match *fact {
            Fact::Ended { key, .. } => self.end(Part::Tail, number, key),
            Fact::Document { position, .. } => {
                let expected = self.documents.replace(position.saturating_add(1));
                if let Some(expected) = expected.filter(|expected| *expected != position) {
                    let problem = format!("document {position} is stored where {expected} is expected");
                    self.add_finding(Part::Tail, number, &problem);
                }
            }
            _ => {}
        }
    }

    /// Checks the parts against the sums in the state.
    fn folded(&mut self) {
        if self.record.folded == 0 {
            return;
        }
        if self.is_damaged || self.job == 0 {
            return;
        }
        if !self.has_state {
            self.add_sum("part", "its state is missing");
            self.is_damaged = true;
            return;
        }
        let totals = self.totals;
        let ended = if self.has_counts || self.has_ended { None } else { Some(totals.ended()) };
        let [failures, refusals, dead_letters] = self.kept;
        let sums = [
            ("pages have ended", ended, self.ended.len() as u64),
            ("failures are listed", Some(totals.failures), failures),
            ("refusals are listed", Some(totals.refusals), refusals),
            ("undeliverable events are listed", Some(totals.dead_letters), dead_letters),
            ("events wait", Some(totals.events.saturating_sub(totals.delivered)), self.pending),
        ];
        for (what, expected, found) in sums {
            if let Some(expected) = expected.filter(|expected| *expected != found) {
                self.add_sum(
                    "part",
                    &format!("the state says that {expected} {what}, and the parts have {found}"),
                );
            }
        }
        self.documents = Some(totals.stored);
        self.event = totals.events.checked_sub(1);
    }

    /// Checks the blocks of the tail.
    fn tail(&mut self, connection: &Connection) -> Result<(), Error> {
        let mut expected = self.record.folded.saturating_add(1);
        for_each_block(connection, self.job, |number, block| {
            if number != expected {
                self.add_finding(Part::Tail, number, &format!("block {expected} is missing"));
                self.is_damaged = true;
            }
            expected = number + 1;
            self.block(Part::Tail, number, block);
        })
    }

    /// Counts the pages of a block that wait.
    fn queue(&mut self, part: Part, number: u64, block: &[u8]) {
        if part == Part::Queue && number > self.record.last {
            let problem = format!("the last part is {}", self.record.last);
            self.add_finding(part, number, &problem);
        }
        // The damage of a block of the tail is known already.
        if let Err(damage) = self.pages(part, number, block)
            && part == Part::Queue
        {
            self.damaged(part, number, damage);
        }
    }

    fn pages(&mut self, part: Part, number: u64, block: &[u8]) -> Result<(), Damage> {
        let cleaned = self.record.cleaned;
        for fact in Block::open(block)?.facts() {
            let Fact::Admitted { pages, .. } = fact? else { continue };
            for page in pages.pages() {
                let key = page?.key;
                match self.ended.get(&key) {
                    None => self.waiting += 1,
                    Some(ended) if part == Part::Queue && number <= cleaned && *ended <= cleaned => {
                        let problem = format!("the page {:016x} is queued and has ended", key.to_raw());
                        self.add_finding(part, number, &problem);
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Checks the sums of all facts.
    fn sums(&mut self, stored: &Range<u64>) {
        if self.is_damaged || self.job == 0 {
            return;
        }
        if !self.has_counts && !self.has_ended {
            let (expected, found) = (self.totals.waiting(), self.waiting);
            if expected != found {
                self.add_sum("part", &format!("{expected} pages should wait, and {found} do"));
            }
            let (expected, found) = (self.totals.ended(), self.ended.len() as u64);
            if expected != found {
                self.add_sum("fact", &format!("{expected} pages are counted, and {found} have ended"));
            }
        }
        let end = self.totals.stored;
        let is_complete = stored.end == end && stored.start <= self.read.min(end);
        if !is_complete && self.read < end {
            let (from, to) = (stored.start, stored.end);
            let problem =
                format!("the facts know documents up to {end}, and the documents {from} to {to} are stored");
            self.add_sum("document", &problem);
        }
    }
}
