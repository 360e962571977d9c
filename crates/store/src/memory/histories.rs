//! The last scrapes of pages, up to a limit. Above it, the oldest scrapes of the team with the most are
//! dropped, so that no team can displace the history of a team with fewer.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use gleaner_types::JobId;

use crate::{HistoryKey, PastScrape, TeamId};

/// Maximum number of pages with a history, of all teams.
pub const MAX_HISTORIES: usize = 100_000;
/// Maximum size of histories in bytes, of all teams, including their URLs.
pub const MAX_HISTORY_BYTES: usize = 256 << 20;

#[derive(Debug, Default)]
pub(super) struct Histories {
    teams: HashMap<TeamId, TeamHistories>,
    /// The teams by size, in bytes.
    by_size: BTreeSet<(usize, TeamId)>,
    clock: u64,
    entries: usize,
    bytes: usize,
}

/// The histories of one team.
#[derive(Debug, Default)]
struct TeamHistories {
    entries: HashMap<Arc<HistoryKey>, Entry>,
    /// Keys by age.
    by_age: BTreeMap<u64, Arc<HistoryKey>>,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    job: JobId,
    age: u64,
    current: PastScrape,
    previous: Option<PastScrape>,
}

fn weight(scrape: &PastScrape) -> usize {
    let json = scrape.json.as_ref().map_or(0, |json| json.to_string().len());
    size_of::<PastScrape>() + scrape.markdown.len() + json
}

impl Entry {
    /// The size including the key, which both maps share.
    fn weight(&self, key: &HistoryKey) -> usize {
        let key = size_of::<HistoryKey>() + key.url.len() + key.tag.as_ref().map_or(0, String::len);
        size_of::<Self>() + key + weight(&self.current) + self.previous.as_ref().map_or(0, weight)
    }
}

impl Histories {
    /// The last scrape that is not of this job.
    pub(super) fn last(&self, job: JobId, key: &HistoryKey) -> Option<&PastScrape> {
        let entry = self.teams.get(&key.team)?.entries.get(key)?;
        if entry.job == job { entry.previous.as_ref() } else { Some(&entry.current) }
    }

    /// Records a scrape. It replaces an earlier scrape of the same job. Returns the dropped histories.
    pub(super) fn record(&mut self, job: JobId, key: HistoryKey, scrape: PastScrape) -> Vec<Arc<HistoryKey>> {
        let previous = self.remove(&key).and_then(|entry| match entry.job == job {
            true => entry.previous,
            false => Some(entry.current),
        });
        self.clock += 1;
        self.insert(key, Entry { job, age: self.clock, current: scrape, previous });
        let mut dropped = Vec::new();
        while self.entries > MAX_HISTORIES || self.bytes > MAX_HISTORY_BYTES {
            let Some(oldest) = self.oldest_of_largest_team() else { break };
            self.remove(&oldest);
            dropped.push(oldest);
        }
        dropped
    }

    fn oldest_of_largest_team(&self) -> Option<Arc<HistoryKey>> {
        let (_, team) = self.by_size.last()?;
        self.teams.get(team)?.by_age.values().next().cloned()
    }

    fn insert(&mut self, key: HistoryKey, entry: Entry) {
        let (team, bytes) = (key.team.clone(), entry.weight(&key));
        let key = Arc::new(key);
        let team_histories = self.teams.entry(team.clone()).or_default();
        team_histories.by_age.insert(entry.age, Arc::clone(&key));
        team_histories.entries.insert(key, entry);
        self.entries += 1;
        self.update_size(&team, bytes, 0);
    }

    fn remove(&mut self, key: &HistoryKey) -> Option<Entry> {
        let team_histories = self.teams.get_mut(&key.team)?;
        let entry = team_histories.entries.remove(key)?;
        team_histories.by_age.remove(&entry.age);
        self.entries -= 1;
        self.update_size(&key.team, 0, entry.weight(key));
        Some(entry)
    }

    /// Updates the size of a team.
    fn update_size(&mut self, team: &TeamId, added: usize, removed: usize) {
        let Some(team_histories) = self.teams.get_mut(team) else { return };
        self.by_size.remove(&(team_histories.bytes, team.clone()));
        team_histories.bytes = (team_histories.bytes + added).saturating_sub(removed);
        self.bytes = (self.bytes + added).saturating_sub(removed);
        if team_histories.entries.is_empty() {
            self.teams.remove(team);
        } else {
            self.by_size.insert((team_histories.bytes, team.clone()));
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
        let had_history = histories.last(job, &key).is_some();
        let before = histories.entries;
        let dropped = histories.record(job, key, scrape);
        assert!(histories.entries + dropped.len() - before <= 1, "each dropped history is named");
        assert!(
            dropped.iter().all(|dropped| histories.last(JobId::from_uuid(Uuid::nil()), dropped).is_none())
        );
        had_history
    }

    #[test]
    fn a_team_with_many_histories_loses_only_its_own() {
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
        assert!((0..10).all(|page| track(&mut histories, "small", page, 3, 1_000)), "all histories are kept");
        assert!(!track(&mut histories, "large", 0, 3, 0), "the oldest of the largest team was dropped first");
    }
}
