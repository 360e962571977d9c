use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use gleaner_store::TeamId;
use gleaner_types::JobId;

use crate::{Accounts, Balance, Error, Operation, Secret, Team};

/// So many settled jobs of a team are remembered, lest one be charged twice.
const MAX_SETTLED: usize = 100_000;

/// A team of [`MemoryAccounts`].
#[derive(Debug, Clone)]
pub struct TeamConfig {
    /// Its name and limits.
    pub team: Team,
    /// Credits that it begins with; `None` meters nothing.
    pub credits: Option<u64>,
    /// Requests of one operation a minute; an operation that is not named is not limited. A minute's worth
    /// may come at once.
    pub requests_per_minute: Vec<(Operation, u32)>,
    /// What its webhooks are signed with.
    pub webhook_secret: Option<Secret>,
}

impl TeamConfig {
    /// A team without limits on credits and requests.
    #[must_use]
    pub fn new(team: Team) -> Self {
        Self { team, credits: None, requests_per_minute: Vec::new(), webhook_secret: None }
    }
}

/// Accounts in memory, for one process.
#[derive(Default)]
pub struct MemoryAccounts {
    books: Mutex<Books>,
}

#[derive(Default)]
struct Books {
    keys: HashMap<String, TeamId>,
    teams: HashMap<TeamId, Ledger>,
}

struct Ledger {
    config: TeamConfig,
    /// What is left, reservations taken off.
    balance: i64,
    reserved: HashMap<JobId, u64>,
    settled: HashSet<JobId>,
    settled_order: VecDeque<JobId>,
    buckets: HashMap<Operation, Bucket>,
}

/// Fills evenly, up to a minute's worth.
struct Bucket {
    tokens: f64,
    since: Duration,
}

impl MemoryAccounts {
    /// No team yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a team with a key.
    #[must_use]
    pub fn with_team(self, key: impl Into<String>, config: TeamConfig) -> Self {
        let mut books = self.books();
        let id = config.team.id.clone();
        books.keys.insert(key.into(), id.clone());
        let balance = config.credits.map_or(0, to_signed);
        let ledger = Ledger {
            config,
            balance,
            reserved: HashMap::new(),
            settled: HashSet::new(),
            settled_order: VecDeque::new(),
            buckets: HashMap::new(),
        };
        books.teams.insert(id, ledger);
        drop(books);
        self
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, team: &TeamId, act: impl FnOnce(&mut Ledger) -> T) -> Result<T, Error> {
        let mut books = self.books();
        let ledger = books.teams.get_mut(team).ok_or_else(|| Error::failed(format!("no team `{team}`")))?;
        Ok(act(ledger))
    }
}

fn to_signed(credits: u64) -> i64 {
    i64::try_from(credits).unwrap_or(i64::MAX)
}

impl Ledger {
    /// Moves up to so many credits from the balance to a job's reservation.
    fn take(&mut self, job: JobId, credits: u64) -> u64 {
        if self.config.credits.is_none() {
            return credits;
        }
        if self.settled.contains(&job) {
            return 0;
        }
        let taken = credits.min(u64::try_from(self.balance).unwrap_or(0));
        self.balance -= to_signed(taken);
        *self.reserved.entry(job).or_default() += taken;
        taken
    }

    fn settle(&mut self, job: JobId, used: u64) {
        if self.config.credits.is_none() || !self.settled.insert(job) {
            return;
        }
        self.settled_order.push_back(job);
        if self.settled_order.len() > MAX_SETTLED
            && let Some(oldest) = self.settled_order.pop_front()
        {
            self.settled.remove(&oldest);
        }
        let reserved = self.reserved.remove(&job).unwrap_or(0);
        self.balance = self.balance.saturating_add(to_signed(reserved)).saturating_sub(to_signed(used));
    }

    fn throttle(&mut self, operation: Operation, now: Duration) -> Option<Duration> {
        let limits = &self.config.requests_per_minute;
        let a_minute = limits.iter().find(|(limited, _)| *limited == operation).map(|(_, rate)| *rate)?;
        let a_minute = f64::from(a_minute);
        let bucket = self.buckets.entry(operation).or_insert(Bucket { tokens: a_minute, since: now });
        let passed = now.saturating_sub(bucket.since).as_secs_f64();
        bucket.since = now;
        bucket.tokens = (bucket.tokens + passed * a_minute / 60.0).min(a_minute);
        if bucket.tokens >= 1.0 {
            bucket.tokens -= 1.0;
            return None;
        }
        let wait = (1.0 - bucket.tokens) * 60.0 / a_minute;
        Some(Duration::try_from_secs_f64(wait).unwrap_or(Duration::from_secs(3_600)))
    }
}

impl fmt::Debug for MemoryAccounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryAccounts").field("teams", &self.books().teams.len()).finish_non_exhaustive()
    }
}

