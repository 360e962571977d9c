//! Shares of this process in what several processes may use together: tokens and slots of jobs, and slots of
//! teams.
//!
//! A share is moved between the row of the job or team and this worker in one transaction, so the sum never
//! exceeds the limit. A grant is a part of what is left, so it shrinks to one at the end.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use gleaner_store::TeamId;
use gleaner_types::JobState;
use tokio_postgres::types::Type;

use super::Local;
use super::grants::{grant, surplus};
use super::jobs::Offered;
use super::term::check_term;
use crate::database::Sql;
use crate::failure::Failure;
use crate::job_row::JobRow;
use crate::jobs::end_if_done;
use crate::operation::Operation;
use crate::transaction::Transaction;
use crate::units::{big, count, int, number};

/// A change of the share of a worker in a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ShareChange {
    job: i32,
    tokens: i64,
    slots: i32,
}

/// What a worker asked for and did not get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Lack {
    tokens: bool,
    slots: bool,
    /// Other workers hold some of what it asked for.
    others_hold: bool,
}

/// Changes the shares of a worker in jobs, whose rows are locked.
async fn change_shares(
    t: &Transaction<'_>,
    sql: &Sql,
    worker: i64,
    changes: &[ShareChange],
) -> Result<(), Failure> {
    let changes: Vec<&ShareChange> =
        changes.iter().filter(|change| change.tokens != 0 || change.slots != 0).collect();
    if changes.is_empty() {
        return Ok(());
    }
    let jobs: Vec<i32> = changes.iter().map(|change| change.job).collect();
    let tokens: Vec<i64> = changes.iter().map(|change| change.tokens).collect();
    let slots: Vec<i32> = changes.iter().map(|change| change.slots).collect();
    let text = sql.text(
        "INSERT INTO {schema}.job_share AS s (job, worker, tokens, slots)
         SELECT c.job, $1, c.tokens, c.slots FROM unnest($2::int[], $3::bigint[], $4::int[])
             AS c (job, tokens, slots) ORDER BY c.job
         ON CONFLICT (job, worker) DO UPDATE SET tokens = GREATEST(s.tokens + EXCLUDED.tokens, 0),
             slots = GREATEST(s.slots + EXCLUDED.slots, 0)",
    );
    t.execute_typed(
        &text,
        &[
            (&worker, Type::INT8),
            (&jobs, Type::INT4_ARRAY),
            (&tokens, Type::INT8_ARRAY),
            (&slots, Type::INT4_ARRAY),
        ],
    )
    .await?;
    Ok(())
}

/// What this process needs of a job, or can do without.
#[derive(Debug, Clone, Copy, Default)]
struct JobWish {
    /// More tokens and slots that it could use now.
    tokens: u64,
    slots: u64,
    /// Those that it does not need.
    spare_tokens: u64,
    spare_slots: u64,
    /// Those that leased pages hold.
    tokens_in_use: u64,
    slots_in_use: u64,
    /// Another worker needs some.
    is_wanted: bool,
    /// At most these are given back: no page is leased with them meanwhile.
    offered: Offered,
}

/// The same for the slots of a team.
#[derive(Debug, Clone, Copy, Default)]
struct TeamWish {
    slots: u64,
    spare: u64,
}

/// Moves shares between this worker and the rows of jobs and teams.
pub(super) struct MoveShares<'a> {
    sql: &'a Sql,
    pub(super) epoch: i64,
    workers: u64,
    now: Duration,
    jobs: BTreeMap<i32, JobWish>,
    teams: BTreeMap<TeamId, TeamWish>,
}

/// What was moved.
#[derive(Default)]
pub(super) struct Moved {
    changes: Vec<ShareChange>,
    /// What the jobs lack now.
    lacks: Vec<(i32, Lack)>,
    /// Changed rows, and those that have ended.
    pub(super) rows: Vec<JobRow>,
    /// Jobs whose shares other workers may give back.
    wanted_jobs: Vec<i32>,
    /// Jobs and teams that have nothing left to grant.
    starved_jobs: Vec<i32>,
    starved_teams: Vec<TeamId>,
    teams: Vec<(TeamId, i64, Option<u32>)>,
}

impl Moved {
    /// True if there is more to lease now.
    pub(super) fn has_grants(&self) -> bool {
        self.changes.iter().any(|change| change.tokens > 0 || change.slots > 0)
            || self.teams.iter().any(|(_, slots, _)| *slots > 0)
    }
}

