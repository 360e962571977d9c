//! The last scrapes of pages, bounded. Where there are too many, the oldest of the team that has most go first: so no team
//! can make the history of another be forgotten that has less.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use gleaner_types::JobId;

use crate::{HistoryKey, PastScrape, TeamId};

/// Pages whose last scrape is kept for change tracking, of all teams.
pub const MAX_HISTORIES: usize = 100_000;
/// Bytes of last scrapes that are kept for change tracking, of all teams, their addresses included.
pub const MAX_HISTORY_BYTES: usize = 256 << 20;

#[derive(Debug, Default)]
pub(super) struct Histories {
    teams: HashMap<TeamId, Share>,
    /// The teams by what they have, in bytes.
    by_size: BTreeSet<(usize, TeamId)>,
    clock: u64,
    entries: usize,
    bytes: usize,
}

/// What one team has.
#[derive(Debug, Default)]
struct Share {
    entries: HashMap<Arc<HistoryKey>, Entry>,
    /// Keys by age.
    ages: BTreeMap<u64, Arc<HistoryKey>>,
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
    size_of::<PastScrape>() + scrape.markdown.len() + json
}

impl Entry {
    /// With its key, which both lists share.
    fn weight(&self, key: &HistoryKey) -> usize {
        let key = size_of::<HistoryKey>() + key.url.len() + key.tag.as_ref().map_or(0, String::len);
        size_of::<Self>() + key + weight(&self.current) + self.before.as_ref().map_or(0, weight)
    }
}

impl Histories {
    /// The last scrape that is not the job's own.
    pub(super) fn last(&self, job: JobId, key: &HistoryKey) -> Option<&PastScrape> {
        let entry = self.teams.get(&key.team)?.entries.get(key)?;
        if entry.job == job { entry.before.as_ref() } else { Some(&entry.current) }
    }

    /// Takes note of a scrape, in place of one of the same job.
    pub(super) fn remember(&mut self, job: JobId, key: HistoryKey, scrape: PastScrape) {
        let before = self.take(&key).and_then(|entry| match entry.job == job {
            true => entry.before,
            false => Some(entry.current),
        });
        self.clock += 1;
        self.put(key, Entry { job, age: self.clock, current: scrape, before });
        while self.entries > MAX_HISTORIES || self.bytes > MAX_HISTORY_BYTES {
            let Some(oldest) = self.oldest_of_the_largest() else { break };
            self.take(&oldest);
        }
    }

    fn oldest_of_the_largest(&self) -> Option<Arc<HistoryKey>> {
        let (_, team) = self.by_size.last()?;
        self.teams.get(team)?.ages.values().next().cloned()
    }

    fn put(&mut self, key: HistoryKey, entry: Entry) {
        let (team, bytes) = (key.team.clone(), entry.weight(&key));
        let key = Arc::new(key);
        let share = self.teams.entry(team.clone()).or_default();
        share.ages.insert(entry.age, Arc::clone(&key));
        share.entries.insert(key, entry);
        self.entries += 1;
        self.book(&team, bytes, 0);
    }

    fn take(&mut self, key: &HistoryKey) -> Option<Entry> {
        let share = self.teams.get_mut(&key.team)?;
        let entry = share.entries.remove(key)?;
        share.ages.remove(&entry.age);
        self.entries -= 1;
        self.book(&key.team, 0, entry.weight(key));
        Some(entry)
    }

    /// Books what a team has more, or less.
    fn book(&mut self, team: &TeamId, more: usize, less: usize) {
        let Some(share) = self.teams.get_mut(team) else { return };
        self.by_size.remove(&(share.bytes, team.clone()));
        share.bytes = (share.bytes + more).saturating_sub(less);
        self.bytes = (self.bytes + more).saturating_sub(less);
        if share.entries.is_empty() {
            self.teams.remove(team);
        } else {
            self.by_size.insert((share.bytes, team.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use uuid::Uuid;

    use super::*;

    fn track(histories: &mut Histories, team: &str, page: usize, job: u128, bytes: usize) -> bool {
        let url = format!("https://a.example/{page}");
        let key = HistoryKey { team: TeamId::new(team), url, tag: None };
        let markdown = Arc::from("x".repeat(bytes));
        let scrape = PastScrape { at: Duration::ZERO, status: Some(200), markdown, json: None };
        let job = JobId::from_uuid(Uuid::from_u128(job));
        let is_known = histories.last(job, &key).is_some();
        histories.remember(job, key, scrape);
        is_known
    }

    #[test]
    fn a_team_that_tracks_much_forgets_its_own() {
        let mut histories = Histories::default();
        for page in 0..10 {
            assert!(!track(&mut histories, "small", page, 1, 1_000));
        }
        for page in 0..MAX_HISTORIES + 5_000 {
            track(&mut histories, "large", page, 2, 0);
        }
        assert_eq!(histories.entries, MAX_HISTORIES);
        for page in 0..300 {
            track(&mut histories, "heavy", page, 2, 1 << 20);
        }
        assert!(histories.bytes <= MAX_HISTORY_BYTES);
        assert!((0..10).all(|page| track(&mut histories, "small", page, 3, 1_000)), "all are known still");
        assert!(!track(&mut histories, "large", 0, 3, 0), "the oldest of the largest went first");
    }
}
