//! The test suite for every [`Accounts`] provider: call it in a test of yours.

#![expect(clippy::expect_used, reason = "a rule that is broken ends the suite")]

use std::time::Duration;

use futures_util::future::join_all;
use gleaner_runtime::new_id;
use gleaner_store::TeamId;
use gleaner_types::JobId;
use uuid::Uuid;

use super::{Accounts, Operation};

/// Credits that the team of a suite must have.
const CREDITS: i64 = 1_000;
/// The time of requests, since the Unix epoch.
const NOW: Duration = Duration::from_secs(1_800_000_000);
/// What is expected of each call.
const WORKS: &str = "the provider answers";

/// What every [`Accounts`] provider must do. `key` is the key of a team that nobody else uses. A team that
/// pays from a balance must have at least 1,000 credits; they are used up.
///
/// It panics at the first rule that is broken, with a message.
///
/// ```
/// use gleaner_service::{MemoryAccounts, Team, TeamConfig, conformance};
/// use gleaner_store::TeamId;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let team = TeamConfig::new(Team::new(TeamId::new("birds"))).credits(1_000);
/// conformance::accounts(&MemoryAccounts::new().with_team("their key", team), "their key").await;
/// # }
/// ```
///
/// # Panics
/// If the provider breaks a rule of its contract, or fails.
pub async fn accounts(provider: &dyn Accounts, key: &str) {
    let team = provider.authenticate(key).await.expect(WORKS).expect("the key belongs to a team");
    let suite = Suite { provider, team: team.id };
    suite.a_key_has_one_team(key).await;
    suite.rates_and_secrets_are_answered().await;
    if !provider.is_metered(&suite.team).await.expect(WORKS) {
        suite.a_team_without_a_balance_is_never_refused().await;
        return;
    }
    assert!(suite.remaining().await >= CREDITS, "the team of the suite has at least {CREDITS} credits");
    suite.an_operation_counts_once().await;
    suite.a_reservation_is_all_or_nothing().await;
    suite.a_draw_takes_what_there_is().await;
    suite.a_release_returns_an_operation_once().await;
    suite.a_settlement_counts_once_and_ends_the_job().await;
    suite.draws_at_once_share_the_balance().await;
    suite.usage_beyond_the_balance_is_owed().await;
}

struct Suite<'a> {
    provider: &'a dyn Accounts,
    team: TeamId,
}