impl MoveShares<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.jobs.is_empty() && self.teams.is_empty()
    }

    async fn shares(&self, t: &Transaction<'_>) -> Result<HashMap<i32, (u64, u64)>, Failure> {
        let jobs: Vec<i32> = self.jobs.keys().copied().collect();
        let text = self
            .sql
            .text("SELECT job, tokens, slots FROM {schema}.job_share WHERE worker = $1 AND job = ANY($2)");
        let rows = t.query_typed(&text, &[(&self.epoch, Type::INT8), (&jobs, Type::INT4_ARRAY)]).await?;
        let mut shares = HashMap::new();
        for row in rows {
            let slots = u64::from(number(row.try_get(2)?));
            shares.insert(row.try_get(0)?, (count(row.try_get(1)?), slots));
        }
        Ok(shares)
    }

    async fn move_jobs(&self, t: &Transaction<'_>, moved: &mut Moved) -> Result<(), Failure> {
        if self.jobs.is_empty() {
            return Ok(());
        }
        let numbers: Vec<i32> = self.jobs.keys().copied().collect();
        let rows = JobRow::lock_many(t, self.sql, &numbers).await?;
        let shares = self.shares(t).await?;
        for mut row in rows {
            let Some(wish) = self.jobs.get(&row.number) else { continue };
            if row.state != JobState::Scraping {
                moved.rows.push(row);
                continue;
            }
            let held = shares.get(&row.number).copied().unwrap_or_default();
            let (change, lack) = share_of(&mut row, *wish, held, self.workers);
            if lack.slots || (lack.tokens && !row.denied) {
                moved.starved_jobs.push(row.number);
                moved.wanted_jobs.extend(lack.others_hold.then_some(row.number));
            }
            moved.lacks.push((row.number, lack));
            if change.tokens == 0 && change.slots == 0 {
                continue;
            }
            moved.changes.push(change);
            if change.tokens < 0 {
                end_if_done(t, self.sql, &mut row, self.now).await?;
            }
            moved.rows.push(row);
        }
        JobRow::store_many(t, self.sql, &moved.rows).await?;
        let running: Vec<ShareChange> = moved
            .changes
            .iter()
            .filter(|change| {
                moved.rows.iter().any(|row| row.number == change.job && row.state == JobState::Scraping)
            })
            .copied()
            .collect();
        change_shares(t, self.sql, self.epoch, &running).await?;
        if !moved.wanted_jobs.is_empty() {
            let text = self.sql.text("UPDATE {schema}.job SET wanted_at = now() WHERE number = ANY($1)");
            t.execute_typed(&text, &[(&moved.wanted_jobs, Type::INT4_ARRAY)]).await?;
        }
        Ok(())
    }

    async fn move_teams(&self, t: &Transaction<'_>, moved: &mut Moved) -> Result<(), Failure> {
        if self.teams.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = self.teams.keys().map(TeamId::as_str).collect();
        let text = self.sql.text(
            "SELECT t.name, t.slots, t.slots_held, COALESCE(s.slots, 0),
                 COALESCE(t.wanted_at > now() - interval '1 second', false)
             FROM {schema}.team t LEFT JOIN {schema}.team_share s ON s.team = t.name AND s.worker = $2
             WHERE t.name = ANY($1) ORDER BY t.name FOR NO KEY UPDATE OF t",
        );
        let rows = t.query_typed(&text, &[(&names, Type::TEXT_ARRAY), (&self.epoch, Type::INT8)]).await?;
        let (mut changed, mut changes, mut starved) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            let name: String = row.try_get(0)?;
            let team = TeamId::new(&name);
            let Some(wish) = self.teams.get(&team) else { continue };
            let limit: Option<i32> = row.try_get(1)?;
            let (all, own): (i32, i32) = (row.try_get(2)?, row.try_get(3)?);
            let (all, own) = (u64::from(number(all)), u64::from(number(own)));
            let is_wanted: bool = row.try_get(4)?;
            let max = limit.map_or(u64::MAX, |limit| u64::from(number(limit)));
            let room = max.saturating_sub(all);
            let used = own.saturating_sub(wish.spare);
            let given = if is_wanted || all > max {
                surplus(own, used, max.max(1), self.workers).max(wish.spare.min(own))
            } else {
                wish.spare.min(own)
            };
            let granted = grant(wish.slots, room, self.workers);
            if granted == 0 && wish.slots > 0 {
                moved.starved_teams.push(team.clone());
                // Only other workers can give some back.
                starved.extend((all > own).then(|| name.clone()));
            }
            let change = big(granted) - big(given);
            moved.teams.push((team, change, limit.map(number)));
            if change != 0 {
                changed.push(name);
                changes.push(i32::try_from(change).unwrap_or(0));
            }
        }
        let text = self.sql.text(
            "WITH c AS (SELECT * FROM unnest($2::text[], $3::int[]) AS c (team, slots)), u AS (
                 UPDATE {schema}.team t SET slots_held = GREATEST(t.slots_held + c.slots, 0)
                 FROM c WHERE t.name = c.team)
             INSERT INTO {schema}.team_share AS s (team, worker, slots)
                 SELECT team, $1, slots FROM c ORDER BY team
             ON CONFLICT (team, worker) DO UPDATE SET slots = GREATEST(s.slots + EXCLUDED.slots, 0)",
        );
        if !changed.is_empty() {
            t.execute_typed(
                &text,
                &[(&self.epoch, Type::INT8), (&changed, Type::TEXT_ARRAY), (&changes, Type::INT4_ARRAY)],
            )
            .await?;
        }
        if !starved.is_empty() {
            let text = self.sql.text("UPDATE {schema}.team SET wanted_at = now() WHERE name = ANY($1)");
            t.execute_typed(&text, &[(&starved, Type::TEXT_ARRAY)]).await?;
        }
        Ok(())
    }
}

