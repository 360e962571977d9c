use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use gleaner_store::TeamId;
use gleaner_types::JobId;
use gleaner_types::limits::UNLIMITED_CREDITS;
use uuid::Uuid;

use crate::{Accounts, Balance, Error, Operation, Secret, Team};

/// Accounts without limits, the default. Without named keys, every key belongs to one default team; with
/// named keys, only those are valid. Usage is counted either way.
#[derive(Default)]
pub struct UnlimitedAccounts {
    /// If empty, every key is valid.
    keys: HashMap<String, Team>,
    webhook_secret: Option<Secret>,
    used: Mutex<HashMap<TeamId, u64>>,
    total: AtomicU64,
}

impl UnlimitedAccounts {
    /// One team for every key.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Accepts this key. From then on, keys that were not named are rejected.
    #[must_use]
    pub fn with_key(mut self, key: impl Into<String>, team: Team) -> Self {
        self.keys.insert(key.into(), team);
        self
    }

    /// Signs webhooks with this secret.
    #[must_use]
    pub fn with_webhook_secret(mut self, secret: Secret) -> Self {
        self.webhook_secret = Some(secret);
        self
    }

    /// Credits that all ended jobs used.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for UnlimitedAccounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnlimitedAccounts").field("keys", &self.keys.len()).finish_non_exhaustive()
    }
}

#[async_trait]
impl Accounts for UnlimitedAccounts {
    async fn authenticate(&self, key: &str) -> Result<Option<Team>, Error> {
        if self.keys.is_empty() {
            return Ok(Some(Team::new(TeamId::default())));
        }
        Ok(self.keys.get(key).cloned())
    }

    async fn throttle(&self, _: &TeamId, _: Operation, _: Duration) -> Result<Option<Duration>, Error> {
        Ok(None)
    }

    async fn is_metered(&self, _: &TeamId) -> Result<bool, Error> {
        Ok(false)
    }

    async fn balance(&self, team: &TeamId) -> Result<Balance, Error> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner).get(team).copied().unwrap_or(0);
        let used = i64::try_from(used).unwrap_or(UNLIMITED_CREDITS);
        let remaining = UNLIMITED_CREDITS.saturating_sub(used);
        Ok(Balance { remaining, plan: UNLIMITED_CREDITS, ..Balance::default() })
    }

    async fn reserve(&self, _: &TeamId, _: JobId, _: Uuid, _: u64) -> Result<bool, Error> {
        Ok(true)
    }

    async fn draw(&self, _: &TeamId, _: JobId, _: Uuid, credits: u64) -> Result<u64, Error> {
        Ok(credits)
    }

    async fn release(&self, _: &TeamId, _: JobId, _: Uuid, _: u64) -> Result<(), Error> {
        Ok(())
    }

    /// Counts usage. Nothing is charged, so a repeated call after a crash is counted again.
    async fn settle(&self, team: &TeamId, _: JobId, used: u64) -> Result<(), Error> {
        let mut all = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        *all.entry(team.clone()).or_default() += used;
        self.total.fetch_add(used, Ordering::Relaxed);
        Ok(())
    }

    async fn webhook_secret(&self, _: &TeamId) -> Result<Option<Secret>, Error> {
        Ok(self.webhook_secret.clone())
    }
}
