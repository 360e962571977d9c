//! Reads the activity log.

use gleaner_runtime::{Error, timestamp};
use gleaner_store::{EndedJob, TeamId};
use gleaner_types::response::{Activities, Activity};
use gleaner_types::{JobState, limits};

use super::JobService;

impl JobService {
    /// At most `limit` of the team's ended jobs and scrapes, the one that ended last first. The activity log
    /// keeps them beyond their results.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub async fn activities(&self, team: &TeamId, limit: usize) -> Result<Vec<EndedJob>, Error> {
        self.run(async { self.activities.latest(team, limit).await }).await
    }

    /// The same as a response of the API. `limit` is clamped to 1 to
    /// [`MAX_ACTIVITY_LIMIT`](limits::MAX_ACTIVITY_LIMIT).
    ///
    /// # Errors
    /// If the log cannot be read.
    pub async fn activity(&self, team: &TeamId, limit: u64) -> Result<Activities, Error> {
        let entries = usize::try_from(limit.clamp(1, limits::MAX_ACTIVITY_LIMIT)).unwrap_or(usize::MAX);
        let jobs = self.activities(team, entries).await?;
        Ok(Activities { success: true, data: jobs.into_iter().map(activity).collect() })
    }
}

fn activity(job: EndedJob) -> Activity {
    let EndedJob { url, snapshot, .. } = job;
    // A scrape without a document was answered with an error.
    let has_no_document = snapshot.kind.is_none() && snapshot.completed == 0;
    let status = match snapshot.state {
        JobState::Completed if has_no_document => JobState::Failed,
        state => state,
    };
    Activity {
        id: snapshot.id,
        kind: snapshot.kind.into(),
        url,
        status,
        credits_used: snapshot.credits_used,
        created_at: timestamp(snapshot.created_at),
        completed_at: snapshot.ended_at.map(timestamp),
    }
}