/// Moves tokens and slots between the row of a job and a worker that holds this much.
fn share_of(row: &mut JobRow, wish: JobWish, held: (u64, u64), workers: u64) -> (ShareChange, Lack) {
    let (tokens, slots) = held;
    // A denied job ends once no token is in use.
    let spare = if row.denied { tokens.saturating_sub(wish.tokens_in_use) } else { wish.spare_tokens };
    let room = row.room();
    let given = if wish.is_wanted {
        surplus(tokens, wish.tokens_in_use, row.tokens_held.saturating_add(room), workers)
    } else {
        0
    };
    let given = given.max(spare).min(tokens).min(wish.offered.tokens);
    row.tokens_held = row.tokens_held.saturating_sub(given);
    let granted = if given > 0 { 0 } else { grant(wish.tokens, row.room(), workers) };
    row.tokens_held += granted;
    let lacks_tokens = wish.tokens > 0 && granted == 0;
    let others_hold = row.tokens_held > tokens.saturating_sub(given);
    let mut lack = Lack { tokens: lacks_tokens, slots: false, others_hold: lacks_tokens && others_hold };
    let mut slot_change = 0_i64;
    if let Some(max) = row.max_in_flight.map(u64::from) {
        let others = u64::from(row.slots_held).saturating_sub(slots);
        let given = if wish.is_wanted { surplus(slots, wish.slots_in_use, max, workers) } else { 0 };
        let given = given.max(wish.spare_slots).min(slots).min(u64::from(wish.offered.slots));
        let room = max.saturating_sub(others).saturating_sub(slots);
        let granted = if given > 0 { 0 } else { grant(wish.slots, room, workers) };
        lack.slots = wish.slots > 0 && granted == 0;
        lack.others_hold |= lack.slots && others > 0;
        slot_change = big(granted) - big(given);
        let all = others + (slots + granted).saturating_sub(given);
        row.slots_held = u32::try_from(all).unwrap_or(u32::MAX);
    }
    let slots = i32::try_from(slot_change).unwrap_or(0);
    (ShareChange { job: row.number, tokens: big(granted) - big(given), slots }, lack)
}

#[async_trait::async_trait]
impl Operation for MoveShares<'_> {
    type Output = Moved;

    async fn run(&self, transaction: &Transaction<'_>) -> Result<Moved, Failure> {
        check_term(transaction, self.sql, self.epoch).await?;
        let mut moved = Moved::default();
        self.move_jobs(transaction, &mut moved).await?;
        self.move_teams(transaction, &mut moved).await?;
        Ok(moved)
    }
}

