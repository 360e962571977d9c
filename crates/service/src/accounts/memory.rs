//! An accounts provider in memory: teams, credits and rate limits of one process.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gleaner_store::TeamId;
use gleaner_types::{BoxFuture, JobId};
use uuid::Uuid;

use crate::{Accounts, Balance, Error, Operation, Secret, Team};

/// Upper bound on the settled jobs that are remembered per team, so that none is charged twice.
const MAX_SETTLED: usize = 100_000;

/// A team of [`MemoryAccounts`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TeamConfig {
    /// Its name and limits.
    pub team: Team,
    /// Initial credits; `None` disables metering.
    pub credits: Option<u64>,
    /// Allowed requests per minute for each operation. An operation that is not listed is unlimited. A burst
    /// may use the allowance of a whole minute.
    pub requests_per_minute: Vec<(Operation, u32)>,
    /// The secret that signs its webhooks.
    pub webhook_secret: Option<Secret>,
}

impl TeamConfig {
    /// A team without limits on credits and requests.
    #[must_use]
    pub fn new(team: Team) -> Self {
        Self { team, credits: None, requests_per_minute: Vec::new(), webhook_secret: None }
    }

    /// Sets the initial credits, and meters the team.
    #[must_use]
    pub fn credits(mut self, credits: u64) -> Self {
        self.credits = Some(credits);
        self
    }

    /// Sets the allowed requests per minute for these operations.
    #[must_use]
    pub fn requests_per_minute(mut self, rates: impl IntoIterator<Item = (Operation, u32)>) -> Self {
        self.requests_per_minute = rates.into_iter().collect();
        self
    }

    /// Sets the secret that signs its webhooks.
    #[must_use]
    pub fn webhook_secret(mut self, webhook_secret: Secret) -> Self {
        self.webhook_secret = Some(webhook_secret);
        self
    }
}

/// Accounts in memory, for one process.
#[derive(Default)]
pub struct MemoryAccounts {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    keys: HashMap<String, TeamId>,
    teams: HashMap<TeamId, Ledger>,
}

struct Ledger {
    config: TeamConfig,
    /// Remaining credits, without those that are reserved.
    balance: i64,
    reserved: HashMap<JobId, Reserved>,
    settled: HashSet<JobId>,
    settled_order: VecDeque<JobId>,
    buckets: HashMap<Operation, TokenBucket>,
}

/// The reservation of a job.
#[derive(Default)]
struct Reserved {
    credits: u64,
    /// The credits that each operation added.
    operations: HashMap<Uuid, u64>,
}

/// Refills at a constant rate, up to the allowance of one minute.
struct TokenBucket {
    tokens: f64,
    refilled_at: Duration,
}

impl MemoryAccounts {
    /// Accounts without any team.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a team and its API key.
    #[must_use]
    pub fn with_team(self, key: impl Into<String>, config: TeamConfig) -> Self {
        let mut state = self.state();
        let id = config.team.id.clone();
        state.keys.insert(key.into(), id.clone());
        let balance = config.credits.map_or(0, to_signed);
        let ledger = Ledger {
            config,
            balance,
            reserved: HashMap::new(),
            settled: HashSet::new(),
            settled_order: VecDeque::new(),
            buckets: HashMap::new(),
        };
        state.teams.insert(id, ledger);
        drop(state);
        self
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with_ledger<T>(&self, team: &TeamId, operation: impl FnOnce(&mut Ledger) -> T) -> Result<T, Error> {
        let mut state = self.state();
        let ledger =
            state.teams.get_mut(team).ok_or_else(|| Error::failed(format!("unknown team `{team}`")))?;
        Ok(operation(ledger))
    }
}

fn to_signed(credits: u64) -> i64 {
    i64::try_from(credits).unwrap_or(i64::MAX)
}

impl Ledger {
    /// Moves `credits` from the balance to a job's reservation and returns the number moved. If the balance
    /// is too low, it moves none, or with `partly` as many as there are. An operation moves credits once.
    fn reserve(&mut self, job: JobId, operation: Uuid, credits: u64, partly: bool) -> u64 {
        if self.config.credits.is_none() {
            return credits;
        }
        if self.settled.contains(&job) {
            return 0;
        }
        let earlier = self.reserved.get(&job).and_then(|reserved| reserved.operations.get(&operation));
        if let Some(moved) = earlier {
            return *moved;
        }
        let available = u64::try_from(self.balance).unwrap_or(0);
        let moved = if available >= credits || partly { credits.min(available) } else { 0 };
        if moved > 0 {
            self.balance -= to_signed(moved);
            let reserved = self.reserved.entry(job).or_default();
            reserved.credits += moved;
            reserved.operations.insert(operation, moved);
        }
        moved
    }

