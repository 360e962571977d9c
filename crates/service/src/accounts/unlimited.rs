//! The default accounts provider, without limits.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use gleaner_store::TeamId;
use gleaner_types::limits::UNLIMITED_CREDITS;
use gleaner_types::{BoxFuture, JobId};

use crate::{Accounts, Balance, Error, Secret, Team};

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

impl Accounts for UnlimitedAccounts {
    fn authenticate<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Team>, Error>> {
        Box::pin(async move {
            if self.keys.is_empty() {
                return Ok(Some(Team::new(TeamId::default())));
            }
            Ok(self.keys.get(key).cloned())
        })
    }

    fn balance<'a>(&'a self, team: &'a TeamId) -> BoxFuture<'a, Result<Balance, Error>> {
        Box::pin(async move {
            let used =
                self.used.lock().unwrap_or_else(PoisonError::into_inner).get(team).copied().unwrap_or(0);
            let used = i64::try_from(used).unwrap_or(UNLIMITED_CREDITS);
            let remaining = UNLIMITED_CREDITS.saturating_sub(used);
            Ok(Balance { remaining, ..Balance::UNLIMITED })
        })
    }

    /// Counts usage. Nothing is charged, so a repeated call after a crash is counted again.
    fn settle<'a>(&'a self, team: &'a TeamId, _: JobId, used: u64) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move {
            let mut all = self.used.lock().unwrap_or_else(PoisonError::into_inner);
            *all.entry(team.clone()).or_default() += used;
            self.total.fetch_add(used, Ordering::Relaxed);
            Ok(())
        })
    }

    fn webhook_secret<'a>(&'a self, _: &'a TeamId) -> BoxFuture<'a, Result<Option<Secret>, Error>> {
        Box::pin(async move { Ok(self.webhook_secret.clone()) })
    }
}