impl Local {
    /// The shares that this process needs for `asked` more pages, and those that it can do without. With
    /// `all`, it needs none.
    pub(super) fn plan_shares<'a>(&mut self, sql: &'a Sql, asked: u64, all: bool) -> MoveShares<'a> {
        let mut jobs = BTreeMap::new();
        let busy = self.jobs.values().filter(|job| job.waiting > 0).count();
        let fair = u64::from(self.config.max_in_flight) / u64::try_from(busy).unwrap_or(u64::MAX).max(1);
        // While all capacity is in use, a job grows to its fair part of it.
        let more_of = |held: u64, used: u64| match asked {
            0 if held <= used => used.min(fair.saturating_sub(used)).max(u64::from(held == 0)),
            asked => asked,
        };
        for (number, job) in &self.jobs {
            let used = job.tokens_in_use();
            let is_held = all || job.paused || job.denied;
            let more = if is_held { 0 } else { job.waiting.min(more_of(job.tokens, used)) };
            let demand = if all { job.leased } else { job.demand() };
            let slots = u64::from(job.slots);
            let more_slots = more_of(slots, job.leased);
            let more_slots = if all { 0 } else { job.waiting_for_slots().min(more_slots) };
            let has_slots = job.max_in_flight.is_some();
            let mut wish = JobWish {
                tokens: (used + more).saturating_sub(job.tokens),
                slots: if has_slots { (job.leased + more_slots).saturating_sub(slots) } else { 0 },
                spare_tokens: job.tokens.saturating_sub(demand.max(used)),
                spare_slots: slots.saturating_sub(job.leased + if all { 0 } else { job.waiting_for_slots() }),
                tokens_in_use: used,
                slots_in_use: job.leased,
                is_wanted: job.is_wanted,
                offered: Offered::default(),
            };
            if wish.spare_tokens > 0 || wish.is_wanted {
                wish.offered.tokens = job.tokens.saturating_sub(used);
            }
            if wish.spare_slots > 0 || wish.is_wanted {
                let in_use = u32::try_from(job.leased).unwrap_or(u32::MAX);
                wish.offered.slots = job.slots.saturating_sub(in_use);
            }
            let yields = job.is_wanted && job.tokens > used;
            if wish.tokens > 0 || wish.slots > 0 || wish.spare_tokens > 0 || wish.spare_slots > 0 || yields {
                jobs.insert(*number, wish);
            }
        }
        let mut teams = BTreeMap::new();
        for (name, load) in
            self.teams.loads(&self.frontier, self.workers).into_iter().filter(|(_, load)| load.has_limit)
        {
            let waiting = if all { 0 } else { self.waiting_for_team(&name) };
            let held = u64::from(load.held);
            let more = waiting.min(more_of(held, load.leased));
            let most = u64::from(load.most);
            let demand = (load.leased + waiting).min(most.max(load.leased));
            let wish = TeamWish {
                slots: (load.leased + more).min(most).saturating_sub(held),
                spare: held.saturating_sub(demand),
            };
            if wish.slots > 0 || wish.spare > 0 {
                teams.insert(name, wish);
            }
        }
        for (number, wish) in &jobs {
            if let Some(job) = self.jobs.get_mut(number) {
                job.offered = wish.offered;
                self.update_job(*number);
            }
        }
        for (name, wish) in &teams {
            self.teams.offer(name, wish.spare);
            self.update_team(Some(name));
        }
        let (epoch, workers, now) = (self.epoch(), self.workers, self.now());
        MoveShares { sql, epoch, workers, now, jobs, teams }
    }

    /// Waiting pages that could use a slot of this team.
    fn waiting_for_team(&self, team: &TeamId) -> u64 {
        let jobs = self.jobs.values().filter(|job| job.team.as_ref() == Some(team));
        jobs.map(super::jobs::JobMirror::waiting_for_team).sum()
    }

    /// Ends the offers of this process to give shares back, because the transaction has ended.
    pub(super) fn end_offers(&mut self, shares: &MoveShares<'_>) {
        for number in shares.jobs.keys() {
            if let Some(job) = self.jobs.get_mut(number) {
                job.offered = Offered::default();
                self.update_job(*number);
            }
        }
        for name in shares.teams.keys() {
            self.teams.offer(name, 0);
            self.update_team(Some(name));
        }
    }

    /// Applies moved shares.
    pub(super) fn apply_moved(&mut self, shares: &MoveShares<'_>, moved: &Moved) {
        if shares.epoch != self.epoch() {
            return;
        }
        for change in &moved.changes {
            if let Some(job) = self.jobs.get_mut(&change.job) {
                job.tokens = count(big(job.tokens) + change.tokens);
                job.slots = number(int(job.slots).saturating_add(change.slots));
                self.update_job(change.job);
            }
        }
        for (number, lack) in &moved.lacks {
            if let Some(job) = self.jobs.get_mut(number) {
                (job.lacks_tokens, job.lacks_slots) = (lack.tokens, lack.slots);
            }
        }
        for (name, change, limit) in &moved.teams {
            self.teams.add_slots(name, *change, *limit);
        }
        self.end_offers(shares);
        self.starved_jobs.extend(moved.starved_jobs.iter().copied());
        self.starved_teams.extend(moved.starved_teams.iter().cloned());
    }

    /// True if a page waits only for a token or a slot that the database may have.
    pub(super) fn needs_shares(&self) -> bool {
        let needs = |(number, job): (&i32, &super::jobs::JobMirror)| {
            job.waiting > 0
                && !job.paused
                && !job.denied
                && !self.starved_jobs.contains(number)
                && (job.tokens <= job.tokens_in_use()
                    || (job.max_in_flight.is_some() && u64::from(job.slots) <= job.leased))
        };
        let team_needs = |(name, load): &(TeamId, super::teams::TeamShare)| {
            load.has_limit
                && load.leased >= u64::from(load.held)
                && self.waiting_for_team(name) > 0
                && !self.starved_teams.contains(name)
        };
        self.jobs.iter().any(needs) || self.teams.loads(&self.frontier, self.workers).iter().any(team_needs)
    }
}
