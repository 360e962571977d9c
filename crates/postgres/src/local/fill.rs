//! The task that exchanges work with the database: pages, shares, and hosts to give back.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use gleaner_types::JobId;

use super::refill::{Conflicts, ReadBlocks, TakeHosts, Taken};
use crate::failure::Failure;
use crate::inner::Inner;

/// How often it is tried to give a host back that an operation relies on.
const DRAIN_TRIES: u32 = 100;
const DRAIN_PAUSE: Duration = Duration::from_millis(20);

impl Inner {
    /// Refills whenever someone asks for it.
    pub(crate) async fn fill(&self) {
        loop {
            let turn = self.refills.next(self.config.heartbeat).await;
            let (drains, epoch) = {
                let mut local = self.local();
                (local.take_drain(), local.epoch())
            };
            let result = if drains { self.give_all_back().await } else { self.refill().await };
            self.refills.finish(turn);
            match result {
                Ok(true) => self.notify_work(),
                Ok(false) => {}
                Err(Failure::TermEnded) => self.term_ended(epoch),
                Err(failure) => {
                    tracing::warn!(%failure, "no pages could be read");
                    if failure.is_transient() {
                        // It may have been committed. A new term starts without any hosts and shares.
                        self.term_ended(epoch);
                    }
                    self.local().set_due();
                    tokio::time::sleep(self.config.poll).await;
                }
            }
        }
    }

    /// Takes hosts, loads pages, moves shares, and gives hosts back. True if there is more to lease.
    async fn refill(&self) -> Result<bool, Failure> {
        let sql = &self.db.sql;
        let (plan, asked) = {
            let mut local = self.local();
            (local.plan_refill(), local.asked())
        };
        let Some(plan) = plan else { return Ok(false) };
        let taken = match plan.takes() {
            true => self.db.write(&TakeHosts { sql, plan: &plan }).await?,
            false => Taken::default(),
        };
        let conflicts = self.conflicts(plan.epoch, taken.with_address()).await;
        let hosts = self.local().apply_taken(&plan, &taken, &conflicts);
        let mut has_pages = false;
        if !hosts.is_empty() {
            let found = self.db.read(&ReadBlocks { sql, plan: &plan, hosts: &hosts }).await?;
            let loaded = self.local().apply_found(&plan, &hosts, found);
            has_pages = loaded.has_pages;
            self.end_damaged(loaded.damaged).await?;
        }
        let has_shares = self.move_shares(asked, false).await?;
        self.local().choose_leaving(false);
        self.give_back().await?;
        Ok(has_pages || has_shares)
    }

    /// Ends jobs with pages that cannot be read: they would never be done.
    async fn end_damaged(&self, jobs: BTreeMap<JobId, String>) -> Result<(), Failure> {
        for (job, reason) in jobs {
            let now = self.local().time();
            match self.fail_job(job, &reason, now).await {
                Ok(_) => {
                    tracing::error!(%job, %reason, "a job has failed, because its waiting pages are damaged");
                }
                // It has ended meanwhile.
                Err(Failure::Refused(_)) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }

    /// The hosts of these whose address another worker holds too. Both may have been taken at the same time:
    /// this worker gives its host back.
    pub(super) async fn conflicts(&self, epoch: i64, hosts: Vec<i32>) -> BTreeSet<i32> {
        if hosts.is_empty() {
            return BTreeSet::new();
        }
        let conflicts = Conflicts { sql: &self.db.sql, epoch, hosts };
        match self.db.read(&conflicts).await {
            Ok(found) => found,
            // What is not known is given back.
            Err(_) => conflicts.hosts.into_iter().collect(),
        }
    }

    async fn move_shares(&self, asked: u64, all: bool) -> Result<bool, Failure> {
        let shares = self.local().plan_shares(&self.db.sql, asked, all);
        if shares.is_empty() {
            return Ok(false);
        }
        let moved = match self.db.write(&shares).await {
            Ok(moved) => moved,
            Err(failure) => {
                if !failure.is_transient() {
                    self.local().end_offers(&shares);
                }
                return Err(failure);
            }
        };
        self.local().apply_moved(&shares, &moved);
        moved.rows.iter().filter(|row| row.ended_at.is_some()).for_each(|row| self.job_committed(row));
        Ok(moved.has_grants())
    }

    async fn give_back(&self) -> Result<(), Failure> {
        let given = self.local().plan_give_back(&self.db.sql);
        if let Some(given) = given {
            let has_work = self.db.write(&given).await?;
            self.local().apply_given(&given, has_work);
        }
        Ok(())
    }

    /// Gives all hosts and shares back, so that other processes can go on with them.
    async fn give_all_back(&self) -> Result<bool, Failure> {
        self.move_shares(0, true).await?;
        self.local().choose_leaving(true);
        for _ in 0..DRAIN_TRIES {
            self.give_back().await?;
            if !self.local().has_leaving() {
                break;
            }
            tokio::time::sleep(DRAIN_PAUSE).await;
        }
        // Its row is deleted, or the others learn that nothing is leased here.
        let turn = self.heartbeats.request();
        self.heartbeats.wait(turn, self.config.heartbeat).await;
        Ok(true)
    }
}
