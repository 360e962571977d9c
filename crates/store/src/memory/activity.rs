//! The log of settled jobs, which outlives their results.

use gleaner_types::JobId;

use super::state::State;
use crate::journal::{Damage, Fact};
use crate::{EndedJob, JobSnapshot, TeamId};

/// Maximum number of settled jobs that [`activities`](crate::Store::activities) lists, over all teams. Above
/// it, the oldest job of the team with the most jobs is dropped.
pub const MAX_ACTIVITIES: usize = 10_000;

impl State {
    /// Records that the accounts provider knows about the end of a job, and lists the job.
    pub(super) fn settle(&mut self, id: JobId) {
        let Some(ended) = self.unsettled.mark_settled(id) else { return };
        self.log.push_global(&Fact::Settled { job: id });
        let ended = ended.for_log();
        if self.log.is_on() {
            list(&ended, |fact| self.log.push_global(fact));
        }
        self.activities.add(ended);
    }
}

/// Gives the fact that lists a job.
pub(super) fn list(ended: &EndedJob, push: impl FnOnce(&Fact<'_>)) {
    let EndedJob { team, url, snapshot, zero_data_retention } = ended;
    let warnings = Some(&snapshot.warnings).filter(|warnings| !warnings.is_empty());
    let warnings = warnings.and_then(|warnings| serde_json::to_string(warnings).ok());
    push(&Fact::Logged {
        job: snapshot.id,
        kind: snapshot.kind,
        team: team.as_str(),
        url,
        state: snapshot.state,
        documents: snapshot.completed,
        failed: snapshot.failed,
        blocked: snapshot.robots_blocked,
        tokens: snapshot.tokens_used,
        credits: snapshot.credits_used,
        created_at: snapshot.created_at,
        ended_at: snapshot.ended_at,
        warnings: warnings.as_deref(),
        failure: snapshot.failure,
        error: snapshot.error.as_deref(),
        zero_data_retention: *zero_data_retention,
    });
}

/// The job that a fact lists; `None` for another fact.
pub(super) fn logged(fact: &Fact<'_>) -> Result<Option<EndedJob>, Damage> {
    let Fact::Logged {
        job,
        kind,
        team,
        url,
        state,
        documents,
        failed,
        blocked,
        tokens,
        credits,
        created_at,
        ended_at,
        warnings,
        failure,
        error,
        zero_data_retention,
    } = *fact
    else {
        return Ok(None);
    };
    let team = TeamId::new(team);
    let warnings = warnings.map(serde_json::from_str).transpose().map_err(|_| Damage::Newer)?;
    let snapshot = JobSnapshot {
        id: job,
        kind,
        team: Some(team.clone()),
        state,
        completed: documents,
        total: 0,
        open: 0,
        failed,
        robots_blocked: blocked,
        tokens_used: tokens,
        credits_used: credits,
        created_at,
        ended_at,
        waiting_for: None,
        warnings: warnings.unwrap_or_default(),
        failure,
        error: error.map(str::to_owned),
    }
    .with_open(0);
    Ok(Some(EndedJob { team, url: url.to_owned(), snapshot, zero_data_retention }))
}