    /// Returns at most the credits of an operation to the balance.
    fn release(&mut self, job: JobId, operation: Uuid, credits: u64) {
        let Some(reserved) = self.reserved.get_mut(&job) else { return };
        let Some(moved) = reserved.operations.remove(&operation) else { return };
        let released = credits.min(moved);
        reserved.credits = reserved.credits.saturating_sub(released);
        if reserved.credits == 0 {
            self.reserved.remove(&job);
        }
        self.balance = self.balance.saturating_add(to_signed(released));
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
        let reserved = self.reserved.remove(&job).map_or(0, |reserved| reserved.credits);
        self.balance = self.balance.saturating_add(to_signed(reserved)).saturating_sub(to_signed(used));
    }

    fn throttle(&mut self, operation: Operation, now: Duration) -> Option<Duration> {
        let limits = &self.config.requests_per_minute;
        let per_minute = limits.iter().find(|(limited, _)| *limited == operation).map(|(_, rate)| *rate)?;
        let per_minute = f64::from(per_minute);
        let full = TokenBucket { tokens: per_minute, refilled_at: now };
        let bucket = self.buckets.entry(operation).or_insert(full);
        let elapsed = now.saturating_sub(bucket.refilled_at).as_secs_f64();
        bucket.refilled_at = now;
        bucket.tokens = (bucket.tokens + elapsed * per_minute / 60.0).min(per_minute);
        if bucket.tokens >= 1.0 {
            bucket.tokens -= 1.0;
            return None;
        }
        let wait = (1.0 - bucket.tokens) * 60.0 / per_minute;
        Some(Duration::try_from_secs_f64(wait).unwrap_or(Duration::from_secs(3_600)))
    }
}

impl fmt::Debug for MemoryAccounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryAccounts").field("teams", &self.state().teams.len()).finish_non_exhaustive()
    }
}

impl Accounts for MemoryAccounts {
    fn authenticate<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Team>, Error>> {
        Box::pin(async move {
            let state = self.state();
            let ledger = state.keys.get(key).and_then(|team| state.teams.get(team));
            Ok(ledger.map(|ledger| ledger.config.team.clone()))
        })
    }

