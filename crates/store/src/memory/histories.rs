//! The last scrapes of pages, bounded; the oldest go first.

use std::collections::{BTreeMap, HashMap};

use gleaner_types::JobId;

use crate::{HistoryKey, PastScrape};

/// Pages whose last scrape is kept for change tracking; beyond it the oldest is forgotten.
pub const MAX_HISTORIES: usize = 100_000;
/// Bytes of last scrapes that are kept for change tracking; beyond it the oldest is forgotten.
pub const MAX_HISTORY_BYTES: usize = 256 << 20;

#[derive(Debug, Default)]
pub(super) struct Histories {
    entries: HashMap<HistoryKey, Entry>,
    /// Keys by age.
    ages: BTreeMap<u64, HistoryKey>,
    clock: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    job: JobId,
    age: u64,
    current: PastScrape,
    before: Option<PastScrape>,
}

fn weight(scrape: &PastScrape) -> usize {
    let json = scrape.json.as_ref().map_or(0, |json| json.to_string().len());
    size_of::<Entry>() + scrape.markdown.len() + json
}

impl Entry {
    fn weight(&self) -> usize {
        weight(&self.current) + self.before.as_ref().map_or(0, weight)
    }
}

impl Histories {
    pub(super) fn track(&mut self, job: JobId, key: HistoryKey, scrape: PastScrape) -> Option<PastScrape> {
        let before = self.take(&key).and_then(|entry| match entry.job == job {
            true => entry.before,
            false => Some(entry.current),
        });
        self.clock += 1;
        let entry = Entry { job, age: self.clock, current: scrape, before: before.clone() };
        self.bytes += entry.weight();
        self.ages.insert(entry.age, key.clone());
        self.entries.insert(key, entry);
        while self.entries.len() > MAX_HISTORIES || self.bytes > MAX_HISTORY_BYTES {
            let Some((_, oldest)) = self.ages.first_key_value() else { break };
            let oldest = oldest.clone();
            self.take(&oldest);
        }
        before
    }

    fn take(&mut self, key: &HistoryKey) -> Option<Entry> {
        let entry = self.entries.remove(key)?;
        self.ages.remove(&entry.age);
        self.bytes = self.bytes.saturating_sub(entry.weight());
        Some(entry)
    }
}
