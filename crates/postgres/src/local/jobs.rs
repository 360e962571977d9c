//! Mirrors of the jobs whose pages are loaded.

use std::collections::HashMap;
use std::time::Duration;

use gleaner_frontier::{JobSlot, UrlKey};
use gleaner_store::{LeaseId, TeamId};
use gleaner_types::{JobId, JobState};

use super::Local;
use crate::job_form::JobForm;
use crate::job_row::JobRow;

/// Where a loaded page of a job is.
#[derive(Debug, Clone, Copy)]
pub(super) struct PagePlace {
    pub(super) host: i32,
    pub(super) block: i64,
}

/// What this process knows about a running job.
#[derive(Debug)]
pub(super) struct JobMirror {
    pub(super) id: JobId,
    pub(super) slot: JobSlot,
    pub(super) team: Option<TeamId>,
    pub(super) max_in_flight: Option<u32>,
    pub(super) max_depth: Option<u32>,
    /// Documents that its limit still admits, of all processes.
    pub(super) remaining: u64,
    pub(super) documents: u64,
    pub(super) paused: bool,
    /// No further page is paid for.
    pub(super) denied: bool,
    /// Pages that may be leased, and the part of `max_in_flight`.
    pub(super) tokens: u64,
    pub(super) slots: u32,
    /// Those of them that a running transaction may give back: no page is leased with them.
    pub(super) offered: Offered,
    pub(super) leased: u64,
    pub(super) leased_auxiliary: u64,
    /// Loaded pages that are not leased.
    pub(super) waiting: u64,
    /// Another worker needs tokens or slots.
    pub(super) is_wanted: bool,
    /// The last attempt to get tokens, or slots of the job, failed.
    pub(super) lacks_tokens: bool,
    pub(super) lacks_slots: bool,
    /// The number of the last change by this process.
    pub(super) changed: u64,
    /// The loaded pages that have not ended.
    pub(super) pages: HashMap<UrlKey, PagePlace>,
}

/// Tokens and slots that may be given back.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Offered {
    pub(super) tokens: u64,
    pub(super) slots: u32,
}

impl JobMirror {
    /// Pages that this process could use a token for.
    pub(super) fn demand(&self) -> u64 {
        if self.paused || self.denied { self.leased } else { self.leased + self.waiting }
    }

    /// Waiting pages that could use a slot of the job. A page that lacks a token uses none: if one worker had
    /// the tokens and another one the slots, each would wait for the other.
    pub(super) fn waiting_for_slots(&self) -> u64 {
        if self.paused || self.denied {
            0
        } else if self.lacks_tokens {
            self.waiting.min(self.tokens.saturating_sub(self.tokens_in_use()))
        } else {
            self.waiting
        }
    }

    /// Waiting pages that could use a slot of the team: those that lack nothing else.
    pub(super) fn waiting_for_team(&self) -> u64 {
        let waiting = self.waiting_for_slots();
        if self.lacks_slots {
            waiting.min(u64::from(self.slots).saturating_sub(self.leased))
        } else {
            waiting
        }
    }

    /// True if a running transaction may give some of its tokens or slots back.
    pub(super) const fn has_offer(&self) -> bool {
        self.offered.tokens > 0 || self.offered.slots > 0
    }

    /// Leased pages that hold a token.
    pub(super) fn tokens_in_use(&self) -> u64 {
        self.leased.saturating_sub(self.leased_auxiliary)
    }
}

impl Local {
    /// Opens the queue of a job.
    pub(super) fn open_job(&mut self, row: &JobRow, form: &JobForm, team_slots: Option<u32>) {
        if self.jobs.contains_key(&row.number) || row.state != JobState::Scraping {
            return;
        }
        let group = self.teams.enter(row.team.as_ref(), team_slots);
        let slot = self.frontier.open_part(group, form.rules.delay);
        self.by_id.insert(row.id, row.number);
        self.by_slot.insert(slot, row.number);
        let mirror = JobMirror {
            id: row.id,
            slot,
            team: row.team.clone(),
            max_in_flight: row.max_in_flight,
            max_depth: row.max_depth,
            remaining: row.max_documents.saturating_sub(row.documents),
            documents: row.documents,
            paused: row.paused,
            denied: row.denied,
            tokens: 0,
            slots: 0,
            offered: Offered::default(),
            leased: 0,
            leased_auxiliary: 0,
            waiting: 0,
            is_wanted: false,
            lacks_tokens: false,
            lacks_slots: false,
            changed: self.changes,
            pages: HashMap::new(),
        };
        self.jobs.insert(row.number, mirror);
        self.update_job(row.number);
        self.update_team(row.team.as_ref());
    }

    /// Sets what the frontier may lease of a job.
    pub(super) fn update_job(&mut self, number: i32) {
        let Some(job) = self.jobs.get(&number) else { return };
        let tokens = job.tokens.saturating_sub(job.offered.tokens).saturating_add(job.leased_auxiliary);
        let tokens = u32::try_from(tokens).unwrap_or(u32::MAX);
        let slots = job.slots.saturating_sub(job.offered.slots);
        let leases = if job.max_in_flight.is_some() { tokens.min(slots) } else { tokens };
        self.frontier.set_allowance(job.slot, leases, job.remaining);
        self.frontier.hold(job.slot, job.paused || job.denied);
    }

