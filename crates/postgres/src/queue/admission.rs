//! Admitting pages that are not links of a page.

use std::collections::HashMap;

use async_trait::async_trait;
use gleaner_frontier::{Admitted, Candidate, FrontierConfig, QueuedPage};
use gleaner_store::{Admission, Error, JobWarning};
use gleaner_types::JobId;

use super::block::insert_blocks;
use super::caches::{Additions, Caches};
use super::host::HeldHosts;
use super::offer::{Step, offer};
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::jobs;
use crate::operation::Operation;
use crate::transaction::Transaction;

/// Bytes of a waiting page besides the part of its URL after the host, by which queues are limited.
const PAGE_BYTES: u64 = 11;

/// Pages to add to a job.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewPages<'a> {
    pub(crate) job: i32,
    pub(crate) max_depth: Option<u32>,
    pub(crate) depth: u32,
    /// They were found as links.
    pub(crate) from_links: bool,
    /// The number of pages that the queue of the job still takes; see [`queue_space`].
    pub(crate) space: u64,
    pub(crate) pages: &'a [Candidate],
}

/// What was added to a job.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AdmittedPages {
    pub(crate) admitted: Admitted,
    /// Pages that wait now, which the caller adds to `pending`.
    pub(crate) queued: u64,
    /// Those of them that are not pages, which the caller adds to `pending_auxiliary`.
    pub(crate) auxiliary: u64,
}

impl AdmittedPages {
    /// Counts the pages in the row of their job.
    pub(crate) fn count(&self, row: &mut JobRow) {
        row.pending = row.pending.saturating_add(self.queued);
        row.pending_auxiliary = row.pending_auxiliary.saturating_add(self.auxiliary);
        if self.admitted.overflow > 0 {
            row.add_warning(JobWarning::NotQueued);
        }
    }
}

/// The number of pages that the queue of a job still takes. `pending` pages of it wait or are leased.
pub(crate) fn queue_space(pending: u64, config: &FrontierConfig) -> u64 {
    config.max_queued_per_job.saturating_sub(pending)
}

/// Checks that the queue of a job takes all these pages of a user.
pub(crate) fn check_capacity(
    pages: &[Candidate],
    pending: u64,
    config: &FrontierConfig,
) -> Result<(), Failure> {
    let mut bytes = 0_u64;
    for page in pages {
        let Some(queued) = QueuedPage::of(page, 0) else { return Err(queue_full()) };
        let length = u64::try_from(queued.path.len()).unwrap_or(u64::MAX);
        bytes = bytes.saturating_add(PAGE_BYTES).saturating_add(length);
    }
    let count = u64::try_from(pages.len()).unwrap_or(u64::MAX);
    if count > queue_space(pending, config) || bytes > config.max_queued_bytes_per_job {
        return Err(queue_full());
    }
    Ok(())
}

fn queue_full() -> Failure {
    Error::full("the queue of the job has no space for all these pages; it gets space as pages end").into()
}

/// Admits pages of several jobs, whose rows are locked if they have a `max_depth`. Inserts pages, hosts and
/// blocks. The caller [counts](AdmittedPages::count) them, and gives the additions to
/// [`Caches::committed`] after the commit.
pub(crate) async fn admit(
    t: &Transaction<'_>,
    sql: &Sql,
    caches: &Caches,
    held: &HeldHosts,
    batches: &[NewPages<'_>],
) -> Result<(Vec<AdmittedPages>, Additions), Failure> {
    let mut space: HashMap<i32, u64> = batches.iter().map(|batch| (batch.job, batch.space)).collect();
    let steps: Vec<Step<'_>> = batches.iter().map(step).collect();
    let mut offered = offer(t, sql, caches, &mut space, &steps).await?;
    let blocks = offered.blocks(t, sql, caches, held).await?;
    insert_blocks(t, sql, &blocks).await?;
    let admitted = offered.taken.iter().map(|taken| AdmittedPages {
        admitted: taken.admitted,
        queued: taken.queued,
        auxiliary: taken.auxiliary,
    });
    Ok((admitted.collect(), offered.additions))
}

fn step<'a>(batch: &NewPages<'a>) -> Step<'a> {
    Step {
        job: batch.job,
        max_depth: batch.max_depth,
        depth: batch.depth,
        page: None,
        redirected_to: None,
        from_links: batch.from_links,
        offered: batch.pages,
    }
}

