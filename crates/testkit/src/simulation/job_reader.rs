//! Reads a job to its end through its handle.

use std::sync::Arc;

use gleaner_runtime::{Job, Runtime, StartOptions};
use gleaner_types::JobState;

use super::context::Context;
use super::crawl_task::{CrawlTask, TaskEnd};
use super::job_check::{JobCheck, ReadResult};
use super::monitor::Event;
use crate::site::random::Random;

/// Starts a job, reads it to its end and checks it.
pub(super) async fn read_job(context: &Arc<Context>, runtime: &Arc<Runtime>, task: &CrawlTask) -> ReadResult {
    context.sleep(task.starts_at).await;
    let request = task.request(&context.world);
    let options = StartOptions::default().with_request(CrawlTask::stored(&request));
    let plan = request.check().expect("a valid request");
    context.register(options.id, task.number);
    let mut job = runtime.start(plan, options).await.expect("the job starts");
    context.note(Event::JobStarted { job: task.number });
    let began = context.now();
    let mut check = JobCheck::default();
    let mut random = Random::new(context.seed, 0xbead + task.number as u64);
    loop {
        let rest = match task.end {
            TaskEnd::Completes => u64::MAX,
            TaskEnd::Cancelled(after) | TaskEnd::Dropped(after) => {
                (began + after).saturating_sub(context.now())
            }
        };
        let next = tokio::select! {
            biased;
            document = job.next() => document.map(Some),
            () = context.sleep(rest.min(1 << 40)), if rest < u64::MAX => Some(None),
        };
        match next {
            Some(Some(Ok(document))) => {
                check.document(context, task, document.metadata.url.as_deref());
            }
            Some(Some(Err(error))) => violate(context, task, &format!("its stream failed: {error}")),
            None => return finish(context, task, check, &job).await,
            Some(None) if matches!(task.end, TaskEnd::Dropped(_)) => {
                context.monitor().cancel(context.now(), task.number);
                return ReadResult { documents: check.documents, was_full: false };
            }
            Some(None) => {
                let cancelled = job.cancel().await.expect("a job can be cancelled");
                context.monitor().cancel(context.now(), task.number);
                return read_rest(context, task, check, job, cancelled.state).await;
            }
        }
        if random.below(8) == 0 {
            check_counts(context, task, &mut check, &job).await;
        }
        if task.reader_pause > 0 && random.below(5) == 0 {
            context.sleep(random.below(task.reader_pause as usize) as u64).await;
        }
    }
}

fn violate(context: &Context, task: &CrawlTask, what: &str) {
    context.monitor().violate(context.now(), format!("job {}: {what}", task.number));
}

async fn check_counts(context: &Context, task: &CrawlTask, check: &mut JobCheck, job: &Job) {
    match job.status().await {
        Ok(counts) => check.counts(context, task, &counts),
        Err(_) => violate(context, task, "no counts"),
    }
}

async fn finish(context: &Context, task: &CrawlTask, mut check: JobCheck, job: &Job) -> ReadResult {
    let Ok(counts) = job.status().await else {
        violate(context, task, "no counts");
        return ReadResult::default();
    };
    let failures = job.failures().await.unwrap_or_default();
    check.end(context, task, &counts, &failures)
}

/// Reads the remaining documents of a cancelled job.
async fn read_rest(
    context: &Context,
    task: &CrawlTask,
    mut check: JobCheck,
    mut job: Job,
    state: JobState,
) -> ReadResult {
    if !matches!(state, JobState::Cancelled | JobState::Completed) {
        violate(context, task, &format!("it was cancelled and is {state:?}"));
    }
    while let Some(Ok(document)) = job.next().await {
        check.document(context, task, document.metadata.url.as_deref());
    }
    check_counts(context, task, &mut check, &job).await;
    ReadResult { documents: check.documents, was_full: false }
}