impl Suite<'_> {
    async fn a_key_has_one_team(&self, key: &str) {
        let again = self.provider.authenticate(key).await.expect(WORKS);
        assert!(again.is_some_and(|team| team.id == self.team), "a key always has the same team");
        let unknown = format!("{key}-{}", Uuid::now_v7());
        let team = self.provider.authenticate(&unknown).await.expect(WORKS);
        assert!(team.is_none(), "an unknown key has no team, and is no failure");
    }

    async fn rates_and_secrets_are_answered(&self) {
        for operation in Operation::ALL {
            let wait = self.provider.throttle(&self.team, operation, NOW).await.expect(WORKS);
            assert!(wait != Some(Duration::ZERO), "a refused request says how long to wait");
        }
        let secret = self.provider.webhook_secret(&self.team).await.expect(WORKS);
        let again = self.provider.webhook_secret(&self.team).await.expect(WORKS);
        assert!(secret == again, "the secret of a team is always the same");
    }

    async fn a_team_without_a_balance_is_never_refused(&self) {
        let (job, operation) = (new_id(), Uuid::now_v7());
        for _ in 0..2 {
            assert!(self.reserve(job, operation, 1_000_000).await, "a team without a balance is not refused");
        }
        assert_eq!(self.draw(job, Uuid::now_v7(), 1_000_000).await, 1_000_000, "it gets what it asks for");
        self.release(job, operation, 1_000_000).await;
        self.settle(job, 1_000_000).await;
        assert!(self.reserve(new_id(), Uuid::now_v7(), 1).await, "usage does not change that");
    }

    async fn an_operation_counts_once(&self) {
        let (before, job, other) = (self.remaining().await, new_id(), new_id());
        let [reserve, draw] = [Uuid::now_v7(), Uuid::now_v7()];
        for credits in [100, 100, 7, 200] {
            assert!(self.reserve(job, reserve, credits).await, "a repeated operation returns the same");
            assert_eq!(self.remaining().await, before - 100, "it counts once, whatever its credits");
        }
        for credits in [50, 50, 7, 200] {
            assert_eq!(self.draw(job, draw, credits).await, 50, "a repeated operation returns the same");
            assert_eq!(self.remaining().await, before - 150, "it counts once, whatever its credits");
        }
        assert!(self.reserve(other, reserve, 10).await, "the same id of another job is another operation");
        assert_eq!(self.remaining().await, before - 160, "the same id of another job is another operation");
        self.settle(job, 0).await;
        self.settle(other, 0).await;
        assert_eq!(self.remaining().await, before, "what a job did not use returns");
    }

    async fn a_reservation_is_all_or_nothing(&self) {
        let (before, job, operation) = (self.remaining().await, new_id(), Uuid::now_v7());
        assert!(!self.reserve(job, operation, credits(before) + 1).await, "the balance is too low");
        assert_eq!(self.remaining().await, before, "a refused reservation takes nothing");
        assert!(self.reserve(job, operation, credits(before)).await, "a refused operation may be repeated");
        assert_eq!(self.remaining().await, 0, "a reservation may take the whole balance");
        assert!(!self.reserve(new_id(), Uuid::now_v7(), 1).await, "nothing is left");
        self.settle(job, 0).await;
        assert_eq!(self.remaining().await, before, "what a job did not use returns");
    }

    async fn a_draw_takes_what_there_is(&self) {
        let (before, job, late) = (self.remaining().await, new_id(), Uuid::now_v7());
        let drawn = self.draw(job, Uuid::now_v7(), credits(before) + 5).await;
        assert_eq!(drawn, credits(before), "a draw takes at most what the balance allows");
        assert_eq!(self.draw(job, late, 5).await, 0, "nothing is left");
        self.settle(job, 10).await;
        assert_eq!(self.remaining().await, before - 10, "a job pays for what it used");
        let next = new_id();
        assert_eq!(self.draw(next, late, 5).await, 5, "credits that returned can be drawn");
        self.settle(next, 0).await;
    }

    async fn a_release_returns_an_operation_once(&self) {
        let (before, job) = (self.remaining().await, new_id());
        let [kept, released] = [Uuid::now_v7(), Uuid::now_v7()];
        assert!(self.reserve(job, kept, 30).await && self.reserve(job, released, 20).await, "both fit");
        for _ in 0..2 {
            self.release(job, released, 20).await;
            assert_eq!(self.remaining().await, before - 30, "a repeated release returns nothing");
        }
        self.release(new_id(), Uuid::now_v7(), 20).await;
        assert_eq!(self.remaining().await, before - 30, "an unknown operation has nothing to return");
        self.settle(job, 0).await;
        assert_eq!(self.remaining().await, before, "the rest of the reservation returns");
    }

    async fn a_settlement_counts_once_and_ends_the_job(&self) {
        let (before, job) = (self.remaining().await, new_id());
        assert!(self.reserve(job, Uuid::now_v7(), 40).await, "the reservation fits");
        for used in [25, 25, 99, 0] {
            self.settle(job, used).await;
            assert_eq!(self.remaining().await, before - 25, "the first settlement of a job counts");
        }
        assert!(!self.reserve(job, Uuid::now_v7(), 1).await, "a settled job reserves nothing");
        assert_eq!(self.draw(job, Uuid::now_v7(), 1).await, 0, "a settled job draws nothing");
        assert_eq!(self.remaining().await, before - 25, "a settled job changes nothing");

        let overdrawn = new_id();
        assert!(self.reserve(overdrawn, Uuid::now_v7(), 10).await, "the reservation fits");
        self.settle(overdrawn, 12).await;
        assert_eq!(self.remaining().await, before - 37, "usage beyond the reservation comes off the balance");
        self.settle(new_id(), 0).await;
        assert_eq!(self.remaining().await, before - 37, "a job without a reservation may be settled");
    }

    async fn draws_at_once_share_the_balance(&self) {
        let before = self.remaining().await;
        let jobs: [JobId; 8] = std::array::from_fn(|_| new_id());
        let draws = jobs.iter().map(|job| self.draw(*job, Uuid::now_v7(), credits(before)));
        let drawn: u64 = join_all(draws).await.into_iter().sum();
        assert!(drawn <= credits(before), "draws at once never exceed the balance");
        assert_eq!(self.remaining().await, before - signed(drawn), "what was drawn left the balance");
        join_all(jobs.iter().map(|job| self.settle(*job, 0))).await;
        assert_eq!(self.remaining().await, before, "what the jobs did not use returns");
    }

    async fn usage_beyond_the_balance_is_owed(&self) {
        let (before, job) = (self.remaining().await, new_id());
        self.settle(job, credits(before) + 5).await;
        assert_eq!(self.remaining().await, -5, "a balance may become negative");
        assert!(!self.reserve(new_id(), Uuid::now_v7(), 1).await, "a negative balance reserves nothing");
        assert_eq!(self.draw(new_id(), Uuid::now_v7(), 1).await, 0, "a negative balance gives nothing");
        assert_eq!(self.remaining().await, -5, "refused operations take nothing");
    }

    async fn remaining(&self) -> i64 {
        self.provider.balance(&self.team).await.expect(WORKS).remaining
    }

    async fn reserve(&self, job: JobId, operation: Uuid, credits: u64) -> bool {
        self.provider.reserve(&self.team, job, operation, credits).await.expect(WORKS)
    }

    async fn draw(&self, job: JobId, operation: Uuid, credits: u64) -> u64 {
        self.provider.draw(&self.team, job, operation, credits).await.expect(WORKS)
    }

    async fn release(&self, job: JobId, operation: Uuid, credits: u64) {
        self.provider.release(&self.team, job, operation, credits).await.expect(WORKS);
    }

    async fn settle(&self, job: JobId, used: u64) {
        self.provider.settle(&self.team, job, used).await.expect(WORKS);
    }
}

fn credits(balance: i64) -> u64 {
    u64::try_from(balance).unwrap_or(0)
}

fn signed(credits: u64) -> i64 {
    i64::try_from(credits).unwrap_or(i64::MAX)
}