/// Adds pages to a job, with notes.
struct AdmitPages<'a> {
    sql: &'a Sql,
    caches: &'a Caches,
    config: &'a FrontierConfig,
    job: JobId,
    admission: &'a Admission,
}

#[async_trait]
impl Operation for AdmitPages<'_> {
    type Output = (JobRow, Admitted, Additions);

    async fn run(&self, t: &Transaction<'_>) -> Result<Self::Output, Failure> {
        let Self { sql, caches, config, job, admission } = self;
        let glimpse = JobRow::find(t, sql, *job).await?;
        // The graph of a job with depths is read under the lock. Other jobs are locked after the insertion of
        // pages, as in the commits of finished pages, so that no two transactions wait for each other.
        let locked = match glimpse.max_depth {
            Some(_) => Some(lock_running(t, sql, *job).await?),
            None => None,
        };
        let known = locked.as_ref().unwrap_or(&glimpse);
        known.require_running()?;
        let pages = NewPages {
            job: known.number,
            max_depth: known.max_depth,
            depth: admission.depth,
            from_links: false,
            space: queue_space(known.pending, config),
            pages: &admission.pages,
        };
        // It does not check the term of the process, so it cannot rely on the hosts that the process holds.
        let (admitted, additions) = admit(t, sql, caches, &HeldHosts::default(), &[pages]).await?;
        let admitted = admitted.first().copied().unwrap_or_default();
        let mut row = match locked {
            Some(row) => row,
            None => lock_running(t, sql, *job).await?,
        };
        if !admission.notes.is_empty() {
            jobs::apply_notes(t, sql, row.number, &admission.notes).await?;
        }
        admitted.count(&mut row);
        JobRow::store_many(t, sql, std::slice::from_ref(&row)).await?;
        Ok((row, admitted.admitted, additions))
    }
}

/// Locks the row of a job that runs. If it has ended, the transaction is rolled back.
async fn lock_running(t: &Transaction<'_>, sql: &Sql, job: JobId) -> Result<JobRow, Failure> {
    let row = JobRow::lock(t, sql, job).await?;
    row.require_running()?;
    Ok(row)
}

impl Inner {
    pub(crate) async fn admit(&self, job: JobId, admission: Admission) -> Result<Admitted, Error> {
        let operation = AdmitPages {
            sql: &self.db.sql,
            caches: &self.caches,
            config: &self.config.memory.frontier,
            job,
            admission: &admission,
        };
        let (row, admitted, additions) = self.db.write(&operation).await?;
        self.pages_committed(&row, additions);
        Ok(admitted)
    }
}

#[cfg(test)]
mod tests {
    use gleaner_frontier::UrlKey;
    use url::Url;

    use super::*;

    #[test]
    fn user_pages_fit_all_or_not_at_all() {
        let page = |path: usize| {
            let url = Url::parse(&format!("https://a.example/{}", "x".repeat(path))).unwrap();
            Candidate { url, key: UrlKey::from_raw(1), external: false, priority: Candidate::NORMAL }
        };
        let config = FrontierConfig::default();
        let fits = |pages: &[Candidate], pending| check_capacity(pages, pending, &config).is_ok();
        assert!(fits(&[page(1), page(2)], config.max_queued_per_job - 2));
        assert!(!fits(&[page(1), page(2)], config.max_queued_per_job - 1));
        assert!(!fits(&[page(1), page(70_000)], 0), "a URL is too long");
        assert!(!fits(&vec![page(65_000); 2_100], 0), "too many bytes");
        assert!(fits(&[], u64::MAX));
    }
}