    /// Drops a job that has ended. Its leases are lost.
    pub(super) fn close_job(&mut self, number: i32) {
        let Some(job) = self.jobs.remove(&number) else { return };
        self.by_id.remove(&job.id);
        self.by_slot.remove(&job.slot);
        self.teams.leave(job.team.as_ref(), job.leased, &self.frontier);
        self.frontier.close(job.slot);
        let epoch = self.term.epoch.cast_unsigned();
        // The leases stay until their workers end them: their requests count for the hosts.
        for (&lease, held) in &self.leases {
            if held.entry.job == number {
                self.lost.entry(held.entry.worker).or_default().push(LeaseId { number: lease, epoch });
            }
        }
        let blocks: Vec<i64> =
            self.blocks.iter().filter(|(_, block)| block.job == number).map(|(id, _)| *id).collect();
        for block in blocks {
            self.forget_block(block);
        }
        for host in self.hosts.values_mut() {
            host.jobs.remove(&number);
        }
        self.given_up.retain(|page| page.entry.job != number);
    }

    /// Applies the row of a job after a commit. False if the job has ended.
    pub(crate) fn job_changed(&mut self, row: &JobRow) -> bool {
        if row.state != JobState::Scraping || row.removed {
            self.close_job(row.number);
            return false;
        }
        self.set_due();
        self.changes += 1;
        self.newcomer |= !self.jobs.contains_key(&row.number);
        if let Some(job) = self.jobs.get_mut(&row.number) {
            job.remaining = row.max_documents.saturating_sub(row.documents);
            job.documents = row.documents;
            (job.paused, job.denied, job.changed) = (row.paused, row.denied, self.changes);
            self.update_job(row.number);
        }
        true
    }

    /// Records tokens that a commit granted to this worker.
    pub(crate) fn granted(&mut self, number: i32, tokens: u64) {
        if let Some(job) = self.jobs.get_mut(&number) {
            job.tokens += tokens;
            self.update_job(number);
        }
    }

    /// Records tokens that a commit of a denied job took back.
    pub(crate) fn taken_back(&mut self, number: i32, tokens: u64) {
        if let Some(job) = self.jobs.get_mut(&number) {
            job.tokens = job.tokens.saturating_sub(tokens);
            self.update_job(number);
        }
    }

    /// Counts a page of a job that waits on a host, or does not wait any more.
    pub(super) fn count_waiting(&mut self, number: i32, host: i32, waits: bool) {
        let change = |count: &mut u64| *count = if waits { *count + 1 } else { count.saturating_sub(1) };
        let Some(job) = self.jobs.get_mut(&number) else { return };
        change(&mut job.waiting);
        if let Some(host) = self.hosts.get_mut(&host) {
            change(host.jobs.entry(number).or_default());
        }
    }

    /// The queue of a job with loaded pages.
    pub(crate) fn slot_of(&self, job: JobId) -> Option<JobSlot> {
        self.jobs.get(self.by_id.get(&job)?).map(|job| job.slot)
    }

    /// Pages of a team that this process has leased.
    pub(crate) fn team_leased(&self, team: &TeamId) -> u64 {
        let jobs = self.jobs.values().filter(|job| job.team.as_ref() == Some(team));
        jobs.map(|job| job.leased).sum()
    }

    /// Sets the slots of a team in the frontier.
    pub(super) fn update_team(&mut self, team: Option<&TeamId>) {
        if let Some((group, max)) = self.teams.limit(team, self.workers) {
            self.frontier.set_max_in_flight(group, max);
        }
    }

    /// The jobs with loaded pages.
    pub(super) fn busy_jobs(&self) -> Vec<i32> {
        self.jobs.iter().filter(|(_, job)| job.waiting > 0).map(|(number, _)| *number).collect()
    }

    /// Applies what a poll found about a mirrored job. It began after this number of changes by this process,
    /// so it may not know later ones. True if the job has ended.
    pub(super) fn polled(
        &mut self,
        number: i32,
        found: Option<&super::poll::PolledJob>,
        changes: u64,
    ) -> bool {
        let Some(job) = self.jobs.get_mut(&number) else { return false };
        let Some(found) = found.filter(|found| found.is_running) else {
            self.close_job(number);
            return true;
        };
        if job.documents < found.documents {
            job.remaining = job.remaining.saturating_sub(found.documents - job.documents);
            job.documents = found.documents;
        }
        job.is_wanted = found.is_wanted;
        self.teams.want(job.team.as_ref(), found.is_team_wanted);
        if let Some((group, max)) = self.teams.limit(job.team.as_ref(), self.workers) {
            self.frontier.set_max_in_flight(group, max);
        }
        if job.changed > changes {
            return false;
        }
        let is_resumed = (job.paused || job.denied) && !(found.paused || found.denied);
        (job.paused, job.denied) = (found.paused, found.denied);
        self.update_job(number);
        if is_resumed {
            self.due = true;
        }
        false
    }

    /// The latest time that a caller gave.
    pub(super) const fn now(&self) -> Duration {
        self.now
    }

    /// The tokens that this process holds of each job, and those in use.
    pub(crate) fn tokens(&self) -> HashMap<i32, (u64, u64)> {
        self.jobs.iter().map(|(number, job)| (*number, (job.tokens, job.tokens_in_use()))).collect()
    }

    /// The numbers of the mirrored jobs.
    pub(super) fn job_numbers(&self) -> Vec<i32> {
        let mut numbers: Vec<i32> = self.jobs.keys().copied().collect();
        numbers.sort_unstable();
        numbers
    }
}