    fn throttle<'a>(
        &'a self,
        team: &'a TeamId,
        operation: Operation,
        now: Duration,
    ) -> BoxFuture<'a, Result<Option<Duration>, Error>> {
        Box::pin(async move { self.with_ledger(team, |ledger| ledger.throttle(operation, now)) })
    }

    fn is_metered<'a>(&'a self, team: &'a TeamId) -> BoxFuture<'a, Result<bool, Error>> {
        Box::pin(async move { self.with_ledger(team, |ledger| ledger.config.credits.is_some()) })
    }

    fn balance<'a>(&'a self, team: &'a TeamId) -> BoxFuture<'a, Result<Balance, Error>> {
        Box::pin(async move {
            self.with_ledger(team, |ledger| Balance {
                remaining: ledger.balance,
                plan: ledger.config.credits.map_or(0, to_signed),
                ..Balance::default()
            })
        })
    }

    fn reserve<'a>(
        &'a self,
        team: &'a TeamId,
        job: JobId,
        operation: Uuid,
        credits: u64,
    ) -> BoxFuture<'a, Result<bool, Error>> {
        Box::pin(async move {
            let reserved = self.with_ledger(team, |ledger| ledger.reserve(job, operation, credits, false))?;
            // A repeated operation gives what it reserved first, whatever its credits.
            Ok(reserved > 0 || credits == 0)
        })
    }

    fn draw<'a>(
        &'a self,
        team: &'a TeamId,
        job: JobId,
        operation: Uuid,
        credits: u64,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        Box::pin(
            async move { self.with_ledger(team, |ledger| ledger.reserve(job, operation, credits, true)) },
        )
    }

    fn release<'a>(
        &'a self,
        team: &'a TeamId,
        job: JobId,
        operation: Uuid,
        credits: u64,
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move { self.with_ledger(team, |ledger| ledger.release(job, operation, credits)) })
    }

    fn settle<'a>(&'a self, team: &'a TeamId, job: JobId, used: u64) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move { self.with_ledger(team, |ledger| ledger.settle(job, used)) })
    }

    fn webhook_secret<'a>(&'a self, team: &'a TeamId) -> BoxFuture<'a, Result<Option<Secret>, Error>> {
        Box::pin(async move { self.with_ledger(team, |ledger| ledger.config.webhook_secret.clone()) })
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
    async fn reserved_credits_leave_the_balance_and_unused_ones_return() {
        let (accounts, team) = accounts(100);
        let (first, second) = (new_id(), new_id());
        let operation = Uuid::from_u128;
        assert!(accounts.reserve(&team, first, operation(1), 60).await.unwrap());
        assert!(!accounts.reserve(&team, second, operation(2), 41).await.unwrap(), "all or nothing");
        assert_eq!(remaining(&accounts, &team).await, 40);
        for _ in 0..2 {
            assert_eq!(accounts.draw(&team, first, operation(3), 50).await.unwrap(), 40, "only 40 are left");
            assert!(accounts.reserve(&team, first, operation(1), 60).await.unwrap());
            assert_eq!(remaining(&accounts, &team).await, 0, "a repeated operation adds nothing");
        }
        for _ in 0..2 {
            accounts.release(&team, first, operation(3), 40).await.unwrap();
            assert_eq!(remaining(&accounts, &team).await, 40, "a repeated release returns nothing");
        }
        accounts.settle(&team, first, 30).await.unwrap();
        accounts.settle(&team, first, 30).await.unwrap();
        assert_eq!(remaining(&accounts, &team).await, 70, "charged once");
        assert_eq!(accounts.draw(&team, first, operation(4), 1).await.unwrap(), 0, "the job is settled");
        accounts.settle(&team, second, 75).await.unwrap();
        assert_eq!(remaining(&accounts, &team).await, -5);
        assert!(!accounts.reserve(&team, new_id(), operation(5), 1).await.unwrap());
        assert_eq!(accounts.draw(&team, new_id(), operation(6), 1).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn a_burst_uses_the_allowance_of_a_minute_and_further_requests_follow_the_rate() {
        let (accounts, team) = accounts(1);
        let wait =
            async |at| accounts.throttle(&team, Operation::Crawl, Duration::from_secs(at)).await.unwrap();
        assert_eq!((wait(0).await, wait(0).await), (None, None));
        assert_eq!(wait(0).await, Some(Duration::from_secs(30)));
        assert_eq!(wait(10).await, Some(Duration::from_secs(20)));
        assert_eq!(wait(30).await, None);
        assert_eq!(accounts.throttle(&team, Operation::Map, Duration::ZERO).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_key_identifies_its_team_and_debug_output_hides_secrets() {
        let (accounts, team) = accounts(1);
        assert_eq!(accounts.authenticate("key").await.unwrap().map(|team| team.id), Some(team));
        assert_eq!(accounts.authenticate("other").await.unwrap(), None);
        assert!(!format!("{accounts:?} {:?}", Secret::new("sesame")).contains("sesame"));
    }
}