#[async_trait]
impl Accounts for MemoryAccounts {
    async fn authenticate(&self, key: &str) -> Result<Option<Team>, Error> {
        let books = self.books();
        let ledger = books.keys.get(key).and_then(|team| books.teams.get(team));
        Ok(ledger.map(|ledger| ledger.config.team.clone()))
    }

    async fn throttle(
        &self,
        team: &TeamId,
        operation: Operation,
        now: Duration,
    ) -> Result<Option<Duration>, Error> {
        self.with(team, |ledger| ledger.throttle(operation, now))
    }

    async fn is_metered(&self, team: &TeamId) -> Result<bool, Error> {
        self.with(team, |ledger| ledger.config.credits.is_some())
    }

    async fn balance(&self, team: &TeamId) -> Result<Balance, Error> {
        self.with(team, |ledger| Balance {
            remaining: ledger.balance,
            plan: ledger.config.credits.map_or(0, to_signed),
            ..Balance::default()
        })
    }

    async fn reserve(&self, team: &TeamId, job: JobId, credits: u64) -> Result<bool, Error> {
        self.with(team, |ledger| {
            let enough = ledger.config.credits.is_none() || ledger.balance >= to_signed(credits);
            enough && ledger.take(job, credits) == credits
        })
    }

    async fn draw(&self, team: &TeamId, job: JobId, credits: u64) -> Result<u64, Error> {
        self.with(team, |ledger| ledger.take(job, credits))
    }

    async fn release(&self, team: &TeamId, job: JobId, credits: u64) -> Result<(), Error> {
        self.with(team, |ledger| {
            let Some(reserved) = ledger.reserved.get_mut(&job) else { return };
            let released = credits.min(*reserved);
            *reserved -= released;
            if *reserved == 0 {
                ledger.reserved.remove(&job);
            }
            ledger.balance = ledger.balance.saturating_add(to_signed(released));
        })
    }

    async fn settle(&self, team: &TeamId, job: JobId, used: u64) -> Result<(), Error> {
        self.with(team, |ledger| ledger.settle(job, used))
    }

    async fn webhook_secret(&self, team: &TeamId) -> Result<Option<Secret>, Error> {
        self.with(team, |ledger| ledger.config.webhook_secret.clone())
    }
}

#[cfg(test)]
mod tests {
    use gleaner_runtime::new_id;

    use super::*;

    fn accounts(credits: u64) -> (MemoryAccounts, TeamId) {
        let id = TeamId::new("a");
        let config = TeamConfig {
            credits: Some(credits),
            requests_per_minute: vec![(Operation::Crawl, 2)],
            ..TeamConfig::new(Team::new(id.clone()))
        };
        (MemoryAccounts::new().with_team("key", config), id)
    }

    async fn remaining(accounts: &MemoryAccounts, team: &TeamId) -> i64 {
        accounts.balance(team).await.unwrap().remaining
    }

    #[tokio::test]
    async fn what_is_reserved_is_not_left_and_what_is_not_used_comes_back() {
        let (accounts, team) = accounts(100);
        let (one, two) = (new_id(), new_id());
        assert!(accounts.reserve(&team, one, 60).await.unwrap());
        assert!(!accounts.reserve(&team, two, 41).await.unwrap(), "all or none");
        assert_eq!(remaining(&accounts, &team).await, 40);
        assert_eq!(accounts.draw(&team, one, 50).await.unwrap(), 40, "as many as there are");
        accounts.settle(&team, one, 30).await.unwrap();
        accounts.settle(&team, one, 30).await.unwrap();
        assert_eq!(remaining(&accounts, &team).await, 70, "charged once");
        assert_eq!(accounts.draw(&team, one, 1).await.unwrap(), 0, "it has ended");
        accounts.settle(&team, two, 75).await.unwrap();
        assert_eq!(remaining(&accounts, &team).await, -5);
        assert!(!accounts.reserve(&team, new_id(), 1).await.unwrap());
        assert_eq!(accounts.draw(&team, new_id(), 1).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn a_minute_s_worth_may_come_at_once_and_then_evenly() {
        let (accounts, team) = accounts(1);
        let ask =
            async |at| accounts.throttle(&team, Operation::Crawl, Duration::from_secs(at)).await.unwrap();
        assert_eq!((ask(0).await, ask(0).await), (None, None));
        assert_eq!(ask(0).await, Some(Duration::from_secs(30)));
        assert_eq!(ask(10).await, Some(Duration::from_secs(20)));
        assert_eq!(ask(30).await, None);
        assert_eq!(accounts.throttle(&team, Operation::Map, Duration::ZERO).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_key_is_of_its_team_and_a_secret_is_never_shown() {
        let (accounts, team) = accounts(1);
        assert_eq!(accounts.authenticate("key").await.unwrap().map(|team| team.id), Some(team));
        assert_eq!(accounts.authenticate("other").await.unwrap(), None);
        assert!(!format!("{accounts:?} {:?}", Secret::new("sesame")).contains("sesame"));
    }
}
